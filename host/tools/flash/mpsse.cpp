// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/mpsse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swai::flash {
namespace {

enum Request : uint8_t { kReset = 0x00, kLatency = 0x09, kBitMode = 0x0B };
enum ResetValue : uint16_t { kResetAll = 0, kForgetReceived = 1, kForgetSent = 2 };
constexpr uint16_t kModeOff = 0x0000;
constexpr uint16_t kModeMpsse = 0x0200;
// Milliseconds after which a packet that is not full is sent; we ask for our answers to be sent at once.
constexpr uint16_t kLatencyMs = 16;

enum Opcode : uint8_t {
  kWriteBytes = 0x11,
  kWriteBits = 0x13,
  kWriteBytesLow = 0x19,
  kWriteBitsLow = 0x1B,
  kReadBytes = 0x20,
  kReadBytesLow = 0x28,
  kMode = 0x4B,
  kSetPins = 0x80,
  kNoLoopback = 0x85,
  kDivisor = 0x86,
  kSendNow = 0x87,
  kFullClock = 0x8A,
  kNoThreePhase = 0x8D,
  kNoAdaptive = 0x97,
  kNoSuchCommand = 0xAA,  // nor is there 0xAB
  kBadCommand = 0xFA,     // the answer to one
};
constexpr size_t kMostBytes = 65536;  // of one command
constexpr uint32_t kHalfClock = 30'000'000;
constexpr size_t kStatusBytes = 2;  // at the beginning of each packet

uint8_t mask_low(unsigned bits) { return static_cast<uint8_t>((1U << bits) - 1); }

}  // namespace

void MpsseCommands::pins(uint8_t levels, uint8_t outputs) {
  bytes_.insert(bytes_.end(), {kSetPins, levels, outputs});
}

void MpsseCommands::block(uint8_t opcode, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kMostBytes));
    const size_t less_one = part.size() - 1;
    bytes_.insert(bytes_.end(),
                  {opcode, static_cast<uint8_t>(less_one), static_cast<uint8_t>(less_one >> 8)});
    bytes_.insert(bytes_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
  }
}

void MpsseCommands::read_block(uint8_t opcode, size_t bytes) {
  answers_ += bytes;
  while (bytes != 0) {
    const size_t part = std::min(bytes, kMostBytes);
    bytes_.insert(bytes_.end(),
                  {opcode, static_cast<uint8_t>(part - 1), static_cast<uint8_t>((part - 1) >> 8)});
    bytes -= part;
  }
}

void MpsseCommands::write(std::span<const uint8_t> bytes) { block(kWriteBytes, bytes); }
void MpsseCommands::write_low_first(std::span<const uint8_t> bytes) { block(kWriteBytesLow, bytes); }
void MpsseCommands::read(size_t bytes) { read_block(kReadBytes, bytes); }
void MpsseCommands::read_low_first(size_t bytes) { read_block(kReadBytesLow, bytes); }

void MpsseCommands::write_bits(uint8_t byte, unsigned bits) {
  bytes_.insert(bytes_.end(), {kWriteBits, static_cast<uint8_t>(bits - 1), byte});
}

void MpsseCommands::write_bits_low_first(uint8_t byte, unsigned bits) {
  bytes_.insert(bytes_.end(), {kWriteBitsLow, static_cast<uint8_t>(bits - 1), byte});
}

void MpsseCommands::mode(uint8_t bits, unsigned count, bool data) {
  const auto levels = static_cast<uint8_t>((bits & mask_low(count)) | (data ? 0x80 : 0));
  bytes_.insert(bytes_.end(), {kMode, static_cast<uint8_t>(count - 1), levels});
}

Mpsse::Mpsse(const UsbPlace& place, unsigned channel, uint32_t clock_hz, uint8_t levels, uint8_t outputs)
    : usb_(place, {.interface = channel,
                   .in = static_cast<uint8_t>(0x81 + 2 * channel),
                   .out = static_cast<uint8_t>(0x02 + 2 * channel),
                   .idle_bytes = kStatusBytes}),
      channel_(channel),
      divisor_(static_cast<uint16_t>(std::min<uint32_t>((kHalfClock + clock_hz - 1) / clock_hz - 1, 0xFFFF))),
      clock_hz_(kHalfClock / (divisor_ + 1U)),
      levels_(levels),
      outputs_(outputs) {
  begin();
}

