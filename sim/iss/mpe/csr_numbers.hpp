// SPDX-License-Identifier: Apache-2.0
// Numbers and bits of the control and status registers.
#pragma once

#include <cstdint>

namespace swai::iss {

namespace csr {
inline constexpr unsigned kSstatus = 0x100;
inline constexpr unsigned kSie = 0x104;
inline constexpr unsigned kStvec = 0x105;
inline constexpr unsigned kScounteren = 0x106;
inline constexpr unsigned kSenvcfg = 0x10a;
inline constexpr unsigned kSscratch = 0x140;
inline constexpr unsigned kSepc = 0x141;
inline constexpr unsigned kScause = 0x142;
inline constexpr unsigned kStval = 0x143;
inline constexpr unsigned kSip = 0x144;
inline constexpr unsigned kSatp = 0x180;
inline constexpr unsigned kMstatus = 0x300;
inline constexpr unsigned kMisa = 0x301;
inline constexpr unsigned kMedeleg = 0x302;
inline constexpr unsigned kMideleg = 0x303;
inline constexpr unsigned kMie = 0x304;
inline constexpr unsigned kMtvec = 0x305;
inline constexpr unsigned kMcounteren = 0x306;
inline constexpr unsigned kMenvcfg = 0x30a;
inline constexpr unsigned kMcountinhibit = 0x320;
inline constexpr unsigned kMhpmevent3 = 0x323;
inline constexpr unsigned kMhpmevent31 = 0x33f;
inline constexpr unsigned kMscratch = 0x340;
inline constexpr unsigned kMepc = 0x341;
inline constexpr unsigned kMcause = 0x342;
inline constexpr unsigned kMtval = 0x343;
inline constexpr unsigned kMip = 0x344;
inline constexpr unsigned kTselect = 0x7a0;
inline constexpr unsigned kTdata3 = 0x7a3;
inline constexpr unsigned kMcycle = 0xb00;
inline constexpr unsigned kMinstret = 0xb02;
inline constexpr unsigned kMhpmcounter31 = 0xb1f;
inline constexpr unsigned kCycle = 0xc00;
inline constexpr unsigned kTime = 0xc01;
inline constexpr unsigned kInstret = 0xc02;
inline constexpr unsigned kHpmcounter31 = 0xc1f;
inline constexpr unsigned kMvendorid = 0xf11;
inline constexpr unsigned kMarchid = 0xf12;
inline constexpr unsigned kMimpid = 0xf13;
inline constexpr unsigned kMhartid = 0xf14;
inline constexpr unsigned kMconfigptr = 0xf15;
}  // namespace csr

namespace mstatus {
inline constexpr uint64_t kSie = 1 << 1;
inline constexpr uint64_t kMie = 1 << 3;
inline constexpr uint64_t kSpie = 1 << 5;
inline constexpr uint64_t kMpie = 1 << 7;
inline constexpr uint64_t kSpp = 1 << 8;
inline constexpr uint64_t kMpp = 3 << 11;
inline constexpr unsigned kMppShift = 11;
inline constexpr uint64_t kMprv = 1 << 17;
inline constexpr uint64_t kSum = 1 << 18;
inline constexpr uint64_t kMxr = 1 << 19;
inline constexpr uint64_t kTvm = 1 << 20;
inline constexpr uint64_t kTw = 1 << 21;
inline constexpr uint64_t kTsr = 1 << 22;
inline constexpr uint64_t kUxl = uint64_t{2} << 32;  // fixed: user and supervisor mode have 64 bits
inline constexpr uint64_t kSxl = uint64_t{2} << 34;
inline constexpr uint64_t kSupervisorView = kSie | kSpie | kSpp | kSum | kMxr;
inline constexpr uint64_t kWritable = kSupervisorView | kMie | kMpie | kMpp | kMprv | kTvm | kTw | kTsr;
}  // namespace mstatus

namespace envcfg {
inline constexpr uint64_t kFiom = 1 << 0;
inline constexpr uint64_t kCbie = 3 << 4;
inline constexpr unsigned kCbieShift = 4;
inline constexpr uint64_t kCbcfe = 1 << 6;
inline constexpr uint64_t kCbze = 1 << 7;
inline constexpr uint64_t kPbmte = uint64_t{1} << 62;
}  // namespace envcfg

namespace satp {
inline constexpr uint64_t kModeShift = 60;
inline constexpr uint64_t kBare = 0;
inline constexpr uint64_t kSv39 = 8;
inline constexpr uint64_t kPpn = (uint64_t{1} << 44) - 1;
}  // namespace satp

}  // namespace swai::iss
