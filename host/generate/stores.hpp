// How the matrices of a model are stored on the card: one way for each kind, the same in all layers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/model.hpp"

namespace swai::generate {

// What a user asks for. kW4A8: four bits where that costs little, eight elsewhere.
enum class Precision : uint8_t { kFp32, kW8A8, kW4A8 };

const char* to_text(Precision precision);
std::optional<Precision> precision_named(std::string_view name);
std::vector<std::string> precision_names();

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
// Whether these are all kinds that there are, each stored in a way that goes with this precision.
bool are_stores(const Stores& stores, Precision precision);

}  // namespace swai::generate
