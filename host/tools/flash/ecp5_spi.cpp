// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/ecp5_spi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace swai::flash {
namespace {

// TCK, TDI, TMS.
constexpr uint8_t kOutputs = 0x0B;
constexpr uint8_t kModeHigh = 0x08;

// Ways through the states of a TAP, from one that rests in Run-Test/Idle: bits of TMS, lowest first.
struct Way {
  uint8_t bits;
  unsigned count;
};
constexpr Way kReset = {0b0'11111, 6};       // from anywhere to Run-Test/Idle
constexpr Way kToData = {0b001, 3};          // Shift-DR
constexpr Way kToInstruction = {0b0011, 4};  // Shift-IR
constexpr Way kLastBitAndIdle = {0b011, 3};  // shifts one bit more
constexpr Way kRest = {0, 7};

enum Instruction : uint8_t {
  kErase = 0x0E,       // ISC_ERASE
  kDisable = 0x26,     // ISC_DISABLE
  kProgramSpi = 0x3A,  // LSC_PROG_SPI
  kRefresh = 0x79,     // LSC_REFRESH
  kEnable = 0xC6,      // ISC_ENABLE
  kBypass = 0xFF,
};
constexpr std::array<uint8_t, 1> kEnableAll = {0x00};
constexpr std::array<uint8_t, 1> kEraseSram = {0x01};
// Without these two bytes the FPGA does not hand anything on.
constexpr std::array<uint8_t, 2> kSpiKey = {0xFE, 0x68};

void go(MpsseCommands& to, const Way& way, bool data = false) { to.mode(way.bits, way.count, data); }

// All but the last bit while the register shifts, the last one while it is left.
void shift_low_first(MpsseCommands& to, std::span<const uint8_t> bytes) {
  to.write_low_first(bytes.first(bytes.size() - 1));
  to.write_bits_low_first(bytes.back(), 7);
  go(to, kLastBitAndIdle, (bytes.back() & 0x80) != 0);
}

void shift_high_first(MpsseCommands& to, std::span<const uint8_t> bytes) {
  to.write(bytes.first(bytes.size() - 1));
  to.write_bits(bytes.back(), 7);
  go(to, kLastBitAndIdle, (bytes.back() & 0x01) != 0);
}

}  // namespace

Ecp5Spi::Ecp5Spi(const UsbPlace& place, const boards::Board& board)
    : mpsse_(place, board.usb.channel, board.clock_hz, kModeHigh, kOutputs),
      board_(board.title),
      idcodes_(board.jtag->idcodes) {
  enter();
}

Ecp5Spi::~Ecp5Spi() {
  try {
    MpsseCommands leave;
    go(leave, kReset);
    instruct(leave, kRefresh, {});
    go(leave, kRest);
    mpsse_.run(leave, {});
  } catch (const BoardError&) {  // it has gone, and so has what it ran
  }
}

void Ecp5Spi::instruct(MpsseCommands& to, uint8_t instruction, std::span<const uint8_t> data) {
  go(to, kToInstruction);
  shift_low_first(to, {&instruction, 1});
  if (data.empty()) return;
  go(to, kToData);
  shift_low_first(to, data);
}

uint32_t Ecp5Spi::read_idcode() {
  MpsseCommands look;
  go(look, kReset);  // after it the data register is the IDCODE
  go(look, kToData);
  look.read_low_first(4);
  go(look, kLastBitAndIdle);
  std::array<uint8_t, 4> code;
  mpsse_.run(look, code);
  return code[0] | uint32_t{code[1]} << 8 | uint32_t{code[2]} << 16 | uint32_t{code[3]} << 24;
}

void Ecp5Spi::enter() {
  const uint32_t idcode = read_idcode();
  if (std::ranges::find(idcodes_, idcode) == idcodes_.end()) {
    throw BoardError(
        Trouble::kWrongBoard,
        fmt::format("board at usb {}: its JTAG chain reads {:08x} where {} has {:08x}; is it another "
                    "--board, or is it without power?",
                    mpsse_.place().path, idcode, board_, fmt::join(idcodes_, " or ")));
  }
  MpsseCommands commands;
  // An FPGA at work may drive the chip's wires itself.
  instruct(commands, kEnable, kEnableAll);
  go(commands, kRest);
  instruct(commands, kErase, kEraseSram);
  go(commands, kRest);
  instruct(commands, kDisable, {});
  go(commands, kRest);
  instruct(commands, kBypass, {});
  instruct(commands, kProgramSpi, kSpiKey);
  go(commands, kRest);
  mpsse_.run(commands, {});
}

void Ecp5Spi::run(std::span<const SpiCommand> commands) {
  MpsseCommands all;
  for (const SpiCommand& command : commands) {
    go(all, kToData);
    if (command.in.empty()) {
      shift_high_first(all, command.out);
      continue;
    }
    all.write(command.out);
    all.read(command.in.size());
    // The bit more that leaves the register is of no interest to a chip that sends.
    go(all, kLastBitAndIdle);
  }
  std::vector<uint8_t> answers(all.answers());
  mpsse_.run(all, answers);
  hand_out(answers, commands);
}

void Ecp5Spi::recover() {
  mpsse_.restart();
  enter();
}

std::string Ecp5Spi::description() const {
  return fmt::format("through JTAG at {:.1f} MHz, usb {}", mpsse_.clock_hz() / 1e6, mpsse_.place().path);
}

}  // namespace swai::flash
