// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace swai::socket {

using namespace link::vfio_user;

namespace {

// While the client owes an answer, its commands have to be read past, because the answer stands behind them.
constexpr size_t kMaxQueued = 4096;
constexpr uint64_t kMaxQueuedBytes = 64 << 20;
constexpr size_t kMaxQueuedFds = 256;
// A client that does not read its replies is not served further.
constexpr size_t kMaxUnsent = 1 << 20;
// Then it is the other cards' turn. A read of a shared card takes its time, which those who wait see.
constexpr unsigned kMaxBurst = 256;
constexpr std::chrono::milliseconds kLongestBurst{2};

}  // namespace

Port::Port(Device& device, Clock& clock, const Limits& limits, Log log)
    : device_(device),
      clock_(clock),
      log_(std::move(log)),
      vendor_(device),
      irqs_(device.info().vectors, limits.eventfds),
      dma_(device, limits.mapped_bytes) {
  device_.connect(*this);
}

Port::~Port() { drop("the server ends"); }

void Port::admit(link::Channel channel, const Capabilities& agreed, uint64_t client_max_transfer) {
  channel_.emplace(std::move(channel));
  agreed_ = agreed;
  client_max_transfer_ = client_max_transfer;
}

void Port::drop(const std::string& why) {
  if (!taken()) return;
  channel_.reset();
  queue_.clear();
  queued_bytes_ = 0;
  queued_fds_ = 0;
  current_ = {};
  waiting_ = Waiting::kNothing;
  asked_.clear();
  accesses_.clear();
  failed_.clear();
  held_vectors_.clear();
  irqs_.clear();
  device_.client_gone();
  dma_.unmap_all();
  vendor_.reset();
  started_ = false;
  unfinished_ = false;
  log_(fmt::format("card {}: the client is gone ({})", device_.info().card, why));
}

bool Port::wants_input() const {
  return !asked_.empty() || (waiting_ == Waiting::kNothing && channel_->unsent() < kMaxUnsent);
}

std::optional<Port::Time> Port::owed_since() const {
  return asked_.empty() ? std::nullopt : std::optional(asked_at_);
}

void Port::hung_up() {
  // Otherwise what it sent before it left is still to be read, and the end of it.
  if (!wants_input() || owed()) drop("it has closed the connection");
}

void Port::request_release() { irqs_.raise(Irq::kReq, 0); }

void Port::work() {
  try {
    work_off();
  } catch (const std::bad_alloc&) {
    drop("no memory is left for what it asks");
  }
}

void Port::work_off() {
  if (!taken()) return;
  channel_->flush();
  unsigned left = kMaxBurst;
  const Time end = std::chrono::steady_clock::now() + kLongestBurst;
  bool more = true;
  while (taken() && left != 0 && (more = next())) {
    --left;
    if (std::chrono::steady_clock::now() >= end) left = 0;
    // Nobody reads what it is told: with the card's reset all that it still asks for is void.
    if (taken() && channel_->unread()) return drop("it does not read any more");
  }
  unfinished_ = taken() && more;
  if (!taken()) return;
  if (channel_->state() == link::Channel::State::kClosed) {
    drop("it has closed the connection");
  } else if (channel_->state() == link::Channel::State::kMalformed) {
    current_ = {};
    current_.header = channel_->malformed();
    const std::string why = fmt::format("a message of {} bytes", current_.header.bytes);
    if (!current_.is_reply()) fail(EINVAL);
    drop(why);
  }
}

bool Port::next() {
  if (!asked_.empty()) {
    auto message = channel_->receive();
    if (!message) return false;
    if (message->is_reply()) {
      take_reply(*message);
      return true;
    }
    queued_bytes_ += message->payload.size();
    queued_fds_ += message->fds.size();
    queue_.push_back(std::move(*message));
    if (queue_.size() > kMaxQueued || queued_bytes_ > kMaxQueuedBytes || queued_fds_ > kMaxQueuedFds) {
      drop("it sends commands without end while it owes an answer");
    }
    return true;
  }
  if (!failed_.empty()) {
    const uint32_t tag = failed_.front();
    failed_.pop_front();
    close_access(tag, false);
    return true;
  }
  deliver_interrupts();
  if (waiting_ != Waiting::kNothing) {
    resume();
    return waiting_ == Waiting::kNothing;
  }
  if (channel_->unsent() >= kMaxUnsent) return false;
  auto message = fetch();
  if (!message) return false;
  if (message->is_reply()) {
    drop("it answers what nobody asked");
    return false;
  }
  execute(std::move(*message));
  return true;
}

std::optional<link::Message> Port::fetch() {
  if (queue_.empty()) return channel_->receive();
  Message message = std::move(queue_.front());
  queue_.pop_front();
  queued_bytes_ -= message.payload.size();
  queued_fds_ -= message.fds.size();
  return message;
}

void Port::answer(Payload payload) {
  if (!wants_reply()) return;
  Header header = current_.header;
  header.bytes = static_cast<uint32_t>(sizeof header + payload.size());
  header.flags = kTypeReply;
  header.error = 0;
  channel_->send(header, payload);
}

void Port::fail(int error) {
  if (!wants_reply()) return;
  Header header = current_.header;
  header.bytes = sizeof header;
  header.flags = kTypeReply | kError;
  header.error = static_cast<uint32_t>(error);
  channel_->send(header, {});
}

