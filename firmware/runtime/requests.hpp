// SPDX-License-Identifier: Apache-2.0
// The short requests that the host makes through the shared words: answered at once, one after the other. A
// client is a context; what it has goes with it.
#pragma once

#include <array>
#include <cstdint>

#include "abi/protocol.hpp"
#include "card_regs.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/calibration.hpp"
#include "firmware/runtime/completion.hpp"
#include "firmware/runtime/groups.hpp"
#include "firmware/runtime/modules.hpp"
#include "firmware/runtime/programs.hpp"
#include "firmware/runtime/queues.hpp"
#include "firmware/runtime/two_level.hpp"

namespace swai::runtime {

template <Machine M>
class Requests {
 public:
  Requests(const Parts<M>& parts, Queues<M>& queues, Programs<M>& programs, TwoLevel<M>& two_level,
           Calibration<M>& calibration)
      : parts_(parts),
        queues_(queues),
        programs_(programs),
        two_level_(two_level),
        calibration_(calibration) {}

  void init() { served_ = 0; }

  // The doorbell rang: one request lies in the shared words. It is taken out of them: a doorbell too many
  // finds nothing.
  [[gnu::noinline]] void serve() {
    const uint64_t request = word(protocol::word::kRequest);
    if (request == 0) return;
    // Every word is an access over the ring: only those that count are read and written.
    const protocol::Operation operation = protocol::operation(request);
    Arguments arguments = {};
    for (unsigned i = 0; i < arguments_of(operation); ++i)
      arguments[i] = word(protocol::word::kArguments + i);
    set_word(protocol::word::kRequest, 0);
    Values values;
    const Status status = answer(operation, arguments, values);
    for (unsigned i = 0; i < values.count; ++i) set_word(protocol::word::kValues + i, values.words[i]);
    set_word(protocol::word::kReply, protocol::reply(status, protocol::tag(request)));
    ++served_;
  }

  // Clients that went away: their memory is given back bit by bit, once nothing of them is under way. True:
  // there is more to do.
  [[gnu::cold, gnu::noinline]] bool clean_up() {
    bool more = false;
    Client* next = nullptr;
    for (Client& client : parts_.clients.all()) {
      if (client.attached != Attached::kLeaving) continue;
      if (!client.stopped) stop(client);
      queues_.stop_launches(client.context);
      if (!client.stopped) {
        more = true;
      } else if (next == nullptr && queues_.is_settled(client.context)) {
        next = &client;
      }
    }
    if (next == nullptr) return more;
    give_back(*next);
    return true;
  }
  uint64_t served() const { return served_; }

 private:
  using Arguments = std::array<uint64_t, protocol::word::kArgumentCount>;
  struct Values {
    unsigned count = 0;
    std::array<uint64_t, protocol::word::kValueCount> words;

    template <typename... Words>
    void give(Words... these) {
      count = 0;
      ((words[count++] = these), ...);
    }
  };
  static constexpr unsigned arguments_of(protocol::Operation operation) {
    using protocol::Operation;
    switch (operation) {
      case Operation::kAttach:
        return 6;
      case Operation::kProgramStart:
        return 5;
      case Operation::kProgramTell:
        return 4;
      case Operation::kDetach:
      case Operation::kQueueOpen:
        return 1;
      case Operation::kAllocate:
      case Operation::kResume:
      case Operation::kQueueFeed:
      case Operation::kRoutes:
        return 3;
      default:
        return 2;
    }
  }

  static constexpr uint64_t address(unsigned number) {
    return regs::pcie::shared::kAddr + number * sizeof(uint64_t);
  }
  uint64_t word(unsigned number) { return parts_.machine.read(address(number)); }
  void set_word(unsigned number, uint64_t value) { parts_.machine.write(address(number), value); }

