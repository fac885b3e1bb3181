// SPDX-License-Identifier: Apache-2.0
// Builds a graph node by node. Types, shapes and lifetimes are checked at each call; what is wrong is
// reported with the place of the call. Graph text is the printed form (print.hpp), and builds graphs with
// this class, too.
#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/models/graph/signature.hpp"

namespace swai::graph {

// A value of the graph that is being built.
struct Tensor {
  ValueId id = 0;
};

// What an operator is given: tensors by position or by name, everything else by name.
struct Argument {
  Argument(Tensor tensor) : value(tensor) {}
  Argument(std::string name, Tensor tensor) : key(std::move(name)), value(tensor) {}
  Argument(std::string name, std::integral auto size) : key(std::move(name)), value(Size(size)) {}
  Argument(std::string name, Size size) : key(std::move(name)), value(std::move(size)) {}
  Argument(std::string name, double real) : key(std::move(name)), value(real) {}
  Argument(std::string name, const char* word) : key(std::move(name)), value(std::string(word)) {}

  std::string key;  // empty: by position
  std::variant<Tensor, Size, double, std::string> value;
  std::optional<Place> place;  // none: that of the call
};

// What a result becomes: a value with a name, or an output.
struct Target {
  Target(const char* value) : name(value) {}
  Target(std::string value) : name(std::move(value)) {}
  Target(Tensor value) : output(value) {}

  std::string name;
  std::optional<Tensor> output;
  std::optional<Tensor> buffer;  // whose memory the value gets
  std::optional<Type> type;      // that it has to have
  std::optional<Place> place;    // none: that of the call
};

class Builder {
 public:
  explicit Builder(std::string name);

  // A size that is known only when the graph runs. Bounds go up, from 0 or more to 2^32 or less.
  Size size(const std::string& name, Range bounds, Place place = here());

  Tensor input(std::string name, const Type& type, Place place = here());
  Tensor weight(std::string name, const Type& type, Place place = here());
  Tensor state(std::string name, const Type& type, Place place = here());
  Tensor output(std::string name, const Type& type, Place place = here());
  Tensor buffer(std::string name, const Type& type, Place place = here());
  Tensor declare(ValueKind kind, std::string name, const Type& type, Place place = here());

  // A node with one result, and one with several.
  Tensor add(const Target& target, const std::string& operation, const std::vector<Argument>& arguments,
             Place place = here());
  std::vector<Tensor> add_all(const std::vector<Target>& targets, const std::string& operation,
                              const std::vector<Argument>& arguments, Place place = here());

  // Messages about nodes name the turn, as long as it lives: " (layer 3)".
  class Turn {
   public:
    Turn(Builder& builder, const std::string& counter, int64_t number);
    ~Turn() { builder_.context_ = outer_; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Builder& builder_;
    std::string outer_;
  };
  const std::string& context() const { return context_; }

  std::optional<Tensor> find(const std::string& name) const;
  const Value& value(Tensor tensor) const { return graph_.values[tensor.id]; }
  const Type& type(Tensor tensor) const { return value(tensor).type; }

  // Throws GraphError for an output that no node has made.
  Graph finish();

 private:
  void check_type(const Type& type, Place place) const;
  Tensor store(Value value);
  void settle(const Signature& what, const std::vector<Argument>& arguments, Node& node) const;
  Setting setting(const Signature& what, const Parameter& parameter, const Argument& argument,
                  Place place) const;
  [[noreturn]] void fail(const Signature& what, Place place, const std::string& message) const;
  void note_uses(const Signature& what, const Node& node, const Use& use, size_t number);
  Tensor assign(const Target& target, const Type& type, const Signature& what, const Node& node,
                const Use& use, size_t number);
  Tensor assign_output(const Target& target, const Type& type, const Use& use, size_t number);
  void put(ValueId id, ValueId buffer, const Signature& what, const Node& node, const Use& use);

  Graph graph_;
  std::string context_;
  std::map<std::string, ValueId> names_;
  std::map<ValueId, Place> overwritten_;
  std::map<ValueId, ValueId> occupants_;  // of buffers
};

// Words with dots and numbers in brackets, such as layer[3].norm, that begin with no word of graph text.
bool is_name(const std::string& text);

[[noreturn]] void fail_assigned_twice(const std::string& name, Place before, Place now);

}  // namespace swai::graph