// A card that sleeps will not answer any more; neither must the client wait for ever.
void Port::resume() {
  const bool asleep = clock_.asleep();
  switch (waiting_) {
    case Waiting::kNothing:
      return;
    case Waiting::kRun: {
      if (!vendor_.run_ended(asleep)) return;
      waiting_ = Waiting::kNothing;
      std::vector<uint8_t> reply;
      append(reply, read_);
      reply.resize(sizeof read_ + read_.count);
      vendor_.read(read_.offset, std::span(reply).subspan(sizeof read_));
      answer(reply);
      return;
    }
    case Waiting::kRead:
      if (!asleep) return;
      waiting_ = Waiting::kNothing;
      log_(fmt::format("card {}: asleep with a read open; it is reset", device_.info().card));
      device_.reset();
      fail(EIO);
      return;
    case Waiting::kRoom:
      // Executed again: it finds room, or goes on waiting.
      waiting_ = Waiting::kNothing;
      dispatch(current_);
      return;
  }
}

void Port::read_done(int error, Payload data) {
  if (waiting_ != Waiting::kRead) return;
  waiting_ = Waiting::kNothing;
  if (error != 0 || data.size() != read_.count) {
    fail(error != 0 ? error : EIO);
    return;
  }
  std::vector<uint8_t> reply;
  reply.reserve(sizeof read_ + data.size());
  append(reply, read_);
  reply.insert(reply.end(), data.begin(), data.end());
  answer(reply);
}

void Port::interrupt(unsigned vector) {
  if (taken() && vector < device_.info().vectors) held_vectors_.push_back(vector);
  deliver_interrupts();
}

// What the card wrote before it raised the interrupt must be with the client first.
void Port::deliver_interrupts() {
  if (owed()) return;
  for (const unsigned vector : std::exchange(held_vectors_, {})) {
    vendor_.raise(vector);
    irqs_.raise(Irq::kMsix, vector);
  }
}

void Port::fatal_error() { irqs_.raise(Irq::kErr, 0); }

void Port::host_read(uint32_t tag, uint64_t iova, uint32_t bytes) {
  if (!taken()) return;
  accesses_[tag] = Access{.iova = iova, .data = std::vector<uint8_t>(bytes)};
  ask(tag, iova, bytes, false, {});
}

void Port::host_write(uint32_t tag, uint64_t iova, Payload data) {
  if (!taken()) return;
  accesses_[tag] = Access{.iova = iova, .data = {}};
  ask(tag, iova, data.size(), true, data);
}

void Port::ask(uint32_t tag, uint64_t iova, uint64_t bytes, bool write, Payload data) {
  if (bytes == 0 || bytes > kMaxHostBytes || !dma_.by_message(iova, bytes, write)) {
    failed_.push_back(tag);
    return;
  }
  if (asked_.empty()) asked_at_ = std::chrono::steady_clock::now();
  for (uint64_t at = 0; at < bytes;) {
    const uint64_t some = std::min(bytes - at, client_max_transfer_);
    while (asked_.count(next_id_) != 0) ++next_id_;
    asked_[next_id_] = Asked{tag, iova + at, some, write};
    ++accesses_[tag].messages;
    std::vector<uint8_t> payload;
    append(payload, DmaAccess{iova + at, some});
    if (write) payload.insert(payload.end(), data.begin() + at, data.begin() + at + some);
    Header header;
    header.id = next_id_++;
    header.command = static_cast<uint16_t>(write ? Command::kDmaWrite : Command::kDmaRead);
    header.bytes = static_cast<uint32_t>(sizeof header + payload.size());
    channel_->send(header, payload);
    at += some;
  }
}

void Port::take_reply(const Message& message) {
  const auto found = asked_.find(message.header.id);
  if (found == asked_.end()) {
    drop("it answers what nobody asked");
    return;
  }
  const Asked asked = found->second;
  asked_.erase(found);
  asked_at_ = std::chrono::steady_clock::now();
  Access& access = accesses_[asked.tag];
  const auto command = asked.write ? Command::kDmaWrite : Command::kDmaRead;
  const auto reply = take<DmaAccess>(message.payload);
  bool good =
      (message.header.flags & kError) == 0 && message.header.command == static_cast<uint16_t>(command);
  // The specification draws the count of a write's reply with 4 bytes; others send 8.
  const bool short_reply = asked.write && message.payload.size() == sizeof(DmaAccess) - 4;
  if (!asked.write) {
    good = good && reply && reply->address == asked.address && reply->count == asked.count &&
           message.payload.size() == sizeof(DmaAccess) + asked.count;
    if (good) {
      std::copy(message.payload.begin() + sizeof(DmaAccess), message.payload.end(),
                access.data.begin() + static_cast<ptrdiff_t>(asked.address - access.iova));
    }
  } else {
    good = good && (short_reply || message.payload.size() == sizeof(DmaAccess));
  }
  access.good = access.good && good;
  if (--access.messages == 0) close_access(asked.tag, access.good);
}

void Port::close_access(uint32_t tag, bool good) {
  auto access = accesses_.extract(tag);
  if (!access) return;
  device_.host_done(tag, good, good ? access.mapped().data : std::vector<uint8_t>{});
}

}  // namespace swai::socket
