// SPDX-License-Identifier: Apache-2.0
#include "sim/board/flash/flash_chip.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/common/archive.hpp"

namespace swai::card {
namespace {

constexpr uint8_t kBusyBit = 0x01;
constexpr uint8_t kWriteEnableBit = 0x02;
constexpr uint8_t kTopBottomBit = 0x20;
constexpr uint8_t kSectorBit = 0x40;
constexpr uint8_t kLockBit = 0x01;        // status register 2
constexpr uint8_t kQuadEnableBit = 0x02;  // status register 2
constexpr uint8_t kComplementBit = 0x40;  // status register 2

// What a status write can change. The rest belongs to features that are not modelled.
constexpr FlashStatusBits kWritable = {0xFC, 0x43, 0x60};

uint8_t merge(uint8_t old_bits, uint8_t new_bits, uint8_t writable) {
  return static_cast<uint8_t>((old_bits & ~writable) | (new_bits & writable));
}

// 64 bits of which each is 1 with the given probability (in 256ths).
uint64_t sparse_bits(std::mt19937_64& random, unsigned probability) {
  if (probability >= 256) return ~uint64_t{0};
  uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits = ((probability >> i) & 1) != 0 ? bits | random() : bits & random();
  return bits;
}

}  // namespace

FlashTimes FlashTimes::faster(double factor) const {
  auto scaled = [factor](uint64_t clocks) {
    return std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(clocks) / factor));
  };
  return {scaled(first_byte), scaled(next_byte),  scaled(page),         scaled(erase_4k),   scaled(erase_32k),
          scaled(erase_64k),  scaled(erase_chip), scaled(write_status), scaled(power_mode), scaled(reset)};
}

struct FlashChip::Command {
  enum class Data : uint8_t { kNone, kOut, kIn };
  uint8_t opcode;
  uint8_t address;        // bytes
  uint8_t address_lanes;  // of address, mode and dummy bytes
  uint8_t mode;           // bytes
  uint8_t dummy;          // bytes
  uint8_t data_lanes;
  Data data;
  bool needs_quad;
  bool while_busy;
  bool memory = false;  // the data are the cells'
};

const FlashChip::Command* FlashChip::find(uint8_t opcode) {
  using enum Command::Data;
  static constexpr Command kCommands[] = {
      {0x01, 0, 1, 0, 0, 1, kIn, false, false},         // write status 1 (and 2)
      {0x02, 3, 1, 0, 0, 1, kIn, false, false},         // page program
      {0x03, 3, 1, 0, 0, 1, kOut, false, false, true},  // read
      {0x04, 0, 1, 0, 0, 1, kNone, false, false},       // write disable
      {0x05, 0, 1, 0, 0, 1, kOut, false, true},         // read status 1
      {0x06, 0, 1, 0, 0, 1, kNone, false, false},       // write enable
      {0x0B, 3, 1, 0, 1, 1, kOut, false, false, true},  // fast read
      {0x11, 0, 1, 0, 0, 1, kIn, false, false},         // write status 3
      {0x15, 0, 1, 0, 0, 1, kOut, false, true},         // read status 3
      {0x20, 3, 1, 0, 0, 1, kNone, false, false},       // erase 4 KiB
      {0x31, 0, 1, 0, 0, 1, kIn, false, false},         // write status 2
      {0x32, 3, 1, 0, 0, 4, kIn, true, false},          // quad page program
      {0x35, 0, 1, 0, 0, 1, kOut, false, true},         // read status 2
      {0x50, 0, 1, 0, 0, 1, kNone, false, false},       // write enable for volatile status
      {0x52, 3, 1, 0, 0, 1, kNone, false, false},       // erase 32 KiB
      {0x5A, 3, 1, 0, 1, 1, kOut, false, false},        // SFDP
      {0x60, 0, 1, 0, 0, 1, kNone, false, false},       // erase chip
      {0x66, 0, 1, 0, 0, 1, kNone, false, true},        // enable reset
      {0x6B, 3, 1, 0, 1, 4, kOut, true, false, true},   // quad output read
      {0x90, 3, 1, 0, 0, 1, kOut, false, false},        // manufacturer and device
      {0x99, 0, 1, 0, 0, 1, kNone, false, true},        // reset
      {0x9F, 0, 1, 0, 0, 1, kOut, false, false},        // JEDEC id
      {0xAB, 0, 1, 0, 3, 1, kOut, false, false},        // leave deep power-down; device
      {0xB9, 0, 1, 0, 0, 1, kNone, false, false},       // deep power-down
      {0xC7, 0, 1, 0, 0, 1, kNone, false, false},       // erase chip
      {0xD8, 3, 1, 0, 0, 1, kNone, false, false},       // erase 64 KiB
      {0xEB, 3, 4, 1, 2, 4, kOut, true, false, true},   // quad I/O read
  };
  const auto* found = std::ranges::find(kCommands, opcode, &Command::opcode);
  return found == std::end(kCommands) ? nullptr : found;
}

