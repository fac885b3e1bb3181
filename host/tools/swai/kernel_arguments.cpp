// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/kernel_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "host/lib/elf.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli {
namespace {

using module::ArgumentType;
using module::Kind;

constexpr uint32_t kPointerBytes = 8;
constexpr uint32_t kWordBytes = 4;

constexpr uint32_t rounded(size_t at, uint32_t bytes) {
  return static_cast<uint32_t>((at + bytes - 1) / bytes * bytes);
}

bool is_buffer(const std::string& text) { return text.starts_with("buf:"); }

// Nothing: it is none, or none that fits.
template <typename Real>
std::optional<uint64_t> read_real(const std::string& text) {
  Real value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

std::optional<uint64_t> read_real(const std::string& text, uint32_t bytes) {
  if (bytes == sizeof(float)) return read_real<float>(text);
  return bytes == sizeof(double) ? read_real<double>(text) : std::nullopt;
}

struct Range {
  uint64_t down;  // so much below zero
  uint64_t up;
};

Range range_of(Kind kind, uint32_t bytes) {
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * bytes);
  const uint64_t half = all / 2;
  switch (kind) {
    case Kind::kBool:
      return {0, 1};
    case Kind::kSigned:
      return {half + 1, half};
    case Kind::kBits:
      return {half + 1, all};
    default:
      return {0, all};
  }
}

// Nothing: it is none, or outside of the range. Below zero as two's complement.
std::optional<uint64_t> read_integer(const std::string& text, Range range) {
  const bool negative = text.starts_with('-');
  const std::string digits = text.substr(negative ? 1 : 0);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  const char* const first = digits.data() + (hex ? 2 : 0);
  const char* const last = digits.data() + digits.size();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (error != std::errc{} || end != last || value > (negative ? range.down : range.up)) return std::nullopt;
  return negative ? 0 - value : value;
}

std::optional<uint64_t> read_value(const std::string& text, const ArgumentType& type) {
  if (type.kind == Kind::kReal) return read_real(text, type.bytes);
  if (type.kind == Kind::kBool && (text == "true" || text == "false")) return text == "true" ? 1 : 0;
  if (const auto integer = read_integer(text, range_of(type.kind, type.bytes))) return integer;
  const bool with_point = text.find_first_of(".e") != std::string::npos;
  return type.kind == Kind::kBits && with_point ? read_real(text, type.bytes) : std::nullopt;
}

std::string wanted(const ArgumentType& type) {
  if (type.kind == Kind::kReal) return fmt::format("a real number of {} bits", 8 * type.bytes);
  const Range range = range_of(type.kind, type.bytes);
  return fmt::format("a number from {}{} to {}{}", range.down == 0 ? "" : "-", range.down, range.up,
                     type.kind == Kind::kPointer ? ", or buf:BYTES" : "");
}

std::string text_of(const ArgumentType& type) {
  return type.name.empty() ? fmt::format("{} bytes", type.bytes) : fmt::format("{} {}", type.type, type.name);
}

// A structure of which nothing is known, made of what is given: numbers of 32 bits, and memory.
std::vector<ArgumentType> types_of(const std::vector<std::string>& texts) {
  std::vector<ArgumentType> types;
  uint32_t at = 0;
  for (const std::string& text : texts) {
    const uint32_t bytes = is_buffer(text) ? kPointerBytes : kWordBytes;
    at = rounded(at, bytes);
    types.push_back({.kind = is_buffer(text) ? Kind::kPointer : Kind::kBits, .bytes = bytes, .offset = at});
    at += bytes;
  }
  return types;
}

void check_bytes(const module::KernelView& kernel, const std::vector<ArgumentType>& types) {
  uint32_t largest = 1;
  uint32_t end = 0;
  for (const ArgumentType& type : types) {
    largest = std::max(largest, type.bytes);
    end = type.offset + type.bytes;
  }
  if (rounded(end, largest) == kernel.argument_bytes) return;
  throw Error(
      kBadInput,
      fmt::format("kernel {} takes a structure of {} bytes, not {} (a number is {}, memory {})", kernel.name,
                  kernel.argument_bytes, rounded(end, largest), kWordBytes, kPointerBytes));
}

}  // namespace

KernelArguments::KernelArguments(const module::KernelView& kernel, const module::ArgumentTypes& types,
                                 const std::vector<std::string>& texts)
    : bytes_(kernel.argument_bytes) {
  const auto known = types.of(kernel);
  if (known && known->size() != texts.size()) {
    throw Error(kBadInput, fmt::format("kernel {} takes {} arguments, not {}: {}", kernel.name, known->size(),
                                       texts.size(), cli::text_of(*known)));
  }
  const std::vector<ArgumentType> all = known ? *known : types_of(texts);
  if (!known) check_bytes(kernel, all);
  for (size_t i = 0; i < texts.size(); ++i) {
    const ArgumentType& type = all[i];
    const std::string& text = texts[i];
    if (is_buffer(text)) {
      if (type.bytes != kPointerBytes || (type.kind != Kind::kPointer && type.kind != Kind::kBits)) {
        throw Error(kBadInput, fmt::format("kernel {}: argument {} ({}) is a number, not memory", kernel.name,
                                           i + 1, text_of(type)));
      }
      buffers_.push_back(kernel_run::parse_buffer(text));
      pointers_.push_back(type.offset);
      continue;
    }
    const auto value = read_value(text, type);
    if (!value) {
      throw Error(kBadInput, fmt::format("kernel {}: argument {} ({}): '{}' is not {}", kernel.name, i + 1,
                                         text_of(type), text, wanted(type)));
    }
    std::memcpy(bytes_.data() + type.offset, &*value, type.bytes);
  }
}

std::vector<uint8_t> KernelArguments::packed(std::span<const uint64_t> pointers) const {
  std::vector<uint8_t> bytes = bytes_;
  for (size_t i = 0; i < pointers_.size(); ++i)
    std::memcpy(bytes.data() + pointers_[i], &pointers[i], kPointerBytes);
  return bytes;
}

std::string text_of(const std::vector<ArgumentType>& arguments) {
  std::string text;
  for (const ArgumentType& one : arguments) text += (text.empty() ? "" : ", ") + text_of(one);
  return text.empty() ? "none" : text;
}

}  // namespace swai::cli
