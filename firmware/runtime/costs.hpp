// SPDX-License-Identifier: Apache-2.0
// What the engines that copy on the card take for it, and which one is best. Each is measured at some sizes;
// between these, and beyond, a straight line is drawn.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "abi/command.hpp"

namespace swai::runtime {

using command::Engine;

// The set of this one; of one that there is not the empty set.
constexpr uint32_t set_of(Engine engine) {
  const auto number = static_cast<unsigned>(engine);
  return number < command::kEngines ? uint32_t{1} << number : 0;
}

// Cycles for nothing, and for a byte, these in units of 2^-kShift. Of what was not measured nothing is known
// but that it works.
struct CostLine {
  static constexpr unsigned kShift = 16;
  int32_t start = std::numeric_limits<int32_t>::max();
  int32_t rise = 1 << 24;
};
using CostLines = std::array<CostLine, command::kEngines>;

// What so many bytes take when nothing has to wait.
class Reckoning {
 public:
  Reckoning(const CostLines& lines, uint64_t bytes) : lines_(lines), bytes_(static_cast<int64_t>(bytes)) {}

  int64_t by(Engine engine) const {
    const CostLine& line = lines_[static_cast<unsigned>(engine)];
    return line.start + ((line.rise * bytes_) >> CostLine::kShift);
  }
  struct Choice {
    Engine engine = Engine::kBest;
    int64_t cycles = std::numeric_limits<int64_t>::max();
  };
  // The one of these that is through first. There must be one.
  Choice best_of(uint32_t engines) const {
    Choice best;
    for (uint32_t left = engines; left != 0; left &= left - 1) {
      const auto engine = static_cast<Engine>(std::countr_zero(left));
      const int64_t cycles = by(engine);
      if (cycles < best.cycles) best = {engine, cycles};
    }
    return best;
  }

 private:
  const CostLines& lines_;
  int64_t bytes_;
};

class Costs {
 public:
  static constexpr unsigned kPoints = 5;
  using Cycles = std::array<uint64_t, kPoints>;
  // The processor is for what is small, and would take long for more.
  static constexpr std::array<uint32_t, kPoints> sizes(Engine engine) {
    if (engine == Engine::kProcessor) return {64, 128, 256, 1 << 10, 4 << 10};
    return {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10};
  }

  [[gnu::cold, gnu::noinline]] void learn(Engine engine, const Cycles& cycles) {
    const auto size = sizes(engine);
    for (unsigned part = 0; part < lines_.size(); ++part) {
      const uint32_t begin = part == 0 ? 0 : kBends[part - 1];
      unsigned i = kPoints - 2;
      while (i != 0 && begin < size[i]) --i;
      const auto first = static_cast<int64_t>(cycles[i]);
      const int64_t more = static_cast<int64_t>(cycles[i + 1]) - first;
      const int64_t rise = (more << CostLine::kShift) / (size[i + 1] - size[i]);
      const int64_t start = first + ((-rise * size[i]) >> CostLine::kShift);  // nothing is rounded up
      lines_[part][static_cast<unsigned>(engine)] = {static_cast<int32_t>(start), static_cast<int32_t>(rise)};
    }
    known_ |= set_of(engine);
    find_lead();
  }
  void forget(uint32_t engines) {
    known_ &= ~engines;
    find_lead();
  }
  uint32_t known() const { return known_; }

  Reckoning at(uint64_t bytes) const {
    // Not a loop: its numbers would come from memory.
    const auto behind = [bytes](unsigned bend) { return bytes >= kBends[bend] ? 1U : 0U; };
    return {lines_[behind(0) + behind(1) + behind(2) + behind(3) + behind(4)], bytes};
  }
  // From so many bytes on nobody is faster than cores that have nothing to do.
  uint64_t cores_lead() const { return cores_lead_; }

 private:
  // Where a line of some engine begins.
  static constexpr std::array<uint32_t, 5> kBends = {256, 1 << 10, 4 << 10, 16 << 10, 64 << 10};

  // Straight lines cross once at most, so it is enough to compare where they bend, and far away.
  [[gnu::cold, gnu::noinline]] void find_lead() {
    constexpr uint64_t kFar = uint64_t{1} << 40;
    cores_lead_ = ~uint64_t{0};
    for (unsigned i = kBends.size() + 1; i-- > 0;) {
      const uint64_t bytes = i == kBends.size() ? kFar : kBends[i];
      if (at(bytes).best_of(known_).engine != Engine::kCores) return;
      cores_lead_ = bytes;
    }
  }

  std::array<CostLines, kBends.size() + 1> lines_ = {};
  uint64_t cores_lead_ = ~uint64_t{0};
  uint32_t known_ = 0;
};

}  // namespace swai::runtime
