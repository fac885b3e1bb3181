// SPDX-License-Identifier: Apache-2.0
// What calls of the runtime library cost, as the host program sees it: card cycles, which are nanoseconds.
// Prints a flat JSON object. Arguments are handed to swai-card.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/scattered_memory.hpp"
#include "verif/host/runtime/bench/bench_card.hpp"
#include "verif/host/runtime/bench/kernels.hpp"

namespace swai::sdaa {
namespace {

constexpr const char* kModule = "build/cpe-kernels/sdaa-bench.elf";
constexpr unsigned kRounds = 33;

class Bench : private BenchCard {
 public:
  using BenchCard::BenchCard;

  nlohmann::json run() {
    nlohmann::json figures;
    const uint64_t word = regs::pcie::shared::kOffset;
    add(figures, "link.round_trip_ns", [&](unsigned) { card().read<uint64_t>(kControlBar, word); });
    allocate(figures);
    launch(figures);
    copy(figures);
    pin(figures);
    return figures;
  }

 private:
  // The median of some rounds, and the slowest of them, which is the first one as a rule.
  template <typename Action>
  void add(nlohmann::json& figures, const std::string& key, Action action) {
    std::vector<uint64_t> times;
    for (unsigned round = 0; round < kRounds; ++round) times.push_back(cycles_of([&] { action(round); }));
    std::ranges::sort(times);
    figures[key] = times[times.size() / 2];
    figures[key + "_cold"] = times.back();
  }

  // 64 bytes to 64 KiB.
  void allocate(nlohmann::json& figures) {
    std::array<void*, kRounds> memory = {};
    add(figures, "alloc.host_ns",
        [&](unsigned round) { must(sdaaMalloc(&memory[round], size_t{64} << round % 11)); });
    add(figures, "alloc.host_free_ns", [&](unsigned round) { must(sdaaFree(memory[round])); });
  }

  void launch(nlohmann::json& figures) {
    sdaaModule_t module = nullptr;
    sdaaFunction_t idle = nullptr;
    sdaaStream_t stream = nullptr;
    must(sdaaModuleLoad(&module, kModule));
    must(sdaaModuleGetFunction(&idle, module, "idle"));
    must(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
    const IdleArgs arguments = {cpe::GlobalPtr<uint32_t>(1), cpe::GlobalPtr<const uint32_t>(2), 3};
    const auto start = [&] { must(sdaaLaunchKernel(idle, &arguments, 0, stream)); };
    add(figures, "launch.host_sync_ns", [&](unsigned) {
      start();
      must(sdaaStreamSynchronize(stream));
    });
    two_level(figures, idle, arguments);
    constexpr unsigned kInFlight = 100;
    const uint64_t all = cycles_of([&] {
      for (unsigned i = 0; i < kInFlight; ++i) start();
      must(sdaaStreamSynchronize(stream));
    });
    figures["launch.host_async_ns"] = static_cast<double>(all) / kInFlight;
    graph(figures, stream, start);
    must(sdaaStreamDestroy(stream));
    must(sdaaModuleUnload(module));
  }

  // Ten launches as a graph, and one by one; and what each further one of a graph takes.
  template <typename Start>
  void graph(nlohmann::json& figures, sdaaStream_t stream, Start start) {
    constexpr unsigned kNodes = 10, kMany = 110;
    const auto make = [&](unsigned nodes) {
      sdaaGraph_t graph = nullptr;
      sdaaGraphExec_t exec = nullptr;
      must(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal));
      for (unsigned i = 0; i < nodes; ++i) start();
      must(sdaaStreamEndCapture(stream, &graph));
      must(sdaaGraphInstantiate(&exec, graph, 0));
      must(sdaaGraphDestroy(graph));
      return exec;
    };
    const auto measure = [&](const std::string& key, sdaaGraphExec_t exec) {
      add(figures, key, [&](unsigned) {
        must(sdaaGraphLaunch(exec, stream));
        must(sdaaStreamSynchronize(stream));
      });
      must(sdaaGraphExecDestroy(exec));
      return figures[key].template get<double>();
    };
    add(figures, "graph.single_launches_ns", [&](unsigned) {
      for (unsigned i = 0; i < kNodes; ++i) start();
      must(sdaaStreamSynchronize(stream));
    });
    const double few = measure("graph.launch_ns", make(kNodes));
    const double many = measure("graph.many_launch_ns", make(kMany));
    figures["graph.node_ns"] = (many - few) / (kMany - kNodes);
  }

