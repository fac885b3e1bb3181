// SPDX-License-Identifier: Apache-2.0
// Linear layers on the systolic unit, for weights of any kind. A CPE makes blocks of 32 x 64 results. Sums
// are drained behind each part of the depth, which is all of it where a row of x has one scale. While the
// systolic unit works on a step, the one before goes through the vector unit, and operands of those to come
// are loaded.
#pragma once

#include <bit>

#include "cpe-kernels/operators/linear/activations.hpp"
#include "cpe-kernels/operators/linear/ending.hpp"
#include "cpe-kernels/operators/linear/joined.hpp"
#include "cpe-kernels/operators/linear/plan.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

// Weights of a step as they lie in memory, in `count` pieces of `bytes`, a multiple of 32, that begin
// `stride` bytes apart. In local memory they lie one after the other.
struct Pieces {
  GlobalPtr<const void> at;
  uint32_t bytes;
  uint32_t count;
  uint32_t stride;

  dma::Ticket load(std::byte* to, const cpe::Part& own) const {
    const auto from = at.plus_bytes(int64_t{own.first * stride});
    std::byte* const place = to + own.first * bytes;
    if (stride == bytes) return dma::load(place, from, own.count * bytes);
    return dma::load(
        place, from, bytes,
        {static_cast<uint16_t>(own.count), static_cast<uint16_t>(bytes), static_cast<int32_t>(stride)});
  }
};

struct BlockWidth {
  uint32_t most;
  uint32_t unit;
};

// Rows of x in local memory, for what weights may add.
struct Rows {
  const std::byte* at;
  uint32_t pitch;
  const float* factors;    // their scales
  uint32_t factors_pitch;  // from group to group, in bytes
  bool stay;               // all of their depth is there, from the first step on
};

// `Weights` is made from the arguments and the arena, and has
//   Args
//   columns(args, all)   of a block at most, and among whose multiples CPEs are divided
//   kDepth, kFirstDepth  of a step, and of the very first one, where rows of x have one scale
//   kPart                sums of so much depth do not overflow; a power of two
//   kRunDepth            of a run of the systolic unit at most, likewise
//   kMostPieces          of a step of few rows and columns, at most
//   kKind                for the systolic unit
//   kOperator            whose weights they are
//   lie_alike(args, other)  whether another node's slots, if its sizes are the same, are the same
//   room(depth, columns)    bytes that those of a step take, a step of kDepth or a multiple, or of some more
//   pieces(w, step)      where they lie in memory, of a step of kDepth at most
//   load(to, w, step)    begins to load them all, of any step
//   set(k, depth, at, stride)   settings for those of a run in local memory, and the results' column stride
//   move(at)             the same for a run that is as large as the one before
//   adds()               whether results get more than products of the systolic unit
//   kJoins               whether nodes may be joined
//   kMayAdd              whether that may ever be so; then begin (once, if rows stay), prepare and add (for
//                        each run) issue what adds it to results
template <typename Weights>
class SystolicLinear {
 public:
  using Nodes = Joined<typename Weights::Args>;

