// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/card_spi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "card_regs.hpp"
#include "host/tools/flash/board_error.hpp"

namespace swai::flash {
namespace {

namespace controller = regs::flash;
namespace status_word = regs::system::status;

constexpr size_t kWord = sizeof(uint64_t);
// Opcode and three bytes of address; behind them a byte in which nothing is sent, or data.
constexpr size_t kHeadBytes = 4;
constexpr unsigned kPatience = 10'000;

// What goes wrong on the way to the card, in our terms.
template <typename Act>
auto told(const Act& act) {
  try {
    return act();
  } catch (const link::Error& error) {
    const bool lost = error.kind() == link::ErrorKind::kLost;
    throw BoardError(lost ? Trouble::kGone : Trouble::kNoAnswer, error.what());
  }
}

std::unique_ptr<link::Card> open_card(const std::string& socket) {
  try {
    return link::Card::open(socket);
  } catch (const link::Error& error) {
    throw BoardError(Trouble::kNoBoard, error.what());
  }
}

uint64_t stage_of(uint64_t word) { return status_word::kStage.get(word); }

}  // namespace

CardSpi::CardSpi(const std::string& socket) : socket_(socket), card_(open_card(socket)) {
  told([&] {
    const auto word =
        card_->read<uint64_t>(4, regs::pcie::boot_status::kAddr - regs::kCardRegion.base) & 0xFFFF'FFFF;
    const uint64_t stage = stage_of(word);
    if (stage != status_word::kStageReady && stage != status_word::kStageRecovery &&
        stage != status_word::kStageFailed) {
      throw BoardError(Trouble::kBusy, fmt::format("{}: the card boots at this moment; try again", socket));
    }
    const uint64_t slot = status_word::kSlot.get(word);
    if (stage != status_word::kStageRecovery && slot != status_word::kSlotNone)
      running_ = slot == status_word::kSlotA ? image::Slot::kA : image::Slot::kB;
    processor_ = std::make_unique<HaltedProcessor>(*card_);
    wait_idle();
  });
}

void CardSpi::wait_idle() {
  for (unsigned look = 0; controller::status::kBusy.get(processor_->read(controller::status::kAddr)) != 0;
       ++look) {
    if (look == kPatience) throw BoardError(Trouble::kNoAnswer, "the card's flash controller does not end");
  }
}

void CardSpi::one(const SpiCommand& command) {
  const bool has_address = command.out.size() >= kHeadBytes;
  const bool reads = !command.in.empty();
  const auto rest = has_address ? command.out.subspan(kHeadBytes) : std::span<const uint8_t>();
  uint64_t word = controller::command::kOpcode.put(command.out[0]);
  if (has_address) {
    const uint64_t address = uint64_t{command.out[1]} << 16 | uint64_t{command.out[2]} << 8 | command.out[3];
    processor_->write(controller::address::kAddr, address);
    word |= controller::command::kAddress.put(controller::command::kAddressBytes3);
  }
  if (reads) {
    processor_->write(controller::length::kAddr, command.in.size());
    word |= controller::command::kData.put(controller::command::kDataRead) |
            controller::command::kDummy.put(8 * rest.size());
  } else if (!rest.empty()) {
    processor_->write(controller::length::kAddr, rest.size());
    word |= controller::command::kData.put(controller::command::kDataWrite);
    for (size_t at = 0; at < rest.size(); at += kWord) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, rest.data() + at, std::min(kWord, rest.size() - at));
      processor_->write(controller::txdata::kAddr, bytes);
    }
  }
  processor_->write(controller::command::kAddr, word);
  for (size_t at = 0; at < command.in.size(); at += kWord) {
    const uint64_t bytes = processor_->read(controller::rxdata::kAddr);
    std::memcpy(command.in.data() + at, &bytes, std::min(kWord, command.in.size() - at));
  }
  wait_idle();
}

void CardSpi::run(std::span<const SpiCommand> commands) {
  told([&] {
    for (const SpiCommand& command : commands) one(command);
  });
}

void CardSpi::recover() {
  told([&] {
    processor_->write(controller::control::kAddr, controller::control::kStop.put(1));
    wait_idle();
  });
}

// In simulated time it is the card that has to be given time.
void CardSpi::pass(std::chrono::microseconds time) {
  if (!card_->describe().deterministic) {
    std::this_thread::sleep_for(time);
    return;
  }
  constexpr uint64_t kCyclesPerUs = 1000;
  told([&] { card_->run_until(0, static_cast<uint64_t>(time.count()) * kCyclesPerUs); });
}

std::string CardSpi::description() const { return fmt::format("through PCIe, {}", socket_); }

}  // namespace swai::flash
