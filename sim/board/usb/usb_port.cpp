// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/usb_port.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace swai::usb {
namespace {

using Kind = TransferFault::Kind;

constexpr uint8_t kToHost = 0x80;
// 480 Mbit/s; token, handshake, CRC, turn-around of a packet, in bytes.
constexpr Picoseconds kByteTime = 16'667;
constexpr size_t kOverhead = 55;
// A controller tries again after a NAK.
constexpr Picoseconds kRetry = kMicrosecond;

}  // namespace

bool UsbPort::submit(Urb urb) {
  asked_ = 0;
  if (!attached_) return false;
  urb.number = ++counters_.transfers;
  std::deque<Urb>& queue = pending_[urb.endpoint];
  urb.begins = queue.empty() ? next_microframe(now_) : now_;
  if (const TransferFault* nak = fault(urb, Kind::kNak)) {
    urb.begins += nak->amount * kMillisecond;
    happen(urb);
  }
  if (fault(urb, Kind::kTimeout) != nullptr) {
    urb.begins = kNever;
    happen(urb);
  }
  queue.push_back(std::move(urb));
  return true;
}

bool UsbPort::discard(uint64_t id) {
  asked_ = 0;
  for (auto& [endpoint, queue] : pending_) {
    const auto found = std::ranges::find(queue, id, &Urb::id);
    if (found == queue.end()) continue;
    found->status = -ENOENT;
    found->visible = now_;
    ended_.push_front(std::move(*found));
    queue.erase(found);
    return true;
  }
  return false;
}

void UsbPort::forget(uint64_t id) {
  auto is_it = [id](const Urb& urb) { return urb.id == id; };
  for (auto& [endpoint, queue] : pending_) std::erase_if(queue, is_it);
  std::erase_if(ended_, is_it);
}

std::optional<Urb> UsbPort::reap() {
  simulate(now_);
  if (ended_.empty() || ended_.front().visible > now_) {
    if (++asked_ < 2 || !simulate(kNever)) return std::nullopt;
    now_ = std::max(now_, ended_.front().visible);
  }
  asked_ = 0;
  Urb urb = std::move(ended_.front());
  ended_.pop_front();
  return urb;
}

std::optional<Urb> UsbPort::wait_for(uint64_t id) {
  std::deque<Urb> others;
  std::optional<Urb> found;
  while (!found && simulate(kNever)) {
    Urb urb = std::move(ended_.front());
    ended_.pop_front();
    now_ = std::max(now_, urb.visible);
    if (urb.id == id) {
      found = std::move(urb);
    } else {
      others.push_back(std::move(urb));
    }
  }
  ended_.insert(ended_.begin(), std::make_move_iterator(others.begin()),
                std::make_move_iterator(others.end()));
  return found;
}

void UsbPort::pass(Picoseconds time) { now_ += time; }

void UsbPort::finish() {
  // Longer than the engine needs for what is in its buffer.
  constexpr Picoseconds kLongEnough = 1'000 * kMillisecond;
  pending_.clear();
  ended_.clear();
  bus_ = std::max(bus_, now_) + kLongEnough;
  run_device();
  if (!attached_ || cut_at_ == kNever) return;
  bus_ = std::max(bus_, cut_at_);
  run_device();
}

// Until `until`, or until the host can see that something has ended. False: nothing will end by itself.
bool UsbPort::simulate(Picoseconds until) {
  while (true) {
    const Picoseconds stop = std::min(until, ended_.empty() ? kNever : ended_.front().visible);
    if (bus_ >= stop) return true;
    run_device();
    if (transact()) continue;
    const Picoseconds next = next_event();
    if (next == kNever) {
      if (stop == kNever) return false;
      bus_ = stop;
      run_device();
      return true;
    }
    bus_ = std::min({std::max(bus_ + kRetry, next), stop, std::max(bus_, cut_at_)});
  }
}

void UsbPort::run_device() {
  if (!attached_) return;
  for (Channel& channel : device_.channels()) channel.run(bus_);
  if (bus_ < cut_at_) return;
  if (power_cut) power_cut(cut_at_);
  detach(-ESHUTDOWN);
}

// When there may be something to do for which transact() found no packet.
Picoseconds UsbPort::next_event() const {
  // Power goes although nobody waits.
  Picoseconds next = cut_at_;
  for (const auto& [endpoint, queue] : pending_) {
    if (queue.empty()) continue;
    const Picoseconds begins = queue.front().begins;
    if (begins > bus_) {
      next = std::min(next, begins);
    } else if (const Channel* channel = device_.channel_of(endpoint)) {
      next = std::min(next, channel->next_event((endpoint & kToHost) != 0));
    }
  }
  return next;
}

// One packet of one endpoint, in turns.
bool UsbPort::transact() {
  auto turn = pending_.upper_bound(last_served_);
  for (size_t i = 0; i < pending_.size(); ++i, ++turn) {
    if (turn == pending_.end()) turn = pending_.begin();
    if (turn->second.empty() || turn->second.front().begins > bus_) continue;
    if (!serve(turn->first)) continue;
    last_served_ = turn->first;
    return true;
  }
  return false;
}

