// The kernel's log: lines with a time, kept in a ring and sent to the console.
#pragma once

#include <array>
#include <cstdint>

#include "firmware/common/text.hpp"

namespace swai::kernel::log {

inline constexpr unsigned kLines = 32;

struct Line {
  uint64_t time;
  uint64_t length;
  std::array<char, 112> text;

  std::string_view view() const { return {text.data(), length}; }
};

// Collects one line; what is too long for it is cut off.
class Writer final : public fw::Out {
 public:
  Writer();
  void put(std::string_view text) override;
  void commit();

 private:
  Line line_;
};

template <typename... Args>
void write(const Args&... args) {
  Writer writer;
  fw::print(writer, args...);
  writer.commit();
}

// Prints the lines that are still there, oldest first.
void replay();

}  // namespace swai::kernel::log
