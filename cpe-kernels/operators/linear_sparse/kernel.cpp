// SPDX-License-Identifier: Apache-2.0
// Linear layers with weights of int8 most of which are zeros. The systolic unit skips blocks of 1 x 4 zeros.
// While it works on a step, the vector unit turns activations to come, and the next step's weights are
// loaded.
#include <bit>

#include "cpe-kernels/operators/linear/ending.hpp"
#include "cpe-kernels/operators/linear_sparse/plan.hpp"
#include "cpe-kernels/operators/linear_sparse/slabs.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace {

namespace systolic = cpe::systolic;

// What local memory holds: columns of a block, and weights of how many steps.
struct Division {
  static constexpr uint32_t kMostSteps = 3;

  uint32_t width;
  uint32_t steps;

  static Division of(const LinearSparseArgs& args) {
    constexpr uint32_t kOther = 1024;  // factors, entries of the table, ends of lines
    constexpr Division kLeast = {16, 2};
    const uint32_t depth = std::min(layout_of(args).piece, args.depth);
    const bool shares = args.rows > kBlockRows && cpe::all_cpes();
    const uint32_t left = Arena().left() - Slabs::room(depth) - kOther;
    const uint32_t rows = 2 + (2 * (args.residual ? 2 : 1) + places_between(args.function)) * kBlockRows;
    for (uint32_t width = kBlockColumns; width != kLeast.width; width /= 2) {
      // Few columns are divided among all CPEs.
      if (!shares && args.columns < width * cpe::count()) continue;
      const uint32_t step = width / 8 * args.tiles * kSparseTileBytes;
      const uint32_t other = rows * (width * 4 + 32);
      if (other + kMostSteps * step <= left) return {width, kMostSteps};
      if (other + 2 * step <= left) return {width, 2};
    }
    return kLeast;
  }
};

class SparseLinear {
 public:
  explicit SparseLinear(const LinearSparseArgs& args) : SparseLinear(args, Division::of(args)) {}

  void run() {
    if (!blocks_.any()) return;
    begin_work();
    Step step = blocks_.first();
    ask_for_entries();
    slabs_.ask();
    load_block(step);
    load_weights();
    slabs_.turn_first();
    send_slab();
    for (uint32_t i = 2; i < places_; ++i) load_weights();
    receive(step, 0);
    uint32_t slab = 0;
    Step before = {};
    for (bool more = true; more;) {
      const Step here = step;
      begin(here, slab);
      if (here.number != 0) finish(before);
      more = blocks_.next(step);
      if (more) load_block(step);
      issue();
      load_weights();
      if (here.number == 0) slabs_.ask();
      issue();
      const uint32_t last_place = slab + 1;
      if (more && (!slabs_.stays() || step.row != here.row)) ++slab;
      if (slabs_.more() && slabs_.number() <= last_place) turn(slab, here.number == 0);
      if (more) receive(step, slab);
      issue_all();
      before = here;
    }
    finish(before);
    ending_.wait();
  }

 private:
  // The weights of a step, and its runs.
  struct Side {
    std::byte* weights;
    uint32_t tiles[kBlockColumns / 8 + 1];  // before each 8 columns' and behind the last ones'
    dma::Ticket loaded;
    systolic::Ticket computed;
  };

  SparseLinear(const LinearSparseArgs& args, const Division& division)
      : args_(args),
        layout_(layout_of(args)),
        blocks_({args.rows, args.depth, args.columns}, {kBlockRows, layout_.piece, division.width},
                division.width, layout_.piece),
        slabs_({args.x, args.x_stride}, blocks_, arena_),
        ending_(ending_of(args), blocks_, arena_, blocks_.rows()),
        entries_(arena_.take<uint32_t>(sizeof(Side::tiles))),
        places_(division.steps),
        to_load_(blocks_.first()) {
    for (uint32_t i = 0; i < places_; ++i)
      sides_[i].weights = arena_.take<std::byte>(blocks_.columns() / 8 * args.tiles * kSparseTileBytes);
    slots_.take(arena_, blocks_, 0, kFactors + ending_.room(), 2);
    ending_.put_into(slots_, kFactors);
  }