  Status answer(protocol::Operation operation, const Arguments& arguments, Values& values) {
    using protocol::Operation;
    if (operation == Operation::kAttach) return attach(arguments, values);
    Client* client = parts_.clients.find(arguments[0]);
    if (client == nullptr) return Status::kNotAttached;
    if (operation == Operation::kDetach) {
      if (client->attached == Attached::kYes) leave(*client);
      return client->stopped ? Status::kOk : Status::kAgain;
    }
    if (client->attached != Attached::kYes) return Status::kNotAttached;
    const uint8_t context = client->context;
    switch (operation) {
      case Operation::kAllocate: {
        const auto flags = protocol::AllocateFlags::of(arguments[2]);
        if (flags.usage > protocol::Usage::kShared || arguments[2] >> 16 != 0) return Status::kBadOperation;
        const memory::Allocation got =
            parts_.memory.allocate(arguments[1], flags.usage, flags.group, context);
        values.give(got.range.pointer, got.range.physical, got.range.bytes);
        return got.status;
      }
      case Operation::kFree: {
        const Status status = parts_.memory.free(arguments[1], context);
        if (status == Status::kOk) parts_.groups.forget();
        return status;
      }
      case Operation::kMemoryInfo: {
        if (arguments[1] >= parts_.groups.count()) return Status::kBadOperation;
        const memory::Info info = parts_.memory.info(static_cast<unsigned>(arguments[1]));
        values.give(info.free, info.total, info.largest, parts_.memory.bytes_of(context),
                    parts_.memory.count_of(context));
        return Status::kOk;
      }
      case Operation::kPointerInfo: {
        const memory::Range range = parts_.memory.find(arguments[1], context);
        if (range.bytes == 0) return Status::kBadPointer;
        values.give(range.pointer, range.bytes, static_cast<uint64_t>(range.usage),
                    range.physical + (segment::offset(arguments[1]) - segment::offset(range.pointer)),
                    range.group);
        return Status::kOk;
      }
      case Operation::kQueueOpen: {
        const unsigned queue = queues_.open(*client);
        if (queue == Queues<M>::kNoQueue) return Status::kNoQueue;
        values.give(queue, queues_.next_sequence(queue));
        return Status::kOk;
      }
      case Operation::kQueueClose:
      case Operation::kQueueReset:
      case Operation::kResume:
      case Operation::kQueueFeed:
      case Operation::kProgramStart:
      case Operation::kProgramTell:
        return on_queue(operation, *client, arguments, values);
      case Operation::kRoutes:
        if (!client->alone() || client->queues != 0) return Status::kBadOperation;
        if (arguments[1] == 0 || arguments[2] < protocol::kRouteBytes) return Status::kBadRange;
        if (!calibration_.measures_link()) parts_.routes.use(arguments[1]);
        if (!calibration_.measure_link(context)) return Status::kAgain;
        values.give(parts_.costs.known(), calibration_.over_link(), calibration_.at_boot());
        return Status::kOk;
      case Operation::kModuleInfo: {
        const Module* module = parts_.modules.find(static_cast<unsigned>(arguments[1]), context);
        if (module == nullptr) return Status::kBadHandle;
        values.give(module->code_bytes, module->kernels);
        return Status::kOk;
      }
      default:
        parts_.machine.note(journal::Fault::kBadRequest, {static_cast<uint64_t>(operation), context});
        return Status::kBadOperation;
    }
  }

