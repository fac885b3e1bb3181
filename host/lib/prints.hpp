// SPDX-License-Identifier: Apache-2.0
// What kernels of a module have printed, as text: formats lie in the module, values in its print buffer
// (abi/print.hpp). Neither is trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/print.hpp"

namespace swai::module {

class Prints {
 public:
  Prints() = default;
  // Of a module's file that was found good.
  explicit Prints(std::span<const uint8_t> file);

  // Whether a kernel may print.
  bool any() const { return !code_.empty(); }
  // Where the pointer to the buffer belongs: in the code, and in the file.
  uint32_t place() const { return place_; }
  size_t place_in_file() const { return place_in_file_; }

  // What a core has written since its head was read, each line without its end.
  std::vector<std::string> lines(const print::Head& head, std::span<const uint32_t> ring) const;

 private:
  std::string text(uint32_t address) const;
  std::string line(const std::string& format, uint32_t kinds, std::span<const uint32_t> values) const;

  std::vector<uint8_t> code_;
  uint32_t place_ = 0;
  size_t place_in_file_ = 0;
};

}  // namespace swai::module
