// SPDX-License-Identifier: Apache-2.0
// A linear layer of one row, with what comes before it: the row is normalised and quantised by each CPE that
// has columns, all of it, or, if it is long, by one for all of its row, because that takes less time than
// waiting at barriers for one that does it.
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/linear/ending.hpp"
#include "cpe-kernels/operators/linear_row/plan.hpp"
#include "cpe-kernels/operators/norm/rows.hpp"
#include "operator_table.hpp"
#include "swai/channel.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace {

namespace systolic = cpe::systolic;

// Of a long row the first CPE of a row of them makes what all multiply. Shorter ones each makes by itself.
bool shares_row(const LinearRowArgs& args) {
  constexpr uint32_t kOwnRow = 256;
  return args.depth > kOwnRow && cpe::all_cpes();
}

// A row that is one CPE's, for Norm.
struct WholeRow {
  uint32_t length;

  uint32_t columns() const { return length; }
  static constexpr uint32_t column() { return 0; }
  uint32_t pieces() const { return pieces_of(length); }
  static constexpr uint32_t first_piece() { return 0; }
  static constexpr uint32_t parts() { return 1; }
};

// Columns of one CPE: whole tiles of 8, and no fewer than are worth its while, as long as there are so many;
// of very many, whole blocks.
class Columns {
 public:
  // `is_shared`: CPEs of a row share the row that they multiply.
  Columns(const LinearRowArgs& args, bool is_shared) : all_(args.columns) {
    const uint32_t count = cpe::count();
    if (all_ > count * kBlockColumns) {
      const uint32_t blocks = (all_ - 1) / kBlockColumns + 1;
      each_ = kBlockColumns;
      everyone_ = true;
      rank_ = cpe::rank();
      first_ = rank_ * blocks / count * kBlockColumns;
      end_ = std::min((rank_ + 1) * blocks / count * kBlockColumns, all_);
      return;
    }
    // Of weights. Twice as many where more than half of the CPEs would have work: each of them loads the row,
    // and the others can prepare the next node.
    constexpr uint32_t kWorthwhile = 2048;
    uint32_t log = std::countr_zero(kPackedColumns);
    const auto bytes = [&] { return args.depth << log; };
    while (log < std::countr_zero(kBlockColumns) &&
           (bytes() < kWorthwhile || (bytes() < 2 * kWorthwhile && all_ > count << log >> 1)))
      ++log;
    each_ = 1u << log;
    workers_ = (all_ + each_ - 1) >> log;
    while (each_ * count < all_) {
      each_ += kPackedColumns;
      workers_ = count;
    }
    everyone_ = each_ * (count - 1) < all_;
    if (everyone_) {
      rank_ = cpe::rank();
    } else {
      take_turns(is_shared);
    }
    first_ = rank_ * each_;
    end_ = std::min(first_ + each_, all_);
  }

  bool any() const { return first_ < all_; }
  // The same at a node of as many columns and as much depth, so far behind the one that runs.
  bool any_behind(uint32_t nodes) const { return turns.rank_behind((nodes - 1) * workers_) * each_ < all_; }
  // So many nodes of as many columns and as much depth are left out.
  void leave_out(uint32_t nodes) const {
    if (nodes != 0) turns.pass(nodes * workers_);
  }
  uint32_t first() const { return first_; }
  uint32_t end() const { return end_; }
  // Of a block of any CPE, at most.
  uint32_t most() const { return each_; }
  // No CPE has nothing to do.
  bool everyone() const { return everyone_; }

  // Where all CPEs take part: those of this one's row that have columns come first.
  uint32_t workers_of_row() const {
    if (each_ * cpe::count() < all_) return cpe::columns();
    const uint32_t before = rank_ - cpe::row::position();
    return std::min(cpe::columns(), (all_ - before * each_ + each_ - 1) / each_);
  }

 private:
  void take_turns(bool is_shared) {
    if (is_shared) {
      turns.begin_row();
      workers_ = (workers_ + cpe::columns() - 1) & ~(cpe::columns() - 1);
    }
    rank_ = turns.rank;
    turns.pass(workers_);
  }

  uint32_t all_;
  uint32_t each_;
  uint32_t rank_;
  uint32_t first_;
  uint32_t end_;
  uint32_t workers_ = 0;  // whose turn is over with this node, if not everyone has work
  bool everyone_;
};

