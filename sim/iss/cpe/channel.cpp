// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/text.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {

using Answer = Environment::Answer;

bool Channel::legal(unsigned position, const Command& command) const {
  const uint32_t peer = command.rs2 >> 24;
  const uint32_t bytes = command.rs2 & 0xff'ffff;
  const uint64_t at = uint64_t{command.rs1} - kLdmBase;
  const uint8_t others = participants_ & static_cast<uint8_t>(~(1u << position));
  if (command.op == channel_op::kSend) {
    if (peer == 0 || (peer & ~others) != 0) return false;
  } else if (peer >= ends_.size() || (others >> peer & 1) == 0) {
    return false;
  }
  return command.rs1 >= kLdmBase && at + bytes <= kLdmBytes && bytes != 0 && at % kBeatBytes == 0 &&
         bytes % kBeatBytes == 0;
}

Answer Channel::wait(const Direction& direction, uint32_t ticket) {
  return {.kind = reached(direction.done, ticket) ? Answer::kDone : Answer::kWait};
}

Answer Channel::issue(unsigned position, const Command& command) {
  End& end = ends_[position];
  switch (command.op) {
    case channel_op::kWaitSend:
      return wait(end.send, command.rs1);
    case channel_op::kWaitReceive:
      return wait(end.receive, command.rs1);
    case channel_op::kSend:
    case channel_op::kReceive:
      break;
    default:
      return {.kind = Answer::kBad};
  }
  if (!legal(position, command)) return {.kind = Answer::kBad};
  Direction& direction = command.op == channel_op::kSend ? end.send : end.receive;
  if (direction.queue.size() >= kQueue) return {.kind = Answer::kWait};
  direction.queue.push_back({.at = command.rs1 - kLdmBase,
                             .left = command.rs2 & 0xff'ffff,
                             .peer = static_cast<uint8_t>(command.rs2 >> 24)});
  return {.data = ++direction.begun};
}

bool Channel::move() {
  bool any = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned position = 0; position < ends_.size(); ++position) {
      while (move(ends_[position], position)) moved = any = true;
    }
  }
  return any;
}

// As much as one send and the receives that it meets have in common.
bool Channel::move(End& sender, unsigned position) {
  if (sender.send.queue.empty()) return false;
  const Transfer& from = sender.send.queue.front();
  uint32_t bytes = from.left;
  uint64_t start = std::max(from.ready + costs::kSendStart, sender.send.free);
  for (unsigned i = 0; i < ends_.size(); ++i) {
    if ((from.peer >> i & 1) == 0) continue;
    const auto& queue = ends_[i].receive.queue;
    if (queue.empty() || queue.front().peer != position) return false;
    bytes = std::min(bytes, queue.front().left);
    start = std::max({start, queue.front().ready + 1, ends_[i].receive.free});
  }
  const uint64_t until = bus_.take({.start = start, .count = bytes / kBeatBytes}) + 1;
  const uint8_t peers = from.peer;
  const uint32_t at = from.at;
  for (unsigned i = 0; i < ends_.size(); ++i) {
    if ((peers >> i & 1) == 0) continue;
    End& receiver = ends_[i];
    std::memcpy(&receiver.ldm[receiver.receive.queue.front().at], &sender.ldm[at], bytes);
    advance(receiver.receive, bytes, until, until + costs::kReceiveEnd);
  }
  advance(sender.send, bytes, until, until + costs::kSendEnd);
  return true;
}

void Channel::issued(unsigned position, bool send, uint32_t ticket, uint64_t time) {
  Direction& direction = send ? ends_[position].send : ends_[position].receive;
  // A CPE that has stopped meanwhile has none left.
  const uint32_t place = ticket - direction.done - 1;
  if (place < direction.queue.size()) direction.queue[place].ready = time;
}

uint64_t Channel::end_of(unsigned position, bool send, uint32_t ticket) const {
  const Direction& direction = this->direction(position, send);
  return direction.done - ticket < direction.ends.size() ? direction.ends[ticket % direction.ends.size()] : 0;
}

void Channel::advance(Direction& direction, uint32_t bytes, uint64_t until, uint64_t end) {
  Transfer& transfer = direction.queue.front();
  transfer.at += bytes;
  transfer.left -= bytes;
  direction.bytes += bytes;
  direction.free = until;
  if (transfer.left != 0) return;
  direction.queue.pop_front();
  ++direction.done;
  direction.ends[direction.done % direction.ends.size()] = end;
}

void Channel::reset(unsigned position) {
  for (Direction* direction : {&ends_[position].send, &ends_[position].receive}) {
    direction->queue.clear();
    direction->begun = 0;
    direction->done = 0;
    direction->ends = {};
  }
}

std::string Channel::describe(unsigned position) const {
  const End& end = ends_[position];
  std::string text;
  if (!end.send.queue.empty()) {
    const Transfer& send = end.send.queue.front();
    uint8_t missing = 0;
    for (unsigned i = 0; i < ends_.size(); ++i) {
      const auto& queue = ends_[i].receive.queue;
      const bool ready = !queue.empty() && queue.front().peer == position;
      if ((send.peer >> i & 1) != 0 && !ready) missing |= static_cast<uint8_t>(1u << i);
    }
    text = fmt::format("send {} to {} has {} bytes left, {} does not receive it", end.send.done + 1,
                       list(send.peer), send.left, list(missing));
  }
  if (!end.receive.queue.empty()) {
    const Transfer& receive = end.receive.queue.front();
    text += fmt::format("{}receive {} from {} has {} bytes left", text.empty() ? "" : "; ",
                        end.receive.done + 1, receive.peer, receive.left);
    const auto& queue = ends_[receive.peer].send.queue;
    if (queue.empty()) {
      text += ", which sends nothing";
    } else if ((queue.front().peer >> position & 1) == 0) {
      text += fmt::format(", which sends to {}", list(queue.front().peer));
    }
  }
  return text;
}

// --- For checks

Footprint Channel::footprint(const Command& command) {
  Footprint uses;
  LdmBytes& bytes = command.op == channel_op::kSend ? uses.reads : uses.writes;
  bytes.add(int64_t{command.rs1} - kLdmBase, command.rs2 & 0xff'ffff);
  return uses;
}

}  // namespace swai::iss::cpe
