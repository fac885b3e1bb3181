// SPDX-License-Identifier: Apache-2.0
// Measures launches on the card, and runs kernels of given sizes. An image like AI-Kernel, started by the
// boot ROM; prints lines of JSON, then obeys commands (docs/firmware/launching.md).
#include <array>

#include "abi/boot.hpp"
#include "abi/image.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/identity.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/launch-bench/bench.hpp"
#include "firmware/launch-bench/console.hpp"
#include "version.hpp"

extern "C" constinit const swai::image::IdentityRecord swai_identity =
    swai::image::identity_of("launch-bench");

namespace swai::launch_bench {
namespace {

// A word of letters and the numbers after it; what is not there is 0.
struct Command {
  std::string_view name;
  std::array<uint32_t, 4> numbers = {};
};

unsigned digit(char character) {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  if (character >= 'a' && character <= 'f') return static_cast<unsigned>(character - 'a') + 10;
  return 16;
}

// Decimal, or hexadecimal after 0x.
uint32_t number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint32_t value = 0;
  for (const char character : text) value = value * (hex ? 16 : 10) + digit(character);
  return value;
}

Command parse(std::string_view line) {
  Command command;
  size_t index = 0;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (word.empty()) continue;
    if (command.name.empty()) {
      command.name = word;
    } else if (index < command.numbers.size()) {
      command.numbers[index++] = number(word);
    }
  }
  return command;
}

void obey(Bench& bench, const Command& command) {
  const auto& [a, b, c, d] = command.numbers;
  if (command.name == "empty") {
    bench.launch_empty();
  } else if (command.name == "chain") {
    bench.launch_chain();
  } else if (command.name == "classic") {
    bench.launch_classic();
  } else if (command.name == "mask") {
    bench.use_mask(a);
  } else if (command.name == "stream") {
    bench.stream(a, b, c, d);
  } else if (command.name == "broadcast") {
    bench.broadcast(a, b);
  } else if (command.name == "sync") {
    bench.sync(a, b);
  } else if (command.name == "scalar") {
    bench.scalar(a);
  } else if (command.name == "copy") {
    bench.copy(a);
  } else if (command.name == "systolic") {
    bench.systolic(a, b);
  } else if (command.name == "sparse") {
    bench.sparse(a, b);
  } else if (command.name == "vector") {
    bench.vector(a, b);
  } else if (command.name == "softmax") {
    bench.softmax(a);
  } else if (command.name == "gemv") {
    bench.gemv(a, b);
  } else if (command.name == "gemm") {
    bench.gemm(a, b, c);
  } else if (command.name == "handover") {
    bench.handover(a, b, c != 0, d != 0 ? Bench::Sharing::kCopied : Bench::Sharing::kShared);
  } else if (command.name == "spin") {
    bench.spin(a);
  } else if (command.name == "faults") {
    bench.faults(a);
  } else if (!command.name.empty()) {
    JsonLine("error").add("reason", "unknown command");
  }
}

void measure_all(Bench& bench) {
  bench.launch_empty();
  bench.launch_chain();
  bench.launch_classic();
  bench.sync(2048, 4);
  bench.sync(2048, 1);
  bench.stream(131072, 4096, 0, 1);
  bench.stream(131072, 4096, 1, 1);
  bench.broadcast(4096, 512);
  bench.copy(65536);
  bench.handover(4096, 9, false, Bench::Sharing::kShared);
  bench.handover(4096, 9, true, Bench::Sharing::kShared);
  bench.handover(4096, 9, false, Bench::Sharing::kCopied);
  bench.handover(bench.cpes() * 0x8000, 1, false, Bench::Sharing::kShared);
  bench.systolic(8, 16);
  bench.systolic(2, 20);
  bench.sparse(8, 4);
  bench.vector(1000, 256);
  bench.softmax(8);
  // As much for each CPE: a small group would take eight times as long.
  bench.gemv(2048, 256 * bench.cpes());
  bench.gemm(16 * bench.cpes(), 512, 512);
}

}  // namespace

extern "C" [[noreturn]] void bench_main() {
  namespace sys = regs::system;
  // The ROM armed it for the way up to here.
  fw::write_reg(sys::watchdog_control::kAddr, 0);
  fw::write_reg(sys::progress::kAddr, static_cast<uint64_t>(boot::Progress::kKernelReady));
  init_console();
  JsonLine("launch_bench")
      .add("version", 1)
      .add("build", kVersion)
      .add("board", swai_identity.identity.board.data());

  // In static memory, as the stack is small. Made here, because it asks the card.
  alignas(Bench) static constinit std::array<std::byte, sizeof(Bench)> memory = {};
  Bench& bench = *new (memory.data()) Bench;
  if (bench.init()) measure_all(bench);
  // Writes to registers are let go before the card can refuse them.
  namespace pending = regs::irq::pending;
  const bool refused = pending::kWriteError.get(fw::read_reg(pending::kAddr)) != 0;
  JsonLine("end").add("refused_writes", static_cast<uint64_t>(refused));

  flush_console();
  fw::write_reg(sys::status::kAddr, sys::status::kStage.put(sys::status::kStageReady));
  for (;;) {
    obey(bench, parse(read_line()));
    flush_console();
  }
}

extern "C" [[noreturn]] void bench_trap(uint64_t cause, uint64_t pc, uint64_t address) {
  JsonLine("trap").add("cause", cause).add("pc", pc).add("address", address);
  flush_console();
  fw::write_reg(regs::system::status::kAddr,
                regs::system::status::kStage.put(regs::system::status::kStageFailed));
  for (;;) csr::wait_for_interrupt();
}

}  // namespace swai::launch_bench
