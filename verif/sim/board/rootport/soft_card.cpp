// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/board/rootport/soft_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace swai::rootport {
namespace {

constexpr unsigned kPcie = 0x40, kMsix = 0x80;
constexpr unsigned kBeatBytes = kBeatPayloadWords * 4;

void put32(std::vector<uint8_t>& bytes, unsigned at, uint32_t value) { std::memcpy(&bytes[at], &value, 4); }
uint32_t get32(const std::vector<uint8_t>& bytes, unsigned at) {
  uint32_t value = 0;
  std::memcpy(&value, &bytes[at], 4);
  return value;
}

}  // namespace

SoftCard::SoftCard(RootPort& port, const SoftCardOptions& options)
    : options_(options),
      random_(options.seed),
      tx_stalls_(random_),
      credit_stalls_(random_),
      port_(port),
      config_(4096),
      bar0_(options.bar0_bytes),
      table_(kTableBytes),
      bar4_(kBar4Bytes) {
  if (!options.stalls) {
    tx_stalls_.never();
    credit_stalls_.never();
  }
  for (uint8_t& byte : bar0_) byte = static_cast<uint8_t>(random_.next());
  for (uint32_t& word : pins_.tx_beat) word = static_cast<uint32_t>(random_.next());
  reset();
  pins_.rx_limit = limit_.pack();
  port.attach(pins_.pins());
}

void SoftCard::fail(const std::string& what) {
  if (error.empty()) error = fmt::format("cycle {}: {}", cycle_, what);
}

