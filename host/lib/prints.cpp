// SPDX-License-Identifier: Apache-2.0
#include "host/lib/prints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#include "abi/module_reader.hpp"
#include "host/lib/code_place.hpp"
#include "host/lib/elf_section.hpp"

namespace swai::module {
namespace {

constexpr std::string_view kSection = ".debug_swai_print";
constexpr uint32_t kBase = base(Space::kKernel);
constexpr size_t kMostText = 1024;

// How many words a value takes.
constexpr uint32_t words_of(uint32_t kind) { return kind == print::kEnd ? 0 : kind == print::kWide ? 2 : 1; }

// One value after the other.
class Values {
 public:
  Values(uint32_t kinds, std::span<const uint32_t> words) : kinds_(kinds), words_(words) {}

  struct Value {
    uint32_t kind = print::kEnd;
    uint64_t bits = 0;

    double real() const {
      return kind == print::kFloat ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                   : std::bit_cast<double>(bits);
    }
    int64_t integer() const {
      return kind == print::kWide ? static_cast<int64_t>(bits) : static_cast<int32_t>(bits);
    }
  };
  Value take() {
    Value value{kinds_ & 3, 0};
    kinds_ >>= 2;
    const uint32_t count = words_of(value.kind);
    for (uint32_t i = 0; i < count; ++i) value.bits |= uint64_t{words_[i]} << 32 * i;
    words_ = words_.subspan(count);
    return value;
  }

 private:
  uint32_t kinds_;
  std::span<const uint32_t> words_;
};

// `form`: flags, width and precision, three digits each.
template <typename T>
std::string formatted(const std::string& form, const char* letter, T value) {
  std::array<char, 2600> text;
  const std::string format = "%" + form + letter;
  const int length = std::snprintf(text.data(), text.size(), format.c_str(), value);
  return {text.data(), std::min<size_t>(static_cast<size_t>(std::max(length, 0)), text.size() - 1)};
}

std::string shown(const print::Conversion& conversion, const std::string& form, const Values::Value& value,
                  const std::string& text) {
  const char letter[] = {'l', 'l', conversion.letter, '\0'};
  switch (conversion.letter) {
    case 'd':
    case 'i':
      return formatted(form, letter, static_cast<long long>(value.integer()));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return formatted(form, letter, static_cast<unsigned long long>(value.bits));
    case 'c':
      return formatted(form, letter + 2, static_cast<int>(value.bits));
    case 's':
      return formatted(form, letter + 2, text.c_str());
    case 'p':
      return formatted(form, "s", fmt::format("{:#x}", value.bits).c_str());
    default:
      return formatted(form, letter + 2, value.real());
  }
}

}  // namespace

Prints::Prints(std::span<const uint8_t> file) {
  const auto place = get<uint32_t>(find_section(file, kSection), 0);
  Module module;
  if (!place || !module.open(file).ok()) return;
  const uint32_t offset = *place - kBase;
  const auto in_file = module::place_in_file(file, module, offset, sizeof(uint64_t));
  if (!in_file) return;
  place_ = offset;
  place_in_file_ = *in_file;
  code_.resize(module.code_bytes());
  for (const Piece& piece : module.pieces()) std::ranges::copy(piece.data, code_.begin() + piece.offset);
}

std::string Prints::text(uint32_t address) const {
  const uint32_t offset = address - kBase;
  if (offset >= code_.size()) return "(no constant of the module)";
  const auto most = std::span(code_).subspan(offset, std::min(code_.size() - offset, kMostText));
  return {most.begin(), std::ranges::find(most, 0)};
}

std::string Prints::line(const std::string& format, uint32_t kinds, std::span<const uint32_t> words) const {
  Values values(kinds, words);
  std::string all;
  size_t at = 0;
  for (auto conversion = print::next(format.c_str(), 0); conversion.begin < format.size();
       conversion = print::next(format.c_str(), at)) {
    all += format.substr(at, conversion.begin - at);
    at = conversion.end;
    if (conversion.letter == '%') {
      all += '%';
    } else if (conversion.letter != '\0') {
      const auto value = values.take();
      const std::string form = format.substr(conversion.begin + 1, conversion.kind - conversion.begin - 1);
      all += shown(conversion, form, value, text(static_cast<uint32_t>(value.bits)));
    }
  }
  all += format.substr(at);
  if (all.ends_with('\n')) all.pop_back();
  // Nothing that a kernel prints moves the cursor, but a line's end and a tabulator.
  std::ranges::replace_if(
      all, [](unsigned char one) { return (one < ' ' && one != '\n' && one != '\t') || one == 0x7f; }, ' ');
  return all;
}

std::vector<std::string> Prints::lines(const print::Head& head, std::span<const uint32_t> ring) const {
  const uint32_t count = head.written - head.read;
  std::vector<std::string> all;
  if (count > print::kRingWords || ring.size() != print::kRingWords) return all;
  std::vector<uint32_t> words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = ring[(head.read + i) % print::kRingWords];
  for (std::span<const uint32_t> rest = words; rest.size() >= 2;) {
    const uint32_t kinds = rest[1];
    uint32_t values = 0;
    for (uint32_t left = kinds; left != 0; left >>= 2) values += words_of(left & 3);
    if (values > rest.size() - 2) break;
    all.push_back(line(text(rest[0]), kinds, rest.subspan(2, values)));
    rest = rest.subspan(2 + values);
  }
  return all;
}

}  // namespace swai::module
