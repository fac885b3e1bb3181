// SPDX-License-Identifier: Apache-2.0
// The vendor region of the card's socket: region 9, beside those of vfio-pci. Identity, time, and test
// facilities of the simulator. docs/simulate/socket.md explains it; both ends include this file.
//
// Little-endian words of 64 bits. Accesses are whole words, aligned. Words that are not named read as zero;
// writing them, or words that are read-only, is an error (EINVAL).
#pragma once

#include <cstdint>
#include <string_view>

namespace swai::link::vendor {

inline constexpr unsigned kRegion = 9;
inline constexpr uint64_t kBytes = 0x1000;

// How a client finds it: the type in the region's capability is kTypeVendor | PCI vendor id, with this
// subtype.
inline constexpr uint32_t kTypeVendor = uint32_t{1} << 31;
inline constexpr uint32_t kSubtype = 1;

// Identity, read-only.
inline constexpr uint64_t kMagicAt = 0x000;
inline constexpr uint64_t kMagic = 0x3130'444e'5641'5753;  // the bytes "SWAVND01"
inline constexpr uint64_t kVersionAt = 0x008;              // low half current, high half minimum
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kMinimumVersion = 1;
inline constexpr uint64_t kCardAt = 0x010;     // low half number of this card, high half how many there are
inline constexpr uint64_t kVectorsAt = 0x018;  // MSI-X vectors
inline constexpr uint64_t kConfigurationAt = 0x020;  // 32 characters, padded with zeros
inline constexpr uint64_t kConfigurationBytes = 32;
// How the configuration of a card that is a functional model ends: its times are coarse.
inline constexpr std::string_view kFastTier = ", fast tier";

// Time.
inline constexpr uint64_t kModeAt = 0x040;
enum class Mode : uint64_t {
  kFreeRunning = 0,    // time passes whenever the card has work; what a client gets that does not ask
  kDeterministic = 1,  // time passes only inside RUN_UNTIL and region reads
};
inline constexpr uint64_t kCycleAt = 0x048;  // read-only: the card's present cycle

// Region writes of this client so far that were for the card, read-only: how many there were, how many of
// them were refused without anybody being told (because no reply was wanted), the number (from 1) and errno
// of the first of those. This is how a client learns the fate of its posted writes.
inline constexpr uint64_t kWritesAt = 0x050;
inline constexpr uint64_t kWritesRefusedAt = 0x058;
inline constexpr uint64_t kFirstRefusedAt = 0x060;
inline constexpr uint64_t kFirstErrorAt = 0x068;

// Vectors that have fired and were not yet taken by RUN_UNTIL. Writing ones takes them.
inline constexpr uint64_t kPendingAt = 0x070;

// RUN_UNTIL: what to wait for is written here; a read that starts at kRunAt lets time pass and returns when
// it has come.
inline constexpr uint64_t kRunVectorsAt = 0x080;  // any of these vectors
inline constexpr uint64_t kRunLimitAt = 0x088;    // a cycle
inline constexpr uint64_t kRunFlagsAt = 0x090;
inline constexpr uint64_t kLimitIsRelative = 1;  // kRunLimit counts from the cycle in which the read arrives
inline constexpr uint64_t kRunAt = 0x0a0;        // the result

struct RunRequest {  // at kRunVectorsAt
  uint64_t vectors = 0;
  uint64_t limit = 0;
  uint64_t flags = 0;
};
static_assert(sizeof(RunRequest) == 24);

enum class Cause : uint64_t {
  kNone = 0,       // nothing has run yet
  kInterrupt = 1,  // wins over the others when they come together
  kLimit = 2,
  kAsleep = 3,  // nothing is left to happen: without a new access time would never reach the limit
};

struct RunResult {  // at kRunAt
  Cause cause = Cause::kNone;
  uint64_t vectors = 0;  // those of the request that had fired; they are no longer pending
  uint64_t cycle = 0;
};
static_assert(sizeof(RunResult) == 24);

// Test facilities: writing kCommandAt executes a command with the arguments that stand before it. The error
// is that of the write as well. Commands a card does not have: ENOTSUP.
inline constexpr uint64_t kArgumentsAt = 0x100;  // four
inline constexpr uint64_t kCommandAt = 0x120;
inline constexpr uint64_t kCommandErrorAt = 0x128;  // read-only: errno of the last command, 0: it was done
inline constexpr uint64_t kCommandValueAt = 0x130;  // read-only: what it returned

enum class Command : uint64_t {
  kTrace = 1,          // on (1) or off (0)
  kPoisonMemory = 2,   // device address, bytes: poisons the 64-byte lines that they touch
  kClearPoison = 3,    // device address, bytes
  kInject = 4,         // Fault, how many, after how many good ones, a value
  kInjectionsDue = 5,  // Fault: returns how many have not happened yet
  kStatistic = 6,      // Statistic: returns it
  kClearStatistics = 7,
  // A client's allocations, for a functional model that checks each access of its kernels: in a segment with
  // allocations, kernels may use only these bytes. Without such a command only segments are checked.
  kAllocated = 8,  // device pointer, bytes
  kFreed = 9,      // device pointer at which an allocation begins
  kAllFreed = 10,
};

// What the root complex and the wire can be made to do wrong.
enum class Fault : uint64_t {
  kDropCompletion = 1,      // the card's next reads of host memory: no completion comes (completion timeout)
  kPoisonCompletion = 2,    // the completion's EP bit is set
  kUnsupported = 3,         // status Unsupported Request
  kAbort = 4,               // status Completer Abort
  kUnexpected = 5,          // one completion more, with a tag that is not open
  kDelayCompletion = 6,     // value: cycles
  kReorderCompletions = 7,  // completions of different requests change places
  kPoisonWrite = 8,         // the host's next writes to the card have the EP bit set
  kStallCredits = 9,        // value: cycles in which the host grants no credits
};

// Counted in cycles or bytes since the start or the last kClearStatistics.
enum class Statistic : uint64_t {
  kCycles = 0,
  kTxWireBytes = 1,  // from the card, with all overhead
  kTxPayloadBytes = 2,
  kRxWireBytes = 3,  // to the card
  kRxPayloadBytes = 4,
  kTxPackets = 5,
  kRxPackets = 6,
  kIommuFaults = 7,
  kTxFirstByteCycle = 8,  // when a packet first left the card since then, 0: none has
  kRxFirstByteCycle = 9,  // and when one first reached it
  // Since power-on, of cards whose simulator counts them: cycles in which an engine of any core worked.
  kWorkCycles = 10,  // one of those that follow, but for transfers of cores that wait at a barrier
  kDmaCycles = 11,
  kSystolicCycles = 12,
  kVectorCycles = 13,
  kBarrierCycles = 14,  // of all cores together, in which they waited at a barrier
};

}  // namespace swai::link::vendor
