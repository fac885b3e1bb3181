// SPDX-License-Identifier: Apache-2.0
// A core group of a card on its socket, with the kernels of cpe-kernels and the firmware's driver, which the
// management processor runs errands for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/group/group.hpp"
#include "abi/launch.hpp"
#include "abi/module_reader.hpp"
#include "sim/common/random.hpp"
#include "verif/system/dma.hpp"
#include "verif/system/mpe_proxy.hpp"

namespace swai::system {

inline constexpr uint64_t kGroupBytes = uint64_t{16} << 30;

class GroupRig {
 public:
  // Segments that every group has: arguments, and kDataBytes of its own memory, for reading and writing.
  static constexpr uint16_t kArgumentSegment = 1;
  static constexpr uint16_t kDataSegment = 2;
  static constexpr uint16_t kFreeSegment = 3;  // the first of those that tests make
  static constexpr uint64_t kDataBytes = 64 << 20;
  static constexpr uint64_t kLimit = 2'000'000;

  GroupRig(MpeProxy& mpe, unsigned number);

  // Segment table, daemon, all CPEs: to be called again after a reset of the group.
  void start();

  // Others have rung: takes the number of the last launch from the group.
  void recount();

  // Queues a kernel of cpe-kernels with these arguments for the CPEs of `mask`, 0: all. Returns its number.
  uint32_t launch(const std::string& kernel, uint32_t mask = 0, bool notify = false) {
    return launch_bytes(kernel, {}, mask, notify);
  }
  template <typename Arguments>
  uint32_t launch(const std::string& kernel, const Arguments& arguments, uint32_t mask = 0,
                  bool notify = false) {
    return launch_bytes(kernel, {reinterpret_cast<const uint8_t*>(&arguments), sizeof arguments}, mask,
                        notify);
  }
  // Waits for its end; its done word.
  launch::Done finish(uint32_t number);
  // The same in one, and that it went well.
  template <typename Arguments>
  void run(const std::string& kernel, const Arguments& arguments, uint32_t mask = 0) {
    check_good(launch(kernel, arguments, mask));
  }
  void check_good(uint32_t number);
  // A copy of random bytes by all CPEs, compared.
  void prove(verif::Random& random);

  // Makes a segment, or makes it anew.
  void segment(uint16_t number, const segment::Entry& entry);

  struct Record {
    unsigned cpe;
    launch::Fault fault;
  };
  std::vector<Record> take_faults();
  // Its bits in the inbox: a launch that notifies has ended; a CPE has a fault. Takes them.
  bool take_notification() { return take_bit(40 + number_); }
  bool take_fault_report() { return take_bit(53 + number_); }

  uint64_t memory() const { return regs::kHbmRegion.base + number_ * kGroupBytes; }
  uint64_t data() const { return memory() + 0x1000'0000; }
  uint32_t pc(const std::string& kernel) { return program_of(kernel).kernel.pc; }
  uint16_t code_segment(const std::string& kernel) { return program_of(kernel).segment; }
  group::Group<MpeProxy>& driver() { return *driver_; }
  MpeProxy& mpe() { return mpe_; }

 private:
  struct Code {
    std::vector<uint8_t> file;
    module::Module module;
    uint16_t segment;
  };
  struct Program {
    module::KernelView kernel;
    uint16_t segment;
  };

  Code& code_of(const std::string& file, module::Space space = module::Space::kKernel);
  Program program_of(const std::string& kernel);
  uint32_t launch_bytes(const std::string& kernel, std::span<const uint8_t> arguments, uint32_t mask,
                        bool notify);
  bool take_bit(unsigned bit);

  MpeProxy& mpe_;
  unsigned number_;
  std::optional<group::Group<MpeProxy>> driver_;
  std::map<std::string, Code> codes_;  // by the module's file
  unsigned arguments_ = 0;             // sets of arguments that have been handed over
};

// Random bytes in the card's memory, and whether they are there.
std::vector<uint8_t> random_bytes(verif::Random& random, uint64_t bytes);
bool holds(MpeProxy& mpe, uint64_t address, const std::vector<uint8_t>& bytes);

}  // namespace swai::system
