// SPDX-License-Identifier: Apache-2.0
// A client for measurements of a shared card, which it finds as any program does.
//
//   serve-client sync ROUNDS       the host's time for a launch that is waited for, in nanoseconds: a line
//                                  for each round, in it a figure for each card that there is
//   serve-client load FROM TO      launches, a few at a time, all the while; prints how many ended between
//                                  these times of the card's, in nanoseconds
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "host/runtime/include/sdaa_runtime.h"

namespace {

constexpr const char* kModule = "build/cpe-kernels/serve-bench.elf";

void must(sdaaError_t error) {
  if (error != sdaaSuccess)
    throw std::runtime_error(fmt::format("{}: {}", sdaaGetErrorName(error), sdaaGetLastErrorMessage()));
}

class Client {
 public:
  Client() {
    sdaaModule_t module = nullptr;
    must(sdaaModuleLoad(&module, kModule));
    must(sdaaModuleGetFunction(&spin_, module, "spin"));
  }

  uint64_t sync() {
    // Who has slept gets a processor at once, on a busy machine, too.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto begin = std::chrono::steady_clock::now();
    launch(1);
    must(sdaaStreamSynchronize(nullptr));
    const auto took = std::chrono::steady_clock::now() - begin;
    return static_cast<uint64_t>(std::chrono::nanoseconds(took).count());
  }

  uint64_t load(uint64_t from, uint64_t to) {
    constexpr unsigned kAtOnce = 4;
    constexpr uint32_t kRounds = 1000;
    uint64_t count = 0;
    for (uint64_t now = 0; now < to;) {
      for (unsigned i = 0; i < kAtOnce; ++i) launch(kRounds);
      must(sdaaStreamSynchronize(nullptr));
      must(sdaaDeviceGetTime(&now));
      if (now >= from && now < to) count += kAtOnce;
    }
    return count;
  }

 private:
  void launch(uint32_t rounds) {
    void* arguments[] = {&rounds};
    must(sdaaLaunchKernel(spin_, arguments, 0, nullptr));
  }

  sdaaFunction_t spin_ = nullptr;
};

// The cards take turns, launch by launch, because what else the machine does hits all of them alike then.
void compare(unsigned rounds) {
  int count = 0;
  must(sdaaGetDeviceCount(&count));
  std::vector<Client> clients;
  for (int card = 0; card < count; ++card) {
    must(sdaaSetDevice(card));
    clients.emplace_back();
  }
  for (unsigned round = 0; round < rounds; ++round) {
    for (int card = 0; card < count; ++card) {
      must(sdaaSetDevice(card));
      fmt::print("{}{}", card == 0 ? "" : " ", clients[static_cast<size_t>(card)].sync());
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string_view> words(values + 1, values + count);
  const auto number = [&](size_t at) { return std::strtoull(values[at + 1], nullptr, 10); };
  try {
    if (words.size() == 2 && words[0] == "sync") {
      compare(static_cast<unsigned>(number(1)));
    } else if (words.size() == 3 && words[0] == "load") {
      fmt::print("{}\n", Client().load(number(1), number(2)));
    } else {
      fmt::print(stderr, "serve-client sync ROUNDS | load FROM TO\n");
      return 2;
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "serve-client: {}\n", error.what());
    return 1;
  }
}
