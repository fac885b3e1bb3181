// SPDX-License-Identifier: Apache-2.0
// Attention: a CPE takes some queries through blocks of 64 keys. Of each block it makes a partial result:
// scores, weights relative to the largest of them, their sum, and the sum of values so weighted.
#include "cpe-kernels/operators/attention/block.hpp"
#include "cpe-kernels/operators/attention/one_row.hpp"
#include "cpe-kernels/operators/attention/stream.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::value;

class Attention {
 public:
  Attention(const Arena& arena, const AttentionArgs& args, const Schedule& schedule)
      : args_(args),
        schedule_(schedule),
        arena_(arena),
        stream_(arena_, args, schedule),
        of_block_(arena_, args.width, most_queries(args.width)) {
    const uint32_t queries = most_queries(args.width);
    queries_ = arena_.take<float>(queries * args.width * sizeof(float));
    raw_ = arena_.take<std::byte>(queries * args.width * bytes_of(args.q_type));
    for (Place& place : places_) place.partials = {arena_.take<float>(queries * place_bytes()), args.width};
    for (Column* column : {&merge_.largest, &merge_.of_all, &merge_.of_more})
      column->at = arena_.take<float>(Column::bytes(queries));
  }

  // From its first step on.
  void run(Step step) {
    tile_ = schedule_.tile(step.tile);
    stream_.prepare(step);
    begin_work();
    fetch(tile_);
    stream_.begin();
    for (bool more = true, enters = true; more;) {
      const Step here = step;
      more = schedule_.next(step);
      const bool leaves = !more || step.tile != here.tile;
      if (enters) tile_ = schedule_.tile(here.tile);
      begin_block(here);
      if (enters) take_queries(here);
      compute(here, leaves);
      enters = leaves;
      if (schedule_.shared() && leaves && more) fetch(schedule_.tile(step.tile));
    }
    dma::wait(stored_);
    if (!schedule_.shared()) end_work(look_ahead());
  }

 private:
  struct Place {
    Partials partials;
    dma::Ticket stored;
  };

  uint32_t place_bytes() const { return partial_floats(args_.width) * uint32_t{sizeof(float)}; }
  float* query(uint32_t number) const { return queries_ + number * args_.width; }

  // Begins to load a tile's queries.
  void fetch(const QueryTile& tile) {
    const uint32_t element = bytes_of(args_.q_type);
    const uint32_t row_bytes = tile.heads * args_.width * element;
    fetched_ =
        dma::load(raw_,
                  args_.q.plus_bytes(static_cast<int64_t>(uint64_t{tile.row} * args_.q_stride +
                                                          uint64_t{tile.head} * args_.width * element)),
                  row_bytes,
                  {static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(row_bytes),
                   static_cast<int32_t>(tile.rows == 1 ? 0 : args_.q_stride)});
  }

  // Of the tile that the step begins. Those of the next one, if it is known, are asked for at once: behind
  // keys and values that are on their way they would come late.
  void take_queries(const Step& step) {
    const vector::Ticket taken = scale_queries(operand(raw_, args_.q_type, 0), fetched_, args_.scale,
                                               queries_, tile_.queries() * args_.width);
    Step next = step;
    if (schedule_.shared() || !schedule_.next_tile(next)) return;
    vector::wait(taken);
    fetch(schedule_.tile(next.tile));
  }

  // One block of keys for the tile: what of it the tile's queries see. Here the core has something to do
  // while queries and keys are on their way.
  void begin_block(const Step& step) {
    block_ = step.block * kKeyBlock;
    keys_ = std::min(kKeyBlock, schedule_.keys_of(tile_) - block_);
    // Rows that see nothing of the block come first, if any.
    first_ = 0;
    while (seen_by(first_) == 0) first_ += tile_.heads;
    all_see_all_ = seen_by(first_) == keys_;
  }

  void compute(const Step& step, bool leaves) {
    // Where partial results stay here, the first block's become those of all.
    Place& place = places_[schedule_.shared() ? step.number % 2 : step.block != 0];
    dma::wait(place.stored);
    compute_scores();
    last_ = of_block_.weigh(place.partials, first_, active(), keys_);
    add_values(place.partials);
    if (schedule_.shared()) return put_away(place, step.block);
    if (step.block != 0) merge_(places_[0].partials, place.partials, first_, active());
    if (leaves) store();
  }

