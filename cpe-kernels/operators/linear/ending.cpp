// Apart from the steps, as blocks.cpp.
#include "cpe-kernels/operators/linear/ending.hpp"

namespace swai::operators {

vector::Ticket Ending::finish(const Step& step, vector::Ticket last, uint32_t first) const {
  std::byte* const place = results(step) + first * pitch_;
  const auto y = at(place, Number::kFp32);
  const auto to = at(place, args_.to_type);
  if (args_.function != 0) {
    const auto between = [&](uint32_t i) { return at(between_[i], Number::kFp32); };
    last = apply(static_cast<Operator>(args_.function), args_.residual ? y : to,
                 {y, between(0), between(1), between(2)});
  }
  if (args_.residual) {
    vector::a(y);
    vector::c(at(residual(step) + first * pitch_, args_.residual_type));
    into(to);
    last = vector::run(vector::Op::kAdd);
  }
  if (only_converts() && args_.to_type != Number::kFp32) {
    vector::a(y);
    vector::b(vector::value(1));
    into(to);
    last = vector::run(vector::Op::kMul);
  }
  return last;
}

}  // namespace swai::operators
