// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/devices.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "card_regs.hpp"
#include "host/lib/sha256.hpp"

namespace swai::fast {

// ---------------------------------------------------------------------------------------------------- timer

bool Timer::software() const { return regs::timer::msip::kPending.get(at(regs::timer::msip::kOffset)) != 0; }

bool Timer::due() const { return hart_.time() >= at(regs::timer::mtimecmp::kOffset); }

uint64_t Timer::left() const {
  const uint64_t compare = at(regs::timer::mtimecmp::kOffset);
  return compare == kNever || due() ? kNever : compare - hart_.time();
}

uint64_t Timer::load(uint64_t offset, uint64_t value) {
  return offset == regs::timer::mtime::kOffset ? hart_.time() : value;
}

void Timer::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  if (offset == regs::timer::mtime::kOffset) hart_.set_time(merge(hart_.time(), data, mask));
}

// ----------------------------------------------------------------------------------------------------- uart

namespace {

constexpr size_t kUartFifo = 64;

}  // namespace

bool Uart::interrupt() const {
  namespace enable = regs::uart::irq_enable;
  const uint64_t enabled = at(enable::kOffset);
  // What is to be sent has left: the transmit FIFO is low at any time.
  return (enable::kRxValid.get(enabled) != 0 && !input_.empty()) || enable::kTxLow.get(enabled) != 0;
}

void Uart::reset(bool power_on) {
  RegisterBlock::reset(power_on);
  input_.clear();
}

uint64_t Uart::load(uint64_t offset, uint64_t value) {
  namespace status = regs::uart::status;
  if (offset == status::kOffset) {
    const uint64_t level = std::min(input_.size(), kUartFifo);
    return status::kTxEmpty.put(1) | status::kRxValid.put(level != 0 ? 1 : 0) |
           status::kRxFull.put(level == kUartFifo ? 1 : 0) | status::kRxLevel.put(level);
  }
  if (offset != regs::uart::rxdata::kOffset || input_.empty()) return value;
  const uint8_t byte = input_.front();
  input_.pop_front();
  return regs::uart::rxdata::kData.put(byte) | regs::uart::rxdata::kValid.put(1);
}

void Uart::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  if (offset == regs::uart::txdata::kOffset && (mask & 0xFF) != 0) send_(static_cast<uint8_t>(data));
}

// --------------------------------------------------------------------------------------------------- sha256

void Sha256::reset(bool power_on) {
  RegisterBlock::reset(power_on);
  message_.clear();
  length_ = 0;
  done_ = false;
}

void Sha256::take(uint64_t bytes, unsigned count) {
  if (done_) return;
  for (unsigned i = 0; i < count; ++i) message_.push_back(static_cast<uint8_t>(bytes >> (8 * i)));
  length_ += count;
}

void Sha256::finish() {
  const auto digest = sha256(message_);
  for (unsigned i = 0; i < 4; ++i) {
    std::memcpy(&at(regs::sha256::digest0::kOffset + 8 * i), digest.data() + 8 * i, 8);
  }
  message_.clear();
  done_ = true;
}

uint64_t Sha256::load(uint64_t offset, uint64_t value) {
  if (offset == regs::sha256::status::kOffset) return regs::sha256::status::kDone.put(done_ ? 1 : 0);
  return offset == regs::sha256::length::kOffset ? length_ : value;
}

void Sha256::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  if (offset == regs::sha256::control::kOffset) {
    if (regs::sha256::control::kStart.get(data) != 0) {
      message_.clear();
      length_ = 0;
      done_ = false;
    }
    if (regs::sha256::control::kFinish.get(data) != 0 && !done_) finish();
  } else if (offset == regs::sha256::data::kOffset) {
    take(data >> std::countr_zero(mask), static_cast<unsigned>(std::popcount(mask)) / 8);
  }
}

// ---------------------------------------------------------------------------------------------------- flash

