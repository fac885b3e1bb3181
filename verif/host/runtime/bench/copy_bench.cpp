// SPDX-License-Identifier: Apache-2.0
// Copies between host and card beside what the link can carry: pinned memory, and memory that goes through
// buffers of the library's own, for which copying on the host takes the card's time by fixed constants.
// Prints a flat JSON object; times are card cycles, which are nanoseconds. Arguments are handed to swai-card.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "verif/host/runtime/bench/bench_card.hpp"

namespace swai::sdaa {
namespace {

constexpr uint64_t kBytes = 64 << 20;
// 32 bytes in a cycle; 256 of payload come with 20 of header and framing (docs/simulate/rootport.md).
constexpr double kLink = 32.0 * 256 / 276;

class Bench : private BenchCard {
 public:
  explicit Bench(std::vector<std::string> arguments) : BenchCard(std::move(arguments)) {
    must(sdaaMalloc(&device_memory_, kBytes));
    must(sdaaMallocHost(&pinned_, kBytes));
    std::mt19937_64 random(1);
    for (uint64_t& word : data_) word = random();
  }

  nlohmann::json run() {
    nlohmann::json figures;
    std::memcpy(pinned_, data_.data(), kBytes);
    figures["copy.h2d_eff"] = rate([&] { to_card(pinned_); }) / kLink;
    std::memset(pinned_, 0, kBytes);
    figures["copy.d2h_eff"] = rate([&] { to_host(pinned_); }) / kLink;
    check(pinned_);
    pageable(figures);
    short_ones(figures);
    figures["copy.start_ns"] = start([&] { first_kib(device_memory_, pinned_); });
    figures["copy.start_to_host_ns"] = start([&] { first_kib(pinned_, device_memory_); });
    return figures;
  }

 private:
  void to_card(const void* from, uint64_t bytes = kBytes) {
    must(sdaaMemcpy(device_memory_, from, bytes, sdaaMemcpyHostToDevice));
  }
  void to_host(void* to, uint64_t bytes = kBytes) {
    must(sdaaMemcpy(to, device_memory_, bytes, sdaaMemcpyDeviceToHost));
  }
  void check(const void* memory) {
    if (std::memcmp(memory, data_.data(), kBytes) != 0) throw std::runtime_error("other bytes came back");
  }
  static void first_kib(void* to, const void* from) {
    must(sdaaMemcpyAsync(to, from, 1024, sdaaMemcpyDefault, nullptr));
  }
  // Bytes per ns, until the call returns.
  template <typename Copy>
  double rate(Copy copy, uint64_t bytes = kBytes) {
    return static_cast<double>(bytes) / static_cast<double>(cycles_of(copy));
  }

  // Threads, buffers and commands are those that every program has; that copying on the host takes time is
  // what measurements add. Beside it one thread that uses two buffers and one channel at a time.
  void pageable(nlohmann::json& figures) {
    constexpr uint64_t kAlone = 16 << 20;  // it is as fast as with more
    std::vector<uint64_t> memory(data_.size());
    const double both = std::min(kLink, static_cast<double>(host_costs::kTogether));
    const double to_card_alone = staged(
        {1, 2, false, true}, [&] { to_card(data_.data(), kAlone); }, kAlone);
    const double to_host_alone = staged(
        {1, 2, false, true}, [&] { to_host(memory.data(), kAlone); }, kAlone);
    const double up = staged({.timed = true}, [&] { to_card(data_.data()); });
    const double down = staged({.timed = true}, [&] { to_host(memory.data()); });
    check(memory.data());
    figures["copy.pageable_h2d_eff"] = up / both;
    figures["copy.pageable_d2h_eff"] = down / both;
    figures["copy.pageable_eff"] = std::min(up, down) / both;
    figures["copy.pageable_h2d_speedup"] = up / to_card_alone;
    figures["copy.pageable_d2h_speedup"] = down / to_host_alone;
    figures["copy.pageable_speedup"] = std::min(up / to_card_alone, down / to_host_alone);
  }
  // How long shorter copies take, until the call returns.
  void short_ones(nlohmann::json& figures) {
    set_staging({.timed = true});
    for (const uint64_t kib : {1, 16, 64, 256, 4096}) {
      const uint64_t bytes = kib << 10;
      const auto add = [&](const char* name, void* to, const void* from) {
        const auto copy = [&] { must(sdaaMemcpy(to, from, bytes, sdaaMemcpyDefault)); };
        copy();
        figures[fmt::format("copy.{}_{}k_ns", name, kib)] = cycles_of(copy);
      };
      add("h2d", device_memory_, pinned_);
      add("d2h", pinned_, device_memory_);
      add("pageable_h2d", device_memory_, data_.data());
      add("pageable_d2h", data_.data(), device_memory_);
    }
    set_staging({});
  }
  template <typename Copy>
  double staged(const Staging& staging, Copy copy, uint64_t bytes = kBytes) {
    set_staging(staging);
    const double result = rate(copy, bytes);
    set_staging({});
    return result;
  }
  void set_staging(const Staging& staging) {
    const Device::Lock lock = device().enter();
    device().set_staging(staging);
  }

  // From the call to the transfer's first packet: how long one has to wait until the card, asked how many
  // packets it has sent, has sent one that is no answer.
  template <typename Copy>
  uint64_t start(Copy copy) {
    copy();
    must(sdaaDeviceSynchronize());
    const uint64_t answer = cycles_of([&] { packets(); });
    uint64_t before = 0;
    uint64_t behind = kLongest;
    while (behind - before > 1) {
      const uint64_t middle = (before + behind) / 2;
      (sent_within(copy, middle) ? behind : before) = middle;
    }
    if (behind == kLongest) throw std::runtime_error("the copy does not begin");
    return behind + answer / 2;
  }
  template <typename Copy>
  bool sent_within(Copy copy, uint64_t cycles) {
    card().run_until(0, kSettle);
    const uint64_t before = packets();
    copy();
    if (cycles != 0) card().run_until(0, cycles);
    const bool sent = packets() - before > 1;
    must(sdaaDeviceSynchronize());
    return sent;
  }
  uint64_t packets() { return card().read<uint64_t>(kControlBar, regs::pcie::packets_out::kOffset); }

  static constexpr uint64_t kLongest = 4096;
  static constexpr uint64_t kSettle = 10'000;
  void* device_memory_ = nullptr;
  void* pinned_ = nullptr;
  std::vector<uint64_t> data_ = std::vector<uint64_t>(kBytes / sizeof(uint64_t));
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("copy-bench", count, values);
}
