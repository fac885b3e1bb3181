// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/ring.hpp"

#include <fmt/format.h>

#include "wires.hpp"

namespace swai::pcie {

using verif::check;

void store(verif::Field& field, const RingRequest& request) {
  field.slice(0, 512).set_bytes(request.data);
  field.set(wires::noc::req::kStrb, request.strb);
  field.set(wires::noc::req::kSize, request.size);
  field.set(wires::noc::req::kAddr, request.addr);
  field.set(wires::noc::req::kTag, request.tag);
  field.set(wires::noc::req::kSource, request.source);
  field.set(wires::noc::req::kOp, request.op);
}

void load(const verif::Field& field, RingRequest& request) {
  field.slice(0, 512).get_bytes(request.data);
  request.strb = field.get(wires::noc::req::kStrb);
  request.size = static_cast<unsigned>(field.get(wires::noc::req::kSize));
  request.addr = field.get(wires::noc::req::kAddr);
  request.tag = static_cast<unsigned>(field.get(wires::noc::req::kTag));
  request.source = static_cast<unsigned>(field.get(wires::noc::req::kSource));
  request.op = static_cast<unsigned>(field.get(wires::noc::req::kOp));
}

void store(verif::Field& field, const RingResponse& response) {
  field.slice(0, 512).set_bytes(response.data);
  field.set(wires::noc::rsp::kStatus, response.status);
  field.set(wires::noc::rsp::kTag, response.tag);
  field.set(wires::noc::rsp::kDest, response.dest);
}

void load(const verif::Field& field, RingResponse& response) {
  field.slice(0, 512).get_bytes(response.data);
  response.status = static_cast<unsigned>(field.get(wires::noc::rsp::kStatus));
  response.tag = static_cast<unsigned>(field.get(wires::noc::rsp::kTag));
  response.dest = static_cast<unsigned>(field.get(wires::noc::rsp::kDest));
}

uint8_t untouched(uint64_t addr) { return static_cast<uint8_t>((addr * 0x9e37'79b9'7f4a'7c15) >> 56); }

uint8_t Memory::get(uint64_t addr) const {
  const auto found = lines_.find(addr / 64);
  return found == lines_.end() ? untouched(addr) : found->second[addr % 64];
}

void Memory::set(uint64_t addr, uint8_t value) {
  const auto [line, fresh] = lines_.try_emplace(addr / 64);
  if (fresh) {
    for (unsigned i = 0; i < 64; ++i) line->second[i] = untouched(addr / 64 * 64 + i);
  }
  line->second[addr % 64] = value;
}

Ring::Ring(RingPins pins, verif::Random& random) : pins_(std::move(pins)), random_(random), stalls_(random) {}

void Ring::fixed_latency(unsigned cycles) {
  fixed_ = cycles;
  stalls_.never();
}

// 0: the management processor, 2 and up: groups, 7: nobody.
unsigned Ring::target(uint64_t addr) const {
  if (addr < 0x10'0000'0000) return 0;
  const uint64_t group = (addr - kHbm) / kGroupBytes;
  return addr >= kHbm && group < kGroups ? 2 + static_cast<unsigned>(group) : 7;
}

uint64_t Ring::delay() {
  if (fixed_ != 0) return 0;
  return slow_ ? random_.below(200) : random_.chance(90) ? random_.below(8) : random_.below(100);
}

Ring::Answer Ring::apply(const RingRequest& request) {
  Answer answer{{request.source, request.tag, kOk, {}}, 0, request.op == kWrite};
  const uint64_t line = request.addr / 64 * 64;
  const unsigned to = target(request.addr);
  const bool inbox = request.addr == kInboxWork;
  if (to == 7) {
    answer.response.status = kNobody;
  } else if (denied.contains(line) || (to == 0 && !inbox && (line < kSram || line >= kSram + kSramBytes))) {
    answer.response.status = kDenied;
  } else if (inbox) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) bits |= uint64_t{request.data[i]} << (8 * i);
    check(request.op == kWrite && request.strb == 0xff, "an access to the inbox that is no write of 8 bytes");
    on_inbox(bits);
  } else if (request.op == kWrite) {
    check(request.strb != 0, "a write of nothing");
    for (unsigned i = 0; i < 64; ++i) {
      if ((request.strb >> i) & 1) memory.set(line + i, request.data[i]);
    }
  } else {
    for (unsigned i = 0; i < 64; ++i) answer.response.data[i] = memory.get(line + i);
    if (poisoned.contains(line)) answer.response.status = kPoison;
  }
  return answer;
}

void Ring::drive() {
  ++cycle_;
  pins_.req_ready.set(stalls_.go());
  for (auto& [to, queue] : operations_) {
    while (!queue.empty() && queue.front().due <= cycle_) {
      Answer answer = apply(queue.front().request);
      answer.due = cycle_ + delay();
      answers_.push_back(answer);
      queue.pop_front();
      if (fixed_ == 0) break;
    }
  }
  answering_.reset();
  std::vector<size_t> ready;
  for (size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].due <= cycle_) ready.push_back(i);
  }
  if (!ready.empty()) answering_ = fixed_ != 0 ? ready.front() : ready[random_.below(ready.size())];
  pins_.rsp_valid.set(answering_.has_value());
  if (answering_) {
    store(pins_.rsp, answers_[*answering_].response);
  } else {
    pins_.rsp.scramble(random_);
  }
}