  explicit SystolicLinear(const Nodes& nodes)
      : nodes_(nodes),
        args_(nodes.of(0)),
        grouped_(args_.group != args_.depth),
        run_shift_(static_cast<uint32_t>(std::countr_zero(grouped_ ? kScaleGroup : Weights::kRunDepth))),
        part_shift_(static_cast<uint32_t>(std::countr_zero(grouped_ ? kScaleGroup : Weights::kPart))),
        parts_of_block_(((args_.depth - 1) >> part_shift_) + 1),
        blocks_({args_.rows, args_.depth, nodes.columns()},
                {kBlockRows, grouped_ ? kScaleGroup : Weights::kDepth,
                 Weights::columns(args_, nodes.columns()).most},
                Weights::columns(args_, nodes.columns()).unit, grouped_ ? kScaleGroup : Weights::kFirstDepth),
        x_(args_.x, args_.x_stride, 1, blocks_, arena_),
        rows_at_once_(rows_at_once()),
        ending_(ending_of(args_), blocks_, arena_, rows_at_once_, stored_sums()),
        weights_(args_, blocks_, x_, arena_),
        adds_up_(parts_of_block_ > 1 || weights_.adds()),
        part_bytes_(blocks_.rows() * ending_.pitch()) {
    if (x_.stay()) {
      all_row_factors_ = arena_.take<std::byte>(groups() * kFewFactors);
      if (blocks_.any()) deepen();
    }
    if (adds_up_) parts_ = arena_.take<std::byte>(2 * part_bytes_);
    if (packs()) packed_ = arena_.take<std::byte>(kPacked * packed_bytes());
    uint32_t room = 0;
    const auto take = [&](uint32_t bytes) {
      const uint32_t at = room;
      room += (bytes + 63) / 64 * 64;
      return at;
    };
    take(x_.room());
    w_offset_ = take(weights_.room(blocks_.depth(), blocks_.columns()));
    row_factors_offset_ = take(x_.stay() ? 0 : blocks_.rows() * 4);
    const uint32_t ending_offset = (blocks_.columns() * 4 + 63) / 64 * 64;
    slots_.take(arena_, blocks_, room, ending_offset + ending_.room());
    ending_.put_into(slots_, ending_offset);
    continues_ = walk_state().ahead == walk_state().node;
    if (continues_) slots_.begin_behind(ahead.steps, ahead.blocks);
  }

  void run() {
    if (!continues_ && !blocks_.any() && !x_.shared()) return;
    go_through(blocks_, slots_.count(), *this);
    put_all_due();
    prepare_behind();
    const node::Barrier ahead = look_ahead(nodes_.count - 1);
    ending_.wait();
    end_work(ahead);
  }
  void prepare_behind() const {
    if (blocks_.everyone()) operators::prepare_behind(nodes_.count - 1);
  }

  void begin(const Step& first) {
    begin_work();
    if (continues_) {
      walk_state().ahead = node::kNoNode;
      return;
    }
    // Weights first: they keep memory busy. But x should not wait for all of a deep step's.
    if (x_.stay() && blocks_.any()) first_weights_loaded_ = load_weights(args_, first, slots_, kStep);
    x_.begin();
    // Who only shares activations needs no scales, and would not wait for them.
    if (x_.stay() && (blocks_.any() || shares_row_factors())) load_all_row_factors();
  }

  void share() {
    if (continues_) return;
    x_.share();
    if (shares_row_factors()) share_row_factors();
  }

  dma::Ticket load(const Step& step) {
    dma::Ticket last = x_.load(step, slots_.of_step(step));
    if (continues_ && step.number < ahead.count) {
      last = ahead.loaded[step.number];
    } else if (first_weights_loaded_.number != 0 && step.number == 0) {
      // What is shared was waited for.
      last = shares_row_factors() ? first_weights_loaded_ : row_factors_loaded_;
      if (step.depth > kStep) last = load_rest(step);
    } else if (const auto ticket = load_weights(node_of(step), step, slots_); ticket.number != 0) {
      last = ticket;
    }
    if (blocks_.empty(step)) return last;
    if (!x_.stay() && needs_row_factors(step)) {
      const uint64_t group = grouped_ ? step.k / kScaleGroup : 0;
      last = dma::load(slots_.of_step(step) + row_factors_offset_,
                       args_.x_scales.plus_bytes(
                           static_cast<int64_t>(group * args_.x_scales_stride + uint64_t{step.row} * 4)),
                       step.rows * 4);
    }
    // The block before is finished with its own until then.
    if (ending_.has_residual() && blocks_.last(step)) ending_.load_residual(step);
    return last;
  }

