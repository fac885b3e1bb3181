// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "abi/command.hpp"
#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/telling_times.hpp"

namespace swai::sdaa {
namespace {

using link::vendor::Command;
using protocol::Operation;
using protocol::Status;

constexpr uint64_t kPage = 4096;
// What is left between the legacy addresses of a PC and the windows of its cards.
constexpr uint64_t kFirstIova = uint64_t{1} << 32;
constexpr uint64_t kEndIova = uint64_t{1} << 40;
// A pause between looks at what only the firmware's own pace decides.
constexpr uint64_t kPause = 10'000;
// So many looks in vain, and the firmware itself is looked at.
constexpr unsigned kLooks = 64;
constexpr uint64_t kStatusVectors = uint64_t{1} << protocol::kStatusVector;

constexpr uint64_t whole_pages(uint64_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

// The card may be writing. Lines come whole, so two looks that agree are right.
template <typename T>
T look(const uint8_t* at) {
  std::array<uint64_t, sizeof(T) / sizeof(uint64_t)> now;
  std::array<uint64_t, sizeof(T) / sizeof(uint64_t)> before;
  const auto read = [&](auto& words) {
    const auto* from = reinterpret_cast<const uint64_t*>(at);
    for (size_t i = 0; i < words.size(); ++i) words[i] = __atomic_load_n(from + i, __ATOMIC_ACQUIRE);
  };
  read(now);
  do {
    before = now;
    read(now);
  } while (before != now);
  T value;
  std::memcpy(static_cast<void*>(&value), now.data(), sizeof value);
  return value;
}

}  // namespace

Connection::Connection(std::unique_ptr<link::Card> card, const Limits& limits, Restart restart)
    : card_(std::move(card)), limits_(limits), free_iovas_{{kFirstIova, kEndIova - kFirstIova}} {
  card_->interrupts();
  firmware_ = find_firmware(*card_, limits, restart);
  requests_.emplace(*card_);
  const uint64_t bytes = whole_pages(sizeof(protocol::StatusPage));
  status_iova_ = take_iova(bytes);
  status_.emplace(card_->pin(status_iova_, bytes));
  route_.emplace(card_->pin(take_iova(protocol::kRouteBytes), protocol::kRouteBytes));
  attach();
}

Connection::~Connection() {
  if (context_ == 0) return;
  try {
    detach();
  } catch (...) {
    // It is lost; the card finds out by itself.
  }
}

void Connection::check_firmware() {
  if (!lives(*card_, firmware_)) fail_stopped(*card_);
}

void Connection::detach() {
  ask(Operation::kDetach, {});
  context_ = 0;
}

void Connection::attach() {
  std::ranges::fill(status_->bytes(), uint8_t{0});
  const uint64_t begin = cycle();
  const auto deadline = steady_clock::now() + limits_.real;
  const std::array<uint64_t, 5> arguments = {protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16,
                                             status_iova_, 0, 0, 0};
  for (;;) {
    Values values;
    const Status status = exchange(Operation::kAttach, arguments, values);
    if (status == Status::kOk) {
      context_ = values[0];
      // Refused when the card is shared: its owner has done it then.
      routes_ = {};
      Status routes = Status::kAgain;
      while ((routes = request(Operation::kRoutes, {route_->iova(), protocol::kRouteBytes}, values)) ==
                 Status::kAgain &&
             cycle() - begin < limits_.request_cycles && steady_clock::now() < deadline)
        let_time_pass(kPause);
      if (routes == Status::kOk) routes_ = {values[0], values[1], values[2]};
      return;
    }
    // What an earlier client had may not be cleared away yet.
    const bool may_come = status == Status::kNoContext && cycle() - begin < limits_.request_cycles &&
                          steady_clock::now() < deadline;
    if (!may_come)
      fail(code_of(status), fmt::format("the card does not take this client: {}", protocol::text(status)));
    let_time_pass(kPause);
  }
}

Status Connection::request(Operation operation, std::initializer_list<uint64_t> arguments, Values& values) {
  std::array<uint64_t, protocol::word::kArgumentCount> words = {context_};
  std::ranges::copy(arguments, words.begin() + 1);
  const Status status = exchange(operation, std::span(words).first(1 + arguments.size()), values);
  if (status == Status::kNotAttached) check_firmware();  // it may be another one
  if (checks_accesses_ && status == Status::kOk) {
    if (operation == Operation::kAllocate) card_->command(Command::kAllocated, {values[0], words[1]});
    if (operation == Operation::kFree) card_->command(Command::kFreed, {words[1]});
  }
  return status;
}

bool Connection::check_accesses() {
  try {
    card_->command(Command::kAllFreed);
    checks_accesses_ = true;
  } catch (const link::Error& error) {
    if (error.kind() != link::ErrorKind::kRefused) throw;
    checks_accesses_ = false;
  }
  return checks_accesses_;
}

void Connection::move_allocation(uint64_t from, uint64_t to, uint64_t bytes) {
  if (!checks_accesses_) return;
  card_->command(Command::kFreed, {from});
  card_->command(Command::kAllocated, {to, bytes});
}

Status Connection::request_when_ready(Operation operation, std::initializer_list<uint64_t> arguments,
                                      Values& values, std::string_view why) {
  Status status = request(operation, arguments, values);
  if (status != Status::kAgain) return status;
  TellingTimes times(limits_.silent);
  const auto begin_time = steady_clock::now();
  const uint64_t begin = cycle();
  while ((status = request(operation, arguments, values)) == Status::kAgain) {
    const uint64_t waited = cycle() - begin;
    const auto now = steady_clock::now();
    if (times.due(now - begin_time, now)) fmt::print(stderr, "swai: {} for {} cycles\n", why, waited);
    if (waited > limits_.wait_cycles) {
      fail(sdaaErrorTimedOut,
           fmt::format("{} for {} cycles of the card; SWAI_TIMEOUT_CYCLES=CYCLES waits longer", why, waited));
    }
  }
  return status;
}

Connection::Values Connection::ask(Operation operation, std::initializer_list<uint64_t> arguments) {
  Values values;
  const Status status = request(operation, arguments, values);
  if (status != Status::kOk) {
    fail(code_of(status), fmt::format("the card refused request {}: {}", static_cast<unsigned>(operation),
                                      protocol::text(status)));
  }
  return values;
}

Status Connection::exchange(Operation operation, std::span<const uint64_t> arguments, Values& values) {
  requests_->send(operation, arguments);
  if (card_->describe().deterministic) card_->run_until(0, requests_->time_for(operation, arguments));
  const auto deadline = steady_clock::now() + limits_.real;
  const uint64_t begin = cycle();
  unsigned looks = 0;
  for (;;) {
    const auto reply = requests_->look();
    if (looks == 0) requests_->learn(operation, arguments, reply.has_value());
    if (reply) {
      values = reply->values;
      return reply->status;
    }
    if (++looks % kLooks == 0) check_firmware();
    if (cycle() - begin > limits_.request_cycles || steady_clock::now() > deadline) {
      fail(sdaaErrorTimedOut, fmt::format("the card does not answer request {}; it may need a reset",
                                          static_cast<unsigned>(operation)));
    }
  }
}

uint64_t Connection::take_iova(uint64_t bytes) {
  // One page more, which is never mapped: what runs over the end is a fault.
  bytes = whole_pages(bytes) + kPage;
  for (auto& [begin, length] : free_iovas_) {
    if (length < bytes) continue;
    const uint64_t taken = begin;
    const uint64_t left = length - bytes;
    free_iovas_.erase(taken);
    if (left != 0) free_iovas_.emplace(taken + bytes, left);
    return taken;
  }
  fail(sdaaErrorOutOfMemory, "no bus addresses are left for pinned memory");
}

void Connection::give_back_iova(uint64_t iova, uint64_t bytes) {
  bytes = whole_pages(bytes) + kPage;
  const auto next = free_iovas_.upper_bound(iova);
  if (next != free_iovas_.end() && next->first == iova + bytes) {
    bytes += next->second;
    free_iovas_.erase(next);
  }
  const auto after = free_iovas_.upper_bound(iova);
  if (after != free_iovas_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == iova) {
      before->second += bytes;
      return;
    }
  }
  free_iovas_.emplace(iova, bytes);
}

uint64_t Connection::slot_at(unsigned queue, uint32_t sequence) const {
  return kSram + firmware_.info.queue_offset + uint64_t{queue} * protocol::kQueueBytes +
         sequence % protocol::kSlots * protocol::kSlotBytes;
}

void Connection::write_slots(unsigned queue, uint32_t sequence, std::span<const uint8_t> bytes) {
  const uint64_t at = slot_at(queue, sequence);
  // The first slot makes the others valid.
  if (bytes.size() > protocol::kSlotBytes)
    card_->post_block(kMemoryBar, at + protocol::kSlotBytes, bytes.subspan(protocol::kSlotBytes));
  card_->post_block(kMemoryBar, at, bytes.first(protocol::kSlotBytes));
}

std::array<uint8_t, protocol::kSlotBytes> Connection::read_slot(unsigned queue, uint32_t sequence) {
  std::array<uint8_t, protocol::kSlotBytes> slot;
  card_->read_block(kMemoryBar, slot_at(queue, sequence), slot);
  return slot;
}

void Connection::ring(unsigned doorbell) {
  card_->post<uint64_t>(kControlBar, regs::pcie::doorbell::kOffset, doorbell);
}

void Connection::set_word(unsigned number, uint64_t value) {
  card_->post<uint64_t>(kControlBar, shared_word(number), value);
}

protocol::QueueStatus Connection::queue(unsigned number) const {
  return look<protocol::QueueStatus>(status_->data() + offsetof(protocol::StatusPage, queues) +
                                     number * sizeof(protocol::QueueStatus));
}
protocol::EventStatus Connection::event(unsigned number) const {
  return look<protocol::EventStatus>(status_->data() + offsetof(protocol::StatusPage, events) +
                                     number * sizeof(protocol::EventStatus));
}

Connection::Passed Connection::let_time_pass(uint64_t cycles) {
  if (!card_->describe().deterministic) {
    card_->wait_interrupt(kStatusVectors, std::chrono::milliseconds(1), cycles);
    return {.awake = true, .cycle = cycle()};
  }
  const link::vendor::RunResult result = card_->run_until(kStatusVectors, cycles);
  if (result.vectors != 0) card_->interrupts().take(result.vectors);
  return {.awake = result.cause != link::vendor::Cause::kAsleep, .cycle = result.cycle};
}

void Connection::wake() { card_->read<uint64_t>(kControlBar, regs::pcie::boot_status::kOffset); }

}  // namespace swai::sdaa