void Ring::sample() {
  if (answering_) {
    on_answer(answers_[*answering_].response.tag);
    --in_flight_;
    writes_in_flight_ -= answers_[*answering_].write && answers_[*answering_].response.tag < 192;
    tags_.erase(answers_[*answering_].response.tag);
    answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(*answering_));
  }
  const bool valid = pins_.req_valid.get() != 0;
  check(valid || !waiting_, "ring: a request was withdrawn");
  if (!valid) return;
  RingRequest request;
  load(pins_.req, request);
  check(!waiting_ || *waiting_ == request, "ring: a request changed while it waited");
  waiting_ = request;
  if (pins_.req_ready.get() == 0) return;
  waiting_.reset();
  check(request.tag >= 128, "ring: a tag of the DMA engine");
  check(tags_.insert(request.tag).second, fmt::format("ring: tag {} is in use", request.tag));
  const unsigned to = target(request.addr);
  if (request.op == kWrite && request.tag < 192) {
    check(writes_in_flight_ == 0 || write_target_ == to,
          "ring: a write went while one to another target was under way");
    write_target_ = to;
    ++writes_in_flight_;
  }
  ++in_flight_;
  on_request(request);
  operations_[to].push_back({request, cycle_ + (fixed_ != 0 ? fixed_ : delay())});
}

RingMaster::RingMaster(MasterPins pins, verif::Random& random)
    : pins_(std::move(pins)), random_(random), send_(random), take_(random) {}

void RingMaster::send(RingRequest request, std::function<void(const RingResponse&)> done) {
  queue_.push_back({request, std::move(done)});
}

void RingMaster::drive() {
  if (!pending_ && !queue_.empty() && send_.go()) {
    pending_ = true;
    auto& request = queue_.front().request;
    request.source = static_cast<unsigned>(random_.below(6));
    while (waiting_.contains(tag_)) tag_ = (tag_ + 1) & 0xff;
    request.tag = tag_;
    tag_ = (tag_ + 1) & 0xff;
  }
  pins_.req_valid.set(pending_);
  if (pending_) {
    store(pins_.req, queue_.front().request);
  } else {
    pins_.req.scramble(random_);
  }
  pins_.rsp_ready.set(take_.go());
}

void RingMaster::sample() {
  if (pins_.rsp_valid.get() != 0 && pins_.rsp_ready.get() != 0) {
    RingResponse response;
    load(pins_.rsp, response);
    const auto found = waiting_.find(response.tag);
    check(found != waiting_.end() && found->second.request.source == response.dest,
          "an answer that nobody asked for");
    const Entry entry = found->second;
    waiting_.erase(found);
    entry.done(response);
  }
  if (pending_ && pins_.req_ready.get() != 0) {
    pending_ = false;
    waiting_.emplace(queue_.front().request.tag, queue_.front());
    queue_.pop_front();
  }
}

}  // namespace swai::pcie