// Of a block's weights what comes in at once, and is multiplied while the rest is on its way: some pieces of
// 128 k, or some tiles of one.
struct Step {
  uint32_t piece, pieces;
  uint32_t tile, tiles;
  uint32_t depth;  // of a piece
  uint32_t from;   // where it begins, behind the weights of 64 columns in memory,
  uint32_t to;     // and in local memory
  dma::Ticket loaded;
};
constexpr uint32_t kMostSteps = 9;

// Of the block that is multiplied. Nodes that multiply the same row have the same ones.
LDM Step steps[kMostSteps];
LDM uint32_t step_count;

// Weights that have been asked for: those of the next block, or of the node whose number the walker's state
// has as `ahead`, which multiplies the same row.
struct RowAhead {
  uint32_t slot;
  dma::Ticket loaded[kMostSteps];
};
LDM RowAhead row_ahead;

class RowLayer {
 public:
  RowLayer(const LinearRowArgs& args, const Columns& columns)
      : args_(args),
        own_(columns),
        ending_{args.to, args.biases, args.residual, 0, 0, args.function, args.to_type, args.residual_type},
        groups_(args.group == args.depth ? 1 : (args.depth + kScaleGroup - 1) / kScaleGroup),
        sharers_(shares_row(args) ? columns.workers_of_row() : 1),
        x_(arena_.take<float>(args.depth * sizeof(float))),
        // Nothing can be made of the row before it is there: it comes while this CPE divides its work.
        asked_(waits_for_others() ? dma::Ticket{} : load_row()),
        most_(std::min({kBlockColumns, kRoom / padded_depth(args.depth) / kPackedColumns * kPackedColumns,
                        columns.most()})),
        quantised_(arena_.take<int8_t>(padded_depth(args.depth))),
        scales_(arena_.take<float>(groups_ * kPitch)),
        between_(arena_.take<std::byte>(3 * kRowBytes)) {
    slots_[0] = take();
    // What makes the row has its place behind the slots.
    const uint32_t rows = static_cast<uint32_t>(static_cast<bool>(args.gamma)) +
                          static_cast<uint32_t>(static_cast<bool>(args.beta));
    if (own_.everyone() && slot_bytes() + rows * args.depth * sizeof(float) + kForRow <= arena_.left())
      slots_[1] = take();
    const bool ahead = walk_state().ahead == walk_state().node;
    enter(own_.first(), !ahead);
    if (ahead) slot_ = row_ahead.slot;
  }

  void run() {
    begin_work();
    if (walk_state().ahead == walk_state().node) {
      walk_state().ahead = node::kNoNode;
      take_loaded();
      return compute();
    }
    if (asked_.number == 0) asked_ = load_row();
    if (sharers_ == 1) return make_row();
    const uint32_t position = cpe::row::position();
    if (position == 0) return make_row_for_others();
    cpe::row::Sent sent = {};
    if (position == kGammaOf && args_.gamma) sent = pass_on(args_.gamma);
    if (position == beta_of(sharers_) && args_.beta) sent = pass_on(args_.beta);
    load();
    cpe::row::wait(cpe::row::receive(0, quantised_, row_bytes()));
    compute();
    cpe::row::wait(sent);
  }

 private:
  // Weights of a block of columns; results, of groups, of which the first become those of all; what else
  // belongs to the columns.
  struct Slot {
    std::byte* weights;
    std::byte* sums;
    std::byte* w_scales;
    std::byte* biases() const { return w_scales + kRowBytes; }
    std::byte* residual() const { return w_scales + 2 * kRowBytes; }
  };
  static constexpr uint32_t kRoom =
      49152;  // of weights: beside them lie a row of 4096, its norm's factors and its bytes
  static constexpr uint32_t kPitch = 64;  // of scales: the systolic unit wants multiples of 32
  static constexpr uint32_t kRowBytes = kBlockColumns * 4;  // of results
  static constexpr uint32_t kForRow = 12288;   // scales, and what a norm needs besides its factors
  static constexpr uint32_t kLastStep = 2048;  // bytes of weights
  static constexpr uint32_t kMostWithout = 7;  // nodes that are left out
  static constexpr uint32_t kTileBytes = kPackedDepth * kPackedColumns;

