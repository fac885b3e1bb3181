// SPDX-License-Identifier: Apache-2.0
// The console: lines of JSON out, command lines in. Writing waits until the UART has taken everything, so
// nothing of it runs beside a measurement.
#pragma once

#include <array>
#include <string_view>

#include "firmware/common/text.hpp"

namespace swai::launch_bench {

fw::Out& console();

// Waits, asleep, for a line. Characters that do not fit are dropped.
std::string_view read_line();
void init_console();
// Until the last byte is on the wire.
void flush_console();

// One line: {"bench": "NAME", "key": value, ...}. The end of the object's life ends it.
class JsonLine {
 public:
  explicit JsonLine(std::string_view name) { fw::print(console(), "{\"bench\": \"", name, "\""); }
  ~JsonLine() { fw::print(console(), "}\n"); }
  JsonLine(const JsonLine&) = delete;
  JsonLine& operator=(const JsonLine&) = delete;

  JsonLine& add(std::string_view key, uint64_t value) {
    fw::print(console(), ", \"", key, "\": ", value);
    return *this;
  }
  JsonLine& add(std::string_view key, std::string_view text) {
    fw::print(console(), ", \"", key, "\": \"", text, "\"");
    return *this;
  }
};

}  // namespace swai::launch_bench
