// SPDX-License-Identifier: Apache-2.0
// A template of a list (abi/list_template.hpp), and the list that is built from it. Of the card it needs no
// more than lines of memory, so a host can do the same: `Lines` says how they are written.
//
// Nothing is checked but what kind of file it is: the host's compiler has done that, and hardware holds a
// program, and the cores of its launches, to its client's memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "abi/line.hpp"
#include "abi/list_template.hpp"

namespace swai::program {

// Keeps a value in a register, so that the compiler does not recalculate it. Not on a host, whose compiler
// (clang 14) then puts other values into registers.
template <typename T>
[[gnu::always_inline]] inline T in_register(T value) {
#ifdef __riscv
  asm("" : "+r"(value));
#endif
  return value;
}

class ListPattern {
 public:
  ListPattern() = default;
  // Which stays where it is, at a multiple of 8. False: it is no template, or one of another version.
  bool open(const void* bytes, size_t size) {
    const auto* const header = static_cast<const list_template::Header*>(bytes);
    if (bytes == nullptr || size < sizeof *header || header->magic != list_template::kMagic ||
        header->version != list_template::kVersion || header->bytes > size ||
        header->parameters.count > node::kMaxParameters ||
        uint64_t{header->symbols.count} + header->quotients.count > list_template::kMaxValues)
      return false;
    bytes_ = static_cast<const std::byte*>(bytes);
    symbols_ = {at<list_template::Symbol>(header->symbols), header->symbols.count};
    formulas_ = at<list_template::Formula>(header->parameters);
    formulas_end_ = formulas_ + header->parameters.count;
    return true;
  }

  std::string_view name() const { return text(header().name); }
  uint32_t nodes() const { return header().steps.count; }
  // Pieces of memory that have an address of their own.
  std::span<const list_template::Base> bases() const {
    return {at<list_template::Base>(header().bases), header().bases.count};
  }
  // What the arguments of all nodes begin with, in their order.
  std::span<const list_template::Pointer> pointers() const {
    return {at<list_template::Pointer>(header().pointers), header().pointers.count};
  }
  std::span<const list_template::Symbol> symbols() const { return symbols_; }
  std::string_view text(uint32_t name) const { return at<char>(header().text) + name; }
  // By their names.
  std::optional<uint32_t> symbol(std::string_view name) const { return find(symbols(), name); }
  std::optional<uint32_t> base(std::string_view name) const { return find(bases(), name); }

  uint32_t parameters() const { return header().parameters.count; }
  // Those of one run. `sizes`: of all symbols, in their order. False: one is out of its bounds.
  [[gnu::always_inline]] bool parameters(std::span<const int64_t> sizes, uint64_t* block) const {
    if (!within(sizes)) return false;
    int64_t storage[list_template::kMaxValues];
    const int64_t* const values = known(sizes, storage);
    for (const auto* formula = formulas_; formula != formulas_end_; ++formula)
      *block++ = static_cast<uint64_t>(sum(*formula, values));
    return true;
  }
  // Of a piece of memory, in such a run. Nothing: a size is out of its bounds.
  std::optional<int64_t> bytes(const list_template::Base& base, std::span<const int64_t> sizes) const {
    if (!within(sizes)) return std::nullopt;
    int64_t storage[list_template::kMaxValues];
    return sum(base.bytes, known(sizes, storage));
  }

  const std::byte* images() const { return at<std::byte>(header().images); }
  const uint32_t* steps() const { return at<uint32_t>(header().steps); }

 private:
  const list_template::Header& header() const {
    return *reinterpret_cast<const list_template::Header*>(bytes_);
  }
  template <typename Item>
  const Item* at(const list_template::Section& section) const {
    return reinterpret_cast<const Item*>(bytes_ + section.offset);
  }
  template <typename Items>
  std::optional<uint32_t> find(const Items& items, std::string_view name) const {
    for (uint32_t i = 0; i < items.size(); ++i)
      if (text(items[i].name) == name) return i;
    return std::nullopt;
  }

  bool within(std::span<const int64_t> sizes) const {
    if (sizes.size() != symbols_.size()) return false;
    const auto* symbol = symbols_.data();
    for (const int64_t size : sizes) {
      // Both bounds at once, without signs: what is below the first is far above all that there may be.
      const auto from_least = [least = static_cast<uint64_t>(symbol->least)](int64_t value) {
        return static_cast<uint64_t>(value) - least;
      };
      if (from_least(size) > from_least(symbol->most)) return false;
      ++symbol;
    }
    return true;
  }
  // Sizes, and behind them quotients, which go into `storage`. A template without them copies nothing.
  const int64_t* known(std::span<const int64_t> sizes, int64_t* storage) const {
    return header().quotients.count == 0 ? sizes.data() : divided(sizes.data(), storage);
  }
  [[gnu::noinline]] const int64_t* divided(const int64_t* sizes, int64_t* storage) const {
    int64_t* next = storage;
    for (uint32_t i = 0; i < header().symbols.count; ++i) *next++ = sizes[i];
    const auto* quotient = at<list_template::Quotient>(header().quotients);
    for (const auto* const end = quotient + header().quotients.count; quotient != end; ++quotient) {
      const int64_t numerator = sum(quotient->numerator, storage);
      const int64_t whole = numerator / quotient->divisor;
      *next++ = whole - (whole * quotient->divisor > numerator ? 1 : 0);
    }
    return storage;
  }
  [[gnu::always_inline]] int64_t sum(const list_template::Formula& formula, const int64_t* values) const {
    const auto term_at = [this](uint32_t place) {
      return reinterpret_cast<const list_template::Term*>(bytes_ + place);
    };
    int64_t sum = formula.known;
    for (uint32_t place = formula.first_term; place != formula.end; place += sizeof(list_template::Term)) {
      const auto* const term = term_at(place);
      int64_t product = term->factor * values[term->values[0]];
      if (term->count != 1) [[unlikely]] {
        for (uint32_t i = 1; i < term->count; ++i) product *= values[term->values[i]];
      }
      sum += product;
    }
    return sum;
  }

