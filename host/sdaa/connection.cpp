#include "host/sdaa/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "card_regs.hpp"
#include "firmware/abi/command.hpp"
#include "host/sdaa/bars.hpp"
#include "host/sdaa/journal.hpp"

namespace swai::sdaa {
namespace {

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

// Why nobody answers any more.
[[noreturn]] void fail_stopped(link::Card& card) {
  const auto record = read_panic(card);
  fail(sdaaErrorDeviceLost,
       fmt::format(
           "the card's firmware has ended{}; what was on the card is lost, sdaaDeviceReset starts it anew",
           record ? ": " + describe(*record) : ""));
}

// About what the firmware needs for a request; to look before that would cost a round trip for nothing.
constexpr uint64_t time_for(Operation operation, std::span<const uint64_t> arguments) {
  constexpr uint64_t kLarge = 1 << 20;  // from here on it takes whole blocks
  switch (operation) {
    case Operation::kAllocate:
      return arguments[1] < kLarge ? 460 : 620;
    case Operation::kFree:
      return 790;
    default:
      return 600;
  }
}
constexpr uint64_t whole_pages(uint64_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

link::Bytes bytes_of(const void* from, size_t bytes) { return {static_cast<const uint8_t*>(from), bytes}; }

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
  wait_for_firmware(restart);
  // The words keep what an earlier client's last request left.
  tag_ = protocol::tag(card_->read<uint64_t>(kControlBar, shared_word(protocol::word::kReply)));
  const uint64_t bytes = whole_pages(sizeof(protocol::StatusPage));
  status_iova_ = take_iova(bytes);
  status_.emplace(card_->pin(status_iova_, bytes));
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

void Connection::wait_for_firmware(Restart restart) {
  namespace status = regs::system::status;
  const uint64_t begin = cycle();
  const auto deadline = steady_clock::now() + limits_.real;
  std::array<uint64_t, 3> words;
  for (;;) {
    // The words outlive the kernel that wrote them.
    const uint64_t stage =
        status::kStage.get(card_->read<uint64_t>(kControlBar, regs::pcie::boot_status::kOffset));
    const bool stopped = stage == status::kStageFailed;
    if (restart == Restart::kYes || (restart == Restart::kIfStopped && stopped)) {
      restart = Restart::kNo;
      namespace request = regs::pcie::reset_request;
      card_->post<uint64_t>(
          kControlBar, request::kOffset,
          request::kKey.put(request::kKeyGo) | request::kProcessor.put(1) | request::kGroups.mask());
      let_time_pass(kPause);
      continue;
    }
    if (stopped) fail_stopped(*card_);
    card_->read_block(kControlBar, shared_word(protocol::word::kMagic),
                      {reinterpret_cast<uint8_t*>(words.data()), sizeof words});
    if (stage == status::kStageReady && words[protocol::word::kMagic] == protocol::kMagic) break;
    if (cycle() - begin > limits_.boot_cycles || steady_clock::now() > deadline) {
      fail(sdaaErrorTimedOut,
           fmt::format("the firmware of the card at {} does not serve programs; look at its console",
                       card_->describe().address));
    }
    let_time_pass(kPause);
  }
  protocol::Versions versions;
  std::memcpy(&versions, &words[protocol::word::kVersions], sizeof versions);
  life_ = words[protocol::word::kLife];
  if (versions.current < protocol::kMinimumVersion || versions.minimum > protocol::kVersion) {
    fail(
        sdaaErrorInsufficientDriver,
        fmt::format(
            "the card's firmware speaks versions {} to {} of the protocol, this library {} to {}; update the "
            "older one",
            versions.minimum, versions.current, protocol::kMinimumVersion, protocol::kVersion));
  }
  card_->read_block(kMemoryBar, kSram + versions.info, {reinterpret_cast<uint8_t*>(&info_), sizeof info_});
  // A newer firmware may have more of everything; less the library does not know how to use.
  if (info_.bytes < sizeof info_ || info_.queues == 0 || info_.queues > protocol::kQueues ||
      info_.slots != protocol::kSlots || info_.slot_bytes != protocol::kSlotBytes || info_.groups == 0 ||
      info_.events < protocol::kEvents) {
    fail(sdaaErrorInsufficientDriver,
         "the card's firmware describes itself in a way that this library does not know");
  }
}

void Connection::check_firmware() {
  namespace status = regs::system::status;
  const auto word = card_->read<uint64_t>(kControlBar, regs::pcie::boot_status::kOffset);
  const auto life = card_->read<uint64_t>(kControlBar, shared_word(protocol::word::kLife));
  if (status::kStage.get(word) == status::kStageReady && life == life_) return;
  fail_stopped(*card_);
}

void Connection::detach() {
  ask(Operation::kDetach, {});
  context_ = 0;
}

void Connection::attach() {
  std::ranges::fill(status_->bytes(), uint8_t{0});
  const uint64_t begin = cycle();
  const auto deadline = steady_clock::now() + limits_.real;
  const std::array<uint64_t, 3> arguments = {protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16,
                                             status_iova_, 0};
  for (;;) {
    Values values;
    const Status status = exchange(Operation::kAttach, arguments, values);
    if (status == Status::kOk) {
      context_ = values[0];
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
  using namespace protocol;
  // Never 0: that is what the words hold before the first request.
  if (++tag_ == 0) ++tag_;
  card_->post_block(kControlBar, shared_word(word::kArguments),
                    bytes_of(arguments.data(), arguments.size_bytes()));
  card_->post<uint64_t>(kControlBar, shared_word(word::kRequest), protocol::request(operation, tag_));
  ring(kRequestDoorbell);
  if (card_->describe().deterministic) card_->run_until(0, time_for(operation, arguments));
  std::array<uint64_t, 1 + word::kValueCount> reply;
  const auto deadline = steady_clock::now() + limits_.real;
  const uint64_t begin = cycle();
  unsigned looks = 0;
  for (;;) {
    card_->read_block(kControlBar, shared_word(word::kReply),
                      {reinterpret_cast<uint8_t*>(reply.data()), sizeof reply});
    if (tag(reply[0]) == tag_) break;
    if (++looks % kLooks == 0) check_firmware();
    if (cycle() - begin > limits_.request_cycles || steady_clock::now() > deadline) {
      fail(sdaaErrorTimedOut, fmt::format("the card does not answer request {}; it may need a reset",
                                          static_cast<unsigned>(operation)));
    }
  }
  std::ranges::copy(std::span(reply).subspan(1), values.begin());
  return status(reply[0]);
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

void Connection::write_slots(unsigned queue, uint32_t sequence, std::span<const uint8_t> bytes) {
  const uint64_t at = kSram + info_.queue_offset + uint64_t{queue} * protocol::kQueueBytes +
                      sequence % protocol::kSlots * protocol::kSlotBytes;
  // The first slot makes the others valid.
  if (bytes.size() > protocol::kSlotBytes)
    card_->post_block(kMemoryBar, at + protocol::kSlotBytes, bytes.subspan(protocol::kSlotBytes));
  card_->post_block(kMemoryBar, at, bytes.first(protocol::kSlotBytes));
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

bool Connection::let_time_pass(uint64_t cycles) {
  if (!card_->describe().deterministic) {
    card_->wait_interrupt(kStatusVectors, std::chrono::milliseconds(1), cycles);
    return true;
  }
  const link::vendor::RunResult result = card_->run_until(kStatusVectors, cycles);
  if (result.vectors != 0) card_->interrupts().take(result.vectors);
  return result.cause != link::vendor::Cause::kAsleep;
}

}  // namespace swai::sdaa
