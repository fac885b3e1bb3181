// Functions of elements: a few runs of the vector unit for each tile.
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/unary/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Special, vector::value;

constexpr uint32_t kRoom = 2048;
constexpr uint32_t kBytes = kRoom * sizeof(float);

// A tile's operand and result, and places for what comes between; all but the first two are fp32 and as wide.
struct Place {
  vector::Operand x;
  vector::Operand t;
  vector::Operand u;
  vector::Operand v;
};

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

using Function = vector::Ticket (*)(const vector::Operand& to, const Place& place);

struct Unary {
  Function function;
  const UnaryArgs& args;
  Matrix to;
  Source from;
  struct Slot {
    std::byte* to;
    std::byte* from;
  } slots[kSlots];
  std::byte* between[3];

  dma::Ticket load(uint32_t slot, const Tile& tile) { return operators::load(slots[slot].from, from, tile); }
  void run(uint32_t slot, const Tile& tile) {
    const uint32_t pitch = pitch_of(tile.columns);
    const auto fp32 = [&](const std::byte* at) { return operand(at, Number::kFp32, pitch * 4); };
    const Place place = {operand(slots[slot].from, args.from_type, from.stride == 0 ? 0 : pitch * from.bytes),
                         fp32(between[0]), fp32(between[1]), fp32(between[2])};
    vector::size(tile.columns, tile.rows);
    vector::wait(function(operand(slots[slot].to, args.to_type, pitch * to.bytes), place));
  }
  dma::Ticket store(uint32_t slot, const Tile& tile) { return operators::store(to, slots[slot].to, tile); }
};

void unary(const UnaryArgs& args, Function function) {
  require(check(args));
  const uint32_t to_bytes = bytes_of(args.to_type);
  const uint32_t from_bytes = bytes_of(args.from_type);
  Unary unary = {
      function, args, {args.to, args.to_stride, to_bytes}, {args.from, args.from_stride, from_bytes}, {}, {}};
  Arena arena;
  for (auto& slot : unary.slots) slot = {arena.take<std::byte>(kBytes), arena.take<std::byte>(kBytes)};
  for (std::byte*& at : unary.between) at = arena.take<std::byte>(kBytes);
  const uint32_t columns = args.columns;
  const bool one_piece = args.to_stride == columns * to_bytes && args.from_stride == columns * from_bytes &&
                         uint64_t{args.rows} * columns <= kMaxStride / 4;
  const Grid grid = one_piece ? Grid(1, args.rows * columns, kRoom, cpe::rank(), cpe::count())
                              : Grid(args.rows, columns, kRoom, cpe::rank(), cpe::count());
  stream(grid, unary);
}

}  // namespace

void operator_relu(const UnaryArgs& args) { unary(args, relu); }
void operator_silu(const UnaryArgs& args) { unary(args, silu); }
void operator_gelu_erf(const UnaryArgs& args) { unary(args, gelu_erf); }
void operator_gelu_tanh(const UnaryArgs& args) { unary(args, gelu_tanh); }

}  // namespace swai::operators
