// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/host_requests.hpp"

#include <algorithm>

namespace swai::rootport {
namespace {

RequestStatus status_of(CplStatus status) {
  switch (status) {
    case CplStatus::kSuccess:
      return RequestStatus::kOk;
    case CplStatus::kUnsupported:
      return RequestStatus::kUnsupported;
    case CplStatus::kRetry:
      return RequestStatus::kRetry;
    default:
      return RequestStatus::kAborted;
  }
}

}  // namespace

const char* text(RequestStatus status) {
  static constexpr const char* kTexts[] = {"pending",         "ok",      "unsupported request",
                                           "completer abort", "retry",   "poisoned",
                                           "broken",          "timeout", "link down"};
  return kTexts[static_cast<size_t>(status)];
}

HostRequests::HostRequests(const Clock& clock, uint16_t card, uint64_t timeout, unsigned max_payload,
                           Send send)
    : clock_(clock), card_(card), timeout_(timeout), max_payload_(max_payload), send_(std::move(send)) {
  for (unsigned tag = 0; tag < parts_.size(); ++tag) free_tags_.push_back(static_cast<uint8_t>(tag));
}

void HostRequests::read_memory(uint64_t address, unsigned bytes, ReadDone done) {
  read_parts(address, bytes, max_payload_, TlpKind::kMemRead, std::move(done));
}

void HostRequests::read_config(unsigned offset, unsigned bytes, ReadDone done) {
  read_parts(offset, bytes, 4, TlpKind::kConfigRead, std::move(done));
}

// Parts do not cross multiples of `align`.
void HostRequests::read_parts(uint64_t address, unsigned bytes, unsigned align, TlpKind kind, ReadDone done) {
  auto operation = std::make_shared<Operation>();
  operation->data.resize(bytes);
  operation->done = std::move(done);
  for (unsigned at = 0; at < bytes;) {
    const unsigned part = std::min(bytes - at, align - static_cast<unsigned>((address + at) % align));
    Tlp tlp = memory_read(address + at, part, 0, 0);
    tlp.kind = kind;
    tlp.target = card_;
    ++operation->parts;
    add({.operation = operation, .offset = at, .bytes = part, .request = tlp});
    at += part;
  }
  if (bytes == 0) operation->done(RequestStatus::kOk, {});
}

void HostRequests::write_config(unsigned offset, std::span<const uint8_t> data, WriteDone done) {
  auto operation = std::make_shared<Operation>();
  operation->done = [done = std::move(done)](RequestStatus status, std::span<const uint8_t>) {
    done(status);
  };
  for (unsigned at = 0; at < data.size();) {
    const auto part = std::min<unsigned>(static_cast<unsigned>(data.size()) - at, 4 - (offset + at) % 4);
    Tlp tlp = memory_write(offset + at, data.subspan(at, part), 0);
    tlp.kind = TlpKind::kConfigWrite;
    tlp.target = card_;
    ++operation->parts;
    add({.operation = operation, .offset = at, .bytes = 0, .request = tlp});
    at += part;
  }
  if (data.empty()) operation->done(RequestStatus::kOk, {});
}

void HostRequests::add(Part part) {
  waiting_.push_back(std::move(part));
  send_waiting();
}

void HostRequests::send_waiting() {
  while (!waiting_.empty() && !free_tags_.empty()) {
    const uint8_t tag = free_tags_.front();
    free_tags_.pop_front();
    parts_[tag] = std::move(waiting_.front());
    Part& part = *parts_[tag];
    waiting_.pop_front();
    part.serial = ++serial_;
    part.request.tag = tag;
    ++in_flight_;
    deadlines_.push_back({.cycle = clock_.cycle + timeout_, .serial = part.serial, .tag = tag});
    send_(part.request);
  }
}

bool HostRequests::completion(const Tlp& tlp) {
  if (!parts_[tlp.tag]) return false;
  Part& part = *parts_[tlp.tag];
  if (tlp.status != CplStatus::kSuccess) {
    finish(tlp.tag, status_of(tlp.status));
    return true;
  }
  if (tlp.has_data() != (part.bytes != 0)) {
    finish(tlp.tag, RequestStatus::kBroken);
    return true;
  }
  if (!tlp.has_data()) {
    finish(tlp.tag, RequestStatus::kOk);
    return true;
  }
  // What is still missing says how byte count and lower address must be.
  const bool memory = part.request.kind == TlpKind::kMemRead;
  const unsigned first = part.request.first_byte();
  const unsigned lower = memory ? (part.request.address + first + part.got) & 0x7F : 0;
  const unsigned count = memory ? part.bytes - part.got : 4;
  if (tlp.lower_address != lower || tlp.byte_count != count) {
    finish(tlp.tag, RequestStatus::kBroken);
    return true;
  }
  const unsigned start = memory ? lower & 3u : first;
  const unsigned bytes = std::min(part.bytes - part.got, tlp.payload_bytes() - start);
  std::copy_n(tlp.data.begin() + start, bytes, part.operation->data.begin() + part.offset + part.got);
  part.got += bytes;
  if (tlp.poisoned && part.operation->status == RequestStatus::kOk)
    part.operation->status = RequestStatus::kPoisoned;
  if (part.got == part.bytes) finish(tlp.tag, RequestStatus::kOk);
  return true;
}

// A part has ended. The operation ends with its last one, and as badly as the first bad one.
void HostRequests::finish(uint8_t tag, RequestStatus status) {
  const std::shared_ptr<Operation> operation = std::move(parts_[tag]->operation);
  parts_[tag].reset();
  free_tags_.push_back(tag);
  --in_flight_;
  forget_old_deadlines();
  if (operation->status == RequestStatus::kOk) operation->status = status;
  const bool last = --operation->parts == 0;
  send_waiting();
  if (last) operation->done(operation->status, operation->data);
}

bool HostRequests::current(const Deadline& deadline) const {
  return parts_[deadline.tag] && parts_[deadline.tag]->serial == deadline.serial;
}

void HostRequests::forget_old_deadlines() {
  while (!deadlines_.empty() && !current(deadlines_.front())) deadlines_.pop_front();
}

void HostRequests::expire(uint64_t cycle) {
  while (!deadlines_.empty() && deadlines_.front().cycle <= cycle) {
    const Deadline deadline = deadlines_.front();
    deadlines_.pop_front();
    if (current(deadline)) finish(deadline.tag, RequestStatus::kTimeout);
  }
}

void HostRequests::fail_all(RequestStatus status) {
  std::vector<std::shared_ptr<Operation>> ended;
  const auto end = [&](Part& part) {
    if (part.operation->status == RequestStatus::kOk) part.operation->status = status;
    if (--part.operation->parts == 0) ended.push_back(std::move(part.operation));
  };
  for (unsigned tag = 0; tag < parts_.size(); ++tag) {
    if (!parts_[tag]) continue;
    end(*parts_[tag]);
    parts_[tag].reset();
    free_tags_.push_back(static_cast<uint8_t>(tag));
  }
  for (Part& part : waiting_) end(part);
  waiting_.clear();
  deadlines_.clear();
  in_flight_ = 0;
  for (const auto& operation : ended) operation->done(operation->status, operation->data);
}

}  // namespace swai::rootport
