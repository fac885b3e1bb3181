// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/iommu.hpp"

#include <algorithm>
#include <cstring>

namespace swai::rootport {

// A question to a remote memory. It lives until the memory has answered, even if nobody waits for that any
// more.
struct Iommu::Transfer::Remote {
  uint64_t iova = 0;
  std::vector<uint8_t> data;
  bool answered = false;
  bool ok = false;
  bool unmapped = false;
};

const char* text(MapResult result) {
  switch (result) {
    case MapResult::kOk:
      return "ok";
    case MapResult::kEmpty:
      return "length is zero";
    case MapResult::kWrap:
      return "range goes beyond the last address";
    case MapResult::kOverlap:
      return "overlaps a mapping";
    case MapResult::kNothing:
      return "nothing is mapped there";
    case MapResult::kPartial:
      return "a mapping lies only partly in the range";
  }
  return "?";
}

const char* text(IommuFault::Reason reason) {
  static constexpr const char* kTexts[] = {"not mapped", "not permitted", "refused by the memory's owner"};
  return kTexts[static_cast<size_t>(reason)];
}

MapResult Iommu::map(uint64_t iova, uint64_t length, uint8_t* host, Permissions permissions) {
  return add(iova, {.length = length, .host = host, .remote = nullptr, .permissions = permissions});
}

MapResult Iommu::map(uint64_t iova, uint64_t length, RemoteMemory& memory, Permissions permissions) {
  return add(iova, {.length = length, .host = nullptr, .remote = &memory, .permissions = permissions});
}

MapResult Iommu::add(uint64_t iova, Region region) {
  if (region.length == 0) return MapResult::kEmpty;
  if (iova + (region.length - 1) < iova) return MapResult::kWrap;
  if (touches(iova, region.length)) return MapResult::kOverlap;
  regions_.emplace(iova, region);
  return MapResult::kOk;
}

Iommu::Regions::const_iterator Iommu::find(uint64_t iova) const {
  auto after = regions_.upper_bound(iova);
  if (after == regions_.begin()) return regions_.end();
  --after;
  return iova - after->first < after->second.length ? after : regions_.end();
}

bool Iommu::touches(uint64_t iova, uint64_t length) const {
  if (find(iova) != regions_.end()) return true;
  const auto next = regions_.lower_bound(iova);
  return next != regions_.end() && next->first - iova < length;
}

MapResult Iommu::unmap(uint64_t iova, uint64_t length) {
  if (length == 0) return MapResult::kEmpty;
  const uint64_t last = iova + (length - 1);
  if (last < iova) return MapResult::kWrap;
  const auto first = find(iova);
  if (first != regions_.end() && first->first < iova) return MapResult::kPartial;
  const auto final = find(last);
  if (final != regions_.end() && final->first + (final->second.length - 1) > last) return MapResult::kPartial;
  const auto begin = regions_.lower_bound(iova);
  const auto end = regions_.upper_bound(last);
  if (begin == end) return MapResult::kNothing;
  regions_.erase(begin, end);
  for (const auto& weak : under_way_) {
    const auto remote = weak.lock();
    if (remote && remote->iova - iova < length) remote->unmapped = true;
  }
  return MapResult::kOk;
}

void Iommu::unmap_all() {
  regions_.clear();
  for (const auto& weak : under_way_) {
    if (const auto remote = weak.lock()) remote->unmapped = true;
  }
}

void Iommu::fault(uint64_t cycle, Access access, uint64_t address, IommuFault::Reason reason) {
  ++fault_count_;
  if (log_.size() == kLogged) log_.pop_front();
  log_.push_back({.cycle = cycle, .card = card_, .access = access, .address = address, .reason = reason});
}

void Iommu::Transfer::begin(Iommu& iommu, uint64_t cycle, Access access, uint64_t iova,
                            std::span<uint8_t> buffer) {
  iommu_ = &iommu;
  cycle_ = cycle;
  access_ = access;
  iova_ = iova;
  buffer_ = buffer;
  done_ = 0;
  for (uint64_t checked = 0; checked < buffer.size();) {
    const auto region = iommu.find(iova + checked);
    if (region == iommu.regions_.end()) return fail(iova + checked, IommuFault::Reason::kUnmapped);
    const Permissions& can = region->second.permissions;
    if (!(access == Access::kRead ? can.read : can.write)) {
      return fail(iova + checked, IommuFault::Reason::kPermission);
    }
    checked += region->second.length - (iova + checked - region->first);
  }
  go_on();
}

void Iommu::Transfer::fail(uint64_t address, IommuFault::Reason reason) {
  iommu_->fault(cycle_, access_, address, reason);
  remote_.reset();
  state_ = State::kFault;
}

void Iommu::Transfer::go_on() {
  while (done_ < buffer_.size()) {
    const uint64_t at = iova_ + done_;
    const auto found = iommu_->find(at);
    if (found == iommu_->regions_.end()) return fail(at, IommuFault::Reason::kUnmapped);
    const Region& region = found->second;
    const uint64_t inside = at - found->first;
    const size_t bytes = std::min<uint64_t>(buffer_.size() - done_, region.length - inside);
    if (region.host != nullptr) {
      uint8_t* from = buffer_.data() + done_;
      uint8_t* into = region.host + inside;
      if (access_ == Access::kRead) std::swap(from, into);
      std::memcpy(into, from, bytes);
      done_ += bytes;
      continue;
    }
    ask(*region.remote, at, bytes);
    if (!remote_->answered) {
      state_ = State::kWaiting;
      return;
    }
    if (!take_answer()) return;
  }
  state_ = State::kDone;
}

void Iommu::Transfer::ask(RemoteMemory& memory, uint64_t iova, size_t bytes) {
  remote_ = std::make_shared<Remote>();
  remote_->iova = iova;
  const auto done = [remote = remote_](bool ok) {
    remote->answered = true;
    remote->ok = ok;
  };
  std::erase_if(iommu_->under_way_, [](const auto& weak) { return weak.expired(); });
  iommu_->under_way_.push_back(remote_);
  if (access_ == Access::kRead) {
    remote_->data.resize(bytes);
    memory.read(iova, remote_->data, done);
  } else {
    remote_->data.assign(buffer_.data() + done_, buffer_.data() + done_ + bytes);
    memory.write(iova, remote_->data, done);
  }
}

// False: it was none, the transfer has failed.
bool Iommu::Transfer::take_answer() {
  if (remote_->unmapped || !remote_->ok) {
    fail(remote_->iova, remote_->unmapped ? IommuFault::Reason::kUnmapped : IommuFault::Reason::kRefused);
    return false;
  }
  if (access_ == Access::kRead)
    std::copy(remote_->data.begin(), remote_->data.end(), buffer_.begin() + done_);
  done_ += remote_->data.size();
  remote_.reset();
  return true;
}

Iommu::Transfer::State Iommu::Transfer::state() {
  if (state_ == State::kWaiting && (remote_->answered || remote_->unmapped) && take_answer()) go_on();
  return state_;
}

bool Iommu::Transfer::waiting() const {
  return state_ == State::kWaiting && !remote_->answered && !remote_->unmapped;
}

void Iommu::Transfer::cancel() {
  remote_.reset();
  state_ = State::kIdle;
}

}  // namespace swai::rootport
