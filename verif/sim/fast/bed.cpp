// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/fast/bed.hpp"

#include <algorithm>
#include <cstring>

#include "card_regs.hpp"
#include "sim/fast/sizes.hpp"

namespace swai::fast {
namespace {

constexpr uint64_t kBar0 = uint64_t{1} << 40;
constexpr uint64_t kBar2 = uint64_t{3} << 40;
constexpr uint64_t kBar4 = uint64_t{3} << 40 | 1 << 20;
constexpr uint64_t kSramInBar0 = uint64_t{64} << 30;

constexpr unsigned kT0 = 5, kT1 = 6;
constexpr uint32_t kScratch = 0x7b2;
constexpr uint32_t csrrs(unsigned rd, uint32_t csr) { return csr << 20 | 2 << 12 | rd << 7 | 0x73; }
constexpr uint32_t csrrw(uint32_t csr, unsigned rs) { return csr << 20 | rs << 15 | 1 << 12 | 0x73; }
constexpr uint32_t ld(unsigned rd, unsigned rs) { return rs << 15 | 3 << 12 | rd << 7 | 0x03; }
constexpr uint32_t sd(unsigned rs2, unsigned rs1) { return rs2 << 20 | rs1 << 15 | 3 << 12 | 0x23; }
constexpr uint32_t cbo_clean(unsigned rs) { return 1 << 20 | rs << 15 | 2 << 12 | 0x0f; }
constexpr uint32_t kSfenceVma = 9u << 25 | 0x73;

card::FlashStore flash_of(std::span<const uint8_t> image) {
  card::FlashStore store = card::FlashStore::in_memory(image.size());
  std::ranges::copy(image, store.cells().begin());
  return store;
}

uint64_t in_bar0(uint64_t address) {
  return kBar0 + (address >= regs::kHbmRegion.base ? address - regs::kHbmRegion.base
                                                   : kSramInBar0 + address - regs::kLocalRegion.base);
}

}  // namespace

Bed::Bed(std::span<const uint8_t> image, Mistakes* mistakes)
    : flash_(flash_of(image)),
      host_(kHostBytes),
      card_({.sizes = sizes_of("tiny"), .rom = "build/firmware/rom.hex", .mistakes = mistakes}, flash_,
            {.console = [this](uint8_t byte) { console_.push_back(static_cast<char>(byte)); },
             .message =
                 [this](const Msix::Message& message) {
                   seen_.push_back(message.address);
                   seen_.push_back(message.data);
                 },
             .function_reset = [this] { card_.reset_function(false); }}) {
  connect();
}

void Bed::connect() {
  card_.host_memory().iommu().map(kHostAt, kHostBytes, host_.data(), {});
  ConfigSpace& config = card_.endpoint().config();
  config.set_link(true);
  const uint64_t bars[] = {kBar0, kBar2, kBar4};
  for (unsigned i = 0; i < 3; ++i) {
    config.write(0x10 + 8 * i, static_cast<uint32_t>(bars[i]), ~uint32_t{0});
    config.write(0x14 + 8 * i, static_cast<uint32_t>(bars[i] >> 32), ~uint32_t{0});
  }
  config.write(0x04, 0x0406, 0xFFFF);
  config.write(0x50, uint32_t{1} << 31, ~uint32_t{0});
  for (unsigned vector = 0; vector < Msix::kVectors; ++vector) {
    card_.endpoint().msix().write(16 * vector, 0xFEE0'0000, ~uint32_t{0});
    card_.endpoint().msix().write(16 * vector + 8, vector, ~uint32_t{0});
    card_.endpoint().msix().write(16 * vector + 12, 0, ~uint32_t{0});
  }
}

void Bed::run(uint64_t cycles) {
  const uint64_t end = card_.cycle() + cycles;
  while (card_.cycle() < end) {
    card_.run(end);
    if (card_.cycle() < end && card_.asleep()) card_.wait(end);
  }
}

void Bed::write_memory(uint64_t address, std::span<const uint8_t> bytes) {
  card_.endpoint().host_write(in_bar0(address), bytes);
}

std::vector<uint8_t> Bed::read_memory(uint64_t address, size_t bytes) {
  std::vector<uint8_t> read(bytes);
  card_.endpoint().host_read(in_bar0(address), read);
  return read;
}

void Bed::write_register(uint64_t address, uint64_t value) {
  std::array<uint8_t, sizeof value> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  card_.endpoint().host_write(kBar4 + (address - regs::kCardRegion.base), bytes);
}

uint64_t Bed::read_register(uint64_t address) {
  uint64_t value = 0;
  card_.endpoint().host_read(kBar4 + (address - regs::kCardRegion.base),
                             {reinterpret_cast<uint8_t*>(&value), sizeof value});
  return value;
}

bool Bed::halted() {
  return regs::debug::status::kHalted.get(read_register(regs::debug::status::kAddr)) != 0;
}

void Bed::halt() {
  write_register(regs::debug::control::kAddr, regs::debug::control::kHalt.put(1));
  while (!halted()) run(1);
}

void Bed::resume() {
  write_register(regs::debug::control::kAddr, 0);
  write_register(regs::debug::action::kAddr, regs::debug::action::kResume.put(1));
}

void Bed::execute(uint32_t instruction) { write_register(regs::debug::insn::kAddr, instruction); }

bool Bed::load_word(uint64_t address, uint64_t& value) {
  write_register(regs::debug::data_in::kAddr, address);
  execute(csrrs(kT0, kScratch));
  execute(ld(kT1, kT0));
  const bool good = regs::debug::status::kFault.get(read_register(regs::debug::status::kAddr)) == 0;
  execute(csrrw(kScratch, kT1));
  value = read_register(regs::debug::data_out::kAddr);
  return good;
}

bool Bed::store_word(uint64_t address, uint64_t value) {
  write_register(regs::debug::data_in::kAddr, address);
  execute(csrrs(kT0, kScratch));
  write_register(regs::debug::data_in::kAddr, value);
  execute(csrrs(kT1, kScratch));
  execute(sd(kT1, kT0));
  return regs::debug::status::kFault.get(read_register(regs::debug::status::kAddr)) == 0;
}

void Bed::clean_line(uint64_t address) {
  write_register(regs::debug::data_in::kAddr, address);
  execute(csrrs(kT0, kScratch));
  execute(cbo_clean(kT0));
}

void Bed::forget_translations() { execute(kSfenceVma); }

uint64_t Bed::read(uint64_t address) {
  run(16);
  uint64_t value = 0;
  load_word(address, value);
  return value;
}

void Bed::zero(uint64_t address, uint64_t bytes) { write_memory(address, std::vector<uint8_t>(bytes)); }

}  // namespace swai::fast
