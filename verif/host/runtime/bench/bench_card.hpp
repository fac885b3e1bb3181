// SPDX-License-Identifier: Apache-2.0
// A card for measurements through the runtime library, and what they share. Arguments of the program are
// handed to swai-card; SWAI_CARD names another one.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/runtime/runtime.hpp"
#include "verif/system/rig.hpp"

namespace swai::sdaa {

inline void must(sdaaError_t error) {
  if (error != sdaaSuccess)
    throw std::runtime_error(fmt::format("{}: {}", sdaaGetErrorName(error), sdaaGetLastErrorMessage()));
}

class BenchCard {
 public:
  explicit BenchCard(std::vector<std::string> arguments)
      : rig_({.program = program(), .arguments = std::move(arguments)}) {
    Runtime::get().use({[this] { return rig_.open(); }});
    must(sdaaInit(0));
    device_ = Runtime::get().current();
    const Device::Lock lock = device_->enter();
    card_ = &device_->connection().card();
  }
  ~BenchCard() {
    device_.reset();
    Runtime::get().use({});
    // So that a trace of it is whole.
    ::kill(rig_.process().pid(), SIGTERM);
    rig_.process().wait();
  }
  BenchCard(const BenchCard&) = delete;
  BenchCard& operator=(const BenchCard&) = delete;

 protected:
  Device& device() { return *device_; }
  link::Card& card() { return *card_; }
  template <typename Action>
  uint64_t cycles_of(Action action) {
    const uint64_t before = card_->cycle();
    action();
    return card_->cycle() - before;
  }

 private:
  static std::string program() {
    const char* named = std::getenv("SWAI_CARD");
    return named != nullptr ? named : "build/swai-card";
  }

  system::Rig rig_;
  std::shared_ptr<Device> device_;
  link::Card* card_ = nullptr;
};

// What a main() does: prints the figures as a flat JSON object.
template <typename Bench>
int print_figures(const char* name, int count, char** values) {
  try {
    const std::vector<std::string> arguments(values + 1, values + count);
    fmt::print("{}\n", Bench(arguments).run().dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

}  // namespace swai::sdaa