// Pins become inputs again, so that whatever the chip was taken from works as before.
Mpsse::~Mpsse() {
  try {
    usb_.control(kBitMode, kModeOff, static_cast<uint16_t>(channel_ + 1));
  } catch (const BoardError&) {  // it has gone
  }
}

void Mpsse::restart() {
  usb_.stop();
  taken_ = 0;
  begin();
}

void Mpsse::begin() {
  const auto port = static_cast<uint16_t>(channel_ + 1);
  usb_.control(kReset, kResetAll, port);
  usb_.control(kBitMode, kModeOff, port);
  usb_.control(kReset, kForgetReceived, port);
  usb_.control(kReset, kForgetSent, port);
  usb_.control(kLatency, kLatencyMs, port);
  usb_.control(kBitMode, kModeMpsse, port);
  usb_.start_receiving();
  synchronise();
  const std::array<uint8_t, 10> settings = {kFullClock,
                                            kNoAdaptive,
                                            kNoThreePhase,
                                            kNoLoopback,
                                            kDivisor,
                                            static_cast<uint8_t>(divisor_),
                                            static_cast<uint8_t>(divisor_ >> 8),
                                            kSetPins,
                                            levels_,
                                            outputs_};
  exchange(settings, {});
}

// An unknown command is answered with its number: from there on we know which answer belongs to which
// command. Bytes left over from before come first, and may look like that answer themselves. So we ask again,
// with another number, until an answer comes without anything before it.
void Mpsse::synchronise() {
  size_t left_over = 0;
  read_until_answer(kNoSuchCommand, left_over);
  for (uint8_t command = kNoSuchCommand;;) {
    command ^= 1U;
    const size_t before = left_over;
    read_until_answer(command, left_over);
    if (left_over == before) return;
  }
}

void Mpsse::read_until_answer(uint8_t command, size_t& left_over) {
  const std::array<uint8_t, 2> question = {command, kSendNow};
  usb_.send(question);
  constexpr size_t kMaxLeftOver = 64 << 10;
  std::vector<uint8_t> seen;
  while (seen.size() < 2 || seen[seen.size() - 2] != kBadCommand || seen.back() != command) {
    if (left_over + seen.size() > kMaxLeftOver) {
      throw BoardError(Trouble::kWrongBoard,
                       fmt::format("board at usb {}: its USB chip does not answer as an FT2232H's "
                                   "serial engine does; is it the right --board?",
                                   usb_.place().path));
    }
    std::array<uint8_t, 1> one;
    if (take(one).empty()) {
      seen.push_back(one[0]);
    } else {
      usb_.wait();
    }
  }
  left_over += seen.size() - question.size();
}

std::span<uint8_t> Mpsse::take(std::span<uint8_t> to) {
  auto& transfers = usb_.received();
  const size_t packet = usb_.packet_bytes();
  while (!to.empty() && !transfers.empty()) {
    auto& bytes = transfers.front();
    // `at` counts in the whole transfer, so that the packets' borders can be seen.
    size_t& at = taken_;
    while (!to.empty() && at < bytes.size()) {
      if (at % packet == 0) at += kStatusBytes;
      if (at >= bytes.size()) break;
      const size_t part = std::min({to.size(), bytes.size() - at, packet - at % packet});
      std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(at), part, to.begin());
      to = to.subspan(part);
      at += part;
    }
    if (at < bytes.size()) break;
    transfers.pop_front();
    at = 0;
  }
  return to;
}

void Mpsse::exchange(std::span<const uint8_t> out, std::span<uint8_t> to) {
  usb_.send(out);
  for (auto rest = take(to); !rest.empty() || !usb_.all_sent(); rest = take(rest)) usb_.wait();
}

void Mpsse::run(MpsseCommands& commands, std::span<uint8_t> to) {
  if (commands.answers() != 0) commands.bytes().push_back(kSendNow);
  exchange(commands.bytes(), to);
}

}  // namespace swai::flash
