// SPDX-License-Identifier: Apache-2.0
// end-firmware SOCKET: lets the firmware of a card end, by sending its processor to where no code is.
#include <fmt/format.h>

#include <exception>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "verif/system/bar_debug.hpp"

namespace {

constexpr unsigned kPc = 32;

bool has_ended(swai::link::Card& card) {
  namespace regs = swai::regs;
  const auto status = card.read<uint64_t>(swai::sdaa::kControlBar, regs::pcie::boot_status::kOffset);
  return regs::system::status::kStage.get(status) == regs::system::status::kStageFailed;
}

bool end_firmware(const char* socket) {
  constexpr unsigned kLooks = 1000;
  constexpr uint64_t kPause = 10'000;
  const auto card = swai::link::Card::open(socket);
  {
    swai::system::Halted halted(*card);
    halted.target().write_register(kPc, 0x40);
  }
  for (unsigned look = 0; look < kLooks && !has_ended(*card); ++look) card->run_until(0, kPause);
  return has_ended(*card);
}

}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    fmt::print(stderr, "usage: end-firmware SOCKET\n");
    return 2;
  }
  try {
    if (end_firmware(values[1])) return 0;
    fmt::print(stderr, "end-firmware: it goes on\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "end-firmware: {}\n", error.what());
  }
  return 1;
}
