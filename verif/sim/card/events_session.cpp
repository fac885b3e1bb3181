// SPDX-License-Identifier: Apache-2.0
// A host program with a fixed script, whose trace events_test.py looks at: copies by DMA, doorbells, an
// error, a pause of the recording, a reset. Prints what it saw and when; the same with tracing and without.
//
//   events-session [--program FILE] [--cards N] [--pause] [--copies N] [options of swai-card]
#include <fmt/format.h>
#include <signal.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "verif/system/dma.hpp"
#include "verif/system/rig.hpp"

namespace swai::system {
namespace {

constexpr uint64_t kRecordsAt = 0x1000'0000;
constexpr uint64_t kBufferAt = 0x2'0000'0000;
constexpr uint64_t kBufferBytes = 64 << 10;
constexpr uint32_t kPiece = 5000;
constexpr uint64_t kSettle = 20'000;

uint64_t hash(link::Bytes bytes) {
  uint64_t result = 0xCBF2'9CE4'8422'2325;
  for (const uint8_t byte : bytes) result = (result ^ byte) * 0x100'0000'01B3;
  return result;
}

void play(link::Card* card, unsigned number, bool pause, unsigned copies) {
  fmt::print("card {}: connected at {}\n", number, card->cycle());
  auto records = card->pin(kRecordsAt, 64 << 10);
  auto buffer = card->pin(kBufferAt, kBufferBytes);
  for (uint64_t i = 0; i < kBufferBytes; ++i) buffer.data()[i] = static_cast<uint8_t>(i * 7 + i / 251);
  Dma dma(*card, records);

  // Channel c has c + 1 descriptors each way: queues of more than one overlap.
  for (unsigned way = 0; way < 2 * copies; ++way) {
    const bool to_host = way % 2 != 0;
    for (unsigned c = 0; c < 4; ++c) {
      for (unsigned i = 0; i <= c; ++i) {
        const uint64_t at = uint64_t{(c * (c + 1) / 2 + i)} * kPiece;
        dma.add(c, kBufferAt + at, regs::kHbmRegion.base + 0x1000 + at, kPiece + c, to_host);
      }
    }
    fmt::print("copied in {}\n", dma.finish());
    if (!to_host) std::memset(buffer.data(), 0, kBufferBytes);
  }
  fmt::print("contents {:016x}\n", hash(buffer.bytes()));

  if (pause) card->command(link::vendor::Command::kTrace, {0});
  dma.add(5, kBufferAt, regs::kHbmRegion.base, 4096, false);
  fmt::print("one more in {}\n", dma.finish());
  if (pause) card->command(link::vendor::Command::kTrace, {1});

  for (const unsigned bell : {3u, 17u}) {
    card->post<uint64_t>(kRegisterBar, register_at(regs::pcie::doorbell::kAddr), bell);
    card->run_until(0, kSettle);
  }
  fmt::print("doorbells until {}\n", card->cycle());

  // One that fails on the card, and one of which data come to the same place of the host.
  constexpr uint64_t kNothing = regs::kHbmRegion.base - 0x1000;
  dma.add(7, kBufferAt, kNothing, 256, true);
  fmt::print("stopped: {}\n", dma.finish_or_stop().size());
  dma.add(4, kBufferAt, regs::kHbmRegion.base + 0x1000, 256, true);
  fmt::print("the same place in {}\n", dma.finish());

  // Nothing is at this address of the host.
  dma.add(6, 0x7'0000'0000, regs::kHbmRegion.base, 256, false);
  dma.start();
  card->run_until(uint64_t{1} << 6, kSettle);
  fmt::print("channel 6: state {}, error {:#x}, at {}\n", dma.read(regs::dma::status::kAddr, 6),
             dma.read(regs::dma::error::kAddr, 6), card->cycle());
  card->reset();
  card->run_until(0, kSettle);
  fmt::print("reset until {}\n", card->cycle());
}

}  // namespace
}  // namespace swai::system

int main(int argc, char** argv) {
  using namespace swai;
  system::RigOptions options;
  bool pause = false;
  unsigned copies = 1;  // there and back
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--program" && i + 1 < argc) {
      options.program = argv[++i];
    } else if (argument == "--cards" && i + 1 < argc) {
      options.cards = static_cast<unsigned>(std::stoul(argv[++i]));
    } else if (argument == "--copies" && i + 1 < argc) {
      copies = static_cast<unsigned>(std::stoul(argv[++i]));
    } else if (argument == "--pause") {
      pause = true;
    } else {
      options.arguments.push_back(argument);
    }
  }
  system::Rig rig(options);
  // A client that goes lets time pass in its card, for longer or shorter: they all stay until the end.
  std::vector<std::unique_ptr<link::Card>> cards;
  for (unsigned i = 0; i < options.cards; ++i) {
    cards.push_back(rig.open(i));
    system::play(cards.back().get(), i, pause, copies);
  }
  ::kill(rig.process().pid(), SIGTERM);
  const int code = rig.process().wait();
  const std::string& output = rig.process().output();
  const size_t message = output.find("events: ");
  if (message != std::string::npos) fmt::print(stderr, "{}", output.substr(message));
  return code;
}