  // For the node behind, if it is like this one: its weights come into the slots that are free, so that
  // memory has something to do while the last steps are computed and that node begins.
  [[gnu::noinline]] void load_behind(const Step& end) {
    if (!looked_behind_) {
      looked_behind_ = true;
      behind_ = find_behind();
      if (behind_ == nullptr) return;
      walk_state().ahead = walk_state().node + 1;
      slots_behind_ = slots_;
      slots_behind_.begin_behind(end.number, end.block);
      step_behind_ = blocks_.first();
      ahead = {slots_behind_.first_step(), slots_behind_.first_block(), 0, {}};
    }
    if (behind_ == nullptr) return;
    const dma::Background not_for_this_node;
    ahead.loaded[ahead.count++] = load_weights(*behind_, step_behind_, slots_behind_);
    if (!blocks_.next(step_behind_)) behind_ = nullptr;
  }

  void receive(const Step& step) {
    const Pieces pieces = weights_.pieces(args_.w, step);
    exchange(step, slots_.of_step(step), x_.pitch(), weights(step), pieces.bytes, pieces.count);
    if (packs(step) && !blocks_.empty(step)) pack(step);
  }

  void prepare(const Step& step) {
    if (blocks_.empty(step)) return;
    const uint32_t early = early_rows(step);
    systolic::factors(reinterpret_cast<float*>(slots_.of_block(step)), ending_.biases(step));
    set(step, first_run(step), x_of(step), row_factors(step), {0, early != 0 ? early : step.rows});
  }

  systolic::Ticket start(const Step& step) {
    if (blocks_.empty(step)) return {};
    biased_ = static_cast<bool>(node_of(step).biases);
    if (ends_part(step) && !adds_up_) ending_.free(step);
    const Run run = first_run(step);
    const auto ticket = multiply(run, run.part & 1);
    if constexpr (Weights::kMayAdd) {
      // The node before has done that, if this one continues it.
      if (step.number == 0 && x_.stay() && !continues_ && weights_.adds())
        weights_.begin(step.rows, rows_of_x(step));
    }
    const uint32_t early = early_rows(step);
    if (early == 0) return ticket;
    set(step, run, x_of(step), row_factors(step), {early, step.rows - early});
    return multiply(run, ~run.part & 1);
  }

  // The other runs of a step: while one is under way the vector unit adds up the one before.
  systolic::Ticket go_on(const Step& step, systolic::Ticket ticket) {
    Run run = first_run(step);
    if (const uint32_t most = run_depth(); step.depth > most && !blocks_.empty(step)) {
      const std::byte* x = x_of(step);
      const float* factors = row_factors(step);
      const uint32_t w_bytes = weights_.room(most, step.columns);
      vector::Ticket last = {};
      uint32_t left = step.depth;
      while (left > most) {
        left -= most;
        const Run before = run;
        run = {run.k + most, std::min(left, most), part_of(step, run.k + most), run.w + w_bytes};
        x += most;
        if (grouped_) factors += kFewFactors / sizeof(float);
        if (run.depth == most) {
          move(run, x, factors);
        } else {
          set(step, run, x, factors, {0, step.rows});
        }
        // What it writes over was added up.
        vector::wait(last);
        const auto next = multiply(run, run.part & 1);
        systolic::wait(ticket);
        if (adds_up_) last = add_up(step, before);
        ticket = next;
      }
      vector::wait(last);
    }
    last_run_ = run;
    return ticket;
  }

  // After its last run: adds it up, and a block that is complete goes to memory.
  void finish(const Step& step, systolic::Ticket ticket) {
    if (blocks_.empty(step)) {
      systolic::wait(ticket);
      return put_some_due();
    }
    const uint32_t early = early_rows(step);
    if (early != 0 && blocks_.last(step)) {
      systolic::wait({ticket.number - 1});
      due_ = {step, {0, early}};
      put_all_due();
    }
    systolic::wait(ticket);
    vector::Ticket last = {};
    if (adds_up_) last = add_up(step, last_run_);
    if (blocks_.last(step)) {
      if (step.rows - early <= rows_at_once_) return put(step, {early, step.rows - early}, last);
      due_ = {step, {early, step.rows - early}};
    }
    vector::wait(last);
    put_some_due();
  }

