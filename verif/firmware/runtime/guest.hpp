// SPDX-License-Identifier: Apache-2.0
// A client that shares the played card, as the daemon lets it: host memory of its own behind a window, its
// context in front of every request. It knows what its commands must do and looks whether they did.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "abi/command.hpp"
#include "abi/kernel_arguments.hpp"
#include "sim/common/random.hpp"
#include "verif/firmware/runtime/played.hpp"
#include "verif/host/runtime/fake_card.hpp"
#include "verif/host/runtime/kernels.hpp"

namespace swai::runtime {

using protocol::Operation;
using protocol::Status;

class Guest {
 public:
  static constexpr uint64_t kHostBytes = 64 << 10;
  static constexpr uint64_t kAreas = 20 << 10;  // behind the status page
  static constexpr uint32_t kBytes = 256;       // of what is moved at once
  // Kernels of fake_module().
  static constexpr uint16_t kNothing = 0, kAxpyInt = 1, kHang = 5, kBreakpoint = 6, kSlow = 7, kDead = 8,
                            kWord = 11;

  Guest(Played& played, uint64_t window) : played_(played), window_(window), host_(kHostBytes) {
    map();
    const auto reply =
        played.ask(Operation::kAttach, {protocol::kVersion, 0, protocol::kShared, window, kHostBytes});
    status = reply.status;
    if (reply.ok()) context = reply.values[0];
  }
  ~Guest() { unmap(); }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  Status status = Status::kOk;  // of the attaching
  uint64_t context = 0;

  // A queue, with two buffers on the card and what is in them when all that was given is done.
  struct Lane {
    unsigned number = 0;
    uint32_t next = 0;
    std::array<uint64_t, 2> pointers = {};
    std::array<std::vector<uint8_t>, 2> bytes = {std::vector<uint8_t>(kBytes), std::vector<uint8_t>(kBytes)};
    struct Job {
      uint32_t last;
      unsigned area;
      std::vector<uint8_t> expected;
    };
    std::deque<Job> jobs = {};
    unsigned area = 0;
    uint32_t waits = 0;
  };
  std::vector<Lane> lanes;
  uint16_t module = 0;

  Played::Reply ask(Operation operation, std::initializer_list<uint64_t> arguments) {
    std::vector<uint64_t> words = {context};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return played_.ask(operation, words);
  }
  uint64_t allocate(uint64_t bytes, protocol::Usage usage) {
    const auto reply = ask(Operation::kAllocate, {bytes, protocol::AllocateFlags{usage}.bits()});
    REQUIRE(reply.ok());
    return reply.values[0];
  }
  bool open(verif::Random& random) {
    const auto reply = ask(Operation::kQueueOpen, {});
    if (!reply.ok()) return false;
    Lane& lane = lanes.emplace_back();
    lane.number = static_cast<unsigned>(reply.values[0]);
    lane.next = static_cast<uint32_t>(reply.values[1]);
    for (unsigned i = 0; i < 2; ++i) {
      lane.pointers[i] =
          allocate(kBytes, random.chance(50) ? protocol::Usage::kCpe : protocol::Usage::kShared);
      put(lane, command::Type::kFill, command::Fill{{}, lane.pointers[i], kBytes, 1, 0, 0});
    }
    return true;
  }
  void load() {
    const auto file = sdaa::fake_module();
    REQUIRE(file.size() <= kHostBytes - kAreas);
    const uint64_t at = allocate(file.size(), protocol::Usage::kShared);
    std::ranges::copy(file, host_.begin() + kAreas);
    Lane& lane = lanes.front();
    copy(lane, at, kAreas, static_cast<uint32_t>(file.size()), false);
    finish(lane, put(lane, command::Type::kModuleLoad, command::ModuleLoad{{}, at, file.size()}));
    module = static_cast<uint16_t>(line(lane).value);
    REQUIRE(ask(Operation::kFree, {at}).ok());
  }

  // --- Commands. Each returns its sequence number.