  [[gnu::cold, gnu::noinline]] Status attach(const Arguments& arguments, Values& values) {
    const auto newest = static_cast<uint16_t>(arguments[0]);
    const auto oldest = static_cast<uint16_t>(arguments[0] >> 16);
    values.give(0, 0, protocol::kVersion, protocol::kMinimumVersion);
    if (newest < protocol::kMinimumVersion || oldest > protocol::kVersion) return Status::kVersion;
    // Who carries clients of others over the link vouches for what they ask for here.
    if (keeper_ != 0 && arguments[5] != keeper_) {
      if (!parts_.completions.cut_off() || !parts_.transfers.cut_off()) return Status::kNotAttached;
      keeper_ = 0;
    }
    Client client;
    client.shared = (arguments[2] & protocol::kShared) != 0;
    client.base = arguments[3];
    client.bytes = arguments[4];
    if (client.base + client.bytes < client.base ||
        !client.reaches(arguments[1], sizeof(protocol::StatusPage)))
      return Status::kBadRange;
    client.page = client.bus(arguments[1]);
    Clients& clients = parts_.clients;
    if (!client.shared) {
      // The link carries one client that does not share it, so the others are dead. It asks again until all
      // that they had is gone.
      for (Client& other : clients.all()) {
        if (other.attached == Attached::kYes) leave(other);
      }
      if (clients.any_leaving()) return Status::kNoContext;
      parts_.routes.use(0);  // that was another host's
      keeper_ = arguments[5];
    }
    if (clients.attached() == 0) {
      // The end of a connection resets the endpoint, and its channels with it.
      parts_.transfers.restart();
      parts_.completions.restart();
    }
    const uint8_t context =
        clients.add(client, [&](uint8_t number) { return parts_.groups.may_write(number); });
    if (context == 0) return Status::kNoContext;
    parts_.events.clear(context);
    values.words[0] = context;
    values.words[1] = ++epoch_;
    return Status::kOk;
  }

  // What is under way is stopped; clean_up() does the rest.
  [[gnu::cold, gnu::noinline]] void leave(Client& client) {
    programs_.drop_all(client.context);
    queues_.close_all(client.context);
    parts_.clients.leave(client);
    stop(client);
  }
  // Nothing of it touches host memory any more; or not yet.
  [[gnu::cold, gnu::noinline]] void stop(Client& client) {
    const bool transfers = parts_.transfers.stop(client.context);
    calibration_.drop(client.context);
    const bool completions = parts_.completions.stop(client.context);
    two_level_.drop(client.context);
    client.stopped = transfers && completions;
  }

  [[gnu::cold, gnu::noinline]] Status on_queue(protocol::Operation operation, const Client& client,
                                               const Arguments& arguments, Values& values) {
    const auto queue = static_cast<unsigned>(arguments[1]);
    if (arguments[1] >= protocol::kQueues || !queues_.owns(queue, client.context)) return Status::kBadHandle;
    switch (operation) {
      case protocol::Operation::kProgramStart:
        return programs_.start(client, queue, {arguments[2], arguments[3], arguments[4]});
      case protocol::Operation::kProgramTell:
        return programs_.tell(queue, arguments[2], arguments[3]);
      case protocol::Operation::kQueueClose:
        programs_.drop(queue);
        queues_.close(queue);
        two_level_.forget(queue);
        return Status::kOk;
      case protocol::Operation::kQueueFeed:
        if (!client.alone() || !queues_.quiet(queue) || two_level_.busy()) return Status::kBadOperation;
        two_level_.use(queue, client.context, arguments[2], queues_.next_sequence(queue));
        return Status::kOk;
      case protocol::Operation::kResume:
        return queues_.resume(queue, static_cast<uint32_t>(arguments[2])) ? Status::kOk : Status::kBadHandle;
      default:
        if (!queues_.quiet(queue) || two_level_.busy()) return Status::kBadOperation;
        programs_.drop(queue);
        queues_.reset(queue);
        two_level_.reset(queue, queues_.next_sequence(queue));
        values.give(queues_.next_sequence(queue));
        return Status::kOk;
    }
  }

  void give_back(Client& client) {
    constexpr unsigned kBlocks = 4;
    const bool withhold = parts_.groups.may_write(client.context);
    if (!parts_.memory.free_some(client.context, kBlocks, withhold)) return;
    parts_.modules.forget(client.context);
    parts_.groups.forget();
    parts_.groups.disown(client.context);
    parts_.clients.forget(client);
  }

  Parts<M> parts_;
  Queues<M>& queues_;
  Programs<M>& programs_;
  TwoLevel<M>& two_level_;
  Calibration<M>& calibration_;
  uint64_t epoch_ = 0;
  uint64_t keeper_ = 0;  // key of the one that keeps the link; 0: nobody does
  uint64_t served_ = 0;
};

}  // namespace swai::runtime
