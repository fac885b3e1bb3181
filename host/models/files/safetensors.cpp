// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/models/files/json_file.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/reader.hpp"

namespace swai::models {
namespace {

// As the format's own library has it.
constexpr uint64_t kMostHeaderBytes = 100'000'000;

std::optional<Element> element_named(std::string_view name) {
  for (const Element element : {Element::kF32, Element::kF16, Element::kBf16, Element::kI8})
    if (name == info(element).name) return element;
  return std::nullopt;
}

struct Place {
  uint64_t begin;
  uint64_t end;
};

std::optional<std::vector<uint64_t>> whole_numbers(const nlohmann::json& array, size_t most) {
  if (!array.is_array() || array.size() > most) return std::nullopt;
  std::vector<uint64_t> numbers;
  for (const auto& one : array) {
    if (!one.is_number_unsigned()) return std::nullopt;
    numbers.push_back(one.get<uint64_t>());
  }
  return numbers;
}

}  // namespace

Safetensors read_safetensors(const FileBytes& file) {
  const std::string& path = file.path();
  Reader reader(path, file.bytes());
  const auto header_bytes = reader.number<uint64_t>("the header's length");
  if (header_bytes > kMostHeaderBytes)
    refuse(path, fmt::format("begins with a header of {} bytes; it is damaged, or no safetensors file",
                             header_bytes));
  const std::string_view header = reader.text(header_bytes, "the header");
  return {JsonFile(path, header), file.bytes().subspan(reader.at())};
}

void add_tensors(const Safetensors& file, Weights& weights) {
  const auto& [header, data] = file;
  const std::string& path = header.path();
  std::vector<Place> places;
  for (const auto& [name, entry] : header.root().items()) {
    if (name == "__metadata__") continue;
    const auto fail = [&, &name = name](const char* what) {
      refuse(path, fmt::format("tensor '{}' {}; the file is damaged", name, what));
    };
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets"))
      fail("is not described by dtype, shape and data_offsets");
    if (!entry["dtype"].is_string()) fail("has a type that is no text");
    const auto type = entry["dtype"].get<std::string>();
    const auto element = element_named(type);
    if (!element)
      refuse(path, fmt::format("tensor '{}' has the type {}; convert it to F32, F16 or BF16", name, type));
    const auto shape = whole_numbers(entry["shape"], 8);
    const auto offsets = whole_numbers(entry["data_offsets"], 2);
    if (!shape) fail("has no shape of whole numbers");
    if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1] || (*offsets)[1] > data.size())
      fail("does not lie in the file");
    const Place place{(*offsets)[0], (*offsets)[1]};
    places.push_back(place);
    weights.add({name, *element, *shape, data.subspan(place.begin, place.end - place.begin), {}});
  }
  // The format wants all of the data to be somebody's: this also finds tensors that overlap and names given
  // twice.
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  uint64_t at = 0;
  for (const Place& place : places) {
    if (place.begin != at)
      refuse(path,
             fmt::format("tensors overlap or leave a gap at byte {} of the data; the file is damaged", at));
    at = place.end;
  }
  if (at != data.size())
    refuse(path,
           fmt::format("has {} bytes of data, and tensors for {}; the file is damaged", data.size(), at));
}

}  // namespace swai::models
