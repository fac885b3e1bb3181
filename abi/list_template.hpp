// SPDX-License-Identifier: Apache-2.0
// Templates of lists (docs/program/templates.md): lists of nodes before anybody knows where their memory
// lies. The host's compiler of graphs writes them; programs of the card, and the host, build lists from them.
// A list's nodes repeat each other from layer to layer, so a template has each different node once, without
// addresses: all of it is to stay in a small cache while a list is built.
//
// A template is a Header and what its sections name, all of it little-endian and at multiples of 8 bytes.
#pragma once

#include <array>
#include <cstdint>

#include "abi/node.hpp"

namespace swai::list_template {

inline constexpr uint64_t kMagic = 0x54'53'49'4c'49'41'57'53;  // "SWAILIST"
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kMaxBytes = 64 << 20;

// So many things, from a byte of the template on.
struct Section {
  uint32_t offset;
  uint32_t count;
};

struct Header {
  uint64_t magic;
  uint32_t version;
  uint32_t bytes;      // of the template
  uint32_t crc32;      // of what is behind the header
  uint32_t name;       // in the text
  Section images;      // node::Node: different nodes; where addresses go, they have 0
  Section steps;       // uint32_t: the list's nodes
  Section pointers;    // Pointer: of all nodes, in their order
  Section bases;       // Base
  Section symbols;     // Symbol
  Section quotients;   // Quotient
  Section parameters;  // Formula
  Section terms;       // Term
  Section text;        // names, each with 0 behind it
};
static_assert(sizeof(Header) == 96);

// A node: the image's number, whether anything but 0 is behind its first 64 bytes, and how many addresses its
// arguments begin with.
struct Step {
  static constexpr uint32_t kPointers = 0xf, kLong = 0x10, kImage = node::kNodeBytes;  // a unit of the number
};
inline constexpr uint32_t kMaxPointers = node::kArgumentBytes / sizeof(uint64_t);
static_assert(kMaxPointers <= Step::kPointers && (Step::kPointers | Step::kLong) < Step::kImage);

// Eight bytes of the list: the address of a base, and so many bytes more. The base behind the last one is no
// memory: its address is 0.
struct Pointer {
  int32_t addend;
  uint16_t base;
  uint16_t reserved;  // 0
};
static_assert(sizeof(Pointer) == 8);
inline constexpr uint32_t kMaxBases = UINT16_MAX;

// A sum; all arithmetic is that of 64 bits with a sign.
struct Formula {
  int64_t known;
  uint32_t first_term;  // its terms: from this byte of the template on
  uint32_t end;         // before this one
};
static_assert(sizeof(Formula) == 16);

// A factor, times one value or more: symbols, and behind them quotients, which are known from the first on.
struct Term {
  static constexpr uint32_t kMaxValues = 8;
  int64_t factor;
  std::array<uint16_t, kMaxValues> values;
  uint32_t count;
  uint32_t reserved;  // 0
};
static_assert(sizeof(Term) == 32);
inline constexpr uint32_t kMaxValues = 64;

// Rounded down.
struct Quotient {
  Formula numerator;
  int64_t divisor;  // 1 or more
};
static_assert(sizeof(Quotient) == 24);

// A size that is known when the list runs; both bounds may come.
struct Symbol {
  int64_t least;
  int64_t most;
  uint32_t name;
  uint32_t reserved;  // 0
};
static_assert(sizeof(Symbol) == 24);

enum class BaseKind : uint32_t { kBetween = 0, kInput = 1, kWeight = 2, kState = 3, kOutput = 4 };

// Memory that has an address of its own. The first is the block between, which has no name.
struct Base {
  Formula bytes;
  uint32_t name;
  BaseKind kind;
};
static_assert(sizeof(Base) == 24);

}  // namespace swai::list_template
