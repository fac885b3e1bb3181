// SPDX-License-Identifier: Apache-2.0
#include "firmware/common/nor.hpp"

#include <algorithm>

#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"

namespace swai::fw {
namespace {

namespace flash = regs::flash;
namespace command = regs::flash::command;

enum Opcode : uint8_t {
  kPageProgram = 0x02,
  kReadStatus1 = 0x05,
  kWriteEnable = 0x06,
  kWriteStatus2 = 0x31,
  kReadStatus2 = 0x35,
  kVolatileStatusEnable = 0x50,
  kQuadRead = 0x6B,
  kReadId = 0x9F,
};
constexpr uint64_t kQuadReadDummies = 8;
constexpr uint64_t kBusy = 0x01;          // status register 1
constexpr uint64_t kWriteEnabled = 0x02;  // status register 1
constexpr uint64_t kQuadEnabled = 0x02;   // status register 2

// Three milliseconds is what data sheets allow for a page.
constexpr uint64_t kProgramClocks = 5'000'000;

uint64_t address3(uint32_t offset) {
  write_reg(flash::address::kAddr, offset);
  return command::kAddress.put(command::kAddressBytes3);
}

uint64_t length(uint64_t direction, uint32_t bytes) {
  write_reg(flash::length::kAddr, bytes);
  return command::kData.put(direction);
}

void wait_engine() {
  while (flash::status::kBusy.get(read_reg(flash::status::kAddr)) != 0) {
  }
}

void start(Opcode opcode, uint64_t phases) {
  write_reg(command::kAddr, command::kOpcode.put(opcode) | phases);
}

void simple(Opcode opcode) {
  wait_engine();
  start(opcode, 0);
}

// Up to 8 bytes, the first lowest.
uint64_t short_read(Opcode opcode, uint32_t bytes) {
  wait_engine();
  start(opcode, length(command::kDataRead, bytes));
  return read_reg(flash::rxdata::kAddr);
}

void fill(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min<size_t>(bytes.size(), sizeof(uint64_t)));
    uint64_t word = 0;
    for (size_t i = 0; i < part.size(); ++i) word |= uint64_t{part[i]} << (8 * i);
    write_reg(flash::txdata::kAddr, word);
    bytes = bytes.subspan(part.size());
  }
}

}  // namespace

Nor::Id Nor::read_id() {
  const uint64_t bytes = short_read(kReadId, 3);
  return {static_cast<uint8_t>(bytes), static_cast<uint8_t>(bytes >> 8), static_cast<uint8_t>(bytes >> 16)};
}

bool Nor::is_present(const Id& id) {
  const unsigned bits = id.manufacturer | id.type << 8 | id.capacity << 16;
  return bits != 0 && bits != 0xFF'FFFF;
}

bool Nor::wait_ready(uint64_t clocks) {
  const uint64_t begin = csr::read<csr::kTime>();
  while ((short_read(kReadStatus1, 1) & kBusy) != 0) {
    if (csr::read<csr::kTime>() - begin > clocks) return false;
  }
  return true;
}

bool Nor::enable_quad() {
  const auto status = static_cast<uint8_t>(short_read(kReadStatus2, 1));
  if ((status & kQuadEnabled) != 0) return true;
  simple(kVolatileStatusEnable);
  wait_engine();
  const uint8_t wanted = status | kQuadEnabled;
  fill({&wanted, 1});
  start(kWriteStatus2, length(command::kDataWrite, 1));
  return (short_read(kReadStatus2, 1) & kQuadEnabled) != 0;
}

void Nor::begin_read(uint32_t offset, uint32_t bytes, bool hash) {
  wait_engine();
  start(kQuadRead, address3(offset) | length(command::kDataRead, bytes) | command::kQuad.put(1) |
                       command::kDummy.put(kQuadReadDummies) | command::kTap.put(hash ? 1 : 0));
}

void Nor::take(std::span<uint64_t> words) {
  for (uint64_t& word : words) word = read_reg(flash::rxdata::kAddr);
}

bool Nor::program(uint32_t offset, std::span<const uint8_t> bytes) {
  simple(kWriteEnable);
  if ((short_read(kReadStatus1, 1) & kWriteEnabled) == 0) return false;
  wait_engine();
  fill(bytes);
  start(kPageProgram, address3(offset) | length(command::kDataWrite, static_cast<uint32_t>(bytes.size())));
  return wait_ready(kProgramClocks);
}

}  // namespace swai::fw
