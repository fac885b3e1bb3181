// SPDX-License-Identifier: Apache-2.0
// Apart from the steps, as blocks.cpp.
#include "cpe-kernels/operators/linear/ending.hpp"

namespace swai::operators {

vector::Ticket finish(const EndingArgs& args, const Place& place, const vector::Operand& to,
                      const vector::Operand& residual, vector::Ticket last, systolic::Ticket sums) {
  const vector::Operand& y = place.x;
  if (args.function != 0) {
    systolic::wait(sums);
    last = apply(static_cast<Operator>(args.function), args.residual ? y : to, place);
  }
  if (args.residual) {
    vector::a(y);
    vector::c(residual);
    into(to);
    systolic::wait(sums);
    last = vector::run(vector::Op::kAdd);
  }
  if (args.only_converts() && args.to_type != Number::kFp32) {
    vector::a(y);
    vector::b(vector::value(1));
    into(to);
    last = vector::run(vector::Op::kMul);
  }
  return last;
}

vector::Ticket Ending::finish(const Step& step, vector::Ticket last, uint32_t first) const {
  dma::wait(residual_loaded_[step.block & slots_->block_mask()]);
  std::byte* const place = results(step) + first * pitch_;
  const auto between = [&](uint32_t i) { return at(between_[i], Number::kFp32); };
  return operators::finish(args_, {at(place, Number::kFp32), between(0), between(1), between(2)},
                           at(place, args_.to_type), at(residual(step) + first * pitch_, args_.residual_type),
                           last);
}

}  // namespace swai::operators
