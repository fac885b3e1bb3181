// SPDX-License-Identifier: Apache-2.0
// Copies on the card from 1 KiB to 4 MiB, with --all to 64 MiB: by each engine that can do them, and by the
// one that the card chooses; while its cores are idle, and while a kernel of theirs has just begun; with a
// root complex that routes between cards, with --no-iommu without. "regrets" lists by how much the choice was
// slower than the best engine, cell by cell. Prints a table on stderr and a JSON object; times are card
// cycles, which are nanoseconds, until the library has seen the end. Other arguments are handed to swai-card.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/runtime/copy.hpp"
#include "verif/host/runtime/bench/bench_card.hpp"

namespace swai::sdaa {
namespace {

using command::Engine;

constexpr uint64_t kMaxBytes = 64 << 20;
// `make bench` stops here; copies of this length do not depend on the caches.
constexpr uint64_t kLarge = 4 << 20;
// Up to here a refresh of the memory makes a difference.
constexpr uint64_t kShort = 256 << 10;
constexpr uint64_t kRefresh = 3'900;  // cycles from one to the next
// Measured rounds. They begin evenly spread between two refreshes; long copies differ by a few per cent.
unsigned rounds(uint64_t bytes) {
  if (bytes <= kShort) return 20;
  return bytes < kMaxBytes ? 3 : 1;
}
// Rounds that suffice for an engine that takes more than twice as long as another one.
unsigned few_rounds(uint64_t bytes) { return bytes <= kShort ? 3 : 1; }

// Of the middle half. Single copies take one of two times, perhaps as they meet a refresh or not, and now and
// then a much longer one: a median would be one of the two, by chance.
uint64_t mean_of_middle(std::vector<uint64_t> all) {
  std::ranges::sort(all);
  const size_t out = all.size() / 4;
  const auto middle = std::span(all).subspan(out, all.size() - 2 * out);
  return std::accumulate(middle.begin(), middle.end(), uint64_t{0}) / middle.size();
}

// A kernel runs longer than anybody would wait for it. A turn of `spin` takes three cycles.
uint32_t turns_of_spin(uint64_t bytes) {
  if (bytes <= 64 << 10) return 4'000;
  return bytes <= kShort ? 8'000 : 33'000;
}

struct Named {
  Engine engine;
  const char* name;
};
constexpr std::array kNamed = {Named{Engine::kBest, "best"}, Named{Engine::kProcessor, "processor"},
                               Named{Engine::kCores, "cores"}, Named{Engine::kHost, "host"},
                               Named{Engine::kRootComplex, "root"}};

class Bench : private BenchCard {
 public:
  explicit Bench(std::vector<std::string> arguments)
      : Bench(std::erase(arguments, "--all") != 0 ? kMaxBytes : kLarge, arguments) {}

  nlohmann::json run() {
    nlohmann::json figures;
    spin(kShort);
    must(sdaaStreamSynchronize(other_));  // its code comes
    const auto& costs = device().connection().routes();
    figures["d2d.calibrate_cycles"] = costs.at_boot + costs.over_link;
    nlohmann::json& regrets = figures["regrets"];
    for (const bool busy : {false, true}) {
      fmt::print(stderr, "\n{}, {} the root complex\n{:>8}", busy ? "a kernel has just begun" : "idle cores",
                 routes_ ? "with routes of" : "without", "KiB");
      for (const Named& one : kNamed) fmt::print(stderr, "{:>12}", one.name);
      fmt::print(stderr, "   ns\n");
      for (uint64_t bytes = 1 << 10; bytes <= data_.size(); bytes *= 4)
        regrets.push_back(measure(bytes, busy, figures));
    }
    return figures;
  }

 private:
  Bench(uint64_t most, const std::vector<std::string>& arguments)
      : BenchCard(arguments), routes_(std::ranges::count(arguments, "--no-iommu") == 0), data_(most) {
    must(sdaaMalloc(&from_, most));
    must(sdaaMalloc(&to_, most));
    must(sdaaStreamCreateWithFlags(&stream_, sdaaStreamNonBlocking));
    must(sdaaStreamCreateWithFlags(&other_, sdaaStreamNonBlocking));
    sdaaModule_t module = nullptr;
    must(sdaaModuleLoad(&module, "build/cpe-kernels/serve-bench.elf"));
    must(sdaaModuleGetFunction(&spin_, module, "spin"));
    for (size_t at = 0; at < data_.size(); at += sizeof(uint64_t)) {
      const uint64_t word = random_();
      std::memcpy(data_.data() + at, &word, sizeof word);
    }
    must(sdaaMemcpy(from_, data_.data(), most, sdaaMemcpyHostToDevice));
    if (can(Engine::kRootComplex) != routes_)
      throw std::runtime_error("the card has found other routes than there are");
  }

