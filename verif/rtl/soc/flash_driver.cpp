// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/soc/flash_driver.hpp"

#include <algorithm>

namespace swai::soc {
namespace {

namespace flash = regs::flash;

constexpr uint64_t kCommandLimit = 1'000'000;

}  // namespace

void FlashDriver::pause() {
  if (pauses_ != 0 && devices_.random().chance(50)) devices_.steps(devices_.random().below(pauses_));
}

void FlashDriver::start(const FlashCommand& command, Data data, uint32_t length) {
  devices_.write(flash::address::kAddr, command.address, 4);
  devices_.write(flash::length::kAddr, length, 4);
  const uint64_t address = command.address_bytes == 3   ? flash::command::kAddressBytes3
                           : command.address_bytes == 4 ? flash::command::kAddressBytes4
                                                        : flash::command::kAddressNone;
  const uint64_t phase = data == Data::kRead    ? flash::command::kDataRead
                         : data == Data::kWrite ? flash::command::kDataWrite
                                                : flash::command::kDataNone;
  devices_.write(flash::command::kAddr,
                 flash::command::kOpcode.put(command.opcode) | flash::command::kAddress.put(address) |
                     flash::command::kData.put(phase) | flash::command::kQuad.put(command.quad) |
                     flash::command::kTap.put(command.tap) | flash::command::kDiscard.put(command.discard) |
                     flash::command::kDummy.put(command.dummy),
                 4);
}

void FlashDriver::wait_done() {
  devices_.poll(flash::status::kAddr, flash::status::kBusy, 0, kCommandLimit, "end of a flash command");
  const uint64_t events = devices_.read(flash::events::kAddr);
  check(events == flash::events::kDone.mask(), fmt::format("events {:#x} after a flash command", events));
  devices_.write(flash::events::kAddr, flash::events::kDone.mask());
}

void FlashDriver::run(const FlashCommand& command) {
  start(command, Data::kNone, static_cast<uint32_t>(devices_.random().below(100)));
  wait_done();
}

std::vector<uint8_t> FlashDriver::take(uint32_t length) {
  std::vector<uint8_t> bytes;
  while (bytes.size() < length) {
    pause();
    // Polling first and simply reading are both right.
    if (devices_.random().chance(20)) {
      devices_.poll(flash::status::kAddr, flash::status::kFifoEmpty, 0, kCommandLimit, "a word");
    }
    const uint64_t word = devices_.read(flash::rxdata::kAddr);
    for (unsigned i = 0; i < 8; ++i) {
      const auto byte = static_cast<uint8_t>(word >> (8 * i));
      if (bytes.size() < length) {
        bytes.push_back(byte);
      } else {
        check(byte == 0, "the last word is not filled up with zeros");
      }
    }
  }
  return bytes;
}

std::vector<uint8_t> FlashDriver::read(const FlashCommand& command, uint32_t length) {
  start(command, Data::kRead, length);
  auto bytes = take(length);
  wait_done();
  devices_.expect(flash::status::kAddr, flash::status::kFifoEmpty.mask(), "flash status after a read");
  return bytes;
}

void FlashDriver::read_to_tap(FlashCommand command, uint32_t length) {
  command.tap = true;
  command.discard = true;
  start(command, Data::kRead, length);
  wait_done();
  devices_.expect(flash::status::kAddr, flash::status::kFifoEmpty.mask(),
                  "flash status after a discarded read");
}

void FlashDriver::write(const FlashCommand& command, std::span<const uint8_t> bytes) {
  const auto words = static_cast<unsigned>((bytes.size() + 7) / 8);
  const unsigned early = static_cast<unsigned>(devices_.random().below(std::min(words, 32U) + 1));
  for (unsigned i = 0; i < words; ++i) {
    if (i == early) start(command, Data::kWrite, static_cast<uint32_t>(bytes.size()));
    uint64_t word = devices_.random().next();  // bytes beyond the length do not count
    for (unsigned b = 0; b < 8 && 8 * i + b < bytes.size(); ++b) {
      word = (word & ~(uint64_t{0xFF} << (8 * b))) | uint64_t{bytes[8 * i + b]} << (8 * b);
    }
    pause();
    devices_.write(flash::txdata::kAddr, word);
  }
  if (early >= words) start(command, Data::kWrite, static_cast<uint32_t>(bytes.size()));
  wait_done();
  devices_.expect(flash::status::kAddr, flash::status::kFifoEmpty.mask(), "flash status after a write");
}

}  // namespace swai::soc