FlashChip::FlashChip(FlashStore& store, const FlashOptions& options)
    : store_(store), options_(options), random_(options.seed) {
  apply_stuck(0, static_cast<uint32_t>(store_.size()));
  power_on();
}

void FlashChip::power_on() {
  status_ = store_.status();
  write_enable_ = volatile_enable_ = reset_enable_ = power_down_ = continuous_read_ = false;
  selected_ = false;
  phase_ = Phase::kIgnore;
}

void FlashChip::visit(Archive& archive) {
  uint8_t opcode = command_ != nullptr ? command_->opcode : 0;
  archive(now_, counters_, status_, write_enable_, volatile_enable_, reset_enable_, power_down_,
          continuous_read_, deaf_until_, operation_, selected_, phase_, opcode, count_, address_, page_,
          page_bytes_, status_in_);
  if (archive.takes_back()) command_ = find(opcode);
}

void FlashChip::select() {
  selected_ = true;
  page_.fill(0xFF);
  page_bytes_ = 0;
  count_ = 0;
  address_ = 0;
  phase_ = Phase::kOpcode;
  if (continuous_read_) {
    command_ = find(0xEB);
    enter_phases();
  }
}

bool FlashChip::accepted(const Command& command) const {
  if (now_ < deaf_until_) return false;
  if (power_down_) return command.opcode == 0xAB;
  if (busy() && !command.while_busy) return false;
  return !command.needs_quad || (status_.sr2 & kQuadEnableBit) != 0;
}

void FlashChip::enter_phases() {
  ++counters_.commands;
  next_phase(Phase::kOpcode);
}

void FlashChip::next_phase(Phase from) {
  count_ = 0;
  if (from < Phase::kAddress && command_->address != 0) {
    phase_ = Phase::kAddress;
  } else if (from < Phase::kMode && command_->mode != 0) {
    phase_ = Phase::kMode;
  } else if (from < Phase::kDummy && command_->dummy != 0) {
    phase_ = Phase::kDummy;
  } else {
    phase_ = Phase::kData;
  }
}

FlashChip::Transfer FlashChip::coming() const {
  switch (phase_) {
    case Phase::kAddress:
    case Phase::kMode:
    case Phase::kDummy:
      return {command_->address_lanes, false};
    case Phase::kData:
      return {command_->data_lanes, command_->data == Command::Data::kOut};
    default:
      return {};
  }
}

uint8_t FlashChip::status1() const {
  return static_cast<uint8_t>((status_.sr1 & kWritable.sr1) | (write_enable_ ? kWriteEnableBit : 0) |
                              (busy() ? kBusyBit : 0));
}

// The capacity as the JEDEC id has it, less one, is the device id of the family.
uint8_t FlashChip::device_id() const { return static_cast<uint8_t>(std::countr_zero(store_.size()) - 1); }

