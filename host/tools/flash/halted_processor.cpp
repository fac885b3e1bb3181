// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/halted_processor.hpp"

#include "card_regs.hpp"
#include "host/tools/flash/board_error.hpp"

namespace swai::flash {
namespace {

constexpr unsigned kControlBar = 4;

// The registers that accesses borrow from the program.
constexpr unsigned kAddressRegister = 8;
constexpr unsigned kDataRegister = 9;

constexpr unsigned kMstatus = 0x300;
constexpr uint64_t kModifyPrivilege = uint64_t{1} << 17;
constexpr unsigned kDcsr = 0x7B0;
constexpr uint64_t kMachineMode = 3;
constexpr unsigned kDscratch0 = 0x7B2;

constexpr uint32_t csrr(unsigned rd, unsigned csr) { return csr << 20 | 2U << 12 | rd << 7 | 0x73; }
constexpr uint32_t csrw(unsigned csr, unsigned rs) { return csr << 20 | rs << 15 | 1U << 12 | 0x73; }
constexpr uint32_t kLoad = kAddressRegister << 15 | 3U << 12 | kDataRegister << 7 | 0x03;
constexpr uint32_t kStore = kDataRegister << 20 | kAddressRegister << 15 | 3U << 12 | 0x23;

// Looks, each of which takes a way to the card and back: longer than the slowest access.
constexpr unsigned kPatience = 10'000;

uint64_t get(link::Card& card, uint64_t address) {
  return card.read<uint64_t>(kControlBar, address - regs::kCardRegion.base);
}

void put(link::Card& card, uint64_t address, uint64_t value) {
  card.post<uint64_t>(kControlBar, address - regs::kCardRegion.base, value);
}

[[noreturn]] void fail(const char* what) { throw BoardError(Trouble::kNoAnswer, what); }

}  // namespace

HaltedProcessor::HaltedProcessor(link::Card& card) : card_(card) {
  put(card_, regs::debug::control::kAddr, regs::debug::control::kHalt.put(1));
  for (unsigned look = 0; regs::debug::status::kHalted.get(get(card_, regs::debug::status::kAddr)) == 0;
       ++look) {
    if (look == kPatience) fail("the card's processor cannot be halted; swai reset, then try again");
  }
  saved_address_ = read_gpr(kAddressRegister);
  saved_data_ = read_gpr(kDataRegister);
  saved_mode_ = read_csr(kDcsr);
  saved_mstatus_ = read_csr(kMstatus);
  // Addresses are physical, whatever the program's are.
  write_csr(kDcsr, saved_mode_ | kMachineMode);
  write_csr(kMstatus, saved_mstatus_ & ~kModifyPrivilege);
  address_ = saved_address_;
}

HaltedProcessor::~HaltedProcessor() {
  try {
    write_csr(kMstatus, saved_mstatus_);
    write_csr(kDcsr, saved_mode_);
    write_gpr(kAddressRegister, saved_address_);
    write_gpr(kDataRegister, saved_data_);
    put(card_, regs::debug::control::kAddr, 0);
    put(card_, regs::debug::action::kAddr, regs::debug::action::kResume.put(1));
    card_.check_posted();
  } catch (const std::runtime_error&) {  // the card is lost, and whoever uses it will be told
  }
}

void HaltedProcessor::execute(uint32_t instruction) {
  put(card_, regs::debug::insn::kAddr, instruction);
  for (unsigned look = 0;; ++look) {
    const uint64_t status = get(card_, regs::debug::status::kAddr);
    if (regs::debug::status::kBusy.get(status) == 0) {
      if (regs::debug::status::kFault.get(status) != 0) fail("an access of the halted processor faults");
      return;
    }
    if (look == kPatience) fail("an access of the halted processor does not end");
  }
}

uint64_t HaltedProcessor::read_gpr(unsigned number) {
  execute(csrw(kDscratch0, number));
  return get(card_, regs::debug::data_out::kAddr);
}

void HaltedProcessor::write_gpr(unsigned number, uint64_t value) {
  put(card_, regs::debug::data_in::kAddr, value);
  execute(csrr(number, kDscratch0));
}

uint64_t HaltedProcessor::read_csr(unsigned number) {
  execute(csrr(kDataRegister, number));
  return read_gpr(kDataRegister);
}

void HaltedProcessor::write_csr(unsigned number, uint64_t value) {
  write_gpr(kDataRegister, value);
  execute(csrw(number, kDataRegister));
}

void HaltedProcessor::set_address(uint64_t address) {
  if (address == address_) return;
  write_gpr(kAddressRegister, address);
  address_ = address;
}

uint64_t HaltedProcessor::read(uint64_t address) {
  set_address(address);
  execute(kLoad);
  return read_gpr(kDataRegister);
}

void HaltedProcessor::write(uint64_t address, uint64_t value) {
  set_address(address);
  write_gpr(kDataRegister, value);
  execute(kStore);
}

}  // namespace swai::flash
