// SPDX-License-Identifier: Apache-2.0
#include "host/generate/stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/models/names.hpp"

namespace swai::generate {
namespace {

struct Kind {
  const char* name;  // in graphs
  const char* file;  // of the tensor, behind its layer's name
  bool sensitive;    // four bits cost much here (models/studies)
};
constexpr std::string_view kMix = "attention.mix";
constexpr std::array kKinds = {
    Kind{"attention.query", "attention.query", false},     Kind{"attention.key", "attention.key", true},
    Kind{"attention.value", "attention.value", true},      Kind{"attention.mix", "attention.output", false},
    Kind{"feed_forward.gate", "feed_forward.gate", false}, Kind{"feed_forward.up", "feed_forward.up", false},
    Kind{"feed_forward.down", "feed_forward.down", true}};
constexpr const char* kHead = "head";

constexpr std::array kStores = {std::pair(Store::kFp32, "f32"), std::pair(Store::kEight, "i8"),
                                std::pair(Store::kFour, "i4"), std::pair(Store::kFourMinima, "i4 minima")};

bool has_minima(const models::Tensor& tensor) {
  return tensor.element == models::Element::kQ4_0 || tensor.element == models::Element::kQ4_1;
}

bool all_have_minima(const models::Model& model, const Kind& kind) {
  for (uint32_t layer = 0; layer < model.llama().layers; ++layer)
    if (!has_minima(model.at(fmt::format("layer.{}.{}", layer, kind.file)))) return false;
  return true;
}

}  // namespace

const char* to_text(Store store) { return models::name_of(kStores, store); }
std::optional<Store> store_named(std::string_view name) { return models::named(kStores, name); }

Stores stores_of(const models::Model& model, Precision precision, bool whole_groups) {
  const bool four = precision == Precision::kW4A8;
  const Store otherwise = precision == Precision::kFp32 ? Store::kFp32 : Store::kEight;
  Stores stores = {{kHead, otherwise}};
  for (const Kind& kind : kKinds) {
    Store& store = stores[kind.name] = otherwise;
    if (!four) continue;
    const bool as_in_file = all_have_minima(model, kind) && (whole_groups || kind.name != kMix);
    if (as_in_file) {
      store = Store::kFourMinima;
    } else if (!kind.sensitive) {
      store = Store::kFour;
    }
  }
  return stores;
}

Stores stores_of(Store matrices, Store head) {
  Stores stores = {{kHead, head}};
  for (const Kind& kind : kKinds) stores[kind.name] = matrices;
  return stores;
}

bool are_stores(const Stores& stores, Precision precision) {
  if (stores.size() != kKinds.size() + 1) return false;
  for (const auto& [name, store] : stores) {
    const bool known = name == kHead || std::ranges::find(kKinds, name, &Kind::name) != kKinds.end();
    const bool fits = (store == Store::kFp32) == (precision == Precision::kFp32) &&
                      (store <= Store::kEight || precision == Precision::kW4A8);
    if (!known || !fits) return false;
  }
  return true;
}

}  // namespace swai::generate
