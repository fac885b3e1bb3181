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

class ListPattern {
 public:
  ListPattern() = default;
  // Which stays where it is, at a multiple of 8. False: it is no template, or one of another version.
  bool open(const void* bytes, size_t size) {
    const auto* const header = static_cast<const list_template::Header*>(bytes);
    if (bytes == nullptr || size < sizeof *header || header->magic != list_template::kMagic ||
        header->version != list_template::kVersion || header->bytes > size ||
        header->parameters.count > node::kMaxParameters)
      return false;
    bytes_ = static_cast<const std::byte*>(bytes);
    return true;
  }

  std::string_view name() const { return text(header().name); }
  uint32_t nodes() const { return header().steps.count; }
  // Pieces of memory that have an address of their own; in this order a list's builder gets them.
  std::span<const list_template::Base> bases() const {
    return {at<list_template::Base>(header().bases), header().bases.count};
  }
  std::span<const list_template::Symbol> symbols() const {
    return {at<list_template::Symbol>(header().symbols), header().symbols.count};
  }
  std::string_view text(uint32_t name) const { return at<char>(header().text) + name; }
  // By their names.
  std::optional<uint32_t> symbol(std::string_view name) const { return find(symbols(), name); }
  std::optional<uint32_t> base(std::string_view name) const { return find(bases(), name); }

  uint32_t parameters() const { return header().parameters.count; }
  // Those of one run. `sizes`: of all symbols, in their order. False: one is out of its bounds.
  bool parameters(std::span<const int64_t> sizes, uint64_t* block) const {
    int64_t values[list_template::kMaxValues];
    if (!known(sizes, values)) return false;
    const auto* const formulas = at<list_template::Formula>(header().parameters);
    for (uint32_t i = 0; i < header().parameters.count; ++i)
      block[i] = static_cast<uint64_t>(sum(formulas[i], values));
    return true;
  }
  // Of a piece of memory, in such a run. Nothing: a size is out of its bounds.
  std::optional<int64_t> bytes(const list_template::Base& base, std::span<const int64_t> sizes) const {
    int64_t values[list_template::kMaxValues];
    if (!known(sizes, values)) return std::nullopt;
    return sum(base.bytes, values);
  }

  const std::byte* images() const { return at<std::byte>(header().images); }
  const uint32_t* steps() const { return at<uint32_t>(header().steps); }
  const list_template::Pointer* pointers() const { return at<list_template::Pointer>(header().pointers); }

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

  bool known(std::span<const int64_t> sizes, int64_t* values) const {
    const auto all = symbols();
    if (sizes.size() != all.size() || all.size() + header().quotients.count > list_template::kMaxValues)
      return false;
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (sizes[i] < all[i].least || sizes[i] > all[i].most) return false;
      values[i] = sizes[i];
    }
    const auto* const quotients = at<list_template::Quotient>(header().quotients);
    for (uint32_t i = 0; i < header().quotients.count; ++i) {
      const int64_t divisor = quotients[i].divisor, numerator = sum(quotients[i].numerator, values);
      values[all.size() + i] = numerator / divisor - (numerator % divisor < 0 ? 1 : 0);
    }
    return true;
  }
  [[gnu::always_inline]] int64_t sum(const list_template::Formula& formula, const int64_t* values) const {
    int64_t sum = formula.known;
    const auto* term = at<list_template::Term>(header().terms) + formula.first_term;
    for (const auto* const end = term + formula.terms; term != end; ++term) {
      int64_t product = term->factor;
      for (uint32_t i = 0; i < term->count; ++i) product *= values[term->values[i]];
      sum += product;
    }
    return sum;
  }

  const std::byte* bytes_ = nullptr;
};

