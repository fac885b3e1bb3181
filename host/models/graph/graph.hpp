// SPDX-License-Identifier: Apache-2.0
// A graph that has been checked: values, each assigned once, and the nodes that make them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/models/graph/place.hpp"
#include "host/models/graph/size.hpp"

namespace swai::graph {

enum class Element { kI4, kI8, kI32, kF16, kF32 };

// How weights of few bits lie in memory, as products want them: operators::pack_linear, pack_linear_w4,
// pack_linear_sparse.
struct Packing {
  int64_t group = 0;    // of i4: so many along a row share a scale and a zero
  bool minima = false;  // and a minimum
  int64_t tiles = 0;    // of sparse i8: what operators::sparse_tiles says, or more

  friend bool operator==(const Packing&, const Packing&) = default;
};

struct Type {
  Element element = Element::kF32;
  std::vector<Size> dimensions;
  std::optional<Packing> packed = {};
  std::optional<int> split = {};  // over cards, along this dimension; nothing uses it yet

  std::string text() const;
  // Of all but the last dimension; a vector is one row.
  Size rows() const;
  Size row_bytes() const;
  // As rows lie one after the other without gaps, or packed.
  Size bytes() const;
  friend bool operator==(const Type& a, const Type& b) {
    return a.element == b.element && a.dimensions == b.dimensions && a.packed == b.packed;
  }
};

enum class ValueKind {
  kInput,      // the caller gives its address for every run
  kWeight,     // behind a base slot of its own, never written
  kState,      // stays from run to run, written in place
  kOutput,     // the caller gives its address; a node writes it
  kBuffer,     // memory with a name: values can be put there by hand
  kTemporary,  // made by a node, planned
};

using ValueId = size_t;

struct Value {
  std::string name;
  ValueKind kind = ValueKind::kTemporary;
  Type type;
  Place place;
  std::optional<size_t> producer;  // node
  std::optional<size_t> last_use;  // node; none: nobody reads it
  // Whose memory it is in: its own, that of a buffer, or that of the state that was written in place.
  ValueId storage = 0;
  Size first = 0;  // the row of that memory at which it begins
};

// What a node is told beside tensors.
using Setting = std::variant<Size, double, std::string>;

struct Node {
  std::string operation;
  std::string context;  // " (layer 3)": in which turn of which loop it stands; may be empty
  Place place;
  std::vector<std::optional<ValueId>> operands;  // by parameter of the operator
  std::vector<ValueId> results;
  std::map<std::string, Setting> settings;
};

// Nobody gives its address: the plan chooses its place.
inline bool is_planned(ValueKind kind) { return kind == ValueKind::kTemporary || kind == ValueKind::kBuffer; }

struct Graph {
  std::string name;
  std::map<std::string, Range> symbols;  // what is known only when it runs, and its bounds
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<std::string> notes;  // what is allowed, and hardly meant
};

const char* to_text(Element element);
const char* to_text(ValueKind kind);
std::optional<Element> element_of(const std::string& name);

}  // namespace swai::graph