  template <typename Command>
  uint32_t put(Lane& lane, command::Type type, Command command, std::span<const uint8_t> more = {},
               uint16_t flags = 0) {
    std::vector<uint8_t> bytes(sizeof command + more.size());
    std::memcpy(bytes.data(), &command, sizeof command);
    std::ranges::copy(more, bytes.begin() + sizeof command);
    REQUIRE(bytes.size() <= protocol::kSlotBytes);
    bytes.resize(protocol::kSlotBytes);
    const command::Header header = {lane.next, type, 1, flags};
    std::memcpy(bytes.data(), &header, sizeof header);
    played_.write_slot(lane.number, lane.next, bytes);
    played_.processor().set_work(uint64_t{1} << lane.number);
    return lane.next++;
  }
  uint32_t copy(Lane& lane, uint64_t device, uint64_t host, uint32_t bytes, bool to_host) {
    return put(lane, command::Type::kCopy,
               command::Copy{{}, host, device, bytes, 1, to_host ? 1U : 0U, 0, 0});
  }
  uint32_t launch(Lane& lane, uint16_t kernel, std::span<const uint8_t> arguments = {},
                  uint8_t group = protocol::kAnyGroup, uint32_t watchdog = 0) {
    return put(
        lane, command::Type::kLaunch,
        command::Launch{
            {}, module, kernel, static_cast<uint16_t>(arguments.size()), group, 0, ~uint32_t{0}, watchdog},
        arguments);
  }
  uint32_t axpy(Lane& lane, uint64_t y, uint64_t x, int32_t a, uint32_t watchdog = 0) {
    const sdaa::AxpyIntArgs arguments = {cpe::GlobalPtr<int32_t>(y), cpe::GlobalPtr<const int32_t>(x),
                                         kBytes / 4, a};
    return launch(lane, kAxpyInt, {reinterpret_cast<const uint8_t*>(&arguments), sizeof arguments},
                  protocol::kAnyGroup, watchdog);
  }

  // --- What has become of them