bool UsbPort::serve(uint8_t endpoint) {
  Urb& urb = pending_[endpoint].front();
  if (halted_.contains(endpoint)) {
    end(endpoint, -EPIPE);
    return true;
  }
  if (fault(urb, Kind::kStall) != nullptr) {
    happen(urb);
    if (!urb.control) halted_.insert(endpoint);
    end(endpoint, -EPIPE);
    return true;
  }
  if (fault(urb, Kind::kError) != nullptr) {
    happen(urb);
    end(endpoint, -EPROTO);
    return true;
  }
  const TransferFault* unplug = fault(urb, Kind::kUnplug);
  if (unplug != nullptr && urb.moved >= unplug->amount) {
    happen(urb);
    detach(-ESHUTDOWN);
    return true;
  }
  if (urb.control) return control(urb);
  return urb.to_host() ? to_host(urb) : to_device(urb);
}

bool UsbPort::control(Urb& urb) {
  const std::optional<Bytes> answer = device_.control(bus_, urb.setup);
  carried(3 * sizeof(Setup) + urb.length);
  if (!answer) {
    end(urb.endpoint, -EPIPE);
    return true;
  }
  if (urb.to_host()) urb.data = *answer;
  urb.moved = urb.to_host() ? answer->size() : urb.length;
  end(urb.endpoint, 0);
  return true;
}

bool UsbPort::to_device(Urb& urb) {
  Channel* channel = device_.channel_of(urb.endpoint);
  if (channel == nullptr) {
    end(urb.endpoint, -EPIPE);
    return true;
  }
  const TransferFault* cut_short = fault(urb, Kind::kShort);
  const TransferFault* unplug = fault(urb, Kind::kUnplug);
  size_t most = urb.length;
  if (cut_short != nullptr) most = std::min<size_t>(most, cut_short->amount);
  if (unplug != nullptr) most = std::min<size_t>(most, unplug->amount);
  const size_t bytes = std::min(most - urb.moved, Channel::kPacketBytes);
  if (channel->room() < bytes) return false;
  carried(bytes);
  run_device();
  if (!attached_) return true;
  channel->take(std::span(urb.data).subspan(urb.moved, bytes));
  urb.moved += bytes;
  counters_.bytes_to_device += bytes;
  if (cut_short != nullptr && urb.moved == most) {
    happen(urb);
    end(urb.endpoint, 0);
  } else if (urb.moved == urb.length) {
    end(urb.endpoint, 0);
  }
  return true;
}

bool UsbPort::to_host(Urb& urb) {
  Channel* channel = device_.channel_of(urb.endpoint);
  if (channel == nullptr) {
    end(urb.endpoint, -EPIPE);
    return true;
  }
  const TransferFault* cut_short = fault(urb, Kind::kShort);
  const size_t most = cut_short == nullptr ? Channel::kPacketBytes
                                           : std::min<size_t>(Channel::kPacketBytes,
                                                              Channel::kStatusBytes + cut_short->amount);
  const std::optional<Bytes> packet = channel->give(bus_, most);
  if (!packet) return false;
  carried(packet->size());
  if (cut_short != nullptr) happen(urb);
  if (packet->size() > urb.length - urb.moved) {
    end(urb.endpoint, -EOVERFLOW);
    return true;
  }
  urb.data.insert(urb.data.end(), packet->begin(), packet->end());
  urb.moved += packet->size();
  counters_.bytes_to_host += packet->size() - Channel::kStatusBytes;
  if (packet->size() < Channel::kPacketBytes || urb.moved == urb.length) end(urb.endpoint, 0);
  return true;
}

void UsbPort::carried(size_t bytes) {
  ++counters_.packets;
  bus_ += (bytes + kOverhead) * kByteTime;
}

// The first transfer of the endpoint has ended. The host hears of it at the next microframe.
void UsbPort::end(uint8_t endpoint, int status) {
  std::deque<Urb>& queue = pending_[endpoint];
  if (attached_ && fault(queue.front(), Kind::kUnplug) != nullptr) {
    // It was to end later than with its last byte.
    happen(queue.front());
    detach(-ESHUTDOWN);
    return;
  }
  Urb urb = std::move(queue.front());
  queue.pop_front();
  urb.status = status;
  urb.visible = next_microframe(bus_);
  ended_.push_back(std::move(urb));
}

const TransferFault* UsbPort::fault(const Urb& urb, Kind kind) const {
  const TransferFault* found = faults_.at(urb.number);
  return found != nullptr && found->kind == kind ? found : nullptr;
}

void UsbPort::happen(const Urb& urb) { happened_.push_back(*faults_.at(urb.number)); }

void UsbPort::detach(int status) {
  if (!attached_) return;
  attached_ = false;
  cut_at_ = kNever;
  for (auto& [endpoint, queue] : pending_)
    while (!queue.empty()) end(endpoint, status);
  if (detached) detached();
}

}  // namespace swai::usb
