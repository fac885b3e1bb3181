// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/dma/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace swai::dma_test {

namespace {

constexpr uint64_t kWireDelay = 250;
constexpr uint64_t kMemoryDelay = 150;
constexpr unsigned kBoundary = 64;  // read completion boundary
constexpr unsigned kMrd32 = 0x00, kMrd64 = 0x20, kMwr32 = 0x40, kMwr64 = 0x60;

Beat beat_of(const uint32_t* words) {
  Beat beat;
  std::memcpy(beat.data.data(), words, 64);
  for (unsigned i = 0; i < 4; ++i) beat.header[i] = words[19 - i];
  beat.eop = (words[20] & 1) != 0;
  beat.sop = (words[20] & 2) != 0;
  return beat;
}

void put_beat(uint32_t* words, const Beat& beat) {
  std::memcpy(words, beat.data.data(), 64);
  for (unsigned i = 0; i < 4; ++i) words[19 - i] = beat.header[i];
  words[20] = (beat.eop ? 1U : 0) | (beat.sop ? 2U : 0);
}

bool same(const Beat& a, const Beat& b) {
  return a.sop == b.sop && a.eop == b.eop && a.header == b.header && a.data == b.data;
}

}  // namespace

void Host::drive() {
  ++now_;
  top_.config_i = uint32_t{config.bus_dev_fn} << 16 | (config.bus_master ? 1U << 15 : 0) | config.mps << 11 |
                  config.mrrs << 7 | (config.flr ? 1U : 0);
  // What has arrived over there; what happens there may come back at once.
  while (!wire_.empty() && wire_.front().at <= now_) {
    Event event = std::move(wire_.front());
    wire_.pop_front();
    arrive(event);
  }
  for (size_t i = 0; i < reads_.size();) {
    if (reads_[i].at > now_) {
      ++i;
      continue;
    }
    answers_.push_back(answer_of(reads_[i]));
    reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  serialise();
  const bool go = !line_.empty() && line_.front().at <= now_ && (timed || cpl_.go());
  top_.cpl_valid_i = go;
  if (go) {
    put_beat(top_.cpl_beat_i.data(), line_.front().beat);
    line_.pop_front();
  } else if (!timed) {
    for (unsigned i = 0; i < 20; ++i) top_.cpl_beat_i[i] = static_cast<uint32_t>(random_.next());
  }

  if (timed) {
    const bool room = sent_ < 32 * now_ + 64;
    // Between packets both streams take turns.
    const bool np = room && !inside_ && (np_turn_ || !top_.p_valid_o);
    top_.np_ready_i = np && top_.np_valid_o;
    top_.p_ready_i = room && !top_.np_ready_i;
    top_.irq_ready_i = 1;
  } else {
    top_.p_ready_i = (!paused_ || inside_) && p_.go();
    top_.np_ready_i = !paused_ && np_.go();
    top_.irq_ready_i = !paused_ && irq_.go();
  }
}

void Host::sample() {
  if (p_waits_) {
    check(top_.p_valid_o || config.flr, "p: valid was withdrawn");
    check(!top_.p_valid_o || same(p_beat_, beat_of(top_.p_beat_o.data())),
          "p: the beat changed while it waited");
  }
  if (np_waits_) {
    check(top_.np_valid_o || config.flr, "np: valid was withdrawn");
    check(!top_.np_valid_o || same(np_beat_, beat_of(top_.np_beat_o.data())),
          "np: the beat changed while it waited");
  }
  p_waits_ = top_.p_valid_o && !top_.p_ready_i;
  np_waits_ = top_.np_valid_o && !top_.np_ready_i;
  if (p_waits_) p_beat_ = beat_of(top_.p_beat_o.data());
  if (np_waits_) np_beat_ = beat_of(top_.np_beat_o.data());
  // Posted first: within one cycle both orders are right.
  if (top_.p_valid_o && top_.p_ready_i) take_p();
  if (top_.irq_valid_o && top_.irq_ready_i)
    put_on_wire(
        {.kind = Event::kInterrupt, .at = 0, .header = {}, .payload = {}, .vector = top_.irq_vector_o});
  if (top_.np_valid_o && top_.np_ready_i) take_np();
}

Host::Span Host::span_of(const std::array<uint32_t, 4>& header) const {
  const bool wide = (header[0] >> 29 & 1) != 0;
  const uint64_t address = wide ? uint64_t{header[2]} << 32 | header[3] : header[2];
  const unsigned length = (header[0] & 0x3ff) == 0 ? 1024 : header[0] & 0x3ff;
  const unsigned first = header[1] & 0xf;
  const unsigned last = header[1] >> 4 & 0xf;
  check(!wide || header[2] != 0, "a long header for an address that fits a short one");
  check(wide || header[3] == 0, "a short header with a fourth doubleword");
  check(address % 4 == 0, "an address with its lowest bits set");
  check(header[1] >> 16 == config.bus_dev_fn, "wrong requester");
  check((header[0] & 0x00ff'fc00) == 0, fmt::format("header begins {:#x}", header[0]));
  // Contiguous enables only.
  const auto run = [](unsigned bits) { return std::has_single_bit((bits >> std::countr_zero(bits)) + 1); };
  check(first != 0 && run(first), fmt::format("first enables {:#x}", first));
  Span span{address + static_cast<unsigned>(std::countr_zero(first)), 0};
  uint64_t end;
  if (length == 1) {
    check(last == 0, "last enables of a packet of one doubleword");
    end = address + static_cast<unsigned>(std::bit_width(first));
  } else {
    check((first & 8) != 0, "the first doubleword ends early");
    check((last & 1) != 0 && run(last), fmt::format("last enables {:#x}", last));
    end = address + 4 * (length - 1) + static_cast<unsigned>(std::bit_width(last));
  }
  span.bytes = end - span.address;
  check(span.address / 4096 == (end - 1) / 4096,
        fmt::format("{} bytes at {:#x} cross 4 KiB", span.bytes, span.address));
  return span;
}

void Host::take_p() {
  const Beat beat = beat_of(top_.p_beat_o.data());
  check(beat.sop == !inside_, "p: a packet begins within another one, or not at all");
  if (beat.sop) {
    on_first_beat(now_);
    // One that waits here and one right behind it have been begun already.
    packets_without_master_ = config.bus_master ? 0 : packets_without_master_ + 1;
    check(packets_without_master_ <= 2, "p: a packet begins while the function is no bus master");
    header_ = beat.header;
    payload_.clear();
    sent_ = std::max(sent_, 32 * now_) + ((beat.header[0] >> 29 & 1) != 0 ? 16 : 12) + 8;
    np_turn_ = true;
    const unsigned type = header_[0] >> 24;
    check(type == kMwr32 || type == kMwr64, fmt::format("p: type {:#x}", type));
  }
  inside_ = !beat.eop;
  const size_t want = 4 * (header_[0] & 0x3ff);
  const size_t some = std::min<size_t>(64, want - payload_.size());
  payload_.insert(payload_.end(), beat.data.begin(), beat.data.begin() + static_cast<std::ptrdiff_t>(some));
  sent_ += some;
  check(beat.eop == (payload_.size() == want), "p: length and beats disagree");
  if (beat.eop) {
    check(want <= (1U << config.mps), "p: more than the largest payload");
    put_on_wire({.kind = Event::kWrite, .at = 0, .header = header_, .payload = payload_});
  }
}

void Host::take_np() {
  const Beat beat = beat_of(top_.np_beat_o.data());
  on_first_beat(now_);
  check(beat.sop && beat.eop, "np: more than one beat");
  const unsigned type = beat.header[0] >> 24;
  check(type == kMrd32 || type == kMrd64, fmt::format("np: type {:#x}", type));
  sent_ = std::max(sent_, 32 * now_) + (type == kMrd64 ? 16 : 12) + 8;
  np_turn_ = false;
  put_on_wire({.kind = Event::kRead, .at = 0, .header = beat.header, .payload = {}});
}

void Host::put_on_wire(Event event) {
  uint64_t at = timed ? std::max(now_, sent_ / 32) + kWireDelay
                      : now_ + 1 + random_.below(max_delay + 1) * random_.below(2);
  if (!wire_.empty()) at = std::max(at, wire_.back().at);
  event.at = at;
  if (event.kind != Event::kRead) ++handed_over_;
  wire_.push_back(std::move(event));
}

void Host::arrive(Event& event) {
  if (event.kind == Event::kInterrupt) {
    ++arrived_;
    on_interrupt(event.vector);
    return;
  }
  const Span span = span_of(event.header);
  if (event.kind == Event::kWrite) {
    ++arrived_;
    memory.write(span.address, {event.payload.data() + span.address % 4, span.bytes});
    on_write(span.address, span.bytes);
    return;
  }
  const unsigned tag = event.header[1] >> 8 & 0xff;
  check(span.bytes <= (1U << config.mrrs), "np: more than the largest read");
  const HostFault fault = faults.at(span.address, span.bytes, HostFault::kNone);
  check(!tag_used_[tag], fmt::format("tag {} is in use", tag));
  if (fault == HostFault::kSilent) {
    ++requests_gone_by;
    return;
  }
  tag_used_[tag] = true;
  const uint64_t delay = fault == HostFault::kLate ? late_by
                         : timed                   ? kMemoryDelay
                                                   : random_.below(max_delay + 1);
  reads_.push_back({now_ + delay, span, tag, fault});
}

Host::Packet Host::completion(unsigned tag, unsigned status, bool with_data, bool poisoned, uint64_t address,
                              uint64_t byte_count, std::span<const uint8_t> data, uint16_t requester) const {
  Packet packet;
  const uint64_t skip = with_data ? address % 4 : 0;
  const uint64_t dwords = (skip + data.size() + 3) / 4;
  Beat beat;
  beat.header[0] =
      (with_data ? 0x4aU : 0x0aU) << 24 | (poisoned ? 1U << 14 : 0) | static_cast<uint32_t>(dwords & 0x3ff);
  beat.header[1] = 0x0100U << 16 | status << 13 | static_cast<uint32_t>(byte_count & 0xfff);
  beat.header[2] = uint32_t{requester} << 16 | tag << 8 | static_cast<uint32_t>(address & 0x7f);
  packet.wire_bytes = 12 + 8 + 4 * dwords;
  for (uint64_t i = 0; i == 0 || i < 4 * dwords; i += 64) {
    beat.sop = i == 0;
    beat.eop = i + 64 >= 4 * dwords;
    for (uint64_t j = 0; j < 64; ++j) {
      const uint64_t at = i + j - skip;
      beat.data[j] = at < data.size() ? data[at] : 0xee;
    }
    packet.beats.push_back(beat);
  }
  return packet;
}

Host::Answer Host::answer_of(const Read& read) {
  Answer answer{read.tag, {}};
  const auto bytes = memory.read(read.span.address, read.span.bytes);
  if (read.fault == HostFault::kUnsupported || read.fault == HostFault::kAbort ||
      read.fault == HostFault::kNoData) {
    const unsigned status = read.fault == HostFault::kUnsupported ? 1
                            : read.fault == HostFault::kAbort     ? 4
                                                                  : 0;
    answer.packets.push_back(completion(read.tag, status, false, false, read.span.address, read.span.bytes,
                                        {}, config.bus_dev_fn));
    return answer;
  }
  const uint64_t largest = uint64_t{1} << config.mps;
  const uint64_t end = read.span.address + read.span.bytes;
  const bool poison = read.fault == HostFault::kPoison;
  for (uint64_t at = read.span.address; at < end;) {
    uint64_t most = std::min(end, (at / largest + 1) * largest);
    if (!timed && random_.chance(50)) {
      most = std::min(end, (at / kBoundary + 1 + random_.below(largest / kBoundary)) * kBoundary);
    }
    uint64_t count = end - at;
    if (read.fault == HostFault::kWrongCount) count += 4;
    answer.packets.push_back(completion(read.tag, 0, true, poison && (most == end || random_.chance(30)), at,
                                        count, {bytes.data() + (at - read.span.address), most - at},
                                        config.bus_dev_fn));
    at = most;
  }
  return answer;
}

// Moves completions onto the wire towards the card.
void Host::serialise() {
  while (!answers_.empty() && (timed ? received_ < 32 * now_ : line_.empty())) {
    const size_t chosen = timed ? 0 : random_.below(answers_.size());
    Answer& answer = answers_[chosen];
    const Packet packet = std::move(answer.packets.front());
    answer.packets.pop_front();
    received_ = std::max(received_, 32 * (now_ - 1));
    const uint64_t begin = received_;
    received_ += packet.wire_bytes;
    // A beat is there when its last byte is.
    uint64_t done = begin + packet.wire_bytes - 4 * (packet.beats[0].header[0] & 0x3ff);
    for (size_t i = 0; i < packet.beats.size(); ++i) {
      done = std::min(done + 64, received_);
      line_.push_back({timed ? (done + 31) / 32 + kWireDelay : now_, packet.beats[i]});
    }
    if (answer.packets.empty()) {
      tag_used_[answer.tag] = false;
      answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }
}

void Host::send_stray(unsigned tag, uint16_t requester) {
  const std::array<uint8_t, 64> data{};
  Answer answer{255, {}};
  answer.packets.push_back(completion(tag, 0, true, false, 0x40, 64, data, requester));
  answers_.push_back(std::move(answer));
}

}  // namespace swai::dma_test
