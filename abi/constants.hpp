// Variables of a module that hosts write and kernels read (`__constant__`, cuda.hpp): the section
// `.debug_swai_constants`, which sdaacc makes (cpe-kernels/constants.py). It never goes to the card.
// docs/module-format.md explains it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace swai::module {

struct Constant {
  uint32_t offset = 0;  // in the memory that holds all of them
  uint32_t bytes = 0;
};

class Constants {
 public:
  Constants() = default;
  // Of a module's file that was found good. Without a table, or with a damaged one, it has no such variables.
  explicit Constants(std::span<const uint8_t> file);

  // Of all of them; 0: there are none.
  uint32_t bytes() const { return bytes_; }
  // Where the pointer to their memory belongs.
  size_t place_in_file() const { return place_in_file_; }
  std::optional<Constant> find(std::string_view name) const;

 private:
  bool read(std::string_view text, std::span<const uint8_t> file);

  uint32_t bytes_ = 0;
  size_t place_in_file_ = 0;
  std::map<std::string, Constant, std::less<>> all_;
};

}  // namespace swai::module
