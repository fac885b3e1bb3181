// SPDX-License-Identifier: Apache-2.0
// Attention of one row to the few keys that a short text has. A CPE has all of them for the queries of one
// head of keys. There is little to compute, so what counts is how soon each unit hears of it: everything is
// asked for at once, and decided before that.
#pragma once

#include "cpe-kernels/operators/attention/block.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"

namespace swai::operators {

// Of arguments that nobody has checked. Chunks are found in memory, and scales make other steps.
inline bool is_one_short_row(const AttentionArgs& args) {
  constexpr uint32_t kMostHeads = 8;  // that have the same keys
  constexpr uint32_t kRoom = 32768;   // bytes of keys
  return args.rows == 1 && args.keys <= kKeyBlock && args.kv_heads != 0 && args.kv_heads <= cpe::count() &&
         args.heads <= args.kv_heads * kMostHeads && args.width <= kMaxHeadWidth &&
         args.keys * args.width * bytes_of(args.kv_type) <= kRoom && args.kv_type != Number::kInt8 &&
         !args.chunks && !args.positions;
}

inline void attend_one_short_row(const AttentionArgs& args) {
  const uint32_t kv_head = turns.rank;
  turns.pass(args.kv_heads);
  // Who has work looks at the arguments, and somebody has.
  if (kv_head >= args.kv_heads) return;
  require(check(args));
  const uint32_t width = args.width, keys = args.keys;
  const uint32_t queries = args.heads / args.kv_heads, numbers = queries * width;
  const uint32_t row_bytes = width * bytes_of(args.kv_type), q_bytes = numbers * bytes_of(args.q_type);
  const uint32_t to_bytes = numbers * bytes_of(args.to_type);
  Arena arena;
  auto* const raw = arena.take<std::byte>(q_bytes);
  auto* const k = arena.take<std::byte>(keys * row_bytes);
  auto* const v = arena.take<std::byte>(keys * row_bytes);
  auto* const scaled = arena.take<float>(numbers * sizeof(float));
  const BlockOfKeys block(arena, width, queries);
  const Partials sums = {arena.take<float>(queries * partial_floats(width) * sizeof(float)), width};
  const Column part = {arena.take<float>(Column::bytes(queries))};
  const auto q = args.q.plus_bytes(int64_t{kv_head * q_bytes});
  const auto k_rows = args.k.plus_bytes(int64_t{kv_head * row_bytes});
  const auto v_rows = args.v.plus_bytes(int64_t{kv_head * row_bytes});
  const auto to = args.to.plus_bytes(int64_t{kv_head * to_bytes});
  const dma::Shape rows = {static_cast<uint16_t>(keys), static_cast<uint16_t>(row_bytes),
                           static_cast<int32_t>(keys == 1 ? 0 : args.kv_stride)};

  begin_work();
  const dma::Ticket q_loaded = dma::load(raw, q, q_bytes);
  const dma::Ticket k_loaded = dma::load(k, k_rows, row_bytes, rows);
  const dma::Ticket v_loaded = dma::load(v, v_rows, row_bytes, rows);
  scale_queries(operand(raw, args.q_type, 0), q_loaded, args.scale, scaled, numbers);
  vector::a(operand(k, args.kv_type, static_cast<int32_t>(row_bytes)));
  vector::no_result();
  vector::size(width, keys);
  dma::wait(k_loaded);
  for (uint32_t i = 0; i < queries; ++i) {
    vector::b(vector::rows(scaled + i * width));
    vector::reductions(block.score(i, 0));
    vector::run(Op::kMul, {.reduce = Reduce::kSum, .overlap = i != 0});
  }
  block.weigh(sums, 0, queries, keys);
  dma::wait(v_loaded);
  block.add_values(sums, operand(v, args.kv_type, 0), row_bytes, 0, keys, 0, queries, false);
  if (keys != 1) block.add_odd(sums, 0, queries);
  // Scaled queries have been multiplied.
  const vector::Ticket last =
      finish(sums, queries, part, operand(scaled, args.to_type, width * bytes_of(args.to_type)));
  const node::Barrier ahead = look_ahead();
  vector::wait(last);
  dma::wait(dma::store(to, scaled, to_bytes));
  end_work(ahead);
}

}  // namespace swai::operators
