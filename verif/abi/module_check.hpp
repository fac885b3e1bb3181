// SPDX-License-Identifier: Apache-2.0
// What must hold for any file whatever: used by unit test and fuzzer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "abi/module_reader.hpp"

namespace swai::module {

// Opens a copy of the file that a sanitizer watches to the byte, and looks at everything that the module
// says. Returns the verdict's error; `broken` is set when an accepted module says something that a user of it
// could not bear.
inline Error open_and_use(std::span<const uint8_t> file, Space space, bool& broken) {
  const auto copy = std::make_unique<uint8_t[]>(file.size());
  std::copy(file.begin(), file.end(), copy.get());
  Module module;
  const Verdict verdict = module.open({copy.get(), file.size()}, space);
  uint64_t sum = verdict.value;
  for (const char character : verdict.name) sum += static_cast<uint8_t>(character);
  if (verdict.ok()) {
    const auto check = [&](bool good) { broken = broken || !good; };
    check(module.code_bytes() != 0 && module.code_bytes() <= kMaxCodeBytes);
    check(module.ldm_bytes() <= kLdmBytes);
    for (const Piece& piece : module.pieces()) {
      check(piece.offset <= module.code_bytes() && piece.data.size() <= module.code_bytes() - piece.offset);
      for (const uint8_t byte : piece.data) sum += byte;
    }
    for (const char character : module.name()) sum += static_cast<uint8_t>(character);
    for (uint32_t i = 0; i < module.kernel_count(); ++i) {
      const KernelView kernel = module.kernel(i);
      check(!kernel.name.empty() && kernel.pc % 2 == 0 && kernel.pc - base(space) < module.code_bytes());
      const auto found = module.find(kernel.name);
      check(found && found->pc == kernel.pc);
    }
  }
  // So that nothing of it can be left out.
  [[maybe_unused]] static volatile uint64_t sink;
  sink = sum;
  return verdict.error;
}

}  // namespace swai::module