  uint32_t active() const { return tile_.queries() - first_; }
  // Keys of the block that a query sees.
  uint32_t seen_by(uint32_t query) const {
    const uint32_t keys = schedule_.keys_of_row(tile_.row + query / tile_.heads);
    return keys <= block_ ? 0 : std::min(keys - block_, keys_);
  }

  void compute_scores() {
    if (!all_see_all_) BlockOfKeys::fill(of_block_.scores(first_), -__builtin_inff(), keys_, active());
    bool overlap = false;
    for (uint32_t key = 0; key < keys_;) {
      const auto& piece = stream_.take();
      key += piece.count;
      vector::a(operand(piece.rows, args_.kv_type, stream_.row_bytes()));
      vector::no_result();
      for (uint32_t i = first_; i < tile_.queries(); ++i) {
        const uint32_t seen = all_see_all_ ? keys_ : seen_by(i);
        if (seen <= piece.first) continue;
        vector::b(vector::rows(query(i)));
        vector::reductions(of_block_.score(i, piece.first));
        vector::size(args_.width, std::min(piece.count, seen - piece.first));
        last_ = vector::run(Op::kMul, {.reduce = Reduce::kSum, .overlap = overlap});
        overlap = true;
      }
      stream_.read_by(last_);
      if (piece.scales != nullptr) scale_scores(piece);
    }
  }

  void scale_scores(const KeyValueStream::Piece& piece) {
    vector::b(vector::rows(piece.scales));
    const auto run = [&](uint32_t query, uint32_t keys, uint32_t rows) {
      vector::a(of_block_.scores(query));
      into(of_block_.scores(query));
      vector::size(keys, rows);
      last_ = vector::run(Op::kMul);
    };
    if (all_see_all_) {
      run(first_, keys_, active());
    } else {
      for (uint32_t i = first_; i < tile_.queries(); ++i) run(i, seen_by(i), 1);
    }
    stream_.read_by(last_);
  }

  void add_values(const Partials& to) {
    if (!all_see_all_) of_block_.clear_sums(to, first_, active());
    uint32_t from = first_;
    for (uint32_t key = 0; key < keys_;) {
      const auto& piece = stream_.take();
      if (piece.scales != nullptr) {
        vector::a(of_block_.scores(first_));
        vector::b(vector::rows(piece.scales));
        into(of_block_.scores(first_));
        vector::size(keys_, active());
        vector::run(Op::kMul);
      }
      for (uint32_t i = 0; i < piece.count;) {
        while (!all_see_all_ && seen_by(from) <= key) from += tile_.heads;
        const uint32_t seen = all_see_all_ ? keys_ : seen_by(from);
        const uint32_t count = std::min(piece.count - i, seen - key);
        last_ = of_block_.add_values(to, operand(piece.rows + i * stream_.row_bytes(), args_.kv_type, 0),
                                     stream_.row_bytes(), key, count, from, tile_.queries() - from,
                                     !all_see_all_);
        i += count;
        key += count;
      }
      stream_.read_by(last_);
    }
    if (keys_ != 1) last_ = of_block_.add_odd(to, first_, active());
  }

  // Partial results of one block into the workspace, where those of a query lie side by side.
  void put_away(Place& place, uint32_t block) {
    vector::wait(last_);
    const uint32_t pitch = place_bytes();
    const uint64_t blocks = key_blocks(args_.keys);
    for (uint32_t row = first_ / tile_.heads; row < tile_.rows; ++row) {
      const uint64_t query = uint64_t{tile_.row + row} * args_.heads + tile_.head;
      stored_ = dma::store(args_.workspace.plus_bytes(static_cast<int64_t>((query * blocks + block) * pitch)),
                           place.partials.row(row * tile_.heads), pitch,
                           {static_cast<uint16_t>(tile_.heads), static_cast<uint16_t>(pitch),
                            static_cast<int32_t>(tile_.heads == 1 ? 0 : blocks * pitch)});
    }
    place.stored = stored_;
  }