 private:
  // Where nodes are joined: that to which a block belongs, if it is not empty, and its place in it.
  const typename Weights::Args& node_of(const Step& step) const {
    if constexpr (Weights::kJoins) {
      if (nodes_.count > 1) return nodes_.of(std::min(step.column / args_.columns, nodes_.count - 1));
    }
    return args_;
  }
  uint32_t column_in_node(const Step& step) const {
    if constexpr (Weights::kJoins) {
      if (nodes_.count > 1) return step.column % args_.columns;
    }
    return step.column;
  }
  // Of the first step, whose first piece was loaded.
  dma::Ticket load_rest(const Step& step) const {
    Step rest = step;
    rest.k += kStep;
    rest.depth -= kStep;
    return weights_.load(weights(step) + weights_.room(kStep, step.columns), args_.w, rest);
  }
  // The arguments of the node behind, if with it all lies in local memory where it lies here, and x is the
  // same.
  const typename Weights::Args* find_behind() const {
    using Args = typename Weights::Args;
    if (!x_.stay() || (x_.shared() && !blocks_.everyone()) || args_.residual) return nullptr;
    const node::Node* const node = node_behind();
    if (node == nullptr || node->operation != static_cast<uint16_t>(Weights::kOperator)) return nullptr;
    const auto& other = *reinterpret_cast<const Args*>(node->arguments.data());
    const bool alike = other.x == args_.x && other.x_scales == args_.x_scales &&
                       other.x_scales_stride == args_.x_scales_stride && other.group == args_.group &&
                       other.rows == args_.rows && other.x_stride == args_.x_stride &&
                       other.depth == args_.depth && other.columns == args_.columns && !other.residual &&
                       Weights::lie_alike(args_, other);
    return alike ? &other : nullptr;
  }
  // Of few rows and columns, where each step is added up, the core is what a step waits for. There it has
  // several pieces, if there is room for several steps. With more columns
  // the units have enough to do, and memory is faster when all CPEs read the same piece.
  void deepen() {
    if (blocks_.columns() > kNarrow) return;
    const uint32_t parts = adds_up_ ? 2 * part_bytes_ : 0;
    const uint32_t block_bytes = 2 * (blocks_.columns() * 4 + 128 + ending_.room());
    const auto bytes = [&](uint32_t pieces) {
      return parts + block_bytes + kDeepSlots * (weights_.room(pieces * kStep, blocks_.columns()) + 64);
    };
    uint32_t pieces = Weights::kMostPieces;
    while (pieces != 1 && bytes(pieces) > arena_.left()) pieces /= 2;
    blocks_.deepen(pieces);
  }
  // Its own part of the step's, up to a depth, and what belongs to the columns of its block.
  dma::Ticket load_weights(const typename Weights::Args& args, const Step& step, const StepsAndBlocks& slots,
                           uint32_t most = ~uint32_t{0}) const {
    dma::Ticket last = {};
    std::byte* const to = slots.of_step(step) + w_offset_;
    Step begin = step;
    begin.depth = std::min(step.depth, most);
    begin.column = column_in_node(step);
    if (!blocks_.sharing()) {
      last = weights_.load(to, args.w, begin);
    } else {
      const Pieces pieces = weights_.pieces(args.w, begin);
      if (const auto own = blocks_.own_of_w(pieces.count); own.count != 0) last = pieces.load(to, own);
    }
    if (blocks_.empty(step) || !needs_block(step)) return last;
    ending_.load_biases(args.biases, begin, slots);
    return dma::load(slots.of_block(step), args.w_scales.plus_bytes(int64_t{begin.column} * 4),
                     step.columns * 4);
  }

