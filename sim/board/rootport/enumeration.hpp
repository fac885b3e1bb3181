// SPDX-License-Identifier: Apache-2.0
// What firmware does to a card when its link has come up: finds out what it is, gives it addresses, switches
// it on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "sim/board/rootport/config_space.hpp"
#include "sim/board/rootport/options.hpp"

namespace swai::rootport {

// Where BARs are placed: far from what clients use as addresses of their memory. Each card has its own
// window.
inline constexpr uint64_t kWideBarBase = uint64_t{1} << 47;
inline constexpr uint64_t kWideBarWindow = uint64_t{1} << 40;
inline constexpr uint64_t kNarrowBarBase = 0xC000'0000;
inline constexpr uint64_t kNarrowBarWindow = 16 << 20;
inline constexpr unsigned kMaxCards = 60;

class Enumeration : public std::enable_shared_from_this<Enumeration> {
 public:
  // `done`: the card is ready, or is none that this host can use.
  Enumeration(ConfigSpace& config, const PortOptions& options, unsigned card, std::function<void(bool)> done)
      : config_(config), options_(options), card_(card), done_(std::move(done)) {}
  void start();
  // The port has no use for the result any more.
  void cancel() { cancelled_ = true; }

 private:
  using Step = void (Enumeration::*)();

  void header_read(std::span<const uint8_t> header);
  void size_bars();
  void read_sizes();
  void sizes_read(std::span<const uint8_t> registers);
  [[nodiscard]] bool place(Bars& all) const;
  void set_sizes();
  void switch_on();
  void succeed();
  void write(unsigned offset, std::span<const uint8_t> data, Step next);
  template <typename Function>
  void read(unsigned offset, unsigned bytes, Function next);
  void fail();

  ConfigSpace& config_;
  const PortOptions& options_;
  const unsigned card_;
  const std::function<void(bool)> done_;
  bool cancelled_ = false;
};

}  // namespace swai::rootport