void SoftCard::reset() {
  out_.clear();
  beat_ = 0;
  showing_ = receiving_ = false;
  pins_.tx_valid = 0;
  sent_ = received_ = {};
  limit_ = options_.granted;
  to_give_.clear();
  std::fill(config_.begin(), config_.end(), uint8_t{0});
  put32(config_, 0, 0x5357'1D50);
  config_[6] = 0x10;
  put32(config_, 0x10, 0xC);
  put32(config_, 0x18, 0x4);
  put32(config_, 0x20, 0x4);
  config_[0x34] = kPcie;
  put32(config_, kPcie, 0x0002'0010 | kMsix << 8);
  put32(config_, kPcie + 4, 1);  // 256 bytes
  put32(config_, kPcie + 8, 0x2810);
  put32(config_, kMsix, 0x0011 | (options_.vectors - 1) << 16);
  put32(config_, kMsix + 4, 2);
}

void SoftCard::clock() {
  ++cycle_;
  if (pins_.link_up == 0) {
    if (was_up_) reset();
    was_up_ = false;
  } else {
    was_up_ = true;
    if (showing_ && pins_.tx_ready != 0) {
      showing_ = false;
      ++beats;
      const Outgoing& packet = out_.front();
      const bool last =
          packet.is_raw ? beat_ == packet.raw.size() : (pins_.tx_beat[kBeatFlagsWord] & kBeatEop) != 0;
      if (last) {
        out_.pop_front();
        beat_ = 0;
      }
    }
    if (pins_.rx_valid != 0) take_beat();
    if (!showing_) next_beat();
    pins_.tx_valid = showing_;
    if (!to_give_.empty() && options_.returns_credits && credit_stalls_.go()) {
      limit_.add(to_give_.front());
      to_give_.pop_front();
    }
  }
  pins_.rx_limit = limit_.pack();
  port_.clock();
}

void SoftCard::give_credits(const Credits& more) { limit_.add(more); }

// ---- To the host

bool SoftCard::credits_for(const Tlp& tlp) const {
  Credits used = sent_;
  used.add(credits_of(tlp));
  return enough(Credits::unpack(pins_.tx_limit), used);
}

void SoftCard::next_beat() {
  if (out_.empty() || !tx_stalls_.go()) return;
  const Outgoing& packet = out_.front();
  if (packet.is_raw) {
    if (beat_ == 0) {
      TlpHeader header;
      for (unsigned i = 0; i < 4; ++i) header[i] = packet.raw[0][kBeatHeaderWord + 3 - i];
      sent_.add(credits_of(header));
    }
    std::copy(packet.raw[beat_].begin(), packet.raw[beat_].end(), pins_.tx_beat);
    ++beat_;
    showing_ = true;
    return;
  }
  const Tlp& tlp = packet.tlp;
  if (beat_ == 0) {
    if (!credits_for(tlp)) return;
    sent_.add(credits_of(tlp));
    const TlpHeader header = encode(tlp);
    for (unsigned i = 0; i < 4; ++i) pins_.tx_beat[kBeatHeaderWord + 3 - i] = header[i];
  }
  const unsigned done = beat_ * kBeatBytes;
  const unsigned bytes = std::min(tlp.payload_bytes() - done, kBeatBytes);
  std::memcpy(pins_.tx_beat, tlp.data.data() + done, bytes);
  const bool last = done + bytes == tlp.payload_bytes();
  pins_.tx_beat[kBeatFlagsWord] = (beat_ == 0 ? kBeatSop : 0) | (last ? kBeatEop : 0);
  ++beat_;
  showing_ = true;
}

void SoftCard::send_raw(const TlpHeader& header, std::vector<std::array<uint32_t, kBeatWords>> beats) {
  for (unsigned i = 0; i < 4; ++i) beats[0][kBeatHeaderWord + 3 - i] = header[i];
  out_.push_back({Tlp{}, std::move(beats), true});
}

bool SoftCard::interrupt(unsigned vector) {
  const unsigned entry = vector * 16;
  const bool on = (config_[kMsix + 3] & 0xC0) == 0x80;
  if (!on || (table_[entry + 12] & 1) != 0) return false;
  const uint64_t address = get32(table_, entry) | uint64_t{get32(table_, entry + 4)} << 32;
  send(memory_write(address, {&table_[entry + 8], 4}, id_));
  return true;
}

// ---- From the host

void SoftCard::use(const Tlp& tlp) {
  received_.add(credits_of(tlp));
  if (!enough(limit_, received_)) fail("credits exceeded by " + tlp.text());
  if (!tlp.completion()) to_give_.push_back(credits_of(tlp));
}

void SoftCard::take_beat() {
  const uint32_t flags = pins_.rx_beat[kBeatFlagsWord];
  if (((flags & kBeatSop) != 0) == receiving_) fail("beats out of turn");
  if (!receiving_) {
    TlpHeader header;
    for (unsigned i = 0; i < 4; ++i) header[i] = pins_.rx_beat[kBeatHeaderWord + 3 - i];
    const TlpError bad = decode(header, {}, incoming_);
    if (bad != TlpError::kNone) fail(fmt::format("malformed: {}: {}", text(bad), incoming_.text()));
    got_ = 0;
    receiving_ = true;
  }
  const unsigned bytes = std::min(incoming_.payload_bytes() - got_, kBeatBytes);
  std::memcpy(incoming_.data.data() + got_, pins_.rx_beat, bytes);
  got_ += bytes;
  const bool last = got_ == incoming_.payload_bytes();
  if (last != ((flags & kBeatEop) != 0)) fail("wrong number of beats");
  if ((flags & kBeatEop) == 0) return;
  receiving_ = false;
  use(incoming_);
  if (on_packet) on_packet(cycle_, incoming_);
  handle(incoming_);
}

void SoftCard::handle(const Tlp& tlp) {
  if (tlp.completion()) {
    if (on_completion) on_completion(tlp);
    return;
  }
  if (tlp.kind == TlpKind::kMemWrite) write_memory(tlp);
  if (!options_.answers) return;
  if (tlp.kind == TlpKind::kMemRead) read_memory(tlp);
  if (tlp.kind == TlpKind::kConfigRead) read_config(tlp);
  if (tlp.kind == TlpKind::kConfigWrite) write_config(tlp);
}

uint64_t SoftCard::bar_address(unsigned index) const {
  return (get32(config_, 0x10 + 4 * index) & ~0xFu) | uint64_t{get32(config_, 0x14 + 4 * index)} << 32;
}

std::vector<uint8_t>* SoftCard::bar_at(uint64_t address, uint64_t bytes, uint64_t& offset) {
  if ((config_[4] & 2) == 0) return nullptr;
  std::vector<uint8_t>* const memories[] = {&bar0_, &table_, &bar4_};
  for (unsigned i = 0; i < 3; ++i) {
    offset = address - bar_address(2 * i);
    const uint64_t size = memories[i]->size();
    if (offset < size && bytes <= size - offset) return memories[i];
  }
  return nullptr;
}

void SoftCard::read_memory(const Tlp& tlp) {
  uint64_t offset = 0;
  std::vector<uint8_t>* memory = bar_at(tlp.address + tlp.first_byte(), tlp.byte_span(), offset);
  if (memory == nullptr) return send(completion(tlp, CplStatus::kUnsupported, id_));
  const unsigned all = tlp.byte_span();
  for (unsigned done = 0; done < all;) {
    const auto behind = static_cast<unsigned>((tlp.address + tlp.first_byte() + done) % 64);
    const unsigned bytes =
        std::min<unsigned>(all - done, 64 * (1 + static_cast<unsigned>(random_.below(4))) - behind);
    send(completion(tlp, done, {memory->data() + offset + done, bytes}, id_));
    done += bytes;
  }
}

void SoftCard::write_memory(const Tlp& tlp) {
  uint64_t offset = 0;
  std::vector<uint8_t>* memory = bar_at(tlp.address, tlp.length * 4u, offset);
  if (memory == nullptr || tlp.poisoned) return;
  for (unsigned i = 0; i < tlp.payload_bytes(); ++i) {
    const unsigned be = i / 4 == 0 ? tlp.first_be : i / 4 + 1u == tlp.length ? tlp.last_be : 0xFu;
    if ((be >> i % 4 & 1) != 0) (*memory)[offset + i] = tlp.data[i];
  }
}

void SoftCard::read_config(const Tlp& tlp) { send(completion(tlp, 0, {&config_[tlp.address], 4}, id_)); }

void SoftCard::write_config(const Tlp& tlp) {
  id_ = tlp.target;
  uint32_t enable = 0;
  for (unsigned i = 0; i < 4; ++i) enable |= (tlp.first_be >> i & 1) != 0 ? 0xFFu << 8 * i : 0;
  const auto at = static_cast<unsigned>(tlp.address);
  uint32_t writable = 0;
  const auto size_mask = [](uint64_t size) { return ~(size - 1); };
  const uint64_t masks[] = {size_mask(options_.bar0_claimed != 0 ? options_.bar0_claimed : bar0_.size()),
                            size_mask(table_.size()), size_mask(bar4_.size())};
  if (at == 4) writable = 0x0407;
  if (at >= 0x10 && at < 0x28) {
    const uint64_t mask = masks[(at - 0x10) / 8];
    writable = static_cast<uint32_t>(at % 8 == 0 ? mask : mask >> 32);
  }
  if (at == kPcie + 8) writable = 0x7FFF;
  if (at == kMsix) writable = 0xC000'0000;
  writable &= enable;
  uint32_t value = 0;
  std::memcpy(&value, tlp.data.data(), 4);
  put32(config_, at, (get32(config_, at) & ~writable) | (value & writable));
  send(completion(tlp, CplStatus::kSuccess, id_));
}

}  // namespace swai::rootport
