// SPDX-License-Identifier: Apache-2.0
// The file that SWAI_RECORD names: what a program got to know of its cards, for `swai compare`. A line of
// JSON for each result; nothing of time in it, and no addresses of the host, so that another card writes the
// same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swai::sdaa::record {

// The environment variable. The first process that uses a card writes FILE, further ones FILE.1, FILE.2...
inline constexpr const char* kVariable = "SWAI_RECORD";
std::string file_of(const std::string& name, unsigned process);
// Contents of copies to the host, beside it: so many of them, and behind that only their digests.
std::string contents_of(const std::string& file);
inline constexpr uint64_t kMostContents = 64 << 20;
// So long a file becomes at most.
inline constexpr uint64_t kMostBytes = 256 << 20;

struct Result {
  // Those of one source came in this order; between sources there is none. Empty: about the file itself.
  std::string source = {};  // "card 0, stream 1"
  std::string what = {};    // "launch", "copy to host", ...
  std::string name = {};    // of the kernel; the line that was printed
  uint64_t bytes = 0;
  std::string place = {};  // of the card's memory: "byte 0 of allocation 1"
  // How it ended; nothing: the program ended first.
  std::optional<std::string> end = {};
  std::string text = {};  // what the library says of a failure
  // Digests of pieces of piece_bytes(bytes); none: there are no contents, or they are not known.
  std::vector<std::string> digests = {};
  std::optional<uint64_t> at = {};  // where they are in the file of contents
};

inline constexpr std::string_view kDone = "done";
// Something before it in its stream failed.
inline constexpr std::string_view kRefused = "refused";
// About the file: the program ended in order; the file became too long.
inline constexpr std::string_view kEnded = "ended";
inline constexpr std::string_view kCut = "cut";

uint64_t piece_bytes(uint64_t bytes);

// Without the end of the line.
std::string line_of(const Result& result);
// Throws std::runtime_error when it is none.
Result read_line(std::string_view line);

}  // namespace swai::sdaa::record