  uint32_t slot_bytes() const { return most_ * padded_depth(args_.depth) + (groups_ + 3) * kRowBytes; }
  Slot take() {
    auto* const at = arena_.take<std::byte>(slot_bytes());
    std::byte* const sums = at + most_ * padded_depth(args_.depth);
    return {at, sums, sums + groups_ * kRowBytes};
  }
  // Its bytes and their scales, which lie behind each other.
  uint32_t row_bytes() const {
    return static_cast<uint32_t>(reinterpret_cast<std::byte*>(scales_) -
                                 reinterpret_cast<std::byte*>(quantised_)) +
           groups_ * kPitch;
  }

  // If this CPE makes the row, for itself or for others. Ticket 0: it does not, or a node before has made it.
  dma::Ticket load_row() const {
    if (walk_state().ahead == walk_state().node) return {};
    if (sharers_ != 1 && cpe::row::position() != 0) return {};
    return dma::load(x_, args_.x, args_.depth * sizeof(float));
  }

  // Which CPE of a row loads the norm's factors for the first one, which has the row to make. One after the
  // other from the same sender: what is sent last is over last.
  static constexpr uint32_t kGammaOf = 1;
  static uint32_t beta_of(uint32_t sharers) { return sharers > 2 ? 2 : 1; }
  uint32_t channel_bytes() const {
    return (args_.depth * sizeof(float) + cpe::kChannelGranule - 1) / cpe::kChannelGranule *
           cpe::kChannelGranule;
  }
  cpe::row::Sent pass_on(GlobalPtr<const void> factors) {
    auto* const at = arena_.take<std::byte>(channel_bytes());
    dma::wait(dma::load(at, factors, args_.depth * sizeof(float)));
    return cpe::row::send(1, at, channel_bytes());
  }

  NormArgs norm_args() const {
    NormArgs of_norm = {};
    of_norm.gamma = args_.gamma;
    of_norm.beta = args_.beta;
    of_norm.columns = args_.depth;
    of_norm.epsilon = args_.epsilon;
    of_norm.from_type = Number::kFp32;
    return of_norm;
  }

  void make_row() {
    auto* const inverse = arena_.take<float>(groups_ * kPitch);
    if (args_.gamma) {
      const NormArgs of_norm = norm_args();
      const WholeRow row = {args_.depth};
      const Norm norm(arena_, of_norm, static_cast<bool>(args_.beta), row);
      const dma::Ticket factors = norm.load();
      load();
      dma::wait(factors);
      const auto place = vector::rows(x_);
      norm({0, 1, 0, args_.depth}, place, place, place);
    } else {
      load();
      dma::wait(asked_);
    }
    quantise(x_, inverse);
    compute();
  }

  // For the first CPEs of its row, of which this is the first one.
  void make_row_for_others() {
    auto* const inverse = arena_.take<float>(groups_ * kPitch);
    load();
    if (args_.gamma) {
      const NormArgs of_norm = norm_args();
      const WholeRow row = {args_.depth};
      const Norm norm(arena_, of_norm, static_cast<bool>(args_.beta), row);
      cpe::row::Received received = cpe::row::receive(kGammaOf, norm.gamma(), channel_bytes());
      if (args_.beta) received = cpe::row::receive(beta_of(sharers_), norm.beta(), channel_bytes());
      dma::wait(asked_);
      cpe::row::wait(received);
      const auto place = vector::rows(x_);
      norm({0, 1, 0, args_.depth}, place, place, place);
    } else {
      dma::wait(asked_);
    }
    quantise(x_, inverse);
    const auto others = static_cast<cpe::Positions>((1u << sharers_) - 2);
    const auto sent = cpe::row::send(others, quantised_, row_bytes());
    compute();
    cpe::row::wait(sent);
  }

  // Columns that lie side by side in packed weights.
  void enter(uint32_t column, bool anew) {
    column_ = column;
    columns_ = std::min({own_.end() - column, most_, kBlockColumns - column % kBlockColumns});
    if (anew) divide();
  }

