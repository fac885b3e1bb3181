// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/ecp5_tap.hpp"

#include <array>

namespace swai::usb {
namespace {

using State = Ecp5Tap::State;

// Instructions. Any other is a bypass.
constexpr uint8_t kReadId = 0xE0;
constexpr uint8_t kUserCode = 0xC0;
constexpr uint8_t kReadStatus = 0x3C;
constexpr uint8_t kCheckBusy = 0xF0;
constexpr uint8_t kUniqueId = 0x19;
constexpr uint8_t kReadControl0 = 0x20;
constexpr uint8_t kRefresh = 0x79;
constexpr uint8_t kEnable = 0xC6;
constexpr uint8_t kEnableTransparent = 0x74;
constexpr uint8_t kErase = 0x0E;
constexpr uint8_t kDisable = 0x26;
constexpr uint8_t kProgramSpi = 0x3A;

constexpr std::array<uint8_t, 4> kPreamble = {0xFF, 0xFF, 0xBD, 0xB3};  // of a bitstream
constexpr uint16_t kSpiKey = 0x68FE;
constexpr uint8_t kIrBits = 8;
constexpr uint8_t kIrCapture = 0x01;

// Bits of the status register.
constexpr uint32_t kDone = 1U << 8;
constexpr uint32_t kIscEnabled = 1U << 9;
constexpr uint32_t kWriteEnabled = 1U << 10;
constexpr uint32_t kReadEnabled = 1U << 11;
constexpr uint32_t kBusy = 1U << 12;
constexpr uint32_t kFail = 1U << 13;
constexpr uint32_t kStandardPreamble = 1U << 21;
constexpr uint32_t kPreambleError = 4U << 23;

constexpr Picoseconds kShortestPeriod = 40 * kNanosecond;   // of TCK: 25 MHz
constexpr Picoseconds kEraseTime = 20 * kMillisecond;       // of the configuration memory
constexpr Picoseconds kConfigureTime = 300 * kMillisecond;  // 1.9 MB at 50 Mbit/s

struct Next {
  State zero, one;  // by TMS
};

constexpr std::array<Next, 16> kNext = {{
    {State::kIdle, State::kReset},          // reset
    {State::kIdle, State::kSelectDr},       // idle
    {State::kCaptureDr, State::kSelectIr},  // select DR
    {State::kShiftDr, State::kExit1Dr},     // capture DR
    {State::kShiftDr, State::kExit1Dr},     // shift DR
    {State::kPauseDr, State::kUpdateDr},    // exit 1 DR
    {State::kPauseDr, State::kExit2Dr},     // pause DR
    {State::kShiftDr, State::kUpdateDr},    // exit 2 DR
    {State::kIdle, State::kSelectDr},       // update DR
    {State::kCaptureIr, State::kReset},     // select IR
    {State::kShiftIr, State::kExit1Ir},     // capture IR
    {State::kShiftIr, State::kExit1Ir},     // shift IR
    {State::kPauseIr, State::kUpdateIr},    // exit 1 IR
    {State::kPauseIr, State::kExit2Ir},     // pause IR
    {State::kShiftIr, State::kUpdateIr},    // exit 2 IR
    {State::kIdle, State::kSelectDr},       // update IR
}};

}  // namespace

void Ecp5Tap::drive(Picoseconds now, bool tck, bool tms, bool tdi) {
  tdi_ = tdi;
  if (tck == tck_) return;
  tck_ = tck;
  if (tck) {
    rising(now, tms, tdi);
  } else {
    falling(now);
  }
}

bool Ecp5Tap::tdo(Picoseconds now) {
  if (passes_through() && selected_) return flash_.sense(now);
  return !drives_ || tdo_;
}

void Ecp5Tap::rises(Picoseconds now) {
  if (rose_ && now - *rose_ < kShortestPeriod) ++fast_clocks_;
  rose_ = now;
}

void Ecp5Tap::rising(Picoseconds now, bool tms, bool tdi) {
  rises(now);
  switch (state_) {
    case State::kCaptureIr:
      shift_ir_ = kIrCapture;
      break;
    case State::kShiftIr:
      shift_ir_ = static_cast<uint8_t>(shift_ir_ >> 1 | (tdi ? 1U << (kIrBits - 1) : 0U));
      break;
    case State::kCaptureDr:
      capture(now);
      break;
    case State::kShiftDr:
      shift_in(tdi);
      break;
    default:
      break;
  }
  if (selected_) flash_.drive(now, false, true, tdi);
  state_ = tms ? kNext[static_cast<size_t>(state_)].one : kNext[static_cast<size_t>(state_)].zero;
}

void Ecp5Tap::shift_in(bool tdi) {
  shift_dr_ = shift_dr_ >> 1 | uint64_t{tdi} << (data_bits() - 1);
  shifted_ = shifted_ >> 1 | uint64_t{tdi} << 63;
  ++bits_;
}

std::optional<uint8_t> Ecp5Tap::exchange(const Pulses& pulses, uint8_t byte) {
  if (!selected_ || tck_) return std::nullopt;
  const std::optional<uint8_t> answer = flash_.exchange(pulses, byte);
  if (!answer) return answer;
  for (int i = 7; i >= 0; --i) {
    rises(pulses.last_rise() - 2 * static_cast<Picoseconds>(i) * pulses.half_period);
    shift_in((byte >> i & 1) != 0);
  }
  tdi_ = (byte & 1) != 0;
  tdo_ = (shift_dr_ & 1) != 0;
  return answer;
}

void Ecp5Tap::falling(Picoseconds now) {
  switch (state_) {
    case State::kReset:
      instruction_ = kReadId;
      pass_ = Pass::kClosed;
      break;
    case State::kIdle:
      if (pass_ == Pass::kUnlocked) {
        pass_ = Pass::kOpen;
        ++passages_;
      }
      break;
    case State::kUpdateIr:
      update_ir(now);
      break;
    case State::kUpdateDr:
      update_dr(now);
      break;
    default:
      break;
  }
  drives_ = state_ == State::kShiftIr || state_ == State::kShiftDr;
  tdo_ = ((state_ == State::kShiftIr ? shift_ir_ : shift_dr_) & 1) != 0;

  const bool select = passes_through() && state_ == State::kShiftDr;
  if (select || selected_) flash_.drive(now, !select, false, tdi_);
  selected_ = select;
}

unsigned Ecp5Tap::data_bits() const {
  switch (instruction_) {
    case kReadId:
    case kUserCode:
    case kReadStatus:
    case kReadControl0:
      return 32;
    case kUniqueId:
      return 64;
    case kProgramSpi:
      return 16;
    case kEnable:
    case kEnableTransparent:
    case kErase:
    case kCheckBusy:
      return 8;
    default:
      return 1;
  }
}

uint32_t Ecp5Tap::status(Picoseconds now) const {
  uint32_t bits = done_ && now >= busy_until_ ? kDone | kStandardPreamble : 0;
  if (programming_) bits |= kIscEnabled | kWriteEnabled | kReadEnabled;
  if (now < busy_until_) bits |= kBusy;
  if (failed_ && now >= busy_until_) bits |= kFail | kPreambleError;
  return bits;
}

void Ecp5Tap::capture(Picoseconds now) {
  bits_ = 0;
  switch (instruction_) {
    case kReadId:
      shift_dr_ = idcode_;
      break;
    case kReadStatus:
      shift_dr_ = status(now);
      break;
    case kCheckBusy:
      shift_dr_ = now < busy_until_ ? 0x80 : 0;
      break;
    case kUniqueId:
      shift_dr_ = 0x5357'4149'0000'0000 | idcode_;
      break;
    default:
      shift_dr_ = 0;
      break;
  }
}

void Ecp5Tap::update_ir(Picoseconds now) {
  instruction_ = shift_ir_;
  pass_ = Pass::kClosed;
  switch (instruction_) {
    case kRefresh:
      configure(now);
      break;
    case kDisable:
      programming_ = false;
      break;
    default:
      break;
  }
}

void Ecp5Tap::update_dr(Picoseconds now) {
  switch (instruction_) {
    case kEnable:
    case kEnableTransparent:
      programming_ = true;
      break;
    case kErase:
      if (!programming_) break;
      done_ = failed_ = false;
      busy_until_ = now + kEraseTime;
      break;
    case kProgramSpi:
      if (pass_ == Pass::kClosed && bits_ >= 16 && shifted_ >> 48 == kSpiKey) pass_ = Pass::kUnlocked;
      break;
    default:
      break;
  }
}

// Loads the bitstream, if there is one, as after power-on.
void Ecp5Tap::configure(Picoseconds now) {
  programming_ = false;
  done_ = flash_.holds(kPreamble);
  failed_ = !done_;
  busy_until_ = now + (done_ ? kConfigureTime : 0);
}

}  // namespace swai::usb