namespace {

constexpr size_t kFlashFifo = 32;  // words of 8 bytes
constexpr uint64_t kClocksPerPeriod = 8;
// Chip select stays high so long between commands, with what leads to it.
constexpr uint64_t kRestPeriods = 7;

}  // namespace

bool Flash::interrupt() const {
  namespace enable = regs::flash::irq_enable;
  namespace events = regs::flash::events;
  const uint64_t now = at(events::kOffset);
  const uint64_t enabled = at(enable::kOffset);
  const bool error =
      (now & (events::kUnderrun.put(1) | events::kOverrun.put(1) | events::kRejected.put(1))) != 0;
  return (enable::kDone.get(enabled) != 0 && events::kDone.get(now) != 0) ||
         (enable::kError.get(enabled) != 0 && error);
}

void Flash::reset(bool power_on) {
  RegisterBlock::reset(power_on);
  if (busy()) chip_.deselect();
  fifo_.clear();
  phase_ = Phase::kNone;
  remaining_ = 0;
  wire_free_ = 0;
}

void Flash::take_wire(uint64_t periods) {
  wire_free_ = std::max(wire_free_, now_()) + periods * kClocksPerPeriod;
}

void Flash::start(uint64_t command) {
  namespace field = regs::flash::command;
  chip_.set_now(now_());
  chip_.select();
  chip_.in(static_cast<uint8_t>(field::kOpcode.get(command)));
  const uint64_t address = at(regs::flash::address::kOffset);
  const uint64_t form = field::kAddress.get(command);
  const unsigned address_bytes = form == field::kAddressBytes3 ? 3 : form == field::kAddressBytes4 ? 4 : 0;
  for (unsigned i = address_bytes; i-- > 0;) chip_.in(static_cast<uint8_t>(address >> (8 * i)));
  // Periods of sck: the chip counts them as bytes on as many lines as it has for them.
  for (unsigned bits = 0; bits < field::kDummy.get(command);) {
    bits += 8 / chip_.coming().lanes;
    chip_.in(0xFF);
  }
  take_wire(8 * (1 + address_bytes) + field::kDummy.get(command));
  periods_per_byte_ = field::kQuad.get(command) != 0 ? 2 : 8;
  remaining_ = at(regs::flash::length::kOffset);
  const uint64_t data = field::kData.get(command);
  tap_ = field::kTap.get(command) != 0;
  discard_ = field::kDiscard.get(command) != 0;
  const bool moves = remaining_ != 0 && data != field::kDataNone;
  if (!moves) {
    remaining_ = 0;
    return end(false);
  }
  phase_ = data == field::kDataRead ? Phase::kRead : Phase::kWrite;
  go_on();
}

void Flash::end(bool stopped) {
  chip_.set_now(now_());
  chip_.deselect();
  take_wire(kRestPeriods);
  if (fifo_.empty()) wait_(wire_free_);
  phase_ = Phase::kNone;
  if (!stopped) at(regs::flash::events::kOffset) |= regs::flash::events::kDone.put(1);
}

void Flash::go_on() {
  if (phase_ == Phase::kRead) read_words();
  if (phase_ == Phase::kWrite) write_words();
  if (busy() && remaining_ == 0) end(false);
}

void Flash::read_words() {
  while (remaining_ != 0 && (discard_ || fifo_.size() < kFlashFifo)) {
    const auto bytes = static_cast<unsigned>(std::min<uint64_t>(remaining_, 8));
    uint64_t word = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      // A chip that does not drive the lines leaves them high.
      word |= uint64_t{chip_.transfer(0xFF)} << (8 * i);
    }
    take_wire(bytes * periods_per_byte_);
    if (tap_) sha_.take(word, bytes);
    if (!discard_) fifo_.push_back({word, wire_free_});
    remaining_ -= bytes;
  }
}

