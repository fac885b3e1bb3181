// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/compare/record_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "host/tools/cli/error.hpp"

namespace swai::cli {

using sdaa::record::Result;

RecordFile::RecordFile(std::string path) : path_(std::move(path)), in_(path_) { whole_ = !in_.is_open(); }

std::optional<Result> RecordFile::next() {
  std::string line;
  // A line without an end is of a process that was killed while it wrote.
  if (!std::getline(in_, line) || in_.eof()) return std::nullopt;
  try {
    Result result = sdaa::record::read_line(line);
    if (!result.source.empty()) return result;
    whole_ = result.what == sdaa::record::kEnded;
    cut_ = result.what == sdaa::record::kCut;
    return std::nullopt;
  } catch (const std::runtime_error& error) {
    throw Error(kBadInput, fmt::format("{}: not a record of a program: {}", path_, error.what()));
  }
}

std::vector<uint8_t> RecordFile::contents(const Result& result, uint64_t offset, uint64_t bytes) const {
  std::vector<uint8_t> some;
  if (!result.at || offset >= result.bytes) return some;
  some.resize(std::min(bytes, result.bytes - offset));
  std::ifstream in(sdaa::record::contents_of(path_), std::ios::binary);
  in.seekg(static_cast<std::streamoff>(*result.at + offset));
  in.read(reinterpret_cast<char*>(some.data()), static_cast<std::streamsize>(some.size()));
  some.resize(in.gcount() < 0 ? 0 : static_cast<size_t>(in.gcount()));
  return some;
}

}  // namespace swai::cli
