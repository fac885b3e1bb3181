#include "host/cli/words.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace swai::cli {

void write_words(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
}

}  // namespace swai::cli