  // Results of a tile that has seen all keys. They lie where a second block's partial results would, which
  // the next tile needs late: on their way to memory they are behind keys and values that were asked for
  // before.
  void store() {
    const uint32_t element = bytes_of(args_.to_type);
    const uint32_t row_bytes = tile_.heads * args_.width * element;
    Place& place = places_[1];
    const float* const results = place.partials.rows;
    const auto to = args_.to.plus_bytes(static_cast<int64_t>(uint64_t{tile_.row} * args_.to_stride +
                                                             uint64_t{tile_.head} * args_.width * element));
    dma::wait(place.stored);
    last_ = finish(places_[0].partials, tile_.queries(), merge_.largest,
                   operand(results, args_.to_type, args_.width * element));
    vector::wait(last_);
    stored_ = dma::store(to, results, row_bytes,
                         {static_cast<uint16_t>(tile_.rows), static_cast<uint16_t>(row_bytes),
                          static_cast<int32_t>(tile_.rows == 1 ? 0 : args_.to_stride)});
    place.stored = stored_;
  }

  const AttentionArgs& args_;
  const Schedule& schedule_;
  Arena arena_;
  KeyValueStream stream_;
  BlockOfKeys of_block_;
  float* queries_;
  std::byte* raw_;  // queries as they are stored
  Place places_[2] = {};
  Merge merge_ = {};
  vector::Ticket last_ = {};
  dma::Ticket fetched_ = {};
  dma::Ticket stored_ = {};

  QueryTile tile_ = {};
  uint32_t block_ = 0;  // its first key
  uint32_t keys_ = 0;   // of the block
  uint32_t first_ = 0;  // query that sees something of it
  bool all_see_all_ = true;
};

// Each query's partial results to its result, once all are in the workspace. Of few queries other CPEs do it
// than those that have made these: they are ready.
void combine(Arena arena, const AttentionArgs& args, const AttentionSizes& sizes) {
  const auto wait_for_all = [] {
    wait_for_others();
    cpe::sync<cpe::Scope::kAll>();
  };
  const uint32_t first = turns.rank, queries = args.rows * args.heads;
  turns.pass(std::min(queries, cpe::count()));
  if (first >= queries) return wait_for_all();
  Combine all(arena, args.width);
  const Column part = {arena.take<float>(Column::bytes(1))};
  auto* const result = arena.take<std::byte>(args.width * sizeof(float));
  const uint32_t bytes = args.width * bytes_of(args.to_type);
  const uint64_t pitch = uint64_t{key_blocks(args.keys)} * partial_floats(args.width) * sizeof(float);
  const auto partials_of = [&](uint32_t query) {
    return args.workspace.plus_bytes(static_cast<int64_t>(query * pitch));
  };
  const auto result_of = [&](uint32_t query) {
    return args.to.plus_bytes(static_cast<int64_t>(uint64_t{query / args.heads} * args.to_stride +
                                                   uint64_t{query % args.heads} * bytes));
  };
  GlobalPtr<const void> partials = partials_of(first);
  GlobalPtr<void> to = result_of(first);
  const node::Barrier ahead = look_ahead();
  wait_for_all();
  for (uint32_t query = first;;) {
    if (const uint32_t keys = visible_keys(sizes, query / args.heads); keys != 0) {
      const Partials& sums = all(partials, key_blocks(keys));
      vector::wait(finish(sums, 1, part, operand(result, args.to_type, 0)));
      dma::wait(dma::store(to, result, bytes));
    }
    query += cpe::count();
    if (query >= queries) break;
    partials = partials_of(query);
    to = result_of(query);
  }
  end_work(ahead);
}

// All CPEs look at all of them.
void check_keys(const AttentionSizes& sizes) {
  if (sizes.positions == nullptr) return;
  for (uint32_t row = 0; row < sizes.rows; ++row)
    if (visible_keys(sizes, row) > sizes.keys) refuse(Refusal::kParameter);
}

}  // namespace

void operator_attention(const AttentionArgs& args) {
  if (is_one_short_row(args)) return attend_one_short_row(args);
  require(check(args));
  Arena arena;
  const AttentionSizes sizes = sizes_of(args, load_positions(arena, args));
  check_keys(sizes);
  const Schedule schedule(sizes, most_queries(args.width),
                          uses_workspace(args.rows, args.kv_heads, args.keys), turns.rank, cpe::count());
  turns.pass(schedule.workers());
  if (Step first; schedule.begin(first)) Attention(arena, args, schedule).run(first);
  if (schedule.shared()) combine(arena, args, sizes);
}

}  // namespace swai::operators
