// Attention: a CPE takes some queries through blocks of 64 keys. Of each block it makes a partial result:
// scores, weights relative to the largest of them, their sum, and the sum of values so weighted.
#include "cpe-kernels/operators/attention/partial.hpp"
#include "cpe-kernels/operators/attention/stream.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::value;

// That local memory has room for.
constexpr uint32_t most_queries(uint32_t width) { return std::min<uint32_t>(2048 / width, 64); }

class Attention {
 public:
  Attention(const Arena& arena, const AttentionArgs& args, const Schedule& schedule)
      : args_(args), schedule_(schedule), arena_(arena), stream_(arena_, args, schedule) {
    const uint32_t queries = most_queries(args.width);
    const uint32_t bytes = queries * args.width * sizeof(float);
    queries_ = arena_.take<float>(bytes);
    raw_ = arena_.take<std::byte>(queries * args.width * bytes_of(args.q_type));
    weights_ = arena_.take<float>(queries * kScorePitch);
    odd_ = arena_.take<float>(bytes);
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
    if (!schedule_.shared()) end_work();
  }

 private:
  static constexpr uint32_t kScorePitch = kKeyBlock * sizeof(float);

  struct Place {
    Partials partials;
    dma::Ticket stored;
  };

  uint32_t place_bytes() const { return partial_floats(args_.width) * uint32_t{sizeof(float)}; }
  float* query(uint32_t number) const { return queries_ + number * args_.width; }
  float* score(uint32_t query, uint32_t key) const { return weights_ + query * kKeyBlock + key; }
  vector::Operand scores(uint32_t query) const { return vector::rows(score(query, 0), kScorePitch); }
  vector::Operand odd(uint32_t query) const {
    return vector::rows(odd_ + query * args_.width, static_cast<int32_t>(args_.width * sizeof(float)));
  }

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