  // The same launch, for which the card fetches ring entry and command buffer.
  void two_level(nlohmann::json& figures, sdaaFunction_t idle, const IdleArgs& arguments) {
    sdaaStream_t stream = nullptr;
    must(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
    feed_two_level(stream);
    add(figures, "launch.two_level_ns", [&](unsigned) {
      must(sdaaLaunchKernel(idle, &arguments, 0, stream));
      must(sdaaStreamSynchronize(stream));
    });
    must(sdaaStreamDestroy(stream));
  }

  void copy(nlohmann::json& figures) {
    void* device = nullptr;
    void* host = nullptr;
    must(sdaaMalloc(&device, 64));
    must(sdaaMallocHost(&host, 64));
    add(figures, "copy.host_64_to_card_ns",
        [&](unsigned) { must(sdaaMemcpy(device, host, 64, sdaaMemcpyHostToDevice)); });
    add(figures, "copy.host_64_to_host_ns",
        [&](unsigned) { must(sdaaMemcpy(host, device, 64, sdaaMemcpyDeviceToHost)); });
    must(sdaaFreeHost(host));
    must(sdaaFree(device));
  }

  // What the card says it has been asked for since it was booted.
  uint64_t asked() {
    const Device::Lock lock = device().enter();
    const auto& info = device().info();
    device().connection().let_time_pass(kSettle);
    uint64_t sum = 0;
    for (unsigned i = 0; i < info.telemetry_count; ++i) {
      protocol::Telemetry line;
      card().read_block(kMemoryBar, kSram + info.telemetry_offset + i * sizeof line,
                        {reinterpret_cast<uint8_t*>(&line), sizeof line});
      if (line.tag == protocol::Tag::kRequests || line.tag == protocol::Tag::kCommands) sum += line.value;
    }
    return sum;
  }
  // Pinned memory is a matter of the IOMMU alone. Beside it memory whose pages the card has to know: in any
  // order, as those of a host that has run for a while. The time of the host itself does not count, so each
  // begins with pinning and ends when one page has been copied.
  void pin(nlohmann::json& figures) {
    const uint64_t before = asked();
    void* host = nullptr;
    figures["pin.host_ns"] = cycles_of([&] { must(sdaaMallocHost(&host, kPinned)); });
    must(sdaaFreeHost(host));
    figures["pin.card_commands"] = asked() - before;

    void* device = nullptr;
    must(sdaaMalloc(&device, kPinned));
    std::vector<uint8_t> bytes(kPinned);
    std::mt19937_64 random(1);
    for (size_t at = 0; at < bytes.size(); at += 8) {
      const uint64_t word = random();
      std::memcpy(&bytes[at], &word, sizeof word);
    }
    pin_by_iommu(figures, device, bytes);
    must(sdaaMemset(device, 0, kPinned));
    pin_by_list(figures, device, bytes, random);
    must(sdaaFree(device));
    const auto ratio = [&](const char* key) {
      return figures[std::string("pin.list_") + key].get<double>() /
             figures[std::string("pin.iommu_") + key].get<double>();
    };
    figures["pin.vs_pagelist"] = ratio("first_page_ns");
    figures["pin.vs_pagelist_to_card"] = ratio("to_card_ns");
    figures["pin.vs_pagelist_to_host"] = ratio("to_host_ns");
  }
  void pin_by_iommu(nlohmann::json& figures, void* device, const std::vector<uint8_t>& bytes) {
    uint8_t* host = nullptr;
    for (const char* key : {"pin.iommu_first_page_ns_cold", "pin.iommu_first_page_ns"}) {
      if (host != nullptr) must(sdaaFreeHost(host));
      figures[key] = cycles_of([&] {
        void* memory = nullptr;
        must(sdaaMallocHost(&memory, kPinned));
        host = static_cast<uint8_t*>(memory);
        must(sdaaMemcpy(device, host + kPinned - kPage, kPage, sdaaMemcpyHostToDevice));
      });
    }
    std::ranges::copy(bytes, host);
    figures["pin.iommu_to_card_ns"] =
        cycles_of([&] { must(sdaaMemcpy(device, host, kPinned, sdaaMemcpyHostToDevice)); });
    std::fill_n(host, kPinned, uint8_t{0});
    figures["pin.iommu_to_host_ns"] =
        cycles_of([&] { must(sdaaMemcpy(host, device, kPinned, sdaaMemcpyDeviceToHost)); });
    if (!std::ranges::equal(bytes, std::span(host, kPinned)))
      throw std::runtime_error("other bytes came back");
    must(sdaaFreeHost(host));
  }
  void pin_by_list(nlohmann::json& figures, void* device, const std::vector<uint8_t>& bytes,
                   std::mt19937_64& random) {
    std::vector<uint32_t> frames(kPinned / kPage);
    std::iota(frames.begin(), frames.end(), 0);
    std::ranges::shuffle(frames, random);
    ScatteredMemory host(this->device(), frames);
    const auto to = reinterpret_cast<uintptr_t>(device);
    auto use = Runtime::get().use_stream(nullptr);
    const auto time = [&](auto begin) { return cycles_of([&] { use.writer().wait(begin(use.writer())); }); };
    for (const char* key : {"pin.list_first_page_ns_cold", "pin.list_first_page_ns"}) {
      figures[key] = time([&](StreamWriter stream) {
        host.list(stream);
        return host.to_card(stream, to, kPinned - kPage, kPage);
      });
    }
    host.set(0, bytes);
    figures["pin.list_to_card_ns"] =
        time([&](StreamWriter stream) { return host.to_card(stream, to, 0, kPinned); });
    host.set(0, std::vector<uint8_t>(kPinned));
    figures["pin.list_to_host_ns"] =
        time([&](StreamWriter stream) { return host.to_host(stream, to, 0, kPinned); });
    std::vector<uint8_t> back(kPinned);
    host.get(0, back);
    if (back != bytes) throw std::runtime_error("other bytes came back by the list");
  }

  // Until the card has nothing left to do.
  static constexpr uint64_t kSettle = 100'000;
  static constexpr size_t kPinned = 64 << 20;
  static constexpr size_t kPage = ScatteredMemory::kPage;
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("sdaa-bench", count, values);
}