  protocol::QueueStatus line(const Lane& lane) const {
    protocol::QueueStatus copy;
    std::memcpy(&copy, host_.data() + lane.number * sizeof copy, sizeof copy);
    return copy;
  }
  protocol::EventStatus event(unsigned number) const {
    protocol::EventStatus copy;
    std::memcpy(&copy, host_.data() + offsetof(protocol::StatusPage, events) + number * sizeof copy,
                sizeof copy);
    return copy;
  }
  bool complete(const Lane& lane, uint32_t sequence) const {
    return static_cast<int32_t>(line(lane).completed - sequence) >= 0;
  }
  bool wait(const Lane& lane, uint32_t sequence) {
    for (int i = 0; i < 10'000 && !complete(lane, sequence); ++i) played_.run(1);
    return complete(lane, sequence);
  }
  void finish(const Lane& lane, uint32_t sequence) {
    REQUIRE(wait(lane, sequence));
    INFO(protocol::text(line(lane).status));
    REQUIRE(line(lane).status == Status::kOk);
  }
  // That this command fails so; the queue goes on.
  void fails(Lane& lane, uint32_t sequence, Status wanted) {
    REQUIRE(wait(lane, sequence));
    CHECK(line(lane).failed == sequence);
    CHECK(protocol::text(line(lane).status) == std::string(protocol::text(wanted)));
    const auto reply = ask(Operation::kQueueReset, {lane.number});
    REQUIRE(reply.ok());
    lane.next = static_cast<uint32_t>(reply.values[0]);
  }

  // --- Random work: a job brings bytes, does something with them, and takes them back

  void work(verif::Random& random) {
    Lane& lane = lanes[random.below(lanes.size())];
    constexpr unsigned kAreasEach = 8;
    constexpr unsigned kMostSlots = 8;
    if (lane.jobs.size() == kAreasEach || lane.next + kMostSlots - line(lane).completed > protocol::kSlots)
      return;
    const unsigned x = static_cast<unsigned>(random.below(2)), y = 1 - x;
    const unsigned area = static_cast<unsigned>(&lane - lanes.data()) * kAreasEach + lane.area++ % kAreasEach;
    const uint64_t in = kAreas + area * uint64_t{2 * kBytes}, out = in + kBytes;
    for (unsigned i = 0; i < kBytes; ++i)
      lane.bytes[x][i] = host_[in + i] = static_cast<uint8_t>(random.next());
    copy(lane, lane.pointers[x], in, kBytes, false);
    for (uint64_t left = random.below(4); left != 0; --left) {
      switch (random.below(5)) {
        case 0:
          put(lane, command::Type::kFill, command::Fill{{}, lane.pointers[y] + 32, 8, 3, area, 16});
          for (unsigned row = 0; row < 3; ++row)
            std::fill_n(lane.bytes[y].begin() + 32 + row * 16, 8, static_cast<uint8_t>(area));
          break;
        case 1:
          put(lane, command::Type::kCopyDevice,
              command::CopyDevice{
                  {}, lane.pointers[y], lane.pointers[x], kBytes / 2, 1, command::Engine::kBest, 0, 0});
          std::copy_n(lane.bytes[x].begin(), kBytes / 2, lane.bytes[y].begin());
          break;
        case 2:
          put(lane, command::Type::kHostCall, command::Header{});
          break;
        case 3:
          ++events_;
          put(lane, command::Type::kEventRecord, command::Event{{}, 7, 0, 0});
          put(lane, command::Type::kEventWait, command::Event{{}, 7, 0, 1});
          break;
        default: {
          const auto a = static_cast<int32_t>(random.below(1000));
          axpy(lane, lane.pointers[y], lane.pointers[x], a, random.chance(10) ? 900'000 : 0);
          for (unsigned i = 0; i < kBytes; i += 4) {
            uint32_t from, to;
            std::memcpy(&from, lane.bytes[x].data() + i, 4);
            std::memcpy(&to, lane.bytes[y].data() + i, 4);
            to += static_cast<uint32_t>(a) * from;
            std::memcpy(lane.bytes[y].data() + i, &to, 4);
          }
        }
      }
    }
    lane.jobs.push_back({copy(lane, lane.pointers[y], out, kBytes, true), area, lane.bytes[y]});
  }
  void check() {
    for (Lane& lane : lanes) {
      const auto now = line(lane);
      REQUIRE(now.status == Status::kOk);
      if (now.waits != lane.waits) {
        lane.waits = now.waits;
        CHECK(ask(Operation::kResume, {lane.number, now.waiting}).ok());
      }
      while (!lane.jobs.empty() && complete(lane, lane.jobs.front().last)) {
        const auto& job = lane.jobs.front();
        const auto out = host_.begin() + kAreas + job.area * 2 * kBytes + kBytes;
        REQUIRE(std::equal(job.expected.begin(), job.expected.end(), out));
        lane.jobs.pop_front();
        ++checked_;
      }
    }
    CHECK(event(7).count <= events_);
  }
  uint64_t checked() const { return checked_; }

  // --- Its end

  // From when the card has said so on nothing of its memory may change any more.
  Status detach() { return ask(Operation::kDetach, {}).status; }
  void unmap() { played_.processor().mappings.erase(window_); }
  void map() { played_.processor().mappings[window_] = {host_.data(), host_.size(), true, true}; }
  const std::vector<uint8_t>& host() const { return host_; }
  uint8_t* area(uint64_t offset) { return host_.data() + offset; }

 private:
  Played& played_;
  uint64_t window_;
  std::vector<uint8_t> host_;
  uint64_t events_ = 0;
  uint64_t checked_ = 0;
};

// Windows of host memory that do not touch each other.
constexpr uint64_t window_of(unsigned place) { return 0x1'0000'0000 + place * 0x10'0000; }

inline std::unique_ptr<Guest> make_guest(Played& played, verif::Random& random, unsigned place) {
  auto guest = std::make_unique<Guest>(played, window_of(place));
  REQUIRE(guest->status == Status::kOk);
  for (uint64_t lanes = random.between(1, protocol::kSharedQueues); lanes != 0; --lanes) {
    if (!guest->open(random)) break;
  }
  REQUIRE_FALSE(guest->lanes.empty());
  guest->load();
  return guest;
}

inline void check_nothing_left(Played& played, uint64_t free) {
  played.run(5000);
  const auto attach = [&] { return played.ask(Operation::kAttach, {protocol::kVersion, 0, 0, 0, 0}); };
  auto reply = attach();
  REQUIRE(reply.ok());
  CHECK(played.free_memory() == free);
  for (unsigned i = 0; i < protocol::kQueues; ++i)
    CHECK(played.ask(Operation::kQueueOpen, {reply.values[0]}).ok());
  CHECK(played.ask(Operation::kDetach, {reply.values[0]}).ok());
  for (unsigned place = 0; place < protocol::kContexts; ++place) {
    CHECK(played.runtime().usage(place).modules == 0);
    CHECK(played.runtime().usage(place).allocations == 0);
    CHECK(played.runtime().usage(place).queues == 0);
  }
}

}  // namespace swai::runtime
