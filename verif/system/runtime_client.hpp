// SPDX-License-Identifier: Apache-2.0
// A host that speaks the protocol of abi word by word, without the runtime library: for tests of the
// kernel that also want to say what no library would.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "abi/command.hpp"
#include "abi/module_reader.hpp"
#include "abi/protocol.hpp"
#include "host/transport/card.hpp"
#include "verif/system/dma.hpp"

namespace swai::system {

inline constexpr uint64_t kBack = 512 << 10;  // where tests let copies to the host go

class RuntimeClient {
 public:
  using Values = std::array<uint64_t, protocol::word::kValueCount>;
  struct Reply {
    protocol::Status status;
    Values values;
    bool ok() const { return status == protocol::Status::kOk; }
  };
  static constexpr uint64_t kStatusAt = 0x4'0000'0000;
  static constexpr uint64_t kHostAt = 0x5'0000'0000;
  static constexpr uint64_t kHostBytes = 1 << 20;

  // `window`: shares the card with others, and its bus addresses count from there.
  explicit RuntimeClient(link::Card& card, uint64_t window = 0)
      : card_(card),
        window_(window),
        status_(card.pin(window + kStatusAt, (sizeof(protocol::StatusPage) + 4095) & ~4095ull)),
        host_(card.pin(window + kHostAt, kHostBytes)) {
    for (int i = 0; i < 1000 && word(protocol::word::kMagic) != protocol::kMagic; ++i)
      card_.run_until(0, 10'000);
    REQUIRE(word(protocol::word::kMagic) == protocol::kMagic);
    const uint64_t versions = word(protocol::word::kVersions);
    card_.read_block(kMemoryBar, kSramAt + (versions >> 32),
                     {reinterpret_cast<uint8_t*>(&info), sizeof info});
    REQUIRE(info.bytes == sizeof info);
    // Others may ask, too.
    tag_ = protocol::tag(word(protocol::word::kReply)) + static_cast<uint32_t>(window >> 16);
    std::memset(status_.data(), 0, sizeof(protocol::StatusPage));
  }

  protocol::Info info;
  uint64_t context = 0;
  uint64_t last_latency = 0;  // of a request: cycles from its doorbell to the reply in host's hands

  // --- Requests

  Reply ask(protocol::Operation operation, std::initializer_list<uint64_t> arguments) {
    std::array<uint64_t, protocol::word::kArgumentCount> words = {};
    std::copy(arguments.begin(), arguments.end(), words.begin());
    return ask_raw(protocol::request(operation, ++tag_), words);
  }
  Reply ask_raw(uint64_t request, const std::array<uint64_t, protocol::word::kArgumentCount>& words) {
    tag_ = protocol::tag(request);
    const uint64_t begin = card_.cycle();
    card_.post_block(kRegisterBar, shared(protocol::word::kArguments), bytes_of(words));
    card_.post<uint64_t>(kRegisterBar, shared(protocol::word::kRequest), request);
    ring(protocol::kRequestDoorbell);
    std::array<uint64_t, 1 + protocol::word::kValueCount> reply = {};
    for (int i = 0; i < 2000; ++i) {
      card_.read_block(kRegisterBar, shared(protocol::word::kReply),
                       {reinterpret_cast<uint8_t*>(reply.data()), sizeof reply});
      if (protocol::tag(reply[0]) == protocol::tag(request)) break;
    }
    REQUIRE(protocol::tag(reply[0]) == protocol::tag(request));
    last_latency = card_.cycle() - begin;
    Reply answer = {protocol::status(reply[0]), {}};
    std::copy(reply.begin() + 1, reply.end(), answer.values.begin());
    return answer;
  }
  Reply attach() {
    Reply reply = {};
    for (int i = 0; i < 1000; ++i) {
      reply = ask(protocol::Operation::kAttach,
                  {protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16, kStatusAt,
                   window_ != 0 ? protocol::kShared : 0, window_, window_ != 0 ? kHostAt + kHostBytes : 0});
      if (reply.status != protocol::Status::kNoContext) break;
      card_.run_until(0, 1000);
    }
    REQUIRE(reply.status == protocol::Status::kOk);
    context = reply.values[0];
    return reply;
  }
  Reply detach() { return ask(protocol::Operation::kDetach, {context}); }
  uint64_t allocate(uint64_t bytes, protocol::Usage usage = protocol::Usage::kShared) {
    const Reply reply =
        ask(protocol::Operation::kAllocate, {context, bytes, protocol::AllocateFlags{usage}.bits()});
    REQUIRE(reply.status == protocol::Status::kOk);
    CHECK(reply.values[2] >= bytes);
    return reply.values[0];
  }
  protocol::Status release(uint64_t pointer) {
    return ask(protocol::Operation::kFree, {context, pointer}).status;
  }
  unsigned open_queue() {
    const Reply reply = ask(protocol::Operation::kQueueOpen, {context});
    REQUIRE(reply.status == protocol::Status::kOk);
    const auto queue = static_cast<unsigned>(reply.values[0]);
    next_[queue] = static_cast<uint32_t>(reply.values[1]);
    return queue;
  }
  void reset_queue(unsigned queue) {
    const Reply reply = ask(protocol::Operation::kQueueReset, {context, queue});
    REQUIRE(reply.status == protocol::Status::kOk);
    next_[queue] = static_cast<uint32_t>(reply.values[0]);
  }

  // --- Commands. Each returns its sequence number.

  template <typename Command>
  uint32_t put(unsigned queue, command::Type type, Command command, std::span<const uint8_t> more = {},
               uint16_t flags = 0) {
    std::vector<uint8_t> bytes(sizeof command + more.size());
    std::memcpy(bytes.data(), &command, sizeof command);
    if (!more.empty()) std::memcpy(bytes.data() + sizeof command, more.data(), more.size());
    const auto slots = static_cast<uint8_t>((bytes.size() + protocol::kSlotBytes - 1) / protocol::kSlotBytes);
    bytes.resize(slots * size_t{protocol::kSlotBytes});
    uint32_t& next = next_[queue];
    if (const unsigned left = protocol::kSlots - next % protocol::kSlots; left < slots) {
      put_slot(queue, next, command::Header{next, command::Type::kPad, static_cast<uint8_t>(left), 0});
      next += left;
    }
    const command::Header header = {next, type, slots, flags};
    std::memcpy(bytes.data(), &header, sizeof header);
    if (slots > 1) {
      card_.post_block(kMemoryBar, slot_at(queue, next) + protocol::kSlotBytes,
                       {bytes.data() + protocol::kSlotBytes, bytes.size() - protocol::kSlotBytes});
    }
    card_.post_block(kMemoryBar, slot_at(queue, next), {bytes.data(), protocol::kSlotBytes});
    ring(protocol::queue_doorbell(queue));
    const uint32_t sequence = next;
    next += slots;
    return sequence;
  }
  uint32_t copy(unsigned queue, uint64_t device, uint64_t host_offset, uint64_t bytes, bool to_host) {
    return put(queue, command::Type::kCopy,
               command::Copy{{}, kHostAt + host_offset, device, bytes, 1, to_host ? 1u : 0u, 0, 0});
  }
  uint32_t launch(unsigned queue, unsigned module, unsigned kernel, std::span<const uint8_t> arguments,
                  uint32_t mask = ~0u, uint32_t watchdog = 0) {
    return put(queue, command::Type::kLaunch,
               command::Launch{{},
                               static_cast<uint16_t>(module),
                               static_cast<uint16_t>(kernel),
                               static_cast<uint16_t>(arguments.size()),
                               protocol::kAnyGroup,
                               0,
                               mask,
                               watchdog},
               arguments);
  }
  template <typename Arguments>
  static std::span<const uint8_t> bytes_of(const Arguments& arguments) {
    return {reinterpret_cast<const uint8_t*>(&arguments), sizeof arguments};
  }

  void write_word(unsigned number, uint64_t value) {
    card_.post<uint64_t>(kRegisterBar, shared(number), value);
  }

  // --- Completions

  protocol::EventStatus event(unsigned number) {
    protocol::EventStatus copy;
    std::memcpy(&copy, status_.data() + offsetof(protocol::StatusPage, events) + number * sizeof copy,
                sizeof copy);
    return copy;
  }
  protocol::QueueStatus line(unsigned queue) {
    protocol::QueueStatus copy;
    std::memcpy(&copy, status_.data() + queue * sizeof copy, sizeof copy);
    return copy;
  }
  // Lets time pass until the command is complete, or `cycles` have passed.
  bool wait(unsigned queue, uint32_t sequence, uint64_t cycles = 2'000'000) {
    const auto done = [&] {
      const protocol::QueueStatus status = line(queue);
      return static_cast<int32_t>(status.completed - sequence) >= 0;
    };
    constexpr uint64_t kStep = 2000;
    for (uint64_t passed = 0; passed < cycles && !done(); passed += kStep) card_.run_until(0, kStep);
    return done();
  }
  void finish(unsigned queue, uint32_t sequence, uint64_t cycles = 2'000'000) {
    REQUIRE(wait(queue, sequence, cycles));
    const protocol::QueueStatus status = line(queue);
    INFO(protocol::text(status.status), ", detail ", status.detail, " at ", status.failed);
    REQUIRE(status.status == protocol::Status::kOk);
  }

  // --- Modules

  struct Loaded {
    unsigned handle;
    std::vector<uint8_t> file;
    module::Module parsed;
    unsigned kernel(const std::string& name) const {
      for (uint32_t i = 0; i < parsed.kernel_count(); ++i) {
        if (parsed.kernel(i).name == name) return i;
      }
      FAIL("no kernel " << name);
      return 0;
    }
  };
  Loaded load(unsigned queue, const std::string& name) {
    Loaded loaded;
    std::ifstream in("build/cpe-kernels/" + name + ".elf", std::ios::binary);
    loaded.file.assign(std::istreambuf_iterator<char>(in), {});
    REQUIRE(loaded.parsed.open(loaded.file).ok());
    const uint64_t at = allocate(loaded.file.size());
    std::copy(loaded.file.begin(), loaded.file.end(), host_.data());
    copy(queue, at, 0, loaded.file.size(), false);
    const uint32_t sequence =
        put(queue, command::Type::kModuleLoad, command::ModuleLoad{{}, at, loaded.file.size()});
    finish(queue, sequence);
    CHECK(line(queue).value_sequence == sequence);
    loaded.handle = static_cast<unsigned>(line(queue).value);
    CHECK(release(at) == protocol::Status::kOk);
    return loaded;
  }

  uint8_t* host() { return host_.data(); }
  link::Card& card() { return card_; }
  uint64_t word(unsigned number) { return card_.read<uint64_t>(kRegisterBar, shared(number)); }
  void ring(unsigned doorbell) {
    card_.post<uint64_t>(kRegisterBar, register_at(regs::pcie::doorbell::kAddr), doorbell);
  }
  uint64_t slot_at(unsigned queue, uint32_t sequence) const {
    return kSramAt + info.queue_offset + queue * uint64_t{protocol::kQueueBytes} +
           sequence % protocol::kSlots * protocol::kSlotBytes;
  }
  uint32_t& next(unsigned queue) { return next_[queue]; }
  protocol::ClientUsage usage() {
    card_.run_until(0, 15'000);
    protocol::ClientUsage usage;
    const uint64_t at = info.clients_offset + context % protocol::kContexts * sizeof usage;
    card_.read_block(kMemoryBar, kSramAt + at, {reinterpret_cast<uint8_t*>(&usage), sizeof usage});
    return usage;
  }
  // It may be a while old.
  uint64_t telemetry(protocol::Tag tag) {
    card_.run_until(0, 15'000);
    for (unsigned i = 0; i < info.telemetry_count; ++i) {
      protocol::Telemetry line;
      card_.read_block(kMemoryBar, kSramAt + info.telemetry_offset + i * sizeof line,
                       {reinterpret_cast<uint8_t*>(&line), sizeof line});
      if (line.tag == tag) return line.value;
    }
    return ~uint64_t{0};
  }

 private:
  static uint64_t shared(unsigned number) {
    return register_at(regs::pcie::shared::kAddr) + number * sizeof(uint64_t);
  }
  void put_slot(unsigned queue, uint32_t sequence, const command::Header& header) {
    std::array<uint8_t, protocol::kSlotBytes> slot = {};
    std::memcpy(slot.data(), &header, sizeof header);
    card_.post_block(kMemoryBar, slot_at(queue, sequence), slot);
  }

  link::Card& card_;
  uint64_t window_;
  link::PinnedMemory status_;
  link::PinnedMemory host_;
  uint32_t tag_ = 0;
  std::array<uint32_t, protocol::kQueues> next_ = {};
};

}  // namespace swai::system
