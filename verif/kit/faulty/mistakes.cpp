// SPDX-License-Identifier: Apache-2.0
// Kernels whose results depend on luck: one CPE, the culprit, makes a mistake; with `value` it does not. The
// comments say what verif/sim/iss/cpe/check_test.py wants to be told: `begun`, the line of a command and its
// name; `found`, the line that comes too early, the kind of the mistake, and the first byte, in its page of 4
// KiB.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

constexpr uint32_t kBytes = 4096;

LDM alignas(kBytes) static std::byte first[kBytes];
LDM alignas(kBytes) static std::byte second[kBytes];
LDM alignas(kBytes) static std::byte third[kBytes];
LDM alignas(kBytes) static float numbers[256];
LDM alignas(kBytes) static float others[256];
LDM alignas(kBytes) static float sums[8];

#define CULPRIT_ONLY(args) \
  if (number() != (args)->culprit) return

// A load, and a store, on their own lines.
#define PEEK(at) asm volatile("lw x0, (%0)" ::"r"(at) : "memory")
#define POKE(at) asm volatile("sw x0, (%0)" ::"r"(at) : "memory")

// Of the memory at `at` what no other transfer uses.
static GlobalPtr<void> behind(const FaultArgs* args) { return args->at.plus_bytes(kBytes); }

template <typename Wait>
[[gnu::always_inline]] static inline void unless_mistaken(const FaultArgs* args, Wait wait) {
  if (args->value != 0) wait();
}

// --- the core

__kernel__ void reads_too_early(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::load(first, args->at, kBytes);  // begun: DMA load 1
  unless_mistaken(args, [&] { dma::wait(ticket); });
  PEEK(first + 64);  // found: too early, 0x40
}

__kernel__ void waits_for_another(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::load(first, args->at, kBytes);
  const auto later = dma::load(second, args->at, kBytes);  // begun: DMA load 2
  dma::wait(args->value != 0 ? later : ticket);
  PEEK(first);
  PEEK(second);  // found: too early, 0x0
}

// What a poll says is known; what it was not asked for is not.
__kernel__ void asks_for_another(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::load(first, args->at, kBytes);
  const auto later = dma::load(second, args->at, kBytes);  // begun: DMA load 2
  while (!dma::done(args->value != 0 ? later : ticket)) {
  }
  PEEK(first);
  PEEK(second);  // found: too early, 0x0
}

// The ninth transfer begins when the first is complete, and not before; that says nothing of the second.
__kernel__ void fills_the_queue(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  dma::load(first, args->at, 64);
  const auto ticket = dma::load(second, args->at, 64);  // begun: DMA load 2
  for (uint32_t more = 0; more < 7; ++more) dma::load(third + 64 * more, args->at, 64);
  PEEK(first);
  unless_mistaken(args, [&] { dma::wait(ticket); });
  PEEK(second);  // found: too early, 0x0
}

__kernel__ void writes_what_is_stored(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::store(args->at, first, kBytes);  // begun: DMA store 1
  PEEK(first + 4);
  unless_mistaken(args, [&] { dma::wait(ticket); });
  POKE(first + 4);  // found: overwrites, 0x4
}

__kernel__ void writes_what_is_loaded(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  constexpr dma::Shape kWithGaps{.rows = 4, .ldm_stride = 128, .global_stride = 64};
  const auto ticket = dma::load(first, args->at, 64, kWithGaps);  // begun: DMA load 1
  POKE(first + 64);
  unless_mistaken(args, [&] { dma::wait(ticket); });
  POKE(first + 128);  // found: two writers, 0x80
}

// --- transfers among each other

__kernel__ void stores_what_is_loaded(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::load(first, args->at, kBytes);  // begun: DMA load 1
  unless_mistaken(args, [&] { dma::wait(ticket); });
  dma::store(behind(args), first + 1024, 1024);  // found: too early, 0x400
}

__kernel__ void loads_over_what_is_stored(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::store(args->at, first, kBytes);  // begun: DMA store 1
  unless_mistaken(args, [&] { dma::wait(ticket); });
  dma::load(first, behind(args), 64);  // found: overwrites, 0x0
}

__kernel__ void loads_twice(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  const auto ticket = dma::load(first, args->at, kBytes);  // begun: DMA load 1
  unless_mistaken(args, [&] { dma::wait(ticket); });
  dma::load(first + kBytes - 32, args->at, 32);  // found: two writers, 0xfe0
}

// --- the systolic unit

// 32 rows of 64 k, two column tiles.
static void set_product() {
  systolic::activations(first, 512, 8);
  systolic::weights(second, 64, 8);
  systolic::column_strides(512, 32);
  systolic::output(third, 64);
  systolic::size({.column_tiles = 2, .k_tiles = 8, .block = 2, .rows = 32});
}

__kernel__ void multiplies_too_early(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_product();
  const auto ticket = dma::load(second + 512, args->at, 512);  // begun: DMA load 1
  unless_mistaken(args, [&] { dma::wait(ticket); });
  systolic::run({});  // found: too early, 0x200
}

