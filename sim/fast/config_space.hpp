// SPDX-License-Identifier: Apache-2.0
// Configuration space of the endpoint, as rtl/pcie/pcie_config.sv has it, without what only the wire knows:
// errors of packets (advanced error reporting).
#pragma once

#include <cstdint>

namespace swai {
class Archive;
}

namespace swai::fast {

class ConfigSpace {
 public:
  static constexpr uint64_t kBytes = 4096;
  static constexpr uint16_t kVendorId = 0x5357;
  static constexpr uint16_t kDeviceId = 0x4149;
  static constexpr uint64_t kBar0Bytes = uint64_t{128} << 30;
  static constexpr uint64_t kBar2Bytes = 64 << 10;
  static constexpr uint64_t kBar4Bytes = 256 << 10;

  uint32_t read(uint64_t offset) const;  // of the word
  // True: it asks for a function-level reset.
  bool write(uint64_t offset, uint32_t data, uint32_t mask);
  // As the reset of the function, or of the link, leaves it.
  void reset_function();
  void reset_link();
  void set_link(bool up) { link_up_ = up; }
  void visit(Archive& archive);

  bool link_up() const { return link_up_; }
  bool memory() const { return (command_ & kMemory) != 0 && !d3_; }
  bool bus_master() const { return (command_ & kMaster) != 0 && !d3_; }
  bool d3() const { return d3_; }
  bool msix_enabled() const { return (msix_ & kMsixEnable) != 0; }
  bool msix_masked() const { return (msix_ & kMsixMask) != 0; }
  uint64_t bar0() const { return bar0_; }
  uint64_t bar2() const { return bar2_; }
  uint64_t bar4() const { return bar4_; }
  // log2 of bytes.
  unsigned max_payload() const { return 7 + (device_control_ >> 5 & 7); }
  unsigned max_read() const { return 7 + (device_control_ >> 12 & 7); }

 private:
  static constexpr uint32_t kMemory = 1 << 1;
  static constexpr uint32_t kMaster = 1 << 2;
  static constexpr uint32_t kMsixEnable = uint32_t{1} << 31;
  static constexpr uint32_t kMsixMask = uint32_t{1} << 30;
  static constexpr uint32_t kDeviceControlReset = 0x2910;

  bool link_up_ = false;
  uint32_t command_ = 0;
  uint8_t cache_line_ = 0;
  uint8_t irq_line_ = 0;
  uint64_t bar0_ = 0;
  uint64_t bar2_ = 0;
  uint64_t bar4_ = 0;
  bool d3_ = false;
  uint32_t msix_ = 0;
  uint32_t device_control_ = kDeviceControlReset;
  uint32_t device_control2_ = 0;
  uint32_t target_speed_ = 4;
};

}  // namespace swai::fast
