// SPDX-License-Identifier: Apache-2.0
// How the matrices of a model are stored on the card: one way for each kind, the same in all layers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "host/models/model.hpp"
#include "host/models/precision.hpp"

namespace swai::generate {

using models::Precision, models::precision_named, models::precision_names, models::to_text;

enum class Store : uint8_t {
  kFp32,
  kEight,       // int8, a scale for each row of the matrix
  kFour,        // four bits; each group has a scale and a zero
  kFourMinima,  // the same, and a minimum: what GGUF's Q4_0 and Q4_1 say, number by number
};

const char* to_text(Store store);
std::optional<Store> store_named(std::string_view name);

// By the names that graphs have for them: "attention.query", ..., "head".
using Stores = std::map<std::string, Store, std::less<>>;

// `whole_groups`: columns of attention.mix are those of the file, none between them.
Stores stores_of(const models::Model& model, Precision precision, bool whole_groups);
// All matrices in one way, and the output of the model in another.
Stores stores_of(Store matrices, Store head);
// Whether these are all kinds that there are, each stored in a way that goes with this precision.
bool are_stores(const Stores& stores, Precision precision);

}  // namespace swai::generate