  // Nothing is computed while the last block is drained and stored. So its first rows are runs of their own,
  // in one half of the accumulators, and leave while the others are computed in the other half. 0: there are
  // no such rows. Weights that may add something are for steps that should have few instructions.
  uint32_t early_rows(const Step& step) const {
    if constexpr (Weights::kMayAdd) return 0;
    const bool cut = blocks_.in_last_block(step) && step.rows >= kEarlyRows + kFewestRows && !adds_up_;
    return cut ? kEarlyRows : 0;
  }

  // What the systolic unit does at a time. A step is one run, or several: where each has its scales of rows,
  // or weights are in pieces.
  struct Run {
    uint32_t k, depth;
    uint32_t part;       // of the depth, counted from 0 over all blocks
    const std::byte* w;  // its weights in local memory
  };
  uint32_t run_depth() const { return 1u << run_shift_; }
  uint32_t part_of(const Step& step, uint32_t k) const {
    return step.block * parts_of_block_ + (k >> part_shift_);
  }
  Run first_run(const Step& step) const {
    return {step.k, std::min(step.depth, run_depth()), part_of(step, step.k), weights(step)};
  }
  const std::byte* x_of(const Step& step) const {
    return packs(step) ? packed(step) : x_.at(step, slots_.of_step(step));
  }
  // Settings for the products of some rows of the block, but for what belongs to all of it.
  void set(const Step& step, const Run& run, const std::byte* x, const float* factors,
           const cpe::Part& rows) {
    if (packs(step)) {
      systolic::activations(x + rows.first * 8, step.rows * 8, 8);
    } else {
      systolic::activations(x + rows.first * x_.pitch(), 8, x_.pitch());
    }
    weights_.set(run.k, run.depth, run.w, static_cast<int32_t>(8 * bytes_of(drained())));
    systolic::output((adds_up_ ? part(run) : ending_.results(step)) + rows.first * ending_.pitch(),
                     static_cast<int32_t>(ending_.pitch()));
    systolic::row_factors(factors + rows.first);
    const uint32_t tiles = (step.columns + 7) / 8;
    systolic::size({tiles, padded_depth(run.depth) / 8, tiles, rows.count});
  }
  // For a run that is as large as the one before, of the same step.
  void move(const Run& run, const std::byte* x, const float* factors) {
    systolic::activations(x, 8, x_.pitch());
    weights_.move(run.w);
    if (!grouped_) return;
    systolic::output(part(run), static_cast<int32_t>(ending_.pitch()));
    systolic::row_factors(factors);
  }
  systolic::Ticket multiply(const Run& run, uint32_t half) const {
    return systolic::run({.weights = Weights::kKind,
                          .keep = !begins_part(run),
                          .drain = ends_part(run),
                          .half = half,
                          .result = static_cast<cpe::Number>(drained()),
                          .row_factors = true,
                          .bias = biased_ && run.k >> part_shift_ == 0});
  }
  Number drained() const { return !adds_up_ && ending_.only_converts() ? ending_.to_type() : Number::kFp32; }
  // A run's sums to those before it. Returns the last run of the vector unit.
  [[gnu::always_inline]] vector::Ticket add_up(const Step& step, const Run& run) {
    if (run.k == 0) ending_.free(step);
    // Of one row its tiles are the vector unit's rows.
    const uint32_t pitch = step.rows == 1 ? 32 : ending_.pitch();
    // Settings stay from run to run of a block of one row.
    if (step.rows != 1 || run.k == 0 || !x_.stay()) {
      if constexpr (Weights::kMayAdd) {
        if (weights_.adds())
          weights_.prepare(step.rows, step.columns, run.k, run.depth, run.w, rows_of_x(step));
      }
      const auto y = operand(ending_.results(step), Number::kFp32, pitch);
      if (step.rows == 1) {
        vector::size(8, (step.columns + 7) / 8);
      } else {
        vector::size(step.columns, step.rows);
      }
      vector::c(y);
      into(y);
    }
    vector::Ticket last = {};
    bool begins = run.k >> part_shift_ == 0;
    if constexpr (Weights::kMayAdd) {
      if (weights_.adds()) {
        last = weights_.add(step.rows, run.k, run.w, x_.stay());
        begins = false;
      }
    }
    if (!ends_part(run)) return last;
    vector::a(operand(part(run), Number::kFp32, pitch));
    if (!begins) return vector::run(vector::Op::kAdd);
    vector::b(vector::value(1));
    return vector::run(vector::Op::kMul);
  }
  Rows rows_of_x(const Step& step) const {
    return {x_.at(step, slots_.of_step(step)), x_.pitch(), row_factors(step), grouped_ ? kFewFactors : 0,
            x_.stay()};
  }
  // A block's function and residual would keep the vector unit, and so the core, for longer than a step's
  // products take the systolic unit, which then has no run. So with each step of the next block some rows are
  // due.
  uint32_t rows_at_once() const {
    if (ending_of(args_).only_converts()) return blocks_.rows();
    const uint32_t steps = (args_.depth + blocks_.depth() - 1) / blocks_.depth();
    return std::max((blocks_.rows() + 8 * steps - 1) / (8 * steps) * 8, kFewRows);
  }
  void put_some_due() {
    if (due_.rows.count != 0) put_due();
  }
  void put_all_due() {
    while (due_.rows.count != 0) put_due();
  }
  // Of few rows nothing ever is due: not among the instructions of their steps.
  [[gnu::noinline]] void put_due() {
    const cpe::Part rows = {due_.rows.first, std::min(due_.rows.count, rows_at_once_)};
    put(due_.step, rows, {});
    due_.rows = {rows.first + rows.count, due_.rows.count - rows.count};
  }
  // Makes results of sums that are complete with the run `last`, and begins to store them.
  void put(const Step& step, const cpe::Part& rows, vector::Ticket last) {
    vector::size(step.columns, rows.count);
    if (adds_up_ || !ending_.only_converts()) last = ending_.finish(step, last, rows.first);
    vector::wait(last);
    ending_.store(step, rows, node_of(step).to, column_in_node(step));
  }