void Flash::write_words() {
  while (remaining_ != 0 && !fifo_.empty()) {
    const auto bytes = static_cast<unsigned>(std::min<uint64_t>(remaining_, 8));
    for (unsigned i = 0; i < bytes; ++i) chip_.in(static_cast<uint8_t>(fifo_.front().bytes >> (8 * i)));
    fifo_.pop_front();
    take_wire(bytes * periods_per_byte_);
    remaining_ -= bytes;
  }
}

uint64_t Flash::load(uint64_t offset, uint64_t value) {
  namespace status = regs::flash::status;
  if (offset == status::kOffset) {
    return status::kBusy.put(busy() ? 1 : 0) | status::kFifoEmpty.put(fifo_.empty() ? 1 : 0) |
           status::kFifoFull.put(fifo_.size() == kFlashFifo ? 1 : 0) | status::kFifoLevel.put(fifo_.size()) |
           status::kRemaining.put(remaining_);
  }
  if (offset != regs::flash::rxdata::kOffset) return value;
  if (fifo_.empty()) {
    at(regs::flash::events::kOffset) |= regs::flash::events::kUnderrun.put(1);
    return 0;
  }
  const Word word = fifo_.front();
  fifo_.pop_front();
  wait_(word.there);
  go_on();
  return word.bytes;
}

void Flash::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  namespace events = regs::flash::events;
  switch (offset) {
    case regs::flash::command::kOffset:
      if ((mask & 0xFF) == 0) break;
      if (busy()) {
        at(events::kOffset) |= events::kRejected.put(1);
      } else {
        start(at(offset));
      }
      break;
    case regs::flash::txdata::kOffset:
      if (phase_ == Phase::kRead || fifo_.size() == kFlashFifo) {
        at(events::kOffset) |= events::kOverrun.put(1);
      } else {
        fifo_.push_back({data, 0});
        go_on();
      }
      break;
    case regs::flash::control::kOffset:
      if (regs::flash::control::kStop.get(data) == 0) break;
      if (busy()) end(true);
      fifo_.clear();
      remaining_ = 0;
      break;
    default:
      break;
  }
}

// ------------------------------------------------------------------------------------------------------ irq

namespace {

uint64_t edge_sources() {
  namespace pending = regs::irq::pending;
  return pending::kSoftware.put(1) | pending::kWriteError.put(1);
}

}  // namespace

void Irq::reset(bool power_on) {
  RegisterBlock::reset(power_on);
  edges_ = 0;
}

void Irq::raise(uint64_t sources) { edges_ |= sources & edge_sources(); }

bool Irq::machine() const { return (pending() & at(regs::irq::enable_m::kOffset)) != 0; }
bool Irq::supervisor() const { return (pending() & at(regs::irq::enable_s::kOffset)) != 0; }

uint64_t Irq::load(uint64_t offset, uint64_t value) {
  switch (offset) {
    case regs::irq::pending::kOffset:
      return pending();
    case regs::irq::pending_m::kOffset:
      return pending() & at(regs::irq::enable_m::kOffset);
    case regs::irq::pending_s::kOffset:
      return pending() & at(regs::irq::enable_s::kOffset);
    default:
      return value;
  }
}

void Irq::stored(uint64_t offset, uint64_t data, uint64_t /*mask*/) {
  if (offset == regs::irq::pending::kOffset) edges_ &= ~data;
  if (offset == regs::irq::raise::kOffset) raise(data);
}

// --------------------------------------------------------------------------------------------------- system

