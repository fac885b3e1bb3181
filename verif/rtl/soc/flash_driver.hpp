// SPDX-License-Identifier: Apache-2.0
// Commands of the flash controller as software gives them, with software's freedom: words early or late,
// reading or polling, pauses of any length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verif/rtl/soc/devices.hpp"

namespace swai::soc {

struct FlashCommand {
  uint8_t opcode = 0;
  unsigned address_bytes = 0;  // 0, 3 or 4
  uint32_t address = 0;
  unsigned dummy = 0;
  bool quad = false;
  bool tap = false;
  bool discard = false;
};

class FlashDriver {
 public:
  explicit FlashDriver(Devices& devices) : devices_(devices) {}

  void run(const FlashCommand& command);
  std::vector<uint8_t> read(const FlashCommand& command, uint32_t length);
  // Bytes go to the tap only.
  void read_to_tap(FlashCommand command, uint32_t length);
  void write(const FlashCommand& command, std::span<const uint8_t> bytes);

  enum class Data : uint8_t { kNone, kRead, kWrite };
  void start(const FlashCommand& command, Data data, uint32_t length);
  void wait_done();
  std::vector<uint8_t> take(uint32_t length);

  // Pauses between accesses to the FIFO: none, or up to `clocks`.
  void pauses(uint64_t clocks) { pauses_ = clocks; }

 private:
  void pause();

  Devices& devices_;
  uint64_t pauses_ = 0;
};

}  // namespace swai::soc
