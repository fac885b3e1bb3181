// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/template_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "abi/crc32.hpp"
#include "abi/list_template.hpp"

namespace swai::graph {
namespace {

namespace file = list_template;
using file::BaseKind, file::Step;

static_assert(std::endian::native == std::endian::little, "templates are written as they lie");
static_assert(file::Term::kMaxValues >= Size::kMaxFactors);

constexpr size_t kAlignment = 8;
constexpr size_t kArguments = offsetof(node::Node, arguments);

BaseKind file_kind(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInput:
      return BaseKind::kInput;
    case ValueKind::kWeight:
      return BaseKind::kWeight;
    case ValueKind::kState:
      return BaseKind::kState;
    case ValueKind::kOutput:
      return BaseKind::kOutput;
    default:
      return BaseKind::kBetween;
  }
}

std::optional<ValueKind> kind_of(BaseKind kind) {
  using enum ValueKind;
  for (const ValueKind one : {kTemporary, kInput, kWeight, kState, kOutput})
    if (file_kind(one) == kind) return one;
  return std::nullopt;
}

uint64_t argument(const node::Node& node, size_t number) {
  uint64_t word = 0;
  std::memcpy(&word, node.arguments.data() + number * sizeof word, sizeof word);
  return word;
}

// What is said of a node whose arguments begin with so many addresses.
uint32_t step_of(const node::Node& image, size_t number, size_t pointers) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&image);
  constexpr size_t kLine = sizeof image / 2;
  const bool is_long =
      kArguments + pointers * sizeof(uint64_t) > kLine ||
      std::any_of(bytes + kLine, bytes + sizeof image, [](uint8_t byte) { return byte != 0; });
  return static_cast<uint32_t>(number * Step::kImage | (is_long ? Step::kLong : 0) | pointers);
}

// --- Writing

