// SPDX-License-Identifier: Apache-2.0
// A card in software, for the tests of the wire and the root complex: configuration space with BARs, MSI-X
// and PCIe capabilities, memory behind its BARs, a transmitter and a receiver that keep to credits, and
// stalls everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/board/rootport/root_complex.hpp"
#include "sim/common/random.hpp"

namespace swai::rootport {

struct SoftCardOptions {
  uint64_t seed = 1;
  bool stalls = true;  // in all it gives and takes; else it is as fast as the pins
  Credits granted = {.posted_header = 32, .posted_data = 512, .nonposted_header = 16, .nonposted_data = 16};
  unsigned vectors = 32;
  uint64_t bar0_bytes = 1 << 20;
  uint64_t bar0_claimed = 0;  // size that BAR0 shows, if not the true one
  bool answers = true;        // else requests vanish
  bool returns_credits = true;
};

class SoftCard {
 public:
  static constexpr uint64_t kTableBytes = 4096;
  static constexpr uint64_t kBar4Bytes = 256 << 10;

  SoftCard(RootPort& port, const SoftCardOptions& options);

  // One edge of its clock, then the port's clock().
  void clock();
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) clock();
  }

  // To the host. Waits for credits and for the wire.
  void send(const Tlp& tlp) { out_.push_back({tlp, {}, false}); }
  // Beats as they are, without a look at credits.
  void send_raw(const TlpHeader& header, std::vector<std::array<uint32_t, kBeatWords>> beats);
  // Sends the interrupt of an entry of the MSI-X table, if it may.
  bool interrupt(unsigned vector);

  size_t waiting() const { return out_.size(); }
  std::vector<uint8_t>& bar0() { return bar0_; }
  std::vector<uint8_t>& config() { return config_; }
  uint64_t cycle() const { return cycle_; }
  uint16_t id() const { return id_; }
  bool link() const { return pins_.link_up != 0; }
  SoftCardOptions& options() { return options_; }
  PinStore& pins() { return pins_; }
  void give_credits(const Credits& more);

  // Completions that the card gets, and all packets, with the cycle of the last beat's edge.
  std::function<void(const Tlp&)> on_completion;
  std::function<void(uint64_t cycle, const Tlp&)> on_packet;
  // What was wrong, for the test to compare with "".
  std::string error;
  uint64_t beats = 0;  // taken by the wire

 private:
  struct Outgoing {
    Tlp tlp;
    std::vector<std::array<uint32_t, kBeatWords>> raw;
    bool is_raw;
  };

  void fail(const std::string& what);
  void reset();
  void take_beat();
  void handle(const Tlp& tlp);
  void read_memory(const Tlp& tlp);
  void write_memory(const Tlp& tlp);
  void read_config(const Tlp& tlp);
  void write_config(const Tlp& tlp);
  std::vector<uint8_t>* bar_at(uint64_t address, uint64_t bytes, uint64_t& offset);
  uint64_t bar_address(unsigned index) const;
  void use(const Tlp& tlp);
  void next_beat();
  bool credits_for(const Tlp& tlp) const;

  SoftCardOptions options_;
  verif::Random random_;
  verif::Stalls tx_stalls_;
  verif::Stalls credit_stalls_;
  PinStore pins_;
  RootPort& port_;
  uint64_t cycle_ = 0;
  uint16_t id_ = 0;
  bool was_up_ = false;
  std::vector<uint8_t> config_;
  std::vector<uint8_t> bar0_, table_, bar4_;
  std::deque<Outgoing> out_;
  unsigned beat_ = 0;
  bool showing_ = false;
  Credits sent_;
  Credits received_;
  Credits limit_;
  std::deque<Credits> to_give_;
  bool receiving_ = false;
  Tlp incoming_;
  unsigned got_ = 0;
};

}  // namespace swai::rootport