__kernel__ void sums_too_early(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_product();
  const auto ticket = systolic::run({});  // begun: run 1 of the systolic unit
  unless_mistaken(args, [&] { systolic::wait(ticket); });
  PEEK(third);  // found: too early, 0x0
}

__kernel__ void next_weights_too_early(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_product();
  const auto ticket = systolic::run({});  // begun: run 1 of the systolic unit
  unless_mistaken(args, [&] { systolic::wait(ticket); });
  dma::load(second, args->at, 1024);  // found: overwrites, 0x0
}

// Runs that follow each other add to the same sums, and write over what those before have read; but results
// of one are not there for the next.
__kernel__ void product_of_a_product(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_product();
  systolic::run({.drain = false});
  const auto ticket = systolic::run({.keep = true});  // begun: run 2 of the systolic unit
  unless_mistaken(args, [&] { systolic::wait(ticket); });
  systolic::activations(third, 64, 8);
  systolic::output(first, 64);
  systolic::run({});  // found: too early, 0x0
}

// --- the vector unit

static void set_sum(const float* from, float* to) {
  vector::a(vector::rows(from));
  vector::b(vector::value(2));
  vector::c(vector::value(1));
  vector::result(to);
  vector::size(128);
}

__kernel__ void vector_too_early(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_sum(numbers, others);
  vector::run(vector::Op::kFma);
  set_sum(others, numbers);
  const auto ticket = vector::run(vector::Op::kFma);  // begun: run 2 of the vector unit
  unless_mistaken(args, [&] { vector::wait(ticket); });
  PEEK(&numbers[127]);  // found: too early, 0x1fc
}

__kernel__ void overlaps_too_much(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_sum(numbers, others);
  vector::run(vector::Op::kFma);  // begun: run 1 of the vector unit
  set_sum(others, numbers);
  vector::run(vector::Op::kFma, {.overlap = args->value == 0});  // found: too early, 0x0
}

__kernel__ void shifts_in_place(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_sum(numbers, numbers);
  vector::run(vector::Op::kFma);
  set_sum(numbers, args->value == 0 ? numbers + 8 : others);
  vector::run(vector::Op::kFma);  // begun // found: own operands, 0x20
}

__kernel__ void loads_under_a_reduction(const FaultArgs* args) {
  CULPRIT_ONLY(args);
  set_sum(numbers, others);
  vector::reductions(sums);
  constexpr vector::Mode kSum{.reduce = vector::Reduce::kSum};
  const auto ticket = vector::run(vector::Op::kFma, kSum);  // begun: run 1 of the vector unit
  unless_mistaken(args, [&] { vector::wait(ticket); });
  dma::load(sums, args->at, sizeof sums);  // found: two writers, 0x0
}

// --- channels: the culprit, and the one beside it

static uint32_t partner(const FaultArgs* args) { return args->culprit ^ 1; }
// In their row.
static uint32_t position(uint32_t number) { return number % columns(); }
static Positions only(uint32_t number) { return static_cast<Positions>(1u << position(number)); }

__kernel__ void writes_what_is_sent(const FaultArgs* args) {
  if (number() == partner(args)) row::wait(row::receive(position(args->culprit), first, kBytes));
  CULPRIT_ONLY(args);
  const auto sent = row::send(only(partner(args)), first, kBytes);  // begun: send 1 on the row channel
  unless_mistaken(args, [&] { row::wait(sent); });
  POKE(first);  // found: overwrites, 0x0
}

__kernel__ void reads_what_is_received(const FaultArgs* args) {
  const uint32_t sender = position(partner(args));
  if (number() == partner(args)) row::wait(row::send(only(args->culprit), first, kBytes));
  CULPRIT_ONLY(args);
  const auto received = row::receive(sender, second, kBytes);  // begun: receive 1 on the row channel
  unless_mistaken(args, [&] { row::wait(received); });
  dma::store(args->at, second, 64);  // found: too early, 0x0
}

// In its column: the one in the next row, or the one before.
static uint32_t beneath(const FaultArgs* args) {
  return (args->culprit / columns() ^ 1) * columns() + args->culprit % columns();
}
static uint32_t row_of(uint32_t number) { return number / columns(); }

__kernel__ void writes_what_is_sent_down(const FaultArgs* args) {
  if (number() == beneath(args)) column::wait(column::receive(row_of(args->culprit), first, kBytes));
  CULPRIT_ONLY(args);
  const auto to = static_cast<Positions>(1u << row_of(beneath(args)));
  const auto sent = column::send(to, first, kBytes);  // begun: send 1 on the column channel
  unless_mistaken(args, [&] { column::wait(sent); });
  POKE(first);  // found: overwrites, 0x0
}

__kernel__ void reads_what_comes_up(const FaultArgs* args) {
  const auto to = static_cast<Positions>(1u << row_of(args->culprit));
  if (number() == beneath(args)) column::wait(column::send(to, first, kBytes));
  CULPRIT_ONLY(args);
  const uint32_t from = row_of(beneath(args));
  const auto received = column::receive(from, second, kBytes);  // begun: receive 1 on the column channel
  unless_mistaken(args, [&] { column::wait(received); });
  PEEK(second + 32);  // found: too early, 0x20
}
