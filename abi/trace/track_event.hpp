// SPDX-License-Identifier: Apache-2.0
// Numbers of fields in packets of Perfetto's TrackEvent format: those of its protobuf schema
// (protos/perfetto/trace).
#pragma once

#include <cstdint>

namespace swai::events::fields {

// Of a trace.
inline constexpr unsigned kTracePacket = 1;

namespace packet {
inline constexpr unsigned kTimestamp = 8;
inline constexpr unsigned kSequence = 10;
inline constexpr unsigned kTrackEvent = 11;
inline constexpr unsigned kTrackDescriptor = 60;
}  // namespace packet

namespace descriptor {
inline constexpr unsigned kUuid = 1;
inline constexpr unsigned kName = 2;
inline constexpr unsigned kProcess = 3;
inline constexpr unsigned kThread = 4;
inline constexpr unsigned kParent = 5;
inline constexpr unsigned kCounter = 8;
}  // namespace descriptor

namespace process {
inline constexpr unsigned kPid = 1;
inline constexpr unsigned kName = 6;
}  // namespace process

namespace thread {
inline constexpr unsigned kPid = 1;
inline constexpr unsigned kTid = 2;
inline constexpr unsigned kName = 5;
}  // namespace thread

namespace counter {
inline constexpr unsigned kUnit = 3;
inline constexpr uint64_t kCount = 2;
inline constexpr uint64_t kBytes = 3;
}  // namespace counter

namespace event {
inline constexpr unsigned kAnnotation = 4;
inline constexpr unsigned kType = 9;
inline constexpr unsigned kTrack = 11;
inline constexpr unsigned kName = 23;
inline constexpr unsigned kCounterValue = 30;
inline constexpr unsigned kFlow = 47;
inline constexpr unsigned kFlowEnds = 48;
inline constexpr unsigned kBegin = 1;
inline constexpr unsigned kEnd = 2;
inline constexpr unsigned kInstant = 3;
inline constexpr unsigned kCounter = 4;
}  // namespace event

namespace annotation {
inline constexpr unsigned kUint = 3;
inline constexpr unsigned kText = 6;
inline constexpr unsigned kName = 10;
}  // namespace annotation

}  // namespace swai::events::fields
