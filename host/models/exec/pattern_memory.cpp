// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/pattern_memory.hpp"

#include "host/models/graph/template_file.hpp"

namespace swai::walk {
namespace {

constexpr size_t kLine = 64;

// A template behind its addresses, each as sources have it: from the beginning of the memory.
std::vector<uint8_t> image_of(std::span<const PatternMemory::Pattern> patterns,
                              std::vector<building::Source>& sources) {
  std::vector<uint8_t> image;
  const auto add = [&image](const auto& items) {
    const uint64_t place = image.size();
    add_bytes(image, items);
    image.resize((image.size() + kLine - 1) / kLine * kLine);
    return place;
  };
  for (const auto& [pattern, address] : patterns) {
    std::vector<cpe::GlobalPtr<void>> bases;
    for (const graph::Template::Base& base : pattern->bases) bases.push_back(address(base));
    const std::vector<uint8_t> bytes = graph::template_bytes(*pattern);
    building::Source source = {.bytes = static_cast<uint32_t>(bytes.size())};
    source.addresses = add(graph::addresses_in(bytes, bases));
    source.pattern = add(bytes);
    sources.push_back(source);
  }
  return image;
}

}  // namespace

PatternMemory::PatternMemory(std::string what, std::span<const Pattern> patterns)
    : memory_([&] {
        const std::vector<uint8_t> image = image_of(patterns, sources_);
        CardMemory memory(std::move(what), image.size(), CardMemory::kShared);
        memory.put(image);
        return memory;
      }()) {
  for (building::Source& source : sources_) {
    source.addresses += memory_.address().bits();
    source.pattern += memory_.address().bits();
  }
}

}  // namespace swai::walk
