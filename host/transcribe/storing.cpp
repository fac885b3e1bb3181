// SPDX-License-Identifier: Apache-2.0
#include "host/transcribe/storing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "abi/elf.hpp"
#include "host/models/names.hpp"

namespace swai::transcribe {
namespace {

struct Kind {
  const char* name;
  bool sensitive;  // four bits cost much here (models/studies)
};
constexpr std::array kKinds = {Kind{"encoder.attention.query", true},
                               Kind{"encoder.attention.key", true},
                               Kind{"encoder.attention.value", true},
                               Kind{"encoder.attention.output", true},
                               Kind{"encoder.feed_forward.up", false},
                               Kind{"encoder.feed_forward.down", false},
                               Kind{"decoder.attention.query", false},
                               Kind{"decoder.attention.key", true},
                               Kind{"decoder.attention.value", true},
                               Kind{"decoder.attention.output", false},
                               Kind{"decoder.cross.query", false},
                               Kind{"decoder.cross.key", true},
                               Kind{"decoder.cross.value", true},
                               Kind{"decoder.cross.output", false},
                               Kind{"decoder.feed_forward.up", false},
                               Kind{"decoder.feed_forward.down", true},
                               Kind{"head", true}};

constexpr std::array kStores = {std::pair(Store::kFp32, "f32"), std::pair(Store::kEight, "i8"),
                                std::pair(Store::kFour, "i4")};

// "encoder" and "encoder.attention" begin "encoder.attention.query"; "enc" does not.
bool begins(std::string_view kind, std::string_view name) {
  return kind.starts_with(name) && (kind.size() == name.size() || kind[name.size()] == '.');
}

}  // namespace

const char* to_text(Store store) { return models::name_of(kStores, store); }
std::optional<Store> store_named(std::string_view name) { return models::named(kStores, name); }

std::string kind_of(std::string_view tensor) {
  constexpr std::string_view kLayer = ".layer.";
  const size_t layer = tensor.find(kLayer);
  if (layer == std::string_view::npos) return std::string(tensor);
  const size_t rest = tensor.find('.', layer + kLayer.size());
  return std::string(tensor.substr(0, layer)) + std::string(tensor.substr(rest));
}

Storing storing_of(Precision precision, std::span<const std::string> four_bits) {
  Storing storing;
  for (const Kind& kind : kKinds) {
    const bool four = precision == Precision::kW4A8 && four_bits.empty() && !kind.sensitive;
    storing[kind.name] = precision == Precision::kFp32 ? Store::kFp32 : four ? Store::kFour : Store::kEight;
  }
  for (const std::string& name : four_bits) {
    if (precision != Precision::kW4A8)
      throw common::InputError(fmt::format("four bits for {}: only the precision w4a8 has them", name));
    bool found = false;
    for (auto& [kind, store] : storing) {
      if (!begins(kind, name)) continue;
      store = Store::kFour;
      found = true;
    }
    if (found) continue;
    std::vector<std::string_view> names;
    for (const Kind& kind : kKinds) names.emplace_back(kind.name);
    throw common::InputError(
        fmt::format("four bits for {}: there is no such matrix; there are {}, and how these begin", name,
                    fmt::join(names, ", ")));
  }
  return storing;
}

bool is_storing(const Storing& storing, Precision precision) {
  return storing.size() == kKinds.size() && std::ranges::all_of(storing, [&](const auto& one) {
           const bool fits = (one.second == Store::kFp32) == (precision == Precision::kFp32) &&
                             (one.second != Store::kFour || precision == Precision::kW4A8);
           return fits && std::ranges::find(kKinds, one.first, &Kind::name) != kKinds.end();
         });
}

}  // namespace swai::transcribe