namespace {

// As rtl/soc has them by default.
constexpr uint64_t kICacheKiB = 16;
constexpr uint64_t kDCacheKiB = 16;

// Keys count only when all their bytes come in one store.
bool is_key(uint64_t data, uint64_t mask, uint64_t key) {
  return (mask & 0xFFFF'FFFF) == 0xFFFF'FFFF && (data & 0xFFFF'FFFF) == key;
}

}  // namespace

uint32_t System::status() const { return static_cast<uint32_t>(at(regs::system::status::kOffset)); }
uint64_t System::nmi_vector() const { return at(regs::system::nmi_vector::kOffset); }

void System::strike(Cause cause) {
  last_progress_ = at(regs::system::progress::kOffset);
  cause_ = static_cast<uint64_t>(cause);
  count_ = std::min<uint64_t>(count_ + 1, 0xFF);
}

void System::reset(bool power_on) {
  RegisterBlock::reset(power_on);
  reset_asked_ = false;
  watching_ = false;
  expired_ = false;
  remaining_ = 0xFFFF'FFFF;
  if (power_on) cause_ = count_ = last_progress_ = 0;
}

void System::kick() {
  expired_ = false;
  remaining_ = at(regs::system::watchdog_timeout::kOffset);
}

uint64_t System::watchdog_left() const { return watching_ ? remaining_ + 1 : kNever; }

System::Strike System::pass(uint64_t clocks) {
  if (!watching_) return Strike::kNone;
  if (clocks <= remaining_) {
    remaining_ -= clocks;
    return Strike::kNone;
  }
  remaining_ = at(regs::system::watchdog_timeout::kOffset);
  if (expired_) return Strike::kReset;
  expired_ = true;
  return Strike::kNmi;
}

uint64_t System::load(uint64_t offset, uint64_t value) {
  namespace config = regs::system::config;
  namespace control = regs::system::watchdog_control;
  switch (offset) {
    case config::kOffset:
      return config::kSramKib.put(regs::kSramBytes / 1024) | config::kIcacheKib.put(kICacheKiB) |
             config::kDcacheKib.put(kDCacheKiB);
    case regs::system::reset_cause::kOffset:
      return regs::system::reset_cause::kCause.put(cause_) | regs::system::reset_cause::kCount.put(count_);
    case regs::system::last_progress::kOffset:
      return last_progress_;
    case control::kOffset:
      return control::kEnable.put(watching_ ? 1 : 0) | control::kExpired.put(expired_ ? 1 : 0) |
             control::kRemaining.put(remaining_);
    default:
      return value;
  }
}

void System::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  switch (offset) {
    case regs::system::reset_request::kOffset:
      if (is_key(data, mask, regs::system::reset_request::kKeyGo)) reset_asked_ = true;
      break;
    case regs::system::scratch3::kOffset:
      discard_(discard::decode(at(offset)));
      break;
    case regs::system::watchdog_kick::kOffset:
      if (is_key(data, mask, regs::system::watchdog_kick::kKeyKick)) kick();
      break;
    case regs::system::watchdog_control::kOffset: {
      const bool before = watching_;
      watching_ = regs::system::watchdog_control::kEnable.get(at(offset)) != 0;
      if (watching_ && !before) kick();
      break;
    }
    default:
      break;
  }
}

// ---------------------------------------------------------------------------------------------------- inbox

bool Inbox::interrupt() const {
  return (at(regs::inbox::work::kOffset) & at(regs::inbox::enable::kOffset)) != 0;
}

void Inbox::raise(uint64_t work) {
  namespace field = regs::inbox::work;
  const uint64_t all = field::kDoorbells.put(~uint64_t{0}) | field::kDma.put(~uint64_t{0}) |
                       field::kGroups.put(~uint64_t{0}) | field::kFaults.put(~uint64_t{0});
  at(field::kOffset) |= work & all;
}

void Inbox::done(unsigned group, uint64_t word) { at(regs::inbox::done0::kOffset + 8 * group) = word; }

bool Inbox::visit_write(uint64_t offset, unsigned size, uint64_t value) {
  const Lanes lanes(offset, size);
  if (lanes.offset > regs::inbox::enable::kOffset) return false;
  if (lanes.offset == regs::inbox::work::kOffset) raise(lanes.place(value));
  if (lanes.offset >= regs::inbox::done0::kOffset && lanes.offset <= regs::inbox::done3::kOffset) {
    uint64_t& word = at(lanes.offset);
    word = merge(word, lanes.place(value), lanes.mask);
  }
  return true;
}

}  // namespace swai::fast