uint8_t FlashChip::out() const {
  if (!coming().drives) return 0xFF;
  switch (command_->opcode) {
    case 0x05:
      return status1();
    case 0x35:
      return status_.sr2;
    case 0x15:
      return status_.sr3;
    case 0x5A:
      return options_.sfdp ? flash_sfdp(store_.size())[(address_ + count_) % 256] : 0xFF;
    case 0x90:
      return (address_ + count_) % 2 == 0 ? options_.manufacturer : device_id();
    case 0x9F: {
      const uint8_t id[] = {options_.manufacturer, options_.memory_type,
                            static_cast<uint8_t>(device_id() + 1)};
      return id[count_ % 3];
    }
    case 0xAB:
      return device_id();
    default:
      return store_.cells()[(address_ + count_) & mask()];
  }
}

void FlashChip::in(uint8_t byte) {
  switch (phase_) {
    case Phase::kOpcode:
      command_ = find(byte);
      if (command_ == nullptr || !accepted(*command_)) {
        ++counters_.ignored;
        phase_ = Phase::kIgnore;
        return;
      }
      enter_phases();
      return;
    case Phase::kAddress:
      address_ = (address_ << 8 | byte) & mask();
      if (++count_ == command_->address) next_phase(Phase::kAddress);
      return;
    case Phase::kMode:
      continuous_read_ = (byte & 0x30) == 0x20;
      next_phase(Phase::kMode);
      return;
    case Phase::kDummy:
      if (++count_ == command_->dummy) next_phase(Phase::kDummy);
      return;
    case Phase::kData:
      if (command_->data == Command::Data::kIn) {
        if (command_->address == 0) {
          if (count_ < status_in_.size()) status_in_[count_] = byte;
        } else {
          page_[(address_ + count_) % kPageBytes] = byte;
        }
      } else if (command_->memory) {
        ++counters_.bytes_read;
      }
      ++count_;
      return;
    case Phase::kIgnore:
      return;
  }
}

void FlashChip::deselect(bool whole_byte) {
  if (!selected_) return;
  selected_ = false;
  // Leaving deep power-down needs no more than the opcode; everything else must be complete.
  const bool complete_command = phase_ == Phase::kData && whole_byte;
  const bool wakes = phase_ != Phase::kOpcode && phase_ != Phase::kIgnore && command_->opcode == 0xAB;
  if (complete_command || wakes) execute();
  phase_ = Phase::kIgnore;
}

void FlashChip::execute() {
  const uint8_t opcode = command_->opcode;
  const bool reset_enabled = std::exchange(reset_enable_, false);
  if (command_->data == Command::Data::kNone && count_ != 0) {
    ++counters_.ignored;
    return;
  }
  switch (opcode) {
    case 0x04:
      write_enable_ = false;
      break;
    case 0x06:
      write_enable_ = true;
      break;
    case 0x50:
      volatile_enable_ = true;
      return;
    case 0x66:
      reset_enable_ = true;
      break;
    case 0x99:
      if (!reset_enabled) {
        ++counters_.ignored;
        break;
      }
      interrupt_operation();
      power_on();
      deaf_until_ = now_ + options_.times.reset;
      break;
    case 0xB9:
      power_down_ = true;
      deaf_until_ = now_ + options_.times.power_mode;
      break;
    case 0xAB:
      if (power_down_) deaf_until_ = now_ + options_.times.power_mode;
      power_down_ = false;
      break;
    case 0x01:
    case 0x11:
    case 0x31:
      if (!write_status()) ++counters_.ignored;
      break;
    case 0x02:
    case 0x32:
    case 0x20:
    case 0x52:
    case 0xD8:
    case 0x60:
    case 0xC7:
      if (!write_enabled_execute()) ++counters_.ignored;
      break;
    default:
      break;
  }
  volatile_enable_ = false;
}

bool FlashChip::write_enabled_execute() {
  if (!write_enable_) return false;
  switch (command_->opcode) {
    case 0x20:
      return erase(4 << 10, options_.times.erase_4k);
    case 0x52:
      return erase(32 << 10, options_.times.erase_32k);
    case 0xD8:
      return erase(64 << 10, options_.times.erase_64k);
    case 0x60:
    case 0xC7:
      return erase(static_cast<uint32_t>(store_.size()), options_.times.erase_chip);
    default:
      return program();
  }
}

