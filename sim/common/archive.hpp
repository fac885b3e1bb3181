// SPDX-License-Identifier: Apache-2.0
// What a model holds, written down or taken back. A part names its fields once, for both ways:
//
//   void Timer::visit(Archive& archive) { archive(armed_, due_); }
//
//   Archive out;                        Archive in(out.bytes());
//   timer.visit(out);                   another.visit(in);
//
// Numbers, enumerations, arrays, containers and plain structs are known; everything else has such a visit().
// Bytes are those of this machine.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "sim/common/aggregate.hpp"

namespace swai {

inline bool is_zero(std::span<const uint8_t> bytes) {
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

class Archive {
 public:
  // What was taken does not fit what is there.
  class Mismatch : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  // To write down.
  Archive() = default;
  // To take back; the bytes stay where they are meanwhile.
  explicit Archive(std::span<const uint8_t> from) : way_(Way::kBack), from_(from) {}
  // To learn what would be visited, whatever it holds: layout() of two that name the same fields of the same
  // types in the same order is the same; unvisited() says how many bytes of each class with a visit() of its
  // own nobody named.
  static Archive of_layout() {
    Archive archive;
    archive.way_ = Way::kLayout;
    return archive;
  }

  bool writes_down() const { return way_ == Way::kDown; }
  bool takes_back() const { return way_ == Way::kBack; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // Nothing is left to be taken.
  bool at_end() const { return from_.empty(); }
  uint64_t layout() const { return layout_; }
  const std::map<std::string_view, size_t>& unvisited() const { return unvisited_; }  // by typeid's name

  // Throws Mismatch.
  template <typename... Fields>
  void operator()(Fields&... fields) {
    (visit(fields), ...);
  }

  // Memory of a size that is known.
  void memory(std::span<uint8_t> bytes) {
    if (way_ != Way::kLayout) raw(bytes.data(), bytes.size());
  }
  // The same, most of it zero: pages that are all zero are left out.
  void pages(std::span<uint8_t> memory) {
    if (way_ == Way::kLayout) return note("pages");
    for (size_t at = 0; at < memory.size(); at += kPage) {
      page(memory.subspan(at, std::min(kPage, memory.size() - at)));
    }
  }

 private:
  enum class Way : uint8_t { kDown, kBack, kLayout };
  static constexpr size_t kPage = 4096;

  template <typename T>
  static constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

  void note(std::string_view text) {
    for (const char letter : text) layout_ = (layout_ ^ static_cast<uint8_t>(letter)) * 0x100'0000'01b3;
  }

  // Bytes of an object that were named.
  struct Seen {
    uintptr_t first;
    size_t bytes;
  };
  void see(const void* object, size_t bytes) {
    if (way_ == Way::kLayout) seen_.push_back({reinterpret_cast<uintptr_t>(object), bytes});
  }
  // An object has been visited: what was seen since then and lies in it is a part of it.
  void close(std::string_view type, const void* object, size_t bytes, size_t since) {
    const auto first = reinterpret_cast<uintptr_t>(object);
    std::vector<bool> named(bytes);
    for (size_t i = since; i < seen_.size(); ++i) {
      const uintptr_t from = seen_[i].first - first;
      for (size_t n = 0; from < bytes && n < seen_[i].bytes && from + n < bytes; ++n) named[from + n] = true;
    }
    seen_.resize(since);
    see(object, bytes);
    unvisited_[type] = static_cast<size_t>(std::ranges::count(named, false));
  }

  void raw(void* data, size_t bytes) {
    if (way_ == Way::kDown) {
      const auto* const from = static_cast<const uint8_t*>(data);
      bytes_.insert(bytes_.end(), from, from + bytes);
    } else {
      if (bytes > from_.size()) throw Mismatch("it ends too early");
      std::memcpy(data, from_.data(), bytes);
      from_ = from_.subspan(bytes);
    }
  }

  void page(std::span<uint8_t> bytes) {
    bool there = way_ == Way::kDown && !is_zero(bytes);
    visit(there);
    if (there) {
      raw(bytes.data(), bytes.size());
    } else if (way_ == Way::kBack && !is_zero(bytes)) {
      std::memset(bytes.data(), 0, bytes.size());
    }
  }

  template <typename T>
  void visit(T& value) {
    if constexpr (requires { value.visit(*this); }) {
      const size_t before = seen_.size();
      value.visit(*this);
      if (way_ == Way::kLayout) close(typeid(T).name(), &value, sizeof value, before);
    } else if constexpr (kIsPlain<T>) {
      see(&value, sizeof value);
      way_ == Way::kLayout ? note(typeid(T).name()) : raw(&value, sizeof value);
    } else {
      see(&value, sizeof value);
      with_fields(value, [this](auto&... fields) { (*this)(fields...); });
    }
  }

  template <typename T, size_t kSize>
  void visit(std::array<T, kSize>& values) {
    see(&values, sizeof values);
    if (way_ == Way::kLayout) note(typeid(values).name());
    if constexpr (kIsPlain<T>) {
      if (way_ != Way::kLayout) raw(values.data(), sizeof values);
    } else {
      for (T& value : values) visit(value);
    }
  }

  template <typename T>
  void visit(std::vector<T>& values) {
    sized(values, "vector");
  }
  template <typename T>
  void visit(std::deque<T>& values) {
    sized(values, "deque");
  }

  template <typename Container>
  void sized(Container& values, std::string_view name) {
    using Value = typename Container::value_type;
    see(&values, sizeof values);
    if (way_ == Way::kLayout) {
      note(name);
      Value one{};
      return visit(one);
    }
    uint64_t size = values.size();
    visit(size);
    if (takes_back() && size > from_.size()) throw Mismatch("a list is longer than what is left");
    values.resize(size);
    for (Value& value : values) visit(value);
  }

  template <typename T>
  void visit(std::optional<T>& value) {
    see(&value, sizeof value);
    bool there = value.has_value() || way_ == Way::kLayout;
    visit(there);
    if (way_ == Way::kLayout) {
      T one{};
      return visit(one);
    }
    if (!there) return value.reset();
    T one = value.has_value() ? *value : T{};
    visit(one);
    value = one;
  }

  Way way_ = Way::kDown;
  std::vector<uint8_t> bytes_;
  std::span<const uint8_t> from_;
  uint64_t layout_ = 0xcbf2'9ce4'8422'2325;
  std::vector<Seen> seen_;
  std::map<std::string_view, size_t> unvisited_;
};

}  // namespace swai
