// The ways that a copy on the card can take, each by itself, from 1 KiB to 4 MiB: by the cores, idle or
// behind a kernel; down to the host and up again by the DMA engine; by the DMA engine alone, which reads the
// card's own BAR0 through the root complex (docs/rootport.md), unless that has no routes (swai-card
// --no-iommu). Prints a table on stderr and a flat JSON object; times are card cycles, which are nanoseconds,
// until the library has seen the end. Arguments are handed to swai-card.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "card_regs.hpp"
#include "verif/sdaa/bench/bench_card.hpp"

namespace swai::sdaa {
namespace {

constexpr uint64_t kMost = 4 << 20;
constexpr unsigned kConfig = link::Card::kConfig;

class Bench : private BenchCard {
 public:
  explicit Bench(std::vector<std::string> arguments) : BenchCard(std::move(arguments)) {
    must(sdaaMalloc(&from_, kMost));
    must(sdaaMalloc(&to_, kMost));
    must(sdaaMallocHost(&pinned_, kMost));
    must(sdaaStreamCreateWithFlags(&stream_, sdaaStreamNonBlocking));
    must(sdaaStreamCreateWithFlags(&other_, sdaaStreamNonBlocking));
    sdaaModule_t module = nullptr;
    must(sdaaModuleLoad(&module, "build/cpe-kernels/serve-bench.elf"));
    must(sdaaModuleGetFunction(&spin_, module, "spin"));
    std::mt19937_64 random(1);
    std::vector<uint64_t> data(kMost / sizeof(uint64_t));
    for (uint64_t& word : data) word = random();
    must(sdaaMemcpy(from_, data.data(), kMost, sdaaMemcpyHostToDevice));
    data_.resize(kMost);
    std::memcpy(data_.data(), data.data(), kMost);
    const Device::Lock lock = device().enter();
    bounce_ = device().host_memory().find(pinned_, kMost)->iova;
    const uint64_t physical =
        device().connection().ask(protocol::Operation::kPointerInfo, {address(from_)})[3];
    const uint64_t bar =
        (card().read<uint32_t>(kConfig, 0x10) & ~15u) | uint64_t{card().read<uint32_t>(kConfig, 0x14)} << 32;
    in_bar_ = bar + physical - regs::kHbmRegion.base;
  }

  nlohmann::json run() {
    nlohmann::json figures;
    const bool routes = has_routes();
    const auto whole_spin = [&] {
      spin();
      must(sdaaStreamSynchronize(other_));
    };
    whole_spin();  // its code comes
    const uint64_t busy = cycles_of(whole_spin);
    figures["d2d.busy_ns"] = busy;
    fmt::print(stderr, "{:>8} {:>10} {:>10} {:>12} {:>12}   ns; a kernel goes on for {}\n", "KiB", "cores",
               "behind it", "by the host", "root complex", busy);
    for (uint64_t bytes = 1 << 10; bytes <= kMost; bytes *= 4) {
      const auto add = [&](const char* name, auto copy) {
        copy();
        const uint64_t cycles = cycles_of(copy);
        check(bytes);
        figures[fmt::format("d2d.{}_{}k_ns", name, bytes >> 10)] = cycles;
        return cycles;
      };
      const uint64_t cores = add("cores", [&] { by_cores(bytes); });
      const uint64_t behind = add("cores_busy", [&] {
        spin();
        by_cores(bytes);
        must(sdaaStreamSynchronize(other_));
      });
      const uint64_t host = add("host", [&] { by_host(bytes); });
      const uint64_t root = routes ? add("root", [&] { by_root_complex(bytes); }) : 0;
      fmt::print(stderr, "{:>8} {:>10} {:>10} {:>12} {:>12}\n", bytes >> 10, cores, behind, host,
                 routes ? fmt::to_string(root) : "none");
    }
    return figures;
  }

 private:
  static uint64_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

  void spin() {
    uint32_t rounds = 33'000;
    std::array<void*, 1> arguments = {&rounds};
    must(sdaaLaunchKernel(spin_, arguments.data(), 0, other_));
  }
  void by_cores(uint64_t bytes) {
    auto use = Runtime::get().use_stream(stream_);
    command::CopyDevice command = {};
    command.to = address(to_);
    command.from = address(from_);
    command.bytes = bytes;
    command.rows = 1;
    use.device->wait(use.lock,
                     use.device->submit(use.lock, *use.stream, command::Type::kCopyDevice, command));
  }
  void by_host(uint64_t bytes) {
    transfer(bounce_, from_, bytes, true);
    transfer(bounce_, to_, bytes, false);
    wait();
  }
  void by_root_complex(uint64_t bytes) {
    transfer(in_bar_, to_, bytes, false);
    wait();
  }
  // To the card in four commands side by side, as the library does it; to the host one is as fast.
  void transfer(uint64_t host, const void* device_memory, uint64_t bytes, bool to_host) {
    constexpr uint64_t kDivided = 16 << 10;
    const uint64_t parts = !to_host && bytes >= kDivided ? 4 : 1;
    auto use = Runtime::get().use_stream(stream_);
    for (uint64_t at = 0; at < bytes; at += bytes / parts) {
      command::Copy command = {};
      command.host = host + at;
      command.device = address(device_memory) + at;
      command.bytes = bytes / parts;
      command.rows = 1;
      command.to_host = to_host ? 1 : 0;
      use.device->submit(use.lock, *use.stream, command::Type::kCopy, command, {},
                         at == 0 ? uint16_t{0} : command::kConcurrent);
    }
  }
  void wait() { must(sdaaStreamSynchronize(stream_)); }
  bool has_routes() {
    transfer(in_bar_, to_, 64, false);
    const bool good = sdaaStreamSynchronize(stream_) == sdaaSuccess;
    if (!good) must(sdaaStreamReset(stream_));
    return good;
  }
  // And nothing is there before the next copy.
  void check(uint64_t bytes) {
    std::vector<uint8_t> there(bytes);
    must(sdaaMemcpy(there.data(), to_, bytes, sdaaMemcpyDeviceToHost));
    if (std::memcmp(there.data(), data_.data(), bytes) != 0)
      throw std::runtime_error("other bytes were copied");
    must(sdaaMemset(to_, 0, bytes));
  }

  void* from_ = nullptr;
  void* to_ = nullptr;
  void* pinned_ = nullptr;
  sdaaStream_t stream_ = nullptr;
  sdaaStream_t other_ = nullptr;
  sdaaFunction_t spin_ = nullptr;
  uint64_t bounce_ = 0;  // bus addresses: of pinned memory, and of `from_` in the card's own BAR0
  uint64_t in_bar_ = 0;
  std::vector<uint8_t> data_;
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("d2d-bench", count, values);
}
