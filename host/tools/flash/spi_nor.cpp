// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/spi_nor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "host/tools/flash/board_error.hpp"

namespace swai::flash {
namespace {

enum Opcode : uint8_t {
  kPageProgram = 0x02,
  kRead = 0x03,
  kReadStatus = 0x05,
  kWriteEnable = 0x06,
  kSfdp = 0x5A,
  kReadId = 0x9F,
  kWake = 0xAB,
};
constexpr uint8_t kBusy = 0x01;
constexpr uint8_t kWriteEnabled = 0x02;

// Data sheets allow several times the typical time; a chip that takes longer is broken or not there. Counted
// in looks, not in time: an emulated board and a busy machine may be as slow as they like.
constexpr unsigned kPatience = 2000;

std::array<uint8_t, 4> with_address(uint8_t opcode, uint32_t offset) {
  return {opcode, static_cast<uint8_t>(offset >> 16), static_cast<uint8_t>(offset >> 8),
          static_cast<uint8_t>(offset)};
}

}  // namespace

SpiNor::SpiNor(std::unique_ptr<SpiBus> bus) : bus_(std::move(bus)) {
  wake();
  constexpr uint8_t read_id[] = {kReadId};
  JedecId id{};
  constexpr uint8_t read_sfdp[] = {kSfdp, 0, 0, 0, 0};
  std::vector<uint8_t> sfdp(kSfdpBytes);
  const SpiCommand commands[] = {{read_id, id}, {read_sfdp, sfdp}};
  bus_->run(commands);
  kind_ = identify(id, sfdp);
}

// A chip may be asleep, or in the middle of what another program began. Where there is none, all bits are
// set.
void SpiNor::wake() {
  constexpr uint8_t wake_up[] = {kWake};
  constexpr uint8_t kNobody = 0xFF;
  const SpiCommand command = {wake_up, {}};
  bus_->run({&command, 1});
  uint8_t seen = status(1);
  for (unsigned look = 0; (seen & kBusy) != 0 && seen != kNobody; ++look) {
    if (look == kPatience)
      throw BoardError(Trouble::kUnknownChip, "the flash chip stays busy; is the board powered?");
    bus_->pass(std::chrono::milliseconds(1));
    seen = status(1);
  }
}

std::string SpiNor::description() const {
  const uint32_t whole = kind_.whole_bytes;
  return fmt::format("{}, {} MiB{}, {}", kind_.name, whole >> 20,
                     whole > kReachBytes ? fmt::format(" (the first {} are used)", kReachBytes >> 20) : "",
                     bus_->description());
}

void SpiNor::read(uint32_t offset, std::span<uint8_t> to) {
  // All commands at once: the bus keeps the wires busy with the next one while data of this one travels.
  std::vector<std::array<uint8_t, 4>> words;
  std::vector<SpiCommand> commands;
  const size_t piece = bus_->best_read_bytes();
  words.reserve(to.size() / piece + 1);
  for (size_t at = 0; at < to.size(); at += piece) {
    words.push_back(with_address(kRead, offset + static_cast<uint32_t>(at)));
    commands.push_back({words.back(), to.subspan(at, std::min(piece, to.size() - at))});
  }
  bus_->run(commands);
}

void SpiNor::erase(uint32_t offset, uint32_t bytes) {
  const auto kind = std::ranges::find(kind_.geometry.erases, bytes, &EraseKind::bytes);
  const auto command = with_address(kind->opcode, offset);
  const std::vector<uint8_t> words(command.begin(), command.end());
  change({&words, 1}, kind->typical_us, "erasing");
}

void SpiNor::program(uint32_t offset, std::span<const uint8_t> bytes) {
  const uint32_t page = kind_.geometry.page_bytes;
  std::vector<std::vector<uint8_t>> pages;
  for (size_t at = 0; at < bytes.size();) {
    const auto target = offset + static_cast<uint32_t>(at);
    const auto part = bytes.subspan(at, std::min<size_t>(bytes.size() - at, page - target % page));
    const auto head = with_address(kPageProgram, target);
    pages.emplace_back(head.begin(), head.end());
    pages.back().insert(pages.back().end(), part.begin(), part.end());
    at += part.size();
  }
  change(pages, kind_.page_us, "programming");
}

uint8_t SpiNor::status(size_t looks) {
  constexpr uint8_t read_status[] = {kReadStatus};
  std::vector<uint8_t> seen(looks);
  const SpiCommand command = {read_status, seen};
  bus_->run({&command, 1});
  return seen.back();
}

size_t SpiNor::looks_for(uint32_t typical_us) const {
  constexpr size_t kMostLooks = 4096;
  // A few more than the chip usually needs.
  return std::clamp<size_t>(static_cast<size_t>(1.05 * typical_us * bus_->bytes_per_us()), 1, kMostLooks);
}

void SpiNor::change(std::span<const std::vector<uint8_t>> commands, uint32_t typical_us, const char* what) {
  constexpr uint8_t enable[] = {kWriteEnable};
  constexpr uint8_t read_status[] = {kReadStatus};
  const size_t looks = looks_for(typical_us);
  while (!commands.empty()) {
    std::vector<uint8_t> seen(looks * commands.size());
    std::vector<SpiCommand> all;
    for (size_t i = 0; i < commands.size(); ++i) {
      all.push_back({enable, {}});
      all.push_back({commands[i], {}});
      all.push_back({read_status, std::span(seen).subspan(i * looks, looks)});
    }
    bus_->run(all);
    size_t done = 0;
    uint8_t last = 0;
    do {
      last = seen[++done * looks - 1];
    } while (done != commands.size() && (last & (kBusy | kWriteEnabled)) == 0);
    finish(last, typical_us, what);
    commands = commands.subspan(done);
  }
}

void SpiNor::finish(uint8_t seen, uint32_t typical_us, const char* what) {
  for (unsigned look = 0; (seen & kBusy) != 0; ++look) {
    if (look == kPatience) {
      throw BoardError(Trouble::kNoAnswer,
                       fmt::format("{} takes the flash chip much longer than it may", what));
    }
    bus_->pass(std::chrono::microseconds(typical_us / 100));
    seen = status(looks_for(typical_us));
  }
  if ((seen & kWriteEnabled) != 0) {
    throw BoardError(
        Trouble::kFailed,
        fmt::format("the flash chip refuses {}: its blocks are protected (status register {:#04x}); another "
                    "tool, such as flashrom, takes the protection away",
                    what, seen));
  }
}

void SpiNor::recover() {
  bus_->recover();
  wake();
}

}  // namespace swai::flash