  // Weights into steps: half of what is left, until that is little. Sums of several pieces need all their
  // tiles at a time.
  void divide() const {
    const uint32_t first_tile = column_ % kBlockColumns / kPackedColumns;
    const uint32_t tiles = (columns_ + kPackedColumns - 1) / kPackedColumns;
    const uint32_t whole = args_.depth / kPackedDepth, rest = padded_depth(args_.depth % kPackedDepth);
    Step* to = steps;
    const auto add = [&](uint32_t piece, uint32_t pieces, uint32_t tile, uint32_t count, uint32_t depth) {
      *to++ = {piece,
               pieces,
               tile,
               count,
               depth,
               piece * (kPackedDepth * kBlockColumns) + (first_tile + tile) * depth * kPackedColumns,
               piece * tiles * kTileBytes + tile * depth * kPackedColumns,
               {}};
    };
    uint32_t piece = 0, left = whole;
    while (left > 1) {
      const uint32_t pieces = left * tiles * kTileBytes <= kLastStep ? left : left / 2;
      add(piece, pieces, 0, tiles, kPackedDepth);
      piece += pieces;
      left -= pieces;
    }
    if (left != 0) {
      for (uint32_t tile = 0; tile < tiles;) {
        uint32_t count = tiles - tile;
        if (groups_ != 1 && count * kTileBytes > kLastStep) count = (count + 1) / 2;
        add(piece, 1, tile, count, kPackedDepth);
        tile += count;
      }
    }
    if (rest != 0) add(whole, 1, 0, tiles, rest);
    step_count = static_cast<uint32_t>(to - steps);
  }

  // Begins to load what belongs to the columns.
  void load() const {
    load_ending(args_, slots_[slot_]);
    const GlobalPtr<const void> w = weights_of_columns(args_);
    for (uint32_t i = 0; i != step_count; ++i) steps[i].loaded = load(w, slots_[slot_], steps[i]);
  }
  void load_ending(const LinearRowArgs& args, const Slot& slot) const {
    const auto of_columns = [&](void* to, GlobalPtr<const void> from, uint32_t size) {
      dma::load(to, from.plus_bytes(column_ * size), columns_ * size);
    };
    of_columns(slot.w_scales, args.w_scales, sizeof(float));
    if (args.biases) of_columns(slot.biases(), args.biases, sizeof(float));
    if (args.residual) of_columns(slot.residual(), args.residual, bytes_of(args.residual_type));
  }
  GlobalPtr<const void> weights_of_columns(const LinearRowArgs& args) const {
    const uint64_t before = uint64_t{column_ / kBlockColumns * kBlockColumns} * padded_depth(args.depth);
    return args.w.plus_bytes(static_cast<int64_t>(before));
  }
  static dma::Ticket load(GlobalPtr<const void> w, const Slot& slot, const Step& step) {
    const uint32_t bytes = step.tiles * step.depth * kPackedColumns;
    if (step.pieces == 1) return dma::load(slot.weights + step.to, w.plus_bytes(step.from), bytes);
    return dma::load(
        slot.weights + step.to, w.plus_bytes(step.from), bytes,
        {static_cast<uint16_t>(step.pieces), static_cast<uint16_t>(bytes), kBlockColumns * kPackedDepth});
  }

  void take_loaded() const {
    for (uint32_t i = 0; i != step_count; ++i) steps[i].loaded = row_ahead.loaded[i];
  }

