// The units of a CPE and their operations, as rtl/cpe/cpe_pkg.sv numbers them, and how much they hold.
#pragma once

#include <cstdint>

namespace swai::iss::cpe {

namespace unit {
inline constexpr uint8_t kControl = 0;
inline constexpr uint8_t kDma = 1;
inline constexpr uint8_t kRow = 2;
inline constexpr uint8_t kColumn = 3;
}  // namespace unit

namespace control_op {
inline constexpr uint8_t kLaunch = 0;
inline constexpr uint8_t kArgument = 1;
inline constexpr uint8_t kDone = 2;
inline constexpr uint8_t kSync = 3;
}  // namespace control_op

namespace dma_op {
inline constexpr uint8_t kGlobal = 0;
inline constexpr uint8_t kShape = 1;
inline constexpr uint8_t kLoad = 2;
inline constexpr uint8_t kStore = 3;
inline constexpr uint8_t kWait = 4;
inline constexpr uint8_t kPoll = 5;
}  // namespace dma_op

namespace channel_op {
inline constexpr uint8_t kSend = 0;
inline constexpr uint8_t kReceive = 1;
inline constexpr uint8_t kWaitSend = 2;
inline constexpr uint8_t kWaitReceive = 3;
}  // namespace channel_op

// Tickets count up modulo 2^32 from 1, the first transfer's: is `ticket` among the first `done`?
constexpr bool reached(uint32_t done, uint32_t ticket) { return static_cast<int32_t>(done - ticket) >= 0; }

}  // namespace swai::iss::cpe
