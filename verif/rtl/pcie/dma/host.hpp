// SPDX-License-Identifier: Apache-2.0
// The host side of the engine's testbench: the wire, host memory and whoever takes interrupts. Every packet
// is checked against the rules of PCI Express.
//
// Two tempers. Random: packets and interrupts arrive in order after random delays, streams stall, reads are
// answered in any order, completions of one read are cut at any read completion boundary. Timed: the wire
// carries 32 bytes per cycle each way (4 bytes per header doubleword, payload, 8 bytes) with 250 cycles of
// delay, memory takes 150.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <vector>

#include "Vpcie_dma.h"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/pcie/dma/memory.hpp"

namespace swai::dma_test {

using verif::check;

struct Beat {
  bool sop = false;
  bool eop = false;
  std::array<uint32_t, 4> header{};
  std::array<uint8_t, 64> data{};
};

enum class HostFault {
  kNone,
  kUnsupported,
  kAbort,
  kPoison,      // one of the completions
  kSilent,      // never answered
  kLate,        // answered after `late_by` cycles
  kWrongCount,  // completion with a byte count that cannot be
  kNoData,      // successful completion without data
};

class Host : public verif::Agent {
 public:
  struct Config {
    uint16_t bus_dev_fn = 0x0300;
    bool bus_master = true;
    unsigned mps = 8;
    unsigned mrrs = 9;
    bool flr = false;
  };

  Host(Vpcie_dma& top, verif::Random& random)
      : top_(top), random_(random), p_(random), np_(random), irq_(random), cpl_(random) {}

  Memory memory;
  Faults<HostFault> faults;
  Config config;
  bool timed = false;
  uint64_t max_delay = 300;  // of whatever is random
  uint64_t late_by = 3000;
  uint64_t requests_gone_by = 0;  // read requests swallowed by kSilent

  std::function<void(uint64_t address, uint64_t size)> on_write = [](uint64_t, uint64_t) {};
  std::function<void(unsigned vector)> on_interrupt = [](unsigned) {};
  std::function<void(uint64_t cycle)> on_first_beat = [](uint64_t) {};  // anything taken from p or np

  void drive() override;
  void sample() override;

  // A completion that nobody asked for.
  void send_stray(unsigned tag, uint16_t requester);

  uint64_t now() const { return now_; }
  uint64_t handed_over() const { return handed_over_; }  // posted packets and interrupts
  uint64_t arrived() const { return arrived_; }
  bool quiet() const { return wire_.empty() && reads_.empty() && answers_.empty() && line_.empty(); }
  void pause_streams(bool pause) { paused_ = pause; }

 private:
  struct Event {
    enum { kWrite, kRead, kInterrupt } kind;
    uint64_t at;
    std::array<uint32_t, 4> header{};
    std::vector<uint8_t> payload;
    unsigned vector = 0;
  };
  struct Span {
    uint64_t address;
    uint64_t bytes;
  };
  struct Read {
    uint64_t at;
    Span span;
    unsigned tag;
    HostFault fault;
  };
  struct Packet {
    std::vector<Beat> beats;
    uint64_t wire_bytes;
  };
  struct Answer {
    unsigned tag;
    std::deque<Packet> packets;
  };

  void take_p();
  void take_np();
  void put_on_wire(Event event);
  void arrive(Event& event);
  Span span_of(const std::array<uint32_t, 4>& header) const;
  Answer answer_of(const Read& read);
  Packet completion(unsigned tag, unsigned status, bool with_data, bool poisoned, uint64_t address,
                    uint64_t byte_count, std::span<const uint8_t> data, uint16_t requester) const;
  void serialise();

  Vpcie_dma& top_;
  verif::Random& random_;
  verif::Stalls p_, np_, irq_, cpl_;
  bool paused_ = false;
  uint64_t now_ = 0;
  std::vector<uint8_t> payload_;  // of the posted packet that is being taken
  std::array<uint32_t, 4> header_{};
  bool inside_ = false;
  std::deque<Event> wire_;
  std::vector<Read> reads_;
  std::vector<Answer> answers_;
  struct Due {
    uint64_t at;
    Beat beat;
  };
  std::deque<Due> line_;
  std::array<bool, 256> tag_used_{};
  uint64_t handed_over_ = 0;
  uint64_t arrived_ = 0;
  uint64_t sent_ = 0, received_ = 0;  // the wire's time in bytes, each way
  unsigned packets_without_master_ = 0;
  bool np_turn_ = false;
  bool p_waits_ = false, np_waits_ = false;
  Beat p_beat_, np_beat_;
};

}  // namespace swai::dma_test