  // Memory has something to do while results of this block are made: for the next one, if it is as wide.
  void load_next() {
    next_loaded_ = slots_[1].weights != nullptr && columns_ == kBlockColumns &&
                   own_.end() - column_ >= 2 * kBlockColumns;
    if (!next_loaded_) return;
    column_ += kBlockColumns;
    load_ahead(args_);
    column_ -= kBlockColumns;
  }
  void load_ahead(const LinearRowArgs& args) const {
    const Slot& slot = slots_[slot_ ^ 1];
    load_ending(args, slot);
    const GlobalPtr<const void> w = weights_of_columns(args);
    for (uint32_t i = 0; i != step_count; ++i) row_ahead.loaded[i] = load(w, slot, steps[i]);
  }
  // For the node behind, if it multiplies the same row and needs no barrier, and all columns are one block.
  void load_behind() {
    if (slots_[1].weights == nullptr || columns_ != own_.end() - own_.first()) return;
    const node::Node* const behind = node_behind();
    if (behind == nullptr || behind->operation != static_cast<uint16_t>(Operator::kLinearRow)) return;
    const auto& next = *reinterpret_cast<const LinearRowArgs*>(behind->arguments.data());
    if (check(next) != Refusal::kNone || !is_alike(next)) return;
    walk_state().ahead = walk_state().node + 1;
    row_ahead.slot = slot_ ^ 1;
    const dma::Background not_for_this_node;
    load_ahead(next);
  }
  // Where few CPEs have work, other ones have that of the nodes behind which multiply without a barrier.
  void look_behind() {
    uint32_t without = 0;
    while (without != kMostWithout && is_others_work(without)) ++without;
    own_.leave_out(without);
    ahead_ = look_ahead(without);
  }
  bool is_others_work(uint32_t between) const {
    if (own_.everyone()) return false;
    const node::Node* const behind = node_behind(between);
    if (behind == nullptr || behind->operation != static_cast<uint16_t>(Operator::kLinearRow)) return false;
    const auto& next = *reinterpret_cast<const LinearRowArgs*>(behind->arguments.data());
    return next.depth == args_.depth && next.columns == args_.columns && !own_.any_behind(between + 1);
  }
  bool is_alike(const LinearRowArgs& next) const {
    return next.x.bits() == args_.x.bits() && next.gamma.bits() == args_.gamma.bits() &&
           next.beta.bits() == args_.beta.bits() && next.depth == args_.depth &&
           next.columns == args_.columns && next.group == args_.group &&
           std::bit_cast<uint32_t>(next.epsilon) == std::bit_cast<uint32_t>(args_.epsilon);
  }

  // As the operator does it. Of several groups each has kScaleGroup columns, but for the last.
  void quantise(const float* row, float* inverse) const {
    const uint32_t group = args_.group, whole = args_.depth / group;
    const auto each_group = [&](auto run) {
      vector::size(group, whole);
      run(0, 0, false);
      if (whole * group == args_.depth) return;
      vector::size(args_.depth - whole * group);
      run(whole * group, whole * kPitch / 4, true);
    };
    const auto x = [&](uint32_t at) { return vector::rows(row + at, kScaleGroup * 4); };
    vector::b(value(kLeastMagnitude));
    vector::no_result();
    each_group([&](uint32_t at, uint32_t scale, bool overlap) {
      vector::a(x(at).magnitude());
      vector::reductions(scales_ + scale, kPitch);
      vector::run(Op::kMax, {.reduce = Reduce::kMax, .overlap = overlap});
    });
    vector::a(vector::rows(scales_, kPitch));
    vector::b(value(kPartOf127));
    vector::size(1, groups_);
    vector::result(inverse, kPitch);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::result(scales_, kPitch);
    vector::run(Op::kMul);
    vector::Ticket last = {};
    each_group([&](uint32_t at, uint32_t scale, bool overlap) {
      vector::a(x(at));
      vector::b(vector::each_row(inverse + scale, kPitch));
      vector::result(quantised_ + at, kScaleGroup);
      last = vector::run(Op::kMul, {.overlap = overlap});
    });
    vector::wait(last);
  }

  // All of this CPE's columns; the first ones are on their way.
  void compute() {
    dma::Ticket stored = {};
    for (;;) {
      const dma::Ticket stored_before = stored;
      const bool last = column_ + columns_ == own_.end();
      stored = finish(multiply(last));
      // The node behind waits for them, too.
      if (last && walk_state().ahead != node::kNoNode) return;
      // Results are on their way from where the next ones will be.
      dma::wait(next_loaded_ && !last ? stored_before : stored);
      if (last) return end_work(ahead_);
      if (next_loaded_) {
        column_ += columns_;
        slot_ ^= 1;
        take_loaded();
      } else {
        enter(column_ + columns_, true);
        load();
      }
    }
  }

  Number drained() const { return groups_ == 1 && ending_.only_converts() ? args_.to_type : Number::kFp32; }

