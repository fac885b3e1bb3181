// SPDX-License-Identifier: Apache-2.0
// A core group of the functional model with the operators' module in it, as tests of operators use it. Every
// tensor has a segment of its own; all that a test does not set is garbage, in memory and in local memory.
// After a walk every byte of every segment must be what the test expects.
//
// The environment variable SWAI_CPE_RUN names a program with the command line of iss-cpe-run: then that one
// walks, all tensors lie in the list's segment, and what it leaves in memory is compared.
//
// An operator that makes a mistake which the model forgives (docs/simulate/cpe-run.md) is a
// std::runtime_error.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/node.hpp"
#include "operators.hpp"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/group.hpp"
#include "sim/run/kernel/job.hpp"
#include "verif/cpe-kernels/operators/golden/memory.hpp"

namespace swai::operators::test {

using cpe::GlobalPtr;
using iss::cpe::Result;
using node::Barrier;
using node::Node;

// A matrix in memory: what is in it, and what should be.
class Tensor {
 public:
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t stride = 0;  // bytes

  GlobalPtr<void> at() const { return GlobalPtr<void>(segment, begin + offset); }

  template <typename T>
  T get(uint32_t row, uint32_t column) const {
    T value;
    std::memcpy(&value, &image[index<T>(row, column)], sizeof value);
    return value;
  }
  // Before the walk: what is there. Afterwards: what should be there.
  template <typename T>
  void set(uint32_t row, uint32_t column, T value) {
    std::memcpy(&image[index<T>(row, column)], &value, sizeof value);
  }
  // As the vector unit reads it and stores it.
  uint32_t read(Number number, uint32_t row, uint32_t column) const;
  void write(Number number, uint32_t row, uint32_t column, uint32_t fp32);

  uint16_t segment = 0;
  uint64_t begin = 0;   // of the image in the segment
  uint64_t offset = 0;  // in the image
  uint64_t address = 0;
  std::vector<uint8_t> image;  // of the whole segment, or of a part of it that is this tensor's

 private:
  template <typename T>
  size_t index(uint32_t row, uint32_t column) const {
    return offset + uint64_t{row} * stride + uint64_t{column} * sizeof(T);
  }
};

// What these hold: a golden that writes there makes of what is there what should be there.
golden::Memory memory_of(const std::vector<Tensor*>& tensors);

// A list of one node.
template <typename Args>
std::vector<Node> one(Operator operation, const Args& args) {
  return {node::make(static_cast<uint16_t>(operation), Barrier::kNone, args)};
}

class Card {
 public:
  explicit Card(verif::Random& random, unsigned rows = 4, unsigned columns = 8);

  // Somewhere in a segment; now and then it ends with it, so that hardware sees every access beyond its end.
  // `gap`: bytes between rows at most.
  Tensor tensor(uint32_t rows, uint32_t columns, uint32_t element_bytes, uint32_t gap = 0);

  using Parameters = std::vector<uint64_t>;
  // Copies all tensors to memory, walks.
  Result walk(const std::vector<Node>& nodes, uint32_t mask, const std::vector<Tensor*>& tensors,
              const Parameters& parameters = {});
  // One node, alone or, by chance, behind nodes that write all its tensors (walk_behind_copies). Not for what
  // is refused: nodes before need not be complete then.
  template <typename Args>
  Result run(Operator operation, const Args& args, uint32_t mask, const std::vector<Tensor*>& tensors) {
    const std::vector<Node> list = one(operation, args);
    const bool is_first = behind_copies_.insert(operation).second;
    return is_first || random_.chance(50) ? walk_behind_copies(list[0], mask, tensors)
                                          : walk(list, mask, tensors);
  }
  // Which operators run() has put behind copies, on any card.
  static const std::set<Operator>& behind_copies() { return behind_copies_; }
  // The same without memory: the counts are what the walker is told.
  Result launch(const std::vector<Node>& nodes, uint64_t count, uint32_t mask,
                const Parameters& parameters = {}, std::optional<uint64_t> parameter_count = {});
  // From now on launches walk nothing if the two words there are equal.
  void walk_unless_same(GlobalPtr<const uint32_t> words) { unless_ = words; }
  // Why a launch failed, in words.
  std::string describe(const Result& result);
  // How the last walk ended on a CPE.
  node::WalkState state(unsigned cpe);
  // Bytes moved by all its transfers.
  struct Moved {
    uint64_t foreground = 0;
    uint64_t background = 0;
  };
  Moved moved() const;
  // What is there now becomes what should be there.
  void take(Tensor& tensor) { memory_.peek(tensor.address, tensor.image); }
  // What differs, in words; empty: nothing.
  std::string difference(const Tensor& tensor);

  uint32_t all() const { return (uint64_t{1} << group_->size()) - 1; }
  iss::cpe::Group& group() { return *group_; }

 private:
  struct Placed {
    uint64_t address;
    uint16_t segment;
  };
  Placed place(uint64_t bytes, uint8_t permissions, uint8_t owner);
  void poke_table();
  void throw_mistakes();
  Result walk_behind_copies(Node last, uint32_t mask, const std::vector<Tensor*>& tensors);
  Result walk_elsewhere(const std::vector<Node>& nodes, uint32_t mask, const std::vector<Tensor*>& tensors,
                        const Parameters& parameters);

  static inline std::set<Operator> behind_copies_;

  verif::Random& random_;
  iss::cpe::SparseMemory memory_;
  std::unique_ptr<iss::cpe::Group> group_;
  std::vector<uint64_t> table_;
  uint64_t next_;
  uint32_t pc_ = 0;
  uint16_t code_ = 0;
  Placed arguments_;
  Placed list_;
  Placed parameters_;
  GlobalPtr<const uint32_t> unless_;
  const char* elsewhere_;  // the program
  uint64_t end_;           // of what lies in the list's segment then
};

// Numbers as models have them, and now and then those at which something changes.
float some_float(verif::Random& random);

}  // namespace swai::operators::test