  // Of the tile that the step begins, times what makes powers of two of their scores. Those of the next
  // one, if it is known, are asked for at once: behind keys and values that are on their way they would come
  // late.
  void take_queries(const Step& step) {
    dma::wait(fetched_);
    vector::a(operand(raw_, args_.q_type, 0));
    vector::b(value(args_.scale));
    vector::result(queries_);
    vector::size(tile_.queries() * args_.width);
    const vector::Ticket taken = vector::run(Op::kMul);
    vector::a(vector::rows(queries_));
    vector::b(value(kLog2E));
    last_ = vector::run(Op::kMul);
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
    compute_weights(place.partials);
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
    if (!all_see_all_) fill(scores(first_), -__builtin_inff(), keys_);
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
        vector::reductions(score(i, piece.first));
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
      vector::a(scores(query));
      into(scores(query));
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

  void compute_weights(const Partials& to) {
    vector::a(scores(first_));
    vector::b(value(1));
    vector::no_result();
    vector::reductions(to.largest(first_), to.pitch());
    vector::size(keys_, active());
    vector::run(Op::kMul, {.reduce = Reduce::kMax});
    vector::c(to.maxima(first_).negated());
    into(scores(first_));
    vector::reductions(to.sum(first_), to.pitch());
    last_ = vector::run(Op::kAdd, {.special = Special::kExp2, .reduce = Reduce::kSum});
  }

  // Even keys' into the partial results, odd ones' beside them, so that one need not wait for the other.
  void add_values(const Partials& to) {
    if (!all_see_all_) {
      fill(to.all(first_), -0.0f, args_.width);
      fill(odd(first_), -0.0f, args_.width);
    }
    uint32_t from = first_;
    for (uint32_t key = 0; key < keys_;) {
      const auto& piece = stream_.take();
      if (piece.scales != nullptr) {
        vector::a(scores(first_));
        vector::b(vector::rows(piece.scales));
        into(scores(first_));
        vector::size(keys_, active());
        vector::run(Op::kMul);
      }
      for (uint32_t i = 0; i < piece.count;) {
        while (!all_see_all_ && seen_by(from) <= key) from += tile_.heads;
        const uint32_t seen = all_see_all_ ? keys_ : seen_by(from);
        const uint32_t count = std::min(piece.count - i, seen - key);
        add_keys(to, operand(piece.rows + i * stream_.row_bytes(), args_.kv_type, 0), key, count, from);
        i += count;
        key += count;
      }
      stream_.read_by(last_);
    }
    if (keys_ == 1) return;
    vector::a(to.all(first_));
    vector::c(odd(first_));
    into(to.all(first_));
    vector::size(args_.width, active());
    last_ = vector::run(Op::kAdd);
  }

  // Values of `count` keys, which all queries from `from` on see. Only this much is done for each key: what
  // runs have in common is here once, as the compiler keeps nothing else of ours in registers between them.
  void add_keys(const Partials& to, vector::Operand values, uint32_t key, uint32_t count, uint32_t from) {
    const auto even_sums = to.all(from);
    const auto odd_sums = odd(from);
    auto weights = vector::each_row(score(from, key), kScorePitch);
    const uint32_t row_bytes = stream_.row_bytes();
    const uint32_t begun = all_see_all_ ? 2 : 0;
    const uint32_t end = key + count;
    vector::Ticket last = {};
    const auto add = [&](const vector::Operand& sums, bool is_odd) {
      vector::a(values);
      vector::b(weights);
      vector::c(sums);
      into(sums);
      last = vector::run(key < begun ? Op::kMul : Op::kFma, {.overlap = is_odd});
      values.at += row_bytes;
      weights.at += sizeof(float);
      ++key;
    };
    vector::size(args_.width, tile_.queries() - from);
    if (key % 2 != 0) add(odd_sums, true);
    while (key + 1 < end) {
      add(even_sums, false);
      add(odd_sums, true);
    }
    if (key < end) add(even_sums, false);
    last_ = last;
  }

  // `columns` of each query's row.
  void fill(const vector::Operand& rows, float number, uint32_t columns) {
    vector::a(value(number));
    vector::b(value(1));
    into(rows);
    vector::size(columns, active());
    vector::run(Op::kMul);
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
  float* queries_;
  std::byte* raw_;  // queries as they are stored
  float* weights_;  // a row of kKeyBlock for each query: scores, then weights
  float* odd_;      // sums of values of odd keys
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
  constexpr uint32_t kFarther = 2;  // turns
  const auto wait_for_all = [] {
    wait_for_others();
    cpe::sync<cpe::Scope::kAll>();
  };
  const uint32_t first = turned_rank(kFarther), queries = args.rows * args.heads;
  if (first >= queries) return wait_for_all();
  Combine all(arena, args.width);
  const Column part = {arena.take<float>(Column::bytes(1))};
  auto* const result = arena.take<std::byte>(args.width * sizeof(float));
  const uint32_t bytes = args.width * bytes_of(args.to_type);
  const uint64_t pitch = uint64_t{key_blocks(args.keys)} * partial_floats(args.width) * sizeof(float);
  wait_for_all();
  for (uint32_t query = first; query < queries; query += cpe::count()) {
    const uint32_t row = query / args.heads;
    const uint32_t keys = visible_keys(sizes, row);
    if (keys == 0) continue;
    const Partials& sums =
        all(args.workspace.plus_bytes(static_cast<int64_t>(query * pitch)), key_blocks(keys));
    vector::wait(finish(sums, 1, part, operand(result, args.to_type, 0)));
    dma::wait(dma::store(args.to.plus_bytes(static_cast<int64_t>(uint64_t{row} * args.to_stride +
                                                                 uint64_t{query % args.heads} * bytes)),
                         result, bytes));
  }
  end_work();
}

// All CPEs look at all of them.
void check_keys(const AttentionSizes& sizes) {
  if (sizes.positions == nullptr) return;
  for (uint32_t row = 0; row < sizes.rows; ++row)
    if (visible_keys(sizes, row) > sizes.keys) refuse(Refusal::kParameter);
}

}  // namespace

void operator_attention(const AttentionArgs& args) {
  require(check(args));
  Arena arena;
  const AttentionSizes sizes = sizes_of(args, load_positions(arena, args));
  check_keys(sizes);
  const Schedule schedule(sizes, most_queries(args.width),
                          uses_workspace(args.rows, args.kv_heads, args.keys), turned_rank(), cpe::count());
  if (Step first; schedule.begin(first)) Attention(arena, args, schedule).run(first);
  if (schedule.shared()) combine(arena, args, sizes);
}

}  // namespace swai::operators
