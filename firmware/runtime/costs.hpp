// What the engines that copy on the card take for it, and which one is best. Each is measured at some sizes;
// between these, and beyond, a straight line is drawn.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "firmware/abi/command.hpp"

namespace swai::runtime {

using command::Engine;

// The set of this one; of one that there is not the empty set.
constexpr uint32_t set_of(Engine engine) {
  const auto number = static_cast<unsigned>(engine);
  return number < command::kEngines ? uint32_t{1} << number : 0;
}

class Costs {
 public:
  static constexpr unsigned kPoints = 4;
  using Cycles = std::array<uint64_t, kPoints>;
  // The processor is for what is small, and would take long for more.
  static constexpr std::array<uint32_t, kPoints> sizes(Engine engine) {
    if (engine == Engine::kProcessor) return {64, 256, 1 << 10, 4 << 10};
    return {1 << 10, 4 << 10, 32 << 10, 256 << 10};
  }

  void learn(Engine engine, const Cycles& cycles) {
    const auto size = sizes(engine);
    auto& lines = lines_[static_cast<unsigned>(engine)];
    for (unsigned i = 0; i < lines.size(); ++i) {
      const auto rise = static_cast<int64_t>((cycles[i + 1] - cycles[i]) << kShift) / (size[i + 1] - size[i]);
      lines[i] = {static_cast<int64_t>(cycles[i] << kShift) - rise * size[i], rise};
    }
    known_ |= set_of(engine);
    find_lead();
  }
  void forget(uint32_t engines) {
    known_ &= ~engines;
    find_lead();
  }
  uint32_t known() const { return known_; }

  // Cycles for so many bytes, at least 1. Of what was not measured nothing is known but that it works.
  uint64_t of(Engine engine, uint64_t bytes) const {
    if ((known_ & set_of(engine)) == 0) return kMuch;
    const auto size = sizes(engine);
    unsigned left = kPoints - 2;
    while (left != 0 && bytes < size[left]) --left;
    const Line& line = lines_[static_cast<unsigned>(engine)][left];
    const int64_t cycles = (line.start + line.rise * static_cast<int64_t>(bytes)) >> kShift;
    return cycles > 0 ? static_cast<uint64_t>(cycles) : 1;
  }
  // From so many bytes on nobody is faster than cores that have nothing to do.
  uint64_t cores_lead() const { return cores_lead_; }
  struct Choice {
    Engine engine = Engine::kBest;
    uint64_t cycles = ~uint64_t{0};
  };
  // The one of these that is through first when none has to wait. There must be one.
  [[gnu::noinline]] Choice best(uint32_t engines, uint64_t bytes) const {
    Choice best;
    for (uint32_t left = engines; left != 0; left &= left - 1) {
      const auto engine = static_cast<Engine>(std::countr_zero(left));
      const uint64_t cycles = of(engine, bytes);
      if (cycles < best.cycles) best = {engine, cycles};
    }
    return best;
  }

 private:
  // Cycles for nothing, and for a byte; both in units of 2^-kShift.
  static constexpr unsigned kShift = 16;
  static constexpr uint64_t kMuch = uint64_t{1} << 62;
  struct Line {
    int64_t start = 0;
    int64_t rise = 0;
  };
  // Straight lines cross once at most, so it is enough to compare where they bend, and far away.
  void find_lead() {
    constexpr uint64_t kFar = uint64_t{1} << 40;
    const auto size = sizes(Engine::kCores);
    cores_lead_ = ~uint64_t{0};
    for (unsigned i = kPoints + 1; i-- > 0;) {
      const uint64_t bytes = i == kPoints ? kFar : size[i];
      if (best(known_, bytes).engine != Engine::kCores) return;
      cores_lead_ = bytes;
    }
  }

  std::array<std::array<Line, kPoints - 1>, command::kEngines> lines_ = {};
  uint64_t cores_lead_ = ~uint64_t{0};
  uint32_t known_ = 0;
};

}  // namespace swai::runtime
