// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/words.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace swai::cli {

void write_words(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
}

std::string counted(uint64_t count, std::string_view what) {
  const bool hisses = what.ends_with("ch") || what.ends_with('s');
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace swai::cli
