// SPDX-License-Identifier: Apache-2.0
// What things take, in cycles of the card: every figure of the model's coarse clock that is not a formula of
// Clock. Each is a fact of the hardware's pipelines, with the page of docs/ that has it. Nothing here changes
// what a program computes.
#pragma once

#include <bit>
#include <cstdint>

namespace swai::iss::cpe::costs {

// --- the scalar core, beyond the one cycle of every instruction (cpe-core.md)
inline constexpr uint8_t kLoadUse = 1;      // the next instruction wants what was loaded
inline constexpr uint8_t kTaken = 1;        // a jump or a taken branch
inline constexpr uint8_t kTakenAcross = 2;  // to a 32-bit instruction across two words of 8 bytes
// A division: two, and the bits of the quotient.
constexpr unsigned division(uint32_t quotient) { return 2 + static_cast<unsigned>(std::bit_width(quotient)); }
// An access through the window: what the memory's own time does not contain.
inline constexpr uint64_t kWindow = 1;
// A line of code that nobody has had yet, from memory; and the one behind such a line, which was asked for
// while the core ran through that one.
inline constexpr uint64_t kCodeMiss = 45;  // with its row closed
inline constexpr uint64_t kCodeAhead = 20;

// --- launches (launch.md)
inline constexpr uint64_t kToEnd = 3;  // from the last ControlDone to the end
// All have arrived, to the instruction that goes on.
inline constexpr uint64_t kBarrier = 2;

// --- memory (cg-memory.md, hbm.md)
inline constexpr uint64_t kRead = 28;  // request to response, row open
inline constexpr uint64_t kWrite = 6;
inline constexpr uint64_t kRowOpens = 14;    // the first line of a transfer finds its row closed
inline constexpr unsigned kChannels = 4;     // of the HBM
inline constexpr uint64_t kLine = 4;         // of one channel's time
inline constexpr uint64_t kMixedPiece = 59;  // of 64 cycles, where reads and writes take turns: 0.918
// That a line of the core's, of code or of the window, waits for those of others: each CPE has but one, and
// of the lines of its transfers no more than its tags under way.
inline constexpr uint64_t kMostBefore = 128;
inline constexpr uint64_t kSleepsAfter = 4096;  // without work
inline constexpr uint64_t kWakes = 174;

// Memory of another group: there and back, with the buffers of both nodes (ring.md).
constexpr uint64_t far(unsigned hops) { return hops == 0 ? 0 : 2 * hops + 3; }

// --- DMA (cpe-memory.md)
inline constexpr uint64_t kDmaStart = 3;  // command to first request
inline constexpr uint64_t kDmaEnd = 1;    // last answer to the end of a wait
inline constexpr unsigned kDmaTransfers = 8;
inline constexpr uint32_t kDmaTags = 8;  // lines under way

// --- channels (channels.md)
inline constexpr uint64_t kSendStart = 3;   // command to the first word on the bus
inline constexpr uint64_t kSendEnd = 1;     // last word on the bus to the end of the sender's wait
inline constexpr uint64_t kReceiveEnd = 3;  // and of the receiver's

// --- systolic unit (systolic.md)
inline constexpr uint64_t kSystolicFill = 14;  // command to the first row: weights of a tile first
inline constexpr uint64_t kSystolicEnd = 16;   // array, drain, and store of the last row
inline constexpr uint64_t kInt8Tile = 8;       // weights of a tile, at least
inline constexpr uint64_t kInt4Tile = 5;
inline constexpr uint64_t kSparseTile = 21;
inline constexpr uint64_t kSparseRows = 32;  // which a sparse tile is gathered for at once
inline constexpr uint64_t kDrainRow = 4;     // two results a cycle; int32 eight, with factors of rows one
inline constexpr uint64_t kDrainTile = 4;    // factors and biases of its columns

// --- vector unit (vector.md)
inline constexpr uint64_t kVectorFill = 8;  // command to the first group in the lanes
inline constexpr uint64_t kVectorEnd = 9;   // last group to its results in local memory
inline constexpr uint64_t kSpecialEnd = 5;  // more with a special function
inline constexpr uint64_t kSpecialGroup = 2;
inline constexpr uint64_t kExtremeEnd = 2;  // smallest, largest
inline constexpr uint64_t kSumEnd = 20;
inline constexpr uint64_t kSumRow = 8;  // a row of sums, at least
inline constexpr unsigned kVectorRuns = 4;
// Of groups whose numbers are not fp32: writes lose their bank to reads now and then, 7.2 elements a cycle.
inline constexpr unsigned kConvertedPercent = 111;

}  // namespace swai::iss::cpe::costs
