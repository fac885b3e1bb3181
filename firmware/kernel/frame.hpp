// SPDX-License-Identifier: Apache-2.0
// The registers of interrupted code, as the trap entries in trap_entry.S save them.
#pragma once

#define FRAME_EPC 256
#define FRAME_STATUS 264
#define FRAME_CAUSE 272
#define FRAME_VALUE 280
#define FRAME_BYTES 288

#ifndef __ASSEMBLER__

#include <array>
#include <cstddef>
#include <cstdint>

namespace swai::kernel {

struct Frame {
  std::array<uint64_t, 32> registers;  // x0 is not written by the entries
  uint64_t epc;
  uint64_t status;
  uint64_t cause;
  uint64_t value;
};
static_assert(offsetof(Frame, epc) == FRAME_EPC && offsetof(Frame, status) == FRAME_STATUS &&
              offsetof(Frame, cause) == FRAME_CAUSE && offsetof(Frame, value) == FRAME_VALUE &&
              sizeof(Frame) == FRAME_BYTES);

}  // namespace swai::kernel

#endif