bool FlashChip::is_protected(uint32_t first, uint32_t bytes) const {
  const auto size = static_cast<uint32_t>(store_.size());
  const unsigned level = (status_.sr1 >> 2) & 7;
  uint32_t covered = 0;
  if (level == 7) {
    covered = size;
  } else if (level != 0 && (status_.sr1 & kSectorBit) != 0) {
    covered = std::min(uint32_t{4 << 10} << (level - 1), uint32_t{32 << 10});
  } else if (level != 0) {
    covered = std::min(std::max(uint32_t{64 << 10}, size / 64) << (level - 1), size);
  }
  const bool bottom = (status_.sr1 & kTopBottomBit) != 0;
  uint32_t low = bottom ? 0 : size - covered;
  uint32_t high = bottom ? covered : size;
  if ((status_.sr2 & kComplementBit) != 0) {
    low = bottom ? covered : 0;
    high = bottom ? size : size - covered;
  }
  return first < high && first + bytes > low;
}

bool FlashChip::program() {
  if (count_ == 0) return false;
  const uint32_t first = address_ & ~(kPageBytes - 1);
  if (is_protected(first, kPageBytes)) return false;
  Operation operation{.kind = Kind::kProgram, .address = first, .bytes = kPageBytes, .page = page_};
  const uint64_t extra = std::min(count_, kPageBytes) - 1;
  ++counters_.programs;
  counters_.bytes_programmed += extra + 1;
  begin(operation,
        std::min(options_.times.first_byte + extra * options_.times.next_byte, options_.times.page));
  return true;
}

bool FlashChip::erase(uint32_t bytes, uint64_t clocks) {
  const uint32_t first = address_ & ~(bytes - 1);
  if (is_protected(first, bytes)) return false;
  ++counters_.erases;
  counters_.bytes_erased += bytes;
  begin({.kind = Kind::kErase, .address = first, .bytes = bytes}, clocks);
  return true;
}

bool FlashChip::write_status() {
  const uint32_t most = command_->opcode == 0x01 ? 2 : 1;
  if (count_ == 0 || count_ > most || (status_.sr2 & kLockBit) != 0) return false;
  if (!write_enable_ && !volatile_enable_) return false;

  FlashStatusBits wanted = status_;
  if (command_->opcode == 0x01) wanted.sr1 = merge(wanted.sr1, status_in_[0], kWritable.sr1);
  if (command_->opcode == 0x01 && count_ == 2) wanted.sr2 = merge(wanted.sr2, status_in_[1], kWritable.sr2);
  if (command_->opcode == 0x31) wanted.sr2 = merge(wanted.sr2, status_in_[0], kWritable.sr2);
  if (command_->opcode == 0x11) wanted.sr3 = merge(wanted.sr3, status_in_[0], kWritable.sr3);
  if (volatile_enable_) {
    status_ = wanted;
  } else {
    begin({.kind = Kind::kStatus, .status = wanted}, options_.times.write_status);
  }
  return true;
}

void FlashChip::begin(Operation operation, uint64_t clocks) {
  operation.start = now_;
  operation.end = now_ + clocks;
  operation_ = operation;
  if (!options_.begins) return;
  options_.begins(
      {.start = operation.start,
       .end = operation.end,
       .bytes = operation.kind == Kind::kProgram ? std::min(count_, kPageBytes) : operation.bytes});
}

void FlashChip::complete() {
  const auto cells = store_.cells().subspan(operation_->address, operation_->bytes);
  switch (operation_->kind) {
    case Kind::kProgram:
      for (uint32_t i = 0; i < kPageBytes; ++i) cells[i] &= operation_->page[i];
      store_.wrote(operation_->address, operation_->bytes);
      break;
    case Kind::kErase:
      std::ranges::fill(cells, uint8_t{0xFF});
      wear(operation_->address, operation_->bytes);
      store_.wrote(operation_->address, operation_->bytes);
      break;
    case Kind::kStatus: {
      status_ = operation_->status;
      FlashStatusBits kept = status_;
      kept.sr2 &= static_cast<uint8_t>(~kLockBit);  // the lock lasts until power goes
      store_.set_status(kept);
      break;
    }
  }
  apply_stuck(operation_->address, operation_->bytes);
  operation_.reset();
  write_enable_ = false;
}

