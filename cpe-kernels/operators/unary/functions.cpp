// SPDX-License-Identifier: Apache-2.0
// A few runs of the vector unit for each function.
#include "cpe-kernels/operators/unary/functions.hpp"

#include "cpe-kernels/operators/common/constants.hpp"

namespace swai::operators {

using vector::Op, vector::Special, vector::value;

namespace {

vector::Ticket fma(const vector::Operand& to, const vector::Operand& a, const vector::Operand& b,
                   const vector::Operand& c, Special special = Special::kNone) {
  vector::a(a);
  vector::b(b);
  vector::c(c);
  into(to);
  return vector::run(Op::kFma, {.special = special});
}
vector::Ticket two(Op op, const vector::Operand& to, const vector::Operand& a, const vector::Operand& b,
                   Special special = Special::kNone) {
  vector::a(a);
  vector::b(b);
  into(to);
  return vector::run(op, {.special = special});
}
vector::Ticket mul(const vector::Operand& to, const vector::Operand& a, const vector::Operand& b,
                   Special special = Special::kNone) {
  return two(Op::kMul, to, a, b, special);
}

vector::Ticket relu(const vector::Operand& to, const Place& p) { return two(Op::kMax, to, p.x, value(0)); }

vector::Ticket silu(const vector::Operand& to, const Place& p) {
  mul(p.t, p.x, value(-kLog2E), Special::kExp2);
  fma(p.t, p.t, value(1), value(1), Special::kReciprocal);
  return mul(to, p.x, p.t);
}

vector::Ticket gelu_tanh(const vector::Operand& to, const Place& p) {
  mul(p.t, p.x, p.x);
  fma(p.t, p.t, value(kTanh3), value(kTanh1));
  mul(p.t, p.x, p.t, Special::kExp2);
  fma(p.t, p.t, value(1), value(1), Special::kReciprocal);
  return mul(to, p.x, p.t);
}

// max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2: nothing is lost where the result is small.
vector::Ticket gelu_erf(const vector::Operand& to, const Place& p) {
  fma(p.t, p.x.magnitude(), value(kErfP), value(1), Special::kReciprocal);
  mul(p.u, p.x, p.x);
  mul(p.u, p.u, value(-kLog2E / 2), Special::kExp2);
  fma(p.v, p.t, value(kErf5), value(kErf4));
  fma(p.v, p.v, p.t, value(kErf3));
  fma(p.v, p.v, p.t, value(kErf2));
  fma(p.v, p.v, p.t, value(kErf1));
  mul(p.v, p.v, p.t);
  mul(p.v, p.v, p.u);
  two(Op::kMax, p.u, p.x, value(0));
  return fma(to, p.x.magnitude().negated(), p.v, p.u);
}

}  // namespace

vector::Ticket apply(Operator function, const vector::Operand& to, const Place& place) {
  switch (function) {
    case Operator::kRelu:
      return relu(to, place);
    case Operator::kSilu:
      return silu(to, place);
    case Operator::kGeluErf:
      return gelu_erf(to, place);
    case Operator::kCast:
      return mul(to, place.x, value(1));
    default:
      return gelu_tanh(to, place);
  }
}

}  // namespace swai::operators
