// SPDX-License-Identifier: Apache-2.0
// Linear layers in floating point, on the vector unit: each row of x times rows of w, and the sum of each. A
// CPE makes blocks of 32 x 32 results in steps of 128 k.
#include "cpe-kernels/operators/linear/activations.hpp"
#include "cpe-kernels/operators/linear/ending.hpp"
#include "cpe-kernels/operators/linear_fp32/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op;

constexpr uint32_t kRows = 32;
constexpr uint32_t kColumns = 32;
// Rows of a step that the vector unit is told of first. It takes few commands ahead: once the core waits to
// give it the others, what the next step needs should be on its way.
constexpr uint32_t kFirstRows = 4;

class LinearFp32 {
 public:
  explicit LinearFp32(const LinearFp32Args& args)
      : args_(args),
        blocks_({args.rows, args.depth, args.columns}, {kRows, kSumDepth, kColumns}, 1, kSumDepth),
        w_bytes_(bytes_of(args.w_type)),
        w_pitch_(kSumDepth * w_bytes_ + 32),
        x_(args.x, args.x_stride, bytes_of(args.x_type), blocks_, arena_),
        ending_(ending_of(args), blocks_, arena_, blocks_.rows()),
        parts_(arena_.take<float>(blocks_.rows() * ending_.pitch())),
        w_offset_(x_.room()) {
    slots_.take(arena_, blocks_, w_offset_ + blocks_.columns() * w_pitch_, ending_.room());
    ending_.put_into(slots_, 0);
  }

  void run() {
    if (!blocks_.any() && !x_.shared()) return;
    go_through(blocks_, slots_.count(), *this);
    const node::Barrier ahead = look_ahead();
    ending_.wait();
    end_work(ahead);
  }

  void begin(const Step&) {
    begin_work();
    x_.begin();
  }
  void share() { x_.share(); }
  void prepare_behind() const { operators::prepare_behind(); }

  dma::Ticket load(const Step& step) {
    dma::Ticket last = x_.load(step, slots_.of_step(step));
    if (const auto w = blocks_.own_of_w(step.columns); w.count != 0) {
      const auto at = args_.w.plus_bytes(
          static_cast<int64_t>(uint64_t{step.column} * args_.w_stride + uint64_t{step.k} * w_bytes_));
      last = load_rows(weights(step), w_pitch_, at, args_.w_stride, w, step.depth * w_bytes_);
    }
    if (step.k == 0 && !blocks_.empty(step)) {
      if (const auto ticket = ending_.load(step); ticket.number != 0) last = ticket;
    }
    return last;
  }

  void receive(const Step& step) {
    exchange(step, slots_.of_step(step), x_.pitch(), weights(step), w_pitch_, step.columns);
  }

  void load_behind(const Step&) {}
  void prepare(const Step&) {}

  vector::Ticket start(const Step& step) {
    if (blocks_.empty(step)) return {};
    if (step.k == 0) ending_.free(step);
    vector::size(step.depth, step.columns);
    vector::b(operand(weights(step), args_.w_type, w_pitch_));
    vector::no_result();
    return multiply(step, 0, std::min(kFirstRows, step.rows), {});
  }
  vector::Ticket go_on(const Step& step, vector::Ticket ticket) {
    if (blocks_.empty(step)) return {};
    vector::Ticket last = multiply(step, kFirstRows, step.rows, ticket);
    const auto y = ending_.at(ending_.results(step), Number::kFp32);
    vector::size(step.columns, step.rows);
    vector::a(y);
    into(y);
    if (step.k != 0) {
      vector::c(operand(parts_, Number::kFp32, ending_.pitch()));
      last = vector::run(Op::kAdd);
    }
    if (!blocks_.last(step)) return last;
    if (ending_.has_biases()) {
      vector::c(vector::rows(ending_.biases(step)));
      last = vector::run(Op::kAdd);
    }
    return ending_.finish(step, last);
  }
  void finish(const Step& step, vector::Ticket ticket) {
    vector::wait(ticket);
    if (!blocks_.empty(step) && blocks_.last(step)) ending_.store(step);
  }

 private:
  std::byte* weights(const Step& step) const { return slots_.of_step(step) + w_offset_; }

  // Some rows; `last`: the run before.
  vector::Ticket multiply(const Step& step, uint32_t first, uint32_t end, vector::Ticket last) {
    const std::byte* const x = x_.at(step, slots_.of_step(step));
    float* const sums = step.k == 0 ? reinterpret_cast<float*>(ending_.results(step)) : parts_;
    for (uint32_t row = first; row < end; ++row) {
      vector::a(operand(x + row * x_.pitch(), args_.x_type, 0));
      vector::reductions(sums + row * (ending_.pitch() / sizeof(float)));
      // All of these runs write to places of their own.
      last = vector::run(Op::kMul, {.reduce = vector::Reduce::kSum, .overlap = row != 0});
    }
    return last;
  }

  const LinearFp32Args& args_;
  Blocks blocks_;
  uint32_t w_bytes_;
  uint32_t w_pitch_;  // rows begin in different banks
  Arena arena_;
  Activations x_;
  Ending ending_;
  float* parts_;  // sums of a step
  uint32_t w_offset_;
  StepsAndBlocks slots_;
};

}  // namespace

void operator_linear_fp32(const LinearFp32Args& args) {
  require(check(args));
  LinearFp32(args).run();
}

}  // namespace swai::operators