// Cells of worn sectors that an erase did not lift.
void FlashChip::wear(uint32_t first, uint32_t bytes) {
  constexpr uint32_t kSector = 4 << 10;
  for (FlashDefects::Worn& worn : options_.defects.worn) {
    const uint32_t sector = worn.address & mask() & ~(kSector - 1);
    if (worn.erases == 0 || sector < first || sector >= first + bytes) continue;
    --worn.erases;
    for (uint32_t i = 0; i < worn.bits; ++i) {
      const auto bit = static_cast<uint32_t>(random_() % (uint64_t{kSector} * 8));
      store_.cells()[sector + bit / 8] &= static_cast<uint8_t>(~(1U << (bit % 8)));
    }
  }
}

void FlashChip::apply_stuck(uint32_t first, uint32_t bytes) {
  for (const FlashDefects::Stuck& stuck : options_.defects.stuck) {
    const uint32_t address = stuck.address & mask();
    if (address < first || address >= first + bytes) continue;
    const auto bit = static_cast<uint8_t>(1U << stuck.bit);
    uint8_t& cell = store_.cells()[address];
    cell = static_cast<uint8_t>(stuck.value ? cell | bit : cell & ~bit);
    store_.wrote(address, 1);
  }
}

// Cells change one by one in the course of an operation: programming clears them, an erase first programs all
// of them and then lifts them. Which ones were reached is chance.
void FlashChip::interrupt_operation() {
  if (!operation_) return;
  const double progress = std::clamp(static_cast<double>(now_ - operation_->start) /
                                         static_cast<double>(operation_->end - operation_->start),
                                     0.0, 1.0);
  const auto cells = store_.cells().subspan(operation_->address, operation_->bytes);
  auto change = [&](double share, auto apply) {
    const auto probability = static_cast<unsigned>(share * 256);
    for (size_t i = 0; i < cells.size(); i += 8) {
      const uint64_t hit = sparse_bits(random_, probability);
      for (size_t byte = 0; byte < 8; ++byte) apply(i + byte, static_cast<uint8_t>(hit >> (8 * byte)));
    }
  };
  auto lower = [&](size_t i, uint8_t hit) { cells[i] &= static_cast<uint8_t>(~hit); };
  auto lift = [&](size_t i, uint8_t hit) { cells[i] |= hit; };
  auto write = [&](size_t i, uint8_t hit) { cells[i] &= static_cast<uint8_t>(~hit | operation_->page[i]); };

  constexpr double kPreprogram = 0.3;
  switch (operation_->kind) {
    case Kind::kProgram:
      change(progress, write);
      store_.wrote(operation_->address, operation_->bytes);
      break;
    case Kind::kErase:
      change(std::min(progress / kPreprogram, 1.0), lower);
      if (progress > kPreprogram) change((progress - kPreprogram) / (1 - kPreprogram), lift);
      store_.wrote(operation_->address, operation_->bytes);
      break;
    case Kind::kStatus: {
      const auto hit = sparse_bits(random_, static_cast<unsigned>(progress * 256));
      FlashStatusBits torn = store_.status();
      torn.sr1 = merge(torn.sr1, operation_->status.sr1, static_cast<uint8_t>(hit & kWritable.sr1));
      torn.sr2 = merge(torn.sr2, operation_->status.sr2,
                       static_cast<uint8_t>(hit >> 8 & kWritable.sr2 & ~unsigned{kLockBit}));
      torn.sr3 = merge(torn.sr3, operation_->status.sr3, static_cast<uint8_t>(hit >> 16 & kWritable.sr3));
      store_.set_status(torn);
      break;
    }
  }
  apply_stuck(operation_->address, operation_->bytes);
  operation_.reset();
}

void FlashChip::power_cut() {
  interrupt_operation();
  power_on();
  deaf_until_ = now_;
}

void FlashChip::finish() {
  if (operation_) complete();
}

}  // namespace swai::card
