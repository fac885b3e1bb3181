// SPDX-License-Identifier: Apache-2.0
#include "bench/llm/timed_programs.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "host/models/graph/layout.hpp"

namespace swai::cli::bench {

TimedPrograms::TimedPrograms(walk::Walker& walker, std::span<const graph::Program> programs)
    : walker_(walker) {
  for (const graph::Program& program : programs) {
    for (const graph::Template::Base& base : program.pattern.bases) {
      const bool between = base.kind == graph::ValueKind::kTemporary;
      Place& place = places_[base.name];
      place.bytes = std::max(place.bytes,
                             between ? program.between_bytes
                                     : static_cast<size_t>(base.bytes.range(program.pattern.symbols).most));
      place.weight = base.kind == graph::ValueKind::kWeight;
    }
  }
  size_t end = 0;
  for (auto& [name, place] : places_) {
    place.offset = end;
    end += graph::pages(place.bytes);
  }
  memory_ = std::make_unique<walk::CardMemory>("weights and all else", std::max(end, graph::kPage));
  fill();
  for (const graph::Program& program : programs) {
    lists_.emplace_back(program.pattern, [&](const graph::Template::Base& base) {
      return memory_->address().plus_bytes(static_cast<int64_t>(places_.at(base.name).offset));
    });
  }
}

void TimedPrograms::fill() {
  // Bytes like these make fp32 of 0.01 and fp16 of 1.
  constexpr size_t kPart = size_t{16} << 20;
  std::mt19937 random(1);
  std::vector<uint8_t> numbers(kPart);
  for (uint8_t& byte : numbers) byte = static_cast<uint8_t>(0x38 + random() % 8);
  const std::vector<uint8_t> zeros(kPart);
  for (const auto& [name, place] : places_) {
    const std::span<const uint8_t> contents = place.weight ? numbers : zeros;
    for (size_t at = 0; at < place.bytes; at += kPart)
      memory_->put(contents.first(std::min(kPart, place.bytes - at)), place.offset + at);
  }
}

void TimedPrograms::put(const std::string& name, std::span<const uint8_t> contents) {
  const Place& place = places_.at(name);
  if (contents.size() > place.bytes) throw std::logic_error("more than " + name + " has room for");
  memory_->put(contents, place.offset);
}

uint64_t TimedPrograms::nanoseconds(size_t program, const std::map<std::string, int64_t>& sizes) {
  lists_[program].walk(walker_, sizes);
  return walker_.nanoseconds();
}

}  // namespace swai::cli::bench
