// SPDX-License-Identifier: Apache-2.0
// How the matrices of a Whisper model are stored on the card: one way for each kind, the same in all layers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/models/precision.hpp"

namespace swai::transcribe {

using models::Precision;

enum class Store : uint8_t {
  kFp32,
  kEight,  // int8, a scale for each row of the matrix
  kFour,   // four bits; each group has a scale and a zero
};

const char* to_text(Store store);
std::optional<Store> store_named(std::string_view name);

// By kind: the name of a tensor without its layer, such as "encoder.attention.query"; "head" is what tells
// tokens. Where a model of few bits looks tokens up is fp32.
using Storing = std::map<std::string, Store, std::less<>>;

// "decoder.cross.key" for "decoder.layer.3.cross.key".
std::string kind_of(std::string_view tensor);

// `four_bits`: what is to have four bits, by the names of kinds or where these begin ("decoder.cross"); none:
// what it costs little. Only with kW4A8. Throws InputError for names of nothing, with the names that there
// are.
Storing storing_of(Precision precision, std::span<const std::string> four_bits);

// Whether these are all kinds that there are, each stored in a way that goes with this precision.
bool is_storing(const Storing& storing, Precision precision);

}  // namespace swai::transcribe