  // Step by step, as weights come. Groups have sums of their own; those without are one block, of several
  // runs.
  systolic::Ticket multiply(bool last_block) {
    const Slot& slot = slots_[slot_];
    const auto* const w_scales = reinterpret_cast<const float*>(slot.w_scales);
    const auto* const biases = reinterpret_cast<const float*>(slot.biases());
    const bool grouped = groups_ != 1;
    const uint32_t last_piece = (args_.depth - 1) / kPackedDepth;
    const uint32_t tile_bytes = kPackedColumns * bytes_of(drained());
    systolic::row_factors(scales_);
    systolic::output(slot.sums, kRowBytes);
    systolic::Ticket last = {};
    uint32_t half = 0;
    for (uint32_t i = 0; i != step_count; ++i) {
      const Step& step = steps[i];
      const std::byte* w = slot.weights + step.to;
      systolic::column_strides(static_cast<int32_t>(step.depth * kPackedColumns),
                               static_cast<int32_t>(tile_bytes));
      systolic::size({step.tiles, step.depth / 8, step.tiles, 1});
      systolic::factors(w_scales + step.tile * kPackedColumns, biases + step.tile * kPackedColumns);
      for (uint32_t piece = step.piece; piece != step.piece + step.pieces; ++piece) {
        systolic::activations(quantised_ + piece * kPackedDepth, 8, 8);
        systolic::weights(w, 8 * kPackedColumns, kPackedColumns);
        w += step.tiles * step.depth * kPackedColumns;
        if (grouped) {
          systolic::row_factors(scales_ + piece * (kPitch / sizeof(float)));
          systolic::output(slot.sums + piece * kRowBytes + step.tile * tile_bytes, kRowBytes);
          half ^= 1;
        }
        // Not before the unit knows what there will be to do.
        dma::wait(step.loaded);
        last = systolic::run({.keep = !grouped && piece != 0,
                              .drain = grouped || piece == last_piece,
                              .half = half,
                              .result = static_cast<cpe::Number>(drained()),
                              .row_factors = true,
                              .bias = args_.biases && (!grouped || piece == 0)});
      }
    }
    if (last_block) {
      load_behind();
      look_behind();
    } else {
      load_next();
    }
    return last;
  }

  // Sums of groups are added up, one after the other; then what all layers do with them.
  dma::Ticket finish(systolic::Ticket multiplied) const {
    const Slot& slot = slots_[slot_];
    std::byte* const sums = slot.sums;
    const uint32_t bytes = bytes_of(args_.to_type);
    const auto at = args_.to.plus_bytes(int64_t{column_ * bytes});
    const auto y = operand(sums, Number::kFp32, 0), to = operand(sums, args_.to_type, 0);
    vector::size(columns_);
    vector::Ticket last = {};
    if (groups_ != 1) {
      vector::c(y);
      into(y);
      systolic::wait(multiplied);
      for (uint32_t part = 1; part < groups_; ++part) {
        vector::a(operand(sums + part * kRowBytes, Number::kFp32, 0));
        last = vector::run(Op::kAdd);
      }
    }
    if (groups_ == 1 && ending_.only_converts()) {
      systolic::wait(multiplied);
    } else {
      const auto between = [&](uint32_t i) { return operand(between_ + i * kRowBytes, Number::kFp32, 0); };
      last = operators::finish(ending_, {y, between(0), between(1), between(2)}, to,
                               operand(slot.residual(), args_.residual_type, 0), last, multiplied);
    }
    vector::wait(last);
    return dma::store(at, sums, columns_ * bytes);
  }

  const LinearRowArgs& args_;
  const Columns& own_;
  cpe::Arena arena_;
  EndingArgs ending_;
  uint32_t groups_;
  uint32_t sharers_;  // CPEs of this one's row that have columns, if one makes the row for all of them
  float* x_;
  dma::Ticket asked_;  // x
  uint32_t most_;      // columns that weights have room for
  uint32_t column_ = 0;
  uint32_t columns_ = 0;
  bool next_loaded_ = false;  // of the next block, into the other slot
  int8_t* quantised_;
  float* scales_;
  std::byte* between_;  // three rows of results
  Slot slots_[2] = {};
  uint32_t slot_ = 0;
  node::Barrier ahead_ = node::Barrier::kNone;  // when this node's work is over
};

}  // namespace

void operator_linear_row(const LinearRowArgs& args) {
  const Columns own(args, shares_row(args));
  // Who has work looks at the arguments, and of some columns somebody has.
  if (!own.any() && args.columns != 0) return;
  require(check(args));
  RowLayer(args, own).run();
}

}  // namespace swai::operators