  Side& side_of(const Step& step) { return sides_[step.number % places_]; }
  float* column_factors(const Step& step) const { return reinterpret_cast<float*>(slots_.of_block(step)); }
  float* row_factors(const Step& step) const { return column_factors(step) + kBlockColumns; }
  uint32_t column_tiles(const Step& step) const { return (step.columns + 7) / 8; }

  // Begins to load what says where weights are.
  void ask_for_entries() {
    named_ = {};
    const uint32_t count = column_tiles(to_load_);
    if (count == 0) return;
    const auto at = static_cast<int64_t>(layout_.entry(to_load_.k, to_load_.column) * sizeof(uint32_t));
    named_ = dma::load(entries_, args_.w.plus_bytes(at), (count + 1) * sizeof(uint32_t));
  }
  // Begins to load the next ones.
  void load_weights() {
    if (!more_to_load_) return;
    Side& side = side_of(to_load_);
    side.loaded = {};
    const uint32_t count = column_tiles(to_load_);
    side.tiles[count] = 0;
    if (count == 0) return next_to_load();
    dma::wait(named_);
    const uint32_t first = entries_[0];
    for (uint32_t i = 0; i <= count; ++i) side.tiles[i] = entries_[i] - first;
    check_tiles(side, count);
    next_to_load();
    const cpe::Part own = blocks_.own_of_w(side.tiles[count]);
    if (own.count == 0) return;
    const uint64_t at = layout_.tile_at(uint64_t{first} + own.first);
    side.loaded = dma::load(side.weights + own.first * kSparseTileBytes,
                            args_.w.plus_bytes(static_cast<int64_t>(at)), own.count * kSparseTileBytes);
  }
  void next_to_load() {
    more_to_load_ = blocks_.next(to_load_);
    if (more_to_load_) ask_for_entries();
  }
  // Begins to load what belongs to a step's block.
  void load_block(const Step& step) {
    block_loaded_ = {};
    if (step.k != 0 || blocks_.empty(step)) return;
    ending_.load(step);
    dma::load(row_factors(step), args_.x_scales.plus_bytes(int64_t{step.row} * 4), step.rows * 4);
    block_loaded_ = dma::load(column_factors(step), args_.w_scales.plus_bytes(int64_t{step.column} * 4),
                              step.columns * 4);
  }
  // They must fit into their room, and all columns of a piece have equally many.
  void check_tiles(const Side& side, uint32_t count) const {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t tiles = side.tiles[i + 1] - side.tiles[i];
      if (tiles == 0 || tiles > args_.tiles || (!slabs_.stays() && tiles != side.tiles[1]))
        refuse(Refusal::kParameter);
    }
  }

  // What the next step needs is turned, and sent. What comes later is turned part after part, and sent in a
  // later step: who waits for others then has runs to come.
  void turn(uint32_t needed, bool first) {
    const auto meanwhile = [this] { issue(); };
    if (slabs_.number() == needed) {
      slabs_.turn(slabs_.parts_left(), meanwhile);
      send_slab();
    } else if (first) {
      return;  // they are on their way yet
    } else if (const uint32_t left = slabs_.parts_left(); left != 0) {
      slabs_.turn((left + 2) / 3, meanwhile);
    } else {
      send_slab();
    }
  }
  void send_slab() {
    slab_exchange_.wait();
    slab_exchange_ = {};
    if (blocks_.sharing()) slabs_.send(slab_exchange_, [this] { issue(); });
    slabs_.next();
  }
  // After it the step's weights are there, and its slab of activations.
  void receive(const Step& step, uint32_t slab) {
    const Side& side = side_of(step);
    dma::wait(side.loaded);
    dma::wait(block_loaded_);
    cpe::Exchange<cpe::column> weights;
    if (blocks_.sharing())
      weights.begin(side.weights, kSparseTileBytes, side.tiles[column_tiles(step)], cpe::rows());
    issue();
    if (slabs_.number() == slab + 1) slab_exchange_.wait();
    weights.wait();
  }

  // The systolic unit's runs of a step: one, or, where all depth is in one piece, one for each 8 columns, as
  // they have tiles of their own number.
  void begin(const Step& step, uint32_t slab) {
    Side& side = side_of(step);
    side.computed = {};
    if (blocks_.empty(step)) return;
    const bool drains = blocks_.last(step);
    if (drains) ending_.free(step);
    const uint32_t count = column_tiles(step);
    const Number number = ending_.only_converts() ? ending_.to_type() : Number::kFp32;
    to_run_ = {.side = &side,
               .tile = 0,
               .tiles = count,
               .columns = slabs_.stays() ? 1 : count,
               .rows = step.rows,
               .weights = side.weights,
               .results = ending_.results(step),
               .result_bytes = 8 * bytes_of(number),
               .factors = column_factors(step),
               .biases = ending_.biases(step),
               .mode = {.weights = systolic::Weights::kSparse,
                        .keep = step.k != 0,
                        .drain = drains,
                        .half = slabs_.stays() ? to_run_.mode.half : step.block & 1,
                        .result = static_cast<cpe::Number>(number),
                        .row_factors = true,
                        .bias = ending_.has_biases()}};
    systolic::activations(slabs_.at(slab), 0, Slabs::kRowBytes);
    systolic::column_strides(static_cast<int32_t>(side.tiles[1] * kSparseTileBytes),
                             static_cast<int32_t>(to_run_.result_bytes));
    systolic::row_factors(row_factors(step));
    issue_one();  // before the unit is through with the last run of the step before
  }
  // Those that need not wait.
  void issue() {
    while (to_run_.tile != to_run_.tiles && systolic::done(before_last_run_)) issue_one();
  }
  void issue_all() {
    while (to_run_.tile != to_run_.tiles) issue_one();
  }
  void issue_one() {
    ToRun& run = to_run_;
    const uint32_t k_tiles = run.side->tiles[run.tile + 1] - run.side->tiles[run.tile];
    systolic::weights(run.weights, kSparseTileBytes);
    systolic::output(run.results, static_cast<int32_t>(ending_.pitch()));
    systolic::factors(run.factors, run.biases);
    systolic::size({run.columns, k_tiles, run.columns, run.rows});
    before_last_run_ = last_run_;
    last_run_ = run.side->computed = systolic::run(run.mode);
    run.mode.half ^= 1;
    run.weights += k_tiles * kSparseTileBytes;
    run.results += run.result_bytes;
    run.factors += 8;
    run.biases += 8;
    run.tile += run.columns;
  }

  void finish(const Step& step) {
    systolic::wait(side_of(step).computed);
    issue();
    if (blocks_.empty(step) || !blocks_.last(step)) return;
    if (!ending_.only_converts()) {
      vector::size(step.columns, step.rows);
      vector::wait(ending_.finish(step, {}));
    }
    ending_.store(step);
  }

  static constexpr uint32_t kFactors = (kBlockColumns + kBlockRows) * sizeof(float);

  const LinearSparseArgs& args_;
  SparseLayout layout_;
  Blocks blocks_;
  Arena arena_;
  Slabs slabs_;
  Ending ending_;
  uint32_t* entries_;  // of the table
  dma::Ticket named_ = {};
  uint32_t places_;
  Side sides_[Division::kMostSteps] = {};
  Step to_load_;
  bool more_to_load_ = true;
  dma::Ticket block_loaded_ = {};
  cpe::Exchange<cpe::row> slab_exchange_ = {};
  StepsAndBlocks slots_;  // a block's begins with the factors of its columns, and of its rows

  struct ToRun {
    Side* side;
    uint32_t tile, tiles;  // of columns: the next one, all
    uint32_t columns;      // such tiles of a run
    uint32_t rows;
    std::byte* weights;
    std::byte* results;
    uint32_t result_bytes;
    float* factors;
    float* biases;
    systolic::Mode mode;
  } to_run_ = {};
  systolic::Ticket last_run_ = {};
  systolic::Ticket before_last_run_ = {};
};

}  // namespace

void operator_linear_sparse(const LinearSparseArgs& args) {
  require(check(args));
  SparseLinear(args).run();
}

}  // namespace swai::operators