  static uint64_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

  double measure(uint64_t bytes, bool busy, nlohmann::json& figures) {
    uint64_t best = ~uint64_t{0};
    uint64_t chosen = 0;
    fmt::print(stderr, "{:>8}", bytes >> 10);
    for (const Named& one : kNamed) {
      const std::optional<uint64_t> cycles = cycles_with(one.engine, bytes, busy, best);
      fmt::print(stderr, "{:>12}", cycles ? fmt::to_string(*cycles) : "");
      if (!cycles) continue;
      if (one.engine == Engine::kBest) chosen = *cycles;
      best = std::min(best, *cycles);
      figures[fmt::format("d2d.{}{}{}_{}k_ns", one.name, busy ? "_busy" : "", routes_ ? "" : "_no_iommu",
                          bytes >> 10)] = *cycles;
    }
    const double regret = static_cast<double>(chosen) / static_cast<double>(best) - 1;
    fmt::print(stderr, "   {:.3f}\n", regret);
    return regret;
  }
  // `best`: of those that were measured before.
  std::optional<uint64_t> cycles_with(Engine engine, uint64_t bytes, bool busy, uint64_t best) {
    if (engine == Engine::kRootComplex && !routes_) return std::nullopt;
    if (bytes <= kLarge) round(engine, bytes, busy);  // what it needs comes into the caches
    std::vector<uint64_t> all;
    for (unsigned i = 0; i < rounds(bytes); ++i) {
      // Each refresh is as far from the beginning of some round as from that of the others.
      const uint64_t phase = i * kRefresh / rounds(bytes);
      card().run_until(0, (kRefresh + phase - card().cycle() % kRefresh) % kRefresh);
      all.push_back(round(engine, bytes, busy));
      if (all.size() == few_rounds(bytes) && std::ranges::min(all) / 2 > best) break;
    }
    check(bytes);
    return mean_of_middle(std::move(all));
  }
  uint64_t round(Engine engine, uint64_t bytes, bool busy) {
    if (busy) spin(bytes);
    const uint64_t cycles = cycles_of([&] { copy(engine, bytes); });
    must(sdaaStreamSynchronize(other_));
    return cycles;
  }

  void spin(uint64_t bytes) {
    uint32_t turns = turns_of_spin(bytes);
    std::array<void*, 1> arguments = {&turns};
    must(sdaaLaunchKernel(spin_, arguments.data(), 0, other_));
  }
  void copy(Engine engine, uint64_t bytes) {
    auto use = Runtime::get().use_stream(stream_);
    copy_on_card(use.writer(), address(to_), address(from_), {bytes, 1, 0, 0}, engine);
    use.writer().wait();
  }
  bool can(Engine engine) {
    return (device().connection().routes().engines >> static_cast<unsigned>(engine) & 1) != 0;
  }
  // The first bytes and the last ones; and they are not there before the next copy.
  void check(uint64_t bytes) {
    const uint64_t some = std::min<uint64_t>(bytes, 64 << 10);
    std::vector<uint8_t> there(some);
    for (uint64_t at = 0; at < bytes; at += std::max(bytes - some, some)) {
      auto* begin = static_cast<uint8_t*>(to_) + at;
      must(sdaaMemcpy(there.data(), begin, some, sdaaMemcpyDeviceToHost));
      if (std::memcmp(there.data(), data_.data() + at, some) != 0)
        throw std::runtime_error("other bytes were copied");
      must(sdaaMemset(begin, 0, some));
    }
  }

  bool routes_;
  std::mt19937_64 random_{1};
  void* from_ = nullptr;
  void* to_ = nullptr;
  sdaaStream_t stream_ = nullptr;
  sdaaStream_t other_ = nullptr;
  sdaaFunction_t spin_ = nullptr;
  std::vector<uint8_t> data_;
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("d2d-bench", count, values);
}
