// SPDX-License-Identifier: Apache-2.0
// Templates as files, and as programs of the card read them (abi/list_template.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "host/models/graph/list.hpp"

namespace swai::graph {

// What is wrong with a template's bytes.
class TemplateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws SizeError when it is more than templates take.
std::vector<uint8_t> template_bytes(const Template& pattern);

bool looks_like_template(std::span<const uint8_t> bytes);

// What the arguments of all its nodes begin with, in their order: programs build lists of that. `bases`:
// addresses, one for each of the template's. Throws TemplateError.
std::vector<uint64_t> addresses_in(std::span<const uint8_t> bytes,
                                   std::span<const cpe::GlobalPtr<void>> bases);

// Nothing in the bytes is trusted. Which nodes of a graph the list's nodes came from is in no file. Throws
// TemplateError.
Template template_in(std::span<const uint8_t> bytes);

}  // namespace swai::graph
