// SPDX-License-Identifier: Apache-2.0
#include "host/lib/argument_text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string_view>

#include "host/lib/elf.hpp"

namespace swai::kernel_run {

using common::InputError;

namespace {

constexpr uint64_t kMaxBuffer = uint64_t{1} << 32;

void fill(std::vector<uint8_t>& bytes, const std::string& with, const std::string& text) {
  if (with == "index") {
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i / 4 >> (8 * (i % 4)));
  } else if (with == "random") {
    std::mt19937 random(1);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  } else {
    const uint64_t value = parse_number(with, 255, fmt::format("{}: what to fill the buffer with", text));
    std::memset(bytes.data(), static_cast<int>(value), bytes.size());
  }
}

// Nothing: it is no fp32 number, and may be a word.
std::optional<float> parse_real(const std::string& text) {
  if (text.starts_with("0x") || text.find_first_of(".e") == std::string::npos) return std::nullopt;
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Nothing: it is none, or too large.
std::optional<uint64_t> read_number(std::string_view text, uint64_t limit) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* const first = text.data() + (hex ? 2 : 0);
  const char* const last = text.data() + text.size();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (first == last || error != std::errc{} || end != last || value > limit) return std::nullopt;
  return value;
}

}  // namespace

uint64_t parse_number(const std::string& text, uint64_t limit, const std::string& what) {
  const auto value = read_number(text, limit);
  if (!value) throw InputError(fmt::format("{}: '{}' is not a number from 0 to {}", what, text, limit));
  return *value;
}

uint64_t parse_bytes(const std::string& text, uint64_t limit, const std::string& what) {
  constexpr std::string_view kUnits = "KMG";
  const size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const bool has_unit = unit != std::string_view::npos;
  const unsigned shift = has_unit ? 10 * (static_cast<unsigned>(unit) + 1) : 0;
  const auto value =
      read_number(std::string_view(text).substr(0, text.size() - (has_unit ? 1 : 0)), limit >> shift);
  if (!value) {
    throw InputError(
        fmt::format("{}: '{}' is not a number of bytes up to {} (4096, 4K, 1M, 1G)", what, text, limit));
  }
  return *value << shift;
}

Argument parse_argument(const std::string& text) {
  if (text.starts_with("buf:")) return parse_buffer(text);
  if (const auto real = parse_real(text)) return std::bit_cast<uint32_t>(*real);
  return static_cast<uint32_t>(
      parse_number(text, std::numeric_limits<uint32_t>::max(), "argument (or buf:BYTES)"));
}

Buffer parse_buffer(const std::string& text) {
  const std::string rest = text.substr(4);
  const size_t split = rest.find_first_of(":=");
  const std::string size = rest.substr(0, split);
  const bool from_file = split != std::string::npos && rest[split] == '=';
  Buffer buffer;
  if (from_file) buffer.content = read_file(rest.substr(split + 1));
  const size_t from_start = buffer.content.size();
  if (!size.empty() || !from_file) {
    buffer.content.resize(parse_bytes(size, kMaxBuffer, text + ": size of the buffer"));
  }
  if (buffer.content.size() < from_start) {
    throw InputError(fmt::format("{}: the file has {} bytes", text, from_start));
  }
  if (buffer.content.empty()) throw InputError(text + ": a buffer of no bytes");
  if (split != std::string::npos && !from_file) fill(buffer.content, rest.substr(split + 1), text);
  return buffer;
}

Dump parse_dump(const std::string& text) {
  const size_t split = text.find(':');
  if (split == std::string::npos || split + 1 == text.size()) {
    throw InputError(fmt::format("--dump {}: needs INDEX:FILE", text));
  }
  return {.buffer = static_cast<unsigned>(parse_number(text.substr(0, split), 65535, "--dump: index")),
          .file = text.substr(split + 1)};
}

std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<uint8_t> bytes;
  std::array<char, 1 << 16> piece;
  while (in.read(piece.data(), piece.size()), in.gcount() > 0)
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + in.gcount());
  if (!in.eof()) throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  return bytes;
}

void check_writable(const std::string& path) {
  struct stat file;
  int why = 0;
  if (::stat(path.c_str(), &file) == 0) {
    why = S_ISDIR(file.st_mode) ? EISDIR : ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  } else {
    const auto folder = std::filesystem::absolute(path).parent_path() / "";
    why = ::access(folder.c_str(), W_OK) == 0 ? 0 : errno;
  }
  if (why != 0) throw InputError(fmt::format("{}: cannot write: {}", path, std::strerror(why)));
}

void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) throw InputError(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
}

}  // namespace swai::kernel_run