class Writer {
 public:
  std::vector<uint8_t> whole(const Template& pattern) {
    if (pattern.bases.size() > file::kMaxBases)
      throw SizeError(
          fmt::format("{} pieces of memory; a template takes {}", pattern.bases.size(), file::kMaxBases));
    file::Header header = {.magic = file::kMagic, .version = file::kVersion};
    header.name = name(pattern.name);
    for (const auto& [symbol, bounds] : pattern.symbols) {
      values_.emplace(symbol, static_cast<uint16_t>(values_.size()));
      symbols_.push_back({bounds.least, bounds.most, name(symbol), 0});
    }
    for (const Template::Base& base : pattern.bases)
      bases_.push_back({formula(base.bytes), name(base.name), file_kind(base.kind)});
    for (const Size& parameter : pattern.parameters) parameters_.push_back(formula(parameter));
    add_nodes(pattern);
    bytes_.resize(sizeof header);
    header.terms = section(terms_);  // first: formulas say where they lie
    header.images = section(images_);
    header.steps = section(steps_);
    header.pointers = section(pointers_);
    header.bases = section(bases_);
    header.symbols = section(symbols_);
    header.quotients = section(quotients_);
    header.parameters = section(parameters_);
    header.text = section(text_);
    align();
    if (bytes_.size() > file::kMaxBytes) throw SizeError("the template is larger than templates may be");
    header.bytes = static_cast<uint32_t>(bytes_.size());
    header.crc32 = crc32(std::span(bytes_).subspan(sizeof header));
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

 private:
  void add_nodes(const Template& pattern) {
    auto relocation = pattern.relocations.begin();
    for (size_t number = 0; number < pattern.nodes.size(); ++number) {
      std::map<size_t, Template::Relocation> here;  // by their places
      for (; relocation != pattern.relocations.end() && relocation->node == number; ++relocation)
        here.emplace(relocation->offset, *relocation);
      add_node(pattern.nodes[number], here);
    }
    if (relocation != pattern.relocations.end()) throw std::logic_error("relocations are not in order");
  }

  void add_node(const node::Node& image, const std::map<size_t, Template::Relocation>& here) {
    const size_t pointers = here.empty() ? 0 : here.rbegin()->first / sizeof(uint64_t) + 1;
    for (size_t i = 0; i < pointers; ++i) {
      const auto found = here.find(i * sizeof(uint64_t));
      pointers_.push_back(found == here.end() ? nothing() : pointer(found->second));
      if (argument(image, i) != 0) throw std::logic_error("arguments do not begin with their pointers");
    }
    const std::string_view key(reinterpret_cast<const char*>(&image), sizeof image);
    const auto [found, is_new] = numbers_.try_emplace(std::string(key), images_.size());
    if (is_new) images_.push_back(image);
    steps_.push_back(step_of(image, found->second, pointers));
  }

  file::Pointer nothing() const { return {0, static_cast<uint16_t>(bases_.size()), 0}; }
  static file::Pointer pointer(const Template::Relocation& from) {
    if (from.addend != static_cast<int32_t>(from.addend)) {
      throw SizeError(fmt::format(
          "an operator begins {} bytes behind a piece of memory; templates reach 2 GiB", from.addend));
    }
    return {static_cast<int32_t>(from.addend), static_cast<uint16_t>(from.base), 0};
  }

  file::Formula formula(const Size& size) {
    // Those of quotients first: the terms of one formula follow each other.
    std::vector<file::Term> terms;
    for (const auto& [product, factor] : size.terms()) {
      file::Term term = {factor, {}, static_cast<uint32_t>(product.size()), 0};
      for (size_t i = 0; i < product.size(); ++i) term.values.at(i) = value(product[i]);
      terms.push_back(term);
    }
    const auto place = [this] {
      return static_cast<uint32_t>(sizeof(file::Header) + terms_.size() * sizeof(file::Term));
    };
    const uint32_t first = place();
    terms_.insert(terms_.end(), terms.begin(), terms.end());
    return {size.known_part(), first, place()};
  }

  // Symbols are known already.
  uint16_t value(const Size::Atom& atom) {
    if (const auto found = values_.find(atom.text); found != values_.end()) return found->second;
    const file::Formula numerator = formula(*atom.numerator);
    if (values_.size() == file::kMaxValues)
      throw SizeError(fmt::format("sizes depend on more than {} symbols and quotients", file::kMaxValues));
    quotients_.push_back({numerator, atom.divisor});
    return values_.emplace(atom.text, static_cast<uint16_t>(values_.size())).first->second;
  }

  uint32_t name(const std::string& text) {
    const size_t place = text_.size();
    text_ += text;
    text_ += '\0';
    return static_cast<uint32_t>(place);
  }

  void align() { bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment); }
  template <typename Items>
  file::Section section(const Items& items) {
    align();
    const auto offset = static_cast<uint32_t>(bytes_.size());
    const auto* const from = reinterpret_cast<const uint8_t*>(items.data());
    bytes_.insert(bytes_.end(), from, from + items.size() * sizeof(items[0]));
    return {offset, static_cast<uint32_t>(items.size())};
  }

  std::map<std::string, size_t> numbers_;   // of images, by their bytes
  std::map<std::string, uint16_t> values_;  // symbols and quotients, by what they are
  std::vector<node::Node> images_;
  std::vector<uint32_t> steps_;
  std::vector<file::Pointer> pointers_;
  std::vector<file::Base> bases_;
  std::vector<file::Symbol> symbols_;
  std::vector<file::Quotient> quotients_;
  std::vector<file::Formula> parameters_;
  std::vector<file::Term> terms_;
  std::string text_;
  std::vector<uint8_t> bytes_;
};