  const std::byte* bytes_ = nullptr;
  // Of each step's parameters, so they are not looked up for each.
  std::span<const list_template::Symbol> symbols_;
  const list_template::Formula* formulas_ = nullptr;
  const list_template::Formula* formulas_end_ = nullptr;
};

// Builds a list, as many nodes at a time as somebody wants. `Lines`: write(to, line) gives memory 64 bytes,
// zero(to) as many zeros.
template <typename Lines>
class ListBuilder {
 public:
  ListBuilder() = default;
  // `addresses`: of all that the nodes' arguments begin with, in their order. `to`: at a multiple of 64.
  ListBuilder(const ListPattern& pattern, const uint64_t* addresses, std::byte* to)
      : images_(pattern.images()),
        step_(pattern.steps()),
        end_(step_ + pattern.nodes()),
        addresses_(addresses),
        to_(to) {}

  uint32_t left() const { return static_cast<uint32_t>(end_ - step_); }
  // So many more nodes, as far as there are any; how many these were.
  uint32_t build(uint32_t most) {
    const uint32_t count = most < left() ? most : left();
    // Of its own: what lies in memory is read again behind each line that is written.
    Place place = {in_register(images_), addresses_, to_};
    const uint32_t* step = step_;
    for (const uint32_t* const end = step + count; step != end; ++step) {
      build_one(in_register(uint64_t{*step}), place);
    }
    step_ = step;
    addresses_ = place.addresses;
    to_ = place.to;
    return count;
  }

 private:
  static constexpr uint32_t kLineWords = sizeof(Line) / sizeof(uint64_t);
  static constexpr uint32_t kInFirst = kLineWords - 1;  // behind the head

  struct Place {
    const std::byte* images;
    const uint64_t* addresses;
    std::byte* to;
  };

  [[gnu::always_inline]] static void build_one(uint64_t step, Place& place) {
    using list_template::Step;
    static_assert(Step::kPointers == (kLineWords | kInFirst));
    const auto* const image = reinterpret_cast<const uint64_t*>(place.images + (step & ~(Step::kImage - 1)));
    const bool is_full = (step & kLineWords) != 0;
    switch (is_full ? kInFirst : step & kInFirst) {
      case 0:
        first_line<0>(image, place);
        break;
      case 1:
        first_line<1>(image, place);
        break;
      case 2:
        first_line<2>(image, place);
        break;
      case 3:
        first_line<3>(image, place);
        break;
      case 4:
        first_line<4>(image, place);
        break;
      case 5:
        first_line<5>(image, place);
        break;
      case 6:
        first_line<6>(image, place);
        break;
      case 7:
        first_line<7>(image, place);
    }
    if (is_full) {
      switch (step & kInFirst) {
        case 0:
          second_line<1>(image, place);
          break;
        case 1:
          second_line<2>(image, place);
          break;
        case 2:
          second_line<3>(image, place);
          break;
        case 3:
          second_line<4>(image, place);
          break;
        case 4:
          second_line<5>(image, place);
          break;
        case 5:
          second_line<6>(image, place);
          break;
        case 6:
          second_line<7>(image, place);
          break;
        case 7:
          second_line<8>(image, place);
      }
    } else if ((step & Step::kLong) != 0) {
      second_line<0>(image, place);
    } else {
      Lines::zero(place.to + sizeof(Line));
    }
    place.addresses += step & Step::kPointers;
    place.to += node::kNodeBytes;
  }
  // Writes the head and the first arguments; the first kPointers of these are addresses.
  template <uint32_t kPointers>
  [[gnu::always_inline]] static void first_line(const uint64_t* image, const Place& place) {
    const auto word = [&]<uint32_t kNumber>() {
      if constexpr (kNumber < kPointers) return place.addresses[kNumber];
      return image[1 + kNumber];
    };
    Lines::write(place.to, Line{image[0], word.template operator()<0>(), word.template operator()<1>(),
                                word.template operator()<2>(), word.template operator()<3>(),
                                word.template operator()<4>(), word.template operator()<5>(),
                                word.template operator()<6>()});
  }
  // Writes kPointers more addresses, after those of a full first line.
  template <uint32_t kPointers>
  [[gnu::always_inline]] static void second_line(const uint64_t* image, const Place& place) {
    const auto word = [&]<uint32_t kNumber>() {
      if constexpr (kNumber < kPointers) return place.addresses[kInFirst + kNumber];
      return image[kLineWords + kNumber];
    };
    Lines::write(place.to + sizeof(Line), Line{word.template operator()<0>(), word.template operator()<1>(),
                                               word.template operator()<2>(), word.template operator()<3>(),
                                               word.template operator()<4>(), word.template operator()<5>(),
                                               word.template operator()<6>(), word.template operator()<7>()});
  }

  const std::byte* images_ = nullptr;
  const uint32_t* step_ = nullptr;
  const uint32_t* end_ = nullptr;
  const uint64_t* addresses_ = nullptr;
  std::byte* to_ = nullptr;
};

}  // namespace swai::program