  // Sums that need nothing but a conversion are stored as results are.
  Number stored_sums() const {
    const bool is_result = !Weights::kMayAdd && parts_of_block_ == 1 && ending_of(args_).only_converts();
    return is_result ? args_.to_type : Number::kFp32;
  }

  // Scales and biases are wanted at the first drain, and the first step of all should not wait for them. To
  // what weights may add rows' scales belong at each step.
  bool needs_row_factors(const Step& step) const { return Weights::kMayAdd || ends_part(step); }
  bool needs_block(const Step& step) const {
    return Weights::kMayAdd ? step.k == 0 : ends_part(step) && step.k >> part_shift_ == 0;
  }

  // A row's activations lie in a word of their own, so the systolic unit wants one in every cycle, and waits
  // when others use its bank. Packed, one word has those of four rows. The short steps at the beginning have
  // no time for that, unless each step is drained, and goes through the vector unit.
  bool packs() const { return (grouped_ || !Weights::kMayAdd) && blocks_.sharing(); }
  bool packs(const Step& step) const {
    return packs() && (grouped_ || step.block != 0 || step.k >= Weights::kDepth);
  }
  // Of three steps: the next one's are made while this one's are multiplied, and perhaps those before.
  static constexpr uint32_t kPacked = 3;
  uint32_t packed_bytes() const { return blocks_.rows() * kScaleGroup; }
  std::byte* packed(const Step& step) const { return packed_ + step.number % kPacked * packed_bytes(); }
  void pack(const Step& step) const {
    const uint32_t rows = step.rows;
    auto from = operand(x_.at(step, slots_.of_step(step)), Number::kInt8, x_.pitch());
    auto to = operand(packed(step), Number::kInt8, 8);
    vector::size(8, rows);
    vector::b(vector::value(1));
    vector::Ticket last = {};
    for (uint32_t tiles = padded_depth(step.depth) / 8; tiles != 0; --tiles) {
      vector::a(from);
      into(to);
      last = vector::run(vector::Op::kMul, {.overlap = true});
      from.at += 8;
      to.at += 8 * rows;
    }
    vector::wait(last);
  }
  bool begins_part(const Run& run) const { return (run.k & ((1u << part_shift_) - 1)) == 0; }
  template <typename Some>
  bool ends_part(const Some& some) const {
    const uint32_t end = some.k + some.depth;
    return grouped_ || end == args_.depth || (end & ((1u << part_shift_) - 1)) == 0;
  }
  // Where the sums of a part go before they are added up.
  std::byte* part(const Run& run) const { return parts_ + (run.part & 1) * part_bytes_; }
  std::byte* weights(const Step& step) const { return slots_.of_step(step) + w_offset_; }

