// Words that appear as they come.
#pragma once

#include <string_view>

namespace swai::cli {

// To standard output, at once. Throws std::system_error when they do not get there.
void write_words(std::string_view text);

}  // namespace swai::cli
