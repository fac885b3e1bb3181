// The units of a CPE and their operations, as rtl/cpe/cpe_pkg.sv numbers them, and how much they hold.
#pragma once

#include <cstdint>

namespace swai::iss::cpe {

namespace unit {
inline constexpr uint8_t kControl = 0;
inline constexpr uint8_t kDma = 1;
inline constexpr uint8_t kRow = 2;
inline constexpr uint8_t kColumn = 3;
inline constexpr uint8_t kSystolic = 8;
inline constexpr uint8_t kVector = 9;
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

namespace systolic_op {
inline constexpr uint8_t kActivations = 0;
inline constexpr uint8_t kWeights = 1;
inline constexpr uint8_t kColumns = 2;
inline constexpr uint8_t kGroups = 3;
inline constexpr uint8_t kOutput = 4;
inline constexpr uint8_t kFactors = 5;
inline constexpr uint8_t kRows = 6;
inline constexpr uint8_t kClamp = 7;
inline constexpr uint8_t kSize = 8;
inline constexpr uint8_t kRun = 16;
inline constexpr uint8_t kWait = 17;
inline constexpr uint8_t kPoll = 18;
}  // namespace systolic_op

namespace systolic_weights {
enum Kind : uint8_t { kInt8 = 0, kInt4 = 1, kSparse = 2 };
}  // namespace systolic_weights

// Of elements in local memory.
namespace number {
enum Kind : uint8_t { kFp32 = 0, kInt32 = 1, kFp16 = 2, kInt8 = 3 };
constexpr int64_t bytes(Kind kind) { return kind == kInt8 ? 1 : kind == kFp16 ? 2 : 4; }
}  // namespace number

namespace vector_op {
inline constexpr uint8_t kA = 0;
inline constexpr uint8_t kB = 1;
inline constexpr uint8_t kC = 2;
inline constexpr uint8_t kResult = 3;
inline constexpr uint8_t kReduce = 4;
inline constexpr uint8_t kSize = 5;
inline constexpr uint8_t kRun = 16;
inline constexpr uint8_t kWait = 17;
inline constexpr uint8_t kPoll = 18;
}  // namespace vector_op

namespace operand {
enum Kind : uint8_t { kVector = 0, kScalar = 1, kValue = 2, kNone = 3 };
}  // namespace operand

namespace vector_mode {
enum Op : uint8_t { kFma = 0, kMul = 1, kAdd = 2, kMin = 3, kMax = 4, kLess = 5, kEqual = 6, kSelect = 7 };
enum Special : uint8_t { kPlain = 0, kExp2 = 1, kLog2 = 2, kReciprocal = 3, kRoot = 4 };
enum Reduce : uint8_t { kNothing = 0, kSum = 1, kLeast = 2, kLargest = 3 };
}  // namespace vector_mode

// Tickets count up modulo 2^32 from 1, the first transfer's: is `ticket` among the first `done`?
constexpr bool reached(uint32_t done, uint32_t ticket) { return static_cast<int32_t>(done - ticket) >= 0; }

}  // namespace swai::iss::cpe