// --- Reading

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  Template whole() {
    read_header();
    Template pattern;
    pattern.name = name(header_.name);
    read_values(pattern);
    read_bases(pattern);
    for (const auto& one : items<file::Formula>(header_.parameters, node::kMaxParameters, "parameters"))
      pattern.parameters.push_back(size(one));
    read_nodes(pattern);
    return pattern;
  }
  std::vector<uint64_t> addresses(std::span<const cpe::GlobalPtr<void>> bases) {
    read_header();
    if (bases.size() != header_.bases.count)
      throw std::logic_error(fmt::format("{} addresses for {} bases", bases.size(), header_.bases.count));
    std::vector<uint64_t> addresses;
    for (const file::Pointer& one : pointers()) {
      check(one, bases.size());
      addresses.push_back(
          one.base == bases.size() ? 0 : bases[one.base].bits() + static_cast<uint64_t>(int64_t{one.addend}));
    }
    return addresses;
  }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw TemplateError(why); }

  void read_header() {
    if (bytes_.size() < sizeof header_ || !looks_like_template(bytes_)) fail("it is no template of a list");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.version != file::kVersion) {
      fail(fmt::format("it is of version {}; this program reads version {}: compile the graph again",
                       header_.version, file::kVersion));
    }
    if (header_.bytes != bytes_.size() || bytes_.size() > file::kMaxBytes)
      fail(fmt::format("it has {} bytes, and should have {}", bytes_.size(), header_.bytes));
    if (header_.crc32 != crc32(bytes_.subspan(sizeof header_))) fail("it is damaged: its checksum is wrong");
  }

  template <typename Item>
  std::vector<Item> items(const file::Section& section, size_t most, const char* what) const {
    if (section.count > most) fail(fmt::format("{} {}; there may be {}", section.count, what, most));
    const size_t bytes = section.count * sizeof(Item);
    if (section.offset % kAlignment != 0 || section.offset > bytes_.size() ||
        bytes > bytes_.size() - section.offset)
      fail(fmt::format("its {} lie outside", what));
    std::vector<Item> all(section.count);
    if (bytes != 0) std::memcpy(static_cast<void*>(all.data()), bytes_.data() + section.offset, bytes);
    return all;
  }

  // They follow each other, so all of them together are no longer than the text.
  std::string name(uint32_t place) {
    if (place == 0) text_ = items<char>(header_.text, file::kMaxBytes, "names");
    const auto begin = text_.begin() + static_cast<ptrdiff_t>(next_name_);
    const auto end = std::find(begin, text_.end(), '\0');
    if (place != next_name_ || end == text_.end()) fail("names do not follow each other");
    if (std::any_of(begin, end, [](char letter) { return letter <= ' ' || letter > '~'; }))
      fail("a name has letters that names have not");
    next_name_ = static_cast<size_t>(end - text_.begin()) + 1;
    return {begin, end};
  }

  // Symbols, then quotients: each of them may divide by those before it.
  void read_values(Template& pattern) {
    for (const auto& one : items<file::Symbol>(header_.symbols, file::kMaxValues, "symbols")) {
      const std::string symbol = name(one.name);
      if (symbol.empty() || one.least > one.most ||
          !pattern.symbols.emplace(symbol, Range{one.least, one.most}).second)
        fail(fmt::format("symbol {} makes no sense", symbol));
      values_.push_back(Size::symbol(symbol));
    }
    terms_ = items<file::Term>(header_.terms, file::kMaxBytes / sizeof(file::Term), "terms");
    for (const auto& one :
         items<file::Quotient>(header_.quotients, file::kMaxValues - values_.size(), "quotients")) {
      if (one.divisor < 1) fail("a size is divided by 0 or less");
      values_.push_back(size(one.numerator, one.divisor));
    }
  }

  Size size(const file::Formula& formula, int64_t divisor = 1) const {
    const auto number = [this](uint32_t place) {
      const size_t behind = size_t{place} - header_.terms.offset;
      if (place < header_.terms.offset || behind % sizeof(file::Term) != 0 ||
          behind / sizeof(file::Term) > terms_.size())
        fail("a size has terms that lie outside");
      return behind / sizeof(file::Term);
    };
    const size_t first = number(formula.first_term), end = number(formula.end);
    if (end < first || end - first > Size::kMaxTerms)
      fail("a size has too many terms, or they end before they begin");
    try {
      Size sum = formula.known;
      for (const file::Term& term : std::span(terms_).subspan(first, end - first)) {
        if (term.count < 1 || term.count > file::Term::kMaxValues)
          fail("a size has too many factors, or none");
        Size product = term.factor;
        for (const uint16_t value : std::span(term.values).first(term.count)) {
          if (value >= values_.size()) fail("a size depends on something that is not there");
          product = product * values_[value];
        }
        sum = sum + product;
      }
      return divisor == 1 ? sum : sum / divisor;
    } catch (const SizeError& error) {
      fail(error.what());
    }
  }

  void read_bases(Template& pattern) {
    for (const auto& one : items<file::Base>(header_.bases, file::kMaxBases, "pieces of memory")) {
      const std::optional<ValueKind> kind = kind_of(one.kind);
      const std::string base = name(one.name);
      if (!kind || (*kind == ValueKind::kTemporary) != pattern.bases.empty())
        fail(fmt::format("memory '{}' is of a kind that makes no sense", base));
      pattern.bases.push_back({base, *kind, size(one.bytes)});
    }
    if (pattern.bases.empty()) fail("it has no memory");
  }

  void read_nodes(Template& pattern) const {
    const auto images = items<node::Node>(header_.images, node::kMaxNodes, "different nodes");
    for (const node::Node& image : images) check(image, pattern.parameters.size());
    const auto pointers = this->pointers();
    size_t next = 0;
    for (const uint32_t step : items<uint32_t>(header_.steps, node::kMaxNodes, "nodes")) {
      const size_t image = step / Step::kImage;
      const size_t count = step & Step::kPointers;
      if (image >= images.size() || step != step_of(images[image], image, count))
        fail("a node is none of those that are there");
      if (count > pointers.size() - next) fail("nodes have more addresses than there are");
      for (size_t i = 0; i < count; ++i) {
        if (argument(images[image], i) != 0) fail("a node has something where an address goes");
        const file::Pointer& one = pointers[next++];
        check(one, pattern.bases.size());
        if (one.base == pattern.bases.size()) continue;
        pattern.relocations.push_back({pattern.nodes.size(), i * sizeof(uint64_t), one.base, one.addend});
      }
      pattern.nodes.push_back(images[image]);
    }
    if (next != pointers.size()) fail("there are more addresses than nodes have");
  }

  std::vector<file::Pointer> pointers() const {
    return items<file::Pointer>(header_.pointers, size_t{node::kMaxNodes} * file::kMaxPointers, "addresses");
  }
  static void check(const file::Pointer& pointer, size_t bases) {
    if (pointer.base > bases) fail("a node reaches memory that is not there");
  }

  static void check(const node::Node& image, size_t parameters) {
    if (image.reserved != 0 || static_cast<uint8_t>(image.barrier) >= node::kBarriers)
      fail("a node has a head that makes no sense");
    for (const node::Patch& patch : image.patches) {
      if (patch.target == 0 && patch.parameter == 0) continue;
      const uint8_t kind = patch.target & ~node::Patch::kNumber;
      const uint32_t words = kind == node::Patch::kPointer ? 2 : 1;
      if ((kind != node::Patch::kWord && kind != node::Patch::kPointer) ||
          (patch.target & node::Patch::kNumber) + words > node::kArgumentBytes / sizeof(uint32_t) ||
          patch.parameter >= parameters)
        fail("a node gets a parameter where it has none");
    }
  }

  std::span<const uint8_t> bytes_;
  file::Header header_ = {};
  std::vector<char> text_;
  size_t next_name_ = 0;
  std::vector<Size> values_;
  std::vector<file::Term> terms_;
};

}  // namespace

std::vector<uint8_t> template_bytes(const Template& pattern) { return Writer().whole(pattern); }

bool looks_like_template(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof file::kMagic &&
         std::memcmp(bytes.data(), &file::kMagic, sizeof file::kMagic) == 0;
}

Template template_in(std::span<const uint8_t> bytes) { return Reader(bytes).whole(); }

std::vector<uint64_t> addresses_in(std::span<const uint8_t> bytes,
                                   std::span<const cpe::GlobalPtr<void>> bases) {
  return Reader(bytes).addresses(bases);
}

}  // namespace swai::graph