// Builds a list, as many nodes at a time as somebody wants. `Lines`: write(to, line) gives memory 64 bytes,
// zero(to) as many zeros.
template <typename Lines>
class ListBuilder {
 public:
  ListBuilder() = default;
  // `addresses`: of the pattern's bases, and behind them 0. `to`: at a multiple of 64.
  ListBuilder(const ListPattern& pattern, const uint64_t* addresses, std::byte* to)
      : images_(pattern.images()),
        step_(pattern.steps()),
        end_(step_ + pattern.nodes()),
        pointer_(pattern.pointers()),
        addresses_(addresses),
        to_(to) {}

  uint32_t left() const { return static_cast<uint32_t>(end_ - step_); }
  // So many more nodes, as far as there are any; how many these were.
  uint32_t build(uint32_t most) {
    const uint32_t count = most < left() ? most : left();
    // Of its own: what lies in memory is read again behind each line that is written. In registers, and not
    // to be worked out again from where it came.
    Place place = {images_, addresses_, pointer_, to_};
    asm("" : "+r"(place.images));
    const uint32_t* step = step_;
    for (const uint32_t* const end = step + count; step != end; ++step) {
      uint64_t wide = *step;
      asm("" : "+r"(wide));
      build_one(wide, place);
    }
    step_ = step;
    pointer_ = place.pointer;
    to_ = place.to;
    return count;
  }

 private:
  static constexpr uint32_t kLineWords = sizeof(Line) / sizeof(uint64_t);
  static constexpr uint32_t kInFirst = kLineWords - 1;  // behind the head

  struct Place {
    const std::byte* images;
    const uint64_t* addresses;
    const list_template::Pointer* pointer;
    std::byte* to;

    [[gnu::always_inline]] uint64_t address(uint32_t number) const {
      return addresses[pointer[number].base] + static_cast<uint64_t>(int64_t{pointer[number].addend});
    }
  };

  [[gnu::always_inline]] static void build_one(uint64_t step, Place& place) {
    using list_template::Step;
    const uint32_t pointers = step & Step::kPointers;
    const auto* const image = reinterpret_cast<const uint64_t*>(place.images + (step & ~(Step::kImage - 1)));
    switch (pointers < kInFirst ? pointers : kInFirst) {
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
      default:
        first_line<7>(image, place);
    }
    const uint64_t* const more = image + kLineWords;
    std::byte* const to = place.to + sizeof(Line);
    if (pointers > kInFirst) {
      many(more, pointers - kInFirst, place.pointer + kInFirst, place.addresses, to);
    } else if ((step & Step::kLong) != 0) {
      Lines::write(to, Line{more[0], more[1], more[2], more[3], more[4], more[5], more[6], more[7]});
    } else {
      Lines::zero(to);
    }
    place.pointer += pointers;
    place.to += node::kNodeBytes;
  }
  template <uint32_t kPointers>
  [[gnu::always_inline]] static void first_line(const uint64_t* image, const Place& place) {
    const auto word = [&]<uint32_t kNumber>() {
      if constexpr (kNumber < kPointers) return place.address(kNumber);
      return image[1 + kNumber];
    };
    Lines::write(place.to, Line{image[0], word.template operator()<0>(), word.template operator()<1>(),
                                word.template operator()<2>(), word.template operator()<3>(),
                                word.template operator()<4>(), word.template operator()<5>(),
                                word.template operator()<6>()});
  }
  // Few nodes have so many.
  [[gnu::noinline]] static void many(const uint64_t* image, uint32_t pointers,
                                     const list_template::Pointer* pointer, const uint64_t* addresses,
                                     std::byte* to) {
    const Place place = {nullptr, addresses, pointer, nullptr};
    uint64_t words[kLineWords];
    for (uint32_t i = 0; i < kLineWords; ++i) words[i] = i < pointers ? place.address(i) : image[i];
    Lines::write(to, Line{words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]});
  }

  const std::byte* images_ = nullptr;
  const uint32_t* step_ = nullptr;
  const uint32_t* end_ = nullptr;
  const list_template::Pointer* pointer_ = nullptr;
  const uint64_t* addresses_ = nullptr;
  std::byte* to_ = nullptr;
};

}  // namespace swai::program