  // With fewer rows a drain takes longer than the run behind it. Scales of rows begin at multiples of 8.
  static constexpr uint32_t kEarlyRows = 16;
  // With fewer a run waits for its weights.
  static constexpr uint32_t kFewestRows = 8;

  static constexpr uint32_t kStep = 128;  // depth of a piece
  // Of deep steps: columns at most, and for how many steps there is room at least.
  static constexpr uint32_t kNarrow = 48;
  static constexpr uint32_t kDeepSlots = 4;

  // Where all activations stay, all of their scales do: a line of few rows' for each group.
  static constexpr uint32_t kFewFactors = 64;
  static constexpr uint32_t kManyGroups = 8;
  uint32_t groups() const { return grouped_ ? parts_of_block_ : 1; }
  // Of many groups a row of CPEs reads them once, as it does rows of x.
  bool shares_row_factors() const { return x_.shared() && groups() >= kManyGroups; }
  void load_all_row_factors() {
    const cpe::Part own = shares_row_factors() ? cpe::part_of(groups(), cpe::columns(), cpe::column_number())
                                               : cpe::Part{0, groups()};
    row_factors_loaded_ =
        load_rows(all_row_factors_, kFewFactors, args_.x_scales, args_.x_scales_stride, own, args_.rows * 4);
  }
  void share_row_factors() const {
    dma::wait(row_factors_loaded_);
    cpe::Exchange<cpe::row> parts;
    parts.begin(all_row_factors_, kFewFactors, groups(), cpe::columns());
    parts.wait();
  }
  const float* row_factors(const Step& step) const {
    const std::byte* const at = x_.stay()
                                    ? all_row_factors_ + (grouped_ ? step.k / kScaleGroup * kFewFactors : 0)
                                    : slots_.of_step(step) + row_factors_offset_;
    return reinterpret_cast<const float*>(at);
  }

  const Nodes& nodes_;
  const typename Weights::Args& args_;  // of the first one
  bool grouped_;
  uint32_t run_shift_;
  uint32_t part_shift_;
  uint32_t parts_of_block_;
  Blocks blocks_;
  Arena arena_;
  Activations x_;
  uint32_t rows_at_once_;  // of a block that is finished
  Ending ending_;
  Weights weights_;
  bool adds_up_;  // results are more than one drain's
  uint32_t part_bytes_;
  std::byte* parts_ = nullptr;
  std::byte* packed_ = nullptr;
  std::byte* all_row_factors_ = nullptr;
  // Rows of a complete block that are still to be finished.
  struct {
    Step step;
    cpe::Part rows;
  } due_ = {};
  bool biased_ = false;                    // the block that is computed
  Run last_run_ = {};                      // of the step that was computed
  bool continues_;                         // the node before has begun to load for this one
  dma::Ticket first_weights_loaded_ = {};  // of the first step, if they were asked for before all else
  dma::Ticket row_factors_loaded_ = {};
  bool looked_behind_ = false;
  const typename Weights::Args* behind_ = nullptr;  // while something of it can be loaded
  StepsAndBlocks slots_behind_;
  Step step_behind_ = {};
  uint32_t w_offset_;
  uint32_t row_factors_offset_;
  StepsAndBlocks slots_;  // a block's begins with the factors of its columns
};

}  // namespace swai::operators
