// SPDX-License-Identifier: Apache-2.0
// Runs the program `timed` on the card once, and prints what it says of itself as a flat JSON object. The
// rest is in the trace that swai-card --events writes meanwhile: arguments are handed to swai-card.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "verif/host/runtime/bench/bench_card.hpp"
#include "verif/host/runtime/bench/kernels.hpp"
#include "verif/host/runtime/programs/timed.hpp"

namespace swai::sdaa {
namespace {

class Bench : private BenchCard {
 public:
  using BenchCard::BenchCard;

  nlohmann::json run() {
    sdaaModule_t module = nullptr;
    sdaaFunction_t idle = nullptr;
    sdaaFunction_t take_shares = nullptr;
    sdaaProgramKernel_t kernel;
    sdaaProgramKernel_t takes;
    void* data = nullptr;
    sdaaProgram_t program = nullptr;
    must(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-bench.elf"));
    must(sdaaModuleGetFunction(&idle, module, "idle"));
    must(sdaaProgramGetKernel(&kernel, idle, nullptr));
    must(sdaaProgramLoad(&program, "build/programs/timed.elf"));
    must(sdaaModuleGetFunction(&take_shares, module, "take_shares"));
    must(sdaaProgramGetKernel(&takes, take_shares, nullptr));
    must(sdaaMallocWithFlags(&data, timed::kLarge, sdaaMallocShared, sdaaAnyGroup));
    const SharesWord shares = shares_of(reinterpret_cast<uintptr_t>(data) + timed::kFirst);
    const timed::Wish wish = {std::bit_cast<program::Kernel>(kernel),
                              {1, 2, 3},
                              std::bit_cast<program::Kernel>(takes),
                              shares.word(),
                              shares.beside().word(),
                              reinterpret_cast<uintptr_t>(data)};
    must(sdaaProgramStart(program, &wish, sizeof wish));
    for (uint32_t i = 0; i < timed::kRounds; ++i)
      if (read<uint32_t>(program) != i) throw std::runtime_error("another message was expected");
    auto report = read<timed::Report>(program);
    uint32_t code = 1;
    must(sdaaProgramWait(program, &code));
    if (code != 0) throw std::runtime_error(fmt::format("the program ended with code {}", code));
    must(sdaaProgramDestroy(program));
    must(sdaaModuleUnload(module));
    std::ranges::sort(report.call);
    std::ranges::sort(report.handover, {}, &timed::Handover::cycles);
    if (report.handover.front().cycles == 0) throw std::runtime_error("another line came back");
    constexpr unsigned kMiddle = timed::kRounds / 2;
    const auto per_line = [](uint64_t cycles) { return cycles * 64.0 / timed::kLarge; };
    const timed::Handover& handover = report.handover[kMiddle];
    std::array<uint64_t, timed::kRounds> rounds;
    std::ranges::transform(report.handover, rounds.begin(), &timed::Handover::round);
    std::ranges::sort(rounds);
    return {{"program.call_cycles", report.call[kMiddle]},
            {"program.call_cycles_cold", report.call.back()},
            {"handover.cycles", handover.cycles},
            {"handover.cycles.o_write", handover.write},
            {"handover.cycles.o_launch", handover.launch},
            {"handover.cycles.o_look", handover.look},
            {"handover.end_cycles", handover.end},
            {"handover.round_cycles", rounds[kMiddle]},
            {"handover.cycles_cold", report.handover.back().cycles},
            {"program.line_cycles", per_line(report.zeroed)},
            {"program.line_cycles_read", per_line(report.read)}};
  }

 private:
  // All of what is handed over, for the cores of a group.
  SharesWord shares_of(uint64_t pointer) {
    const SharesWord word(pointer, timed::kHandedOver, device().info().rows, device().info().columns);
    if (word.pointer() != pointer)
      throw std::runtime_error("the memory lies where the kernel's word cannot say");
    return word;
  }
  template <typename T>
  static T read(sdaaProgram_t program) {
    T message;
    size_t bytes = sizeof message;
    must(sdaaProgramRead(program, &message, &bytes));
    if (bytes != sizeof message) throw std::runtime_error("a message of another length was expected");
    return message;
  }
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("program-bench", count, values);
}
