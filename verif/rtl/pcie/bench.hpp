// SPDX-License-Identifier: Apache-2.0
// The endpoint with everything around it: wire and host, ring and memory, the management processor, and a
// stand-in for the DMA engine.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "Vpcie_endpoint.h"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/stream.hpp"
#include "verif/rtl/pcie/host.hpp"
#include "verif/rtl/pcie/ring.hpp"
#include "verif/rtl/pcie/wire.hpp"

namespace swai::pcie {

// Where the tests put the BARs.
inline constexpr uint64_t kBar0 = 0x60'0000'0000, kBar2 = 0x7'1234'0000, kBar4 = 0x9fe4'0000;
inline constexpr uint64_t kSramWindow = uint64_t{64} << 30;

inline constexpr unsigned kCommand = 0x04, kDeviceControl = 0x68, kMsixControl = 0x50;
inline constexpr unsigned kAerUncorrectable = 0x104;

class EndpointBench : private verif::Agent {
 public:
  explicit EndpointBench(uint64_t seed);

  using Bench = verif::Bench<Vpcie_endpoint>;
  Bench bench;
  verif::Random& random;
  Vpcie_endpoint& top;
  Ring ring;
  RingMaster mpe;
  Host host;
  Wire wire;

  // The DMA engine's stand-in: what it hands over, in order, and what it hears.
  std::deque<Tlp> dma_posted, dma_nonposted;
  std::deque<unsigned> dma_irqs;
  uint64_t posted_handed = 0;  // packets
  std::function<void(unsigned vector)> on_irq_handed = [](unsigned) {};
  std::vector<Tlp> dma_completions;
  uint64_t dma_registers[64] = {};  // of a made-up device `dma`
  unsigned work = 0;                // pulses for the next cycle

  // Where BARs are, memory and bus master on, payload 128 or 256.
  void enumerate(unsigned mps = 256);
  void until(const std::function<bool()>& done, uint64_t limit, const std::string& what) {
    bench.until(done, limit, what);
  }
  void first_write();        // the configuration write that tells the card who it is
  bool read_without_bars();  // a read where BAR4 was is refused
  void quiet();              // until nothing is under way any more

  uint32_t config_read(unsigned offset);
  unsigned config_write(unsigned offset, uint32_t value, unsigned be = 0xf);  // gives the status
  Result read(uint64_t addr, unsigned count);
  uint64_t read_register(uint64_t addr) { return read(kBar4 + addr, 8).value(); }
  void write(uint64_t addr, uint64_t value, unsigned count = 8);
  RingResponse mpe_access(bool write, uint64_t addr, uint64_t value = 0, unsigned size = 3);
  uint64_t mpe_read(uint64_t addr);

  uint64_t cycle() const { return cycle_; }

 private:
  void drive() override;
  void sample() override;
  std::optional<Beat> next_beat(std::deque<Tlp>& packets, std::deque<Beat>& beats);

  uint64_t cycle_ = 0;
  std::deque<Beat> posted_beats_, nonposted_beats_;
  std::unique_ptr<verif::StreamSource<Beat>> posted_, nonposted_;
  std::unique_ptr<verif::StreamSource<uint64_t>> irqs_;
  std::vector<Beat> completion_;
  verif::Stalls register_stalls_;
  bool answering_ = false;  // the register access in this cycle
};

inline void expect(uint64_t got, uint64_t wanted, const std::string& what) {
  verif::check(got == wanted, fmt::format("{} is {:#x} instead of {:#x}", what, got, wanted));
}

}  // namespace swai::pcie
