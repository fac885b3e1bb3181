// SPDX-License-Identifier: Apache-2.0
// Lists of nodes: what the walker (cpe-kernels/operators/walker) makes the CPEs of one launch do, one
// operator after the other. Shared by operators, those who build lists, and tests. The operators' numbers and
// arguments are described in operators.toml.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/global_ptr.hpp"

namespace swai::node {

// What a node waits for before it begins. Every CPE of the launch begins every node; a barrier holds it until
// those named have finished all nodes before. So waits cannot form a cycle.
enum class Barrier : uint8_t { kNone = 0, kRow = 1, kColumn = 2, kAll = 3 };
inline constexpr uint8_t kBarriers = 4;

inline constexpr uint32_t kNodeBytes = 128;
inline constexpr uint32_t kArgumentBytes = 120;

// Adds one of the launch's parameters to a word of the node's arguments, before its operator runs: what
// changes from launch to launch is in the parameters, the list stays as it is.
struct Patch {
  // In which: the number of a word of 32 bits, of the lower one when it has 64.
  static constexpr uint8_t kWord = 0x80, kPointer = 0xc0, kNumber = 0x1f;

  uint8_t target = 0;     // kWord or kPointer, and the word's number; 0: no patch
  uint8_t parameter = 0;  // its number
};
inline constexpr uint32_t kPatches = 2;

struct Node {
  uint16_t operation = 0;  // operators::Operator, or a user's; 0 is none
  Barrier barrier = Barrier::kNone;
  uint8_t reserved = 0;  // 0
  std::array<Patch, kPatches> patches = {};
  alignas(8) std::array<std::byte, kArgumentBytes> arguments = {};
};
static_assert(sizeof(Node) == kNodeBytes && offsetof(Node, arguments) == 8);
static_assert(kArgumentBytes / sizeof(uint32_t) <= Patch::kNumber);

// `Args` says which operator takes them when there is one alone.
template <typename Args>
Node make(uint16_t operation, Barrier barrier, const Args& arguments) {
  static_assert(sizeof(Args) <= kArgumentBytes);
  Node node{.operation = operation, .barrier = barrier};
  std::memcpy(node.arguments.data(), &arguments, sizeof arguments);
  return node;
}

// Of the kernel `walk`. Lists begin at a multiple of 8 bytes; of 64 they are fetched fastest.
struct WalkArgs {
  cpe::GlobalPtr<const Node> list;
  uint64_t count;
  cpe::GlobalPtr<const uint64_t> parameters;  // may be null when there are none
  uint64_t parameter_count;
  // Two words; if they are equal when the launch begins, nothing is walked. For launches that are queued
  // before they are known to be needed. May be null.
  cpe::GlobalPtr<const uint32_t> unless = {};
};
inline constexpr uint64_t kMaxNodes = 1 << 20;
inline constexpr uint64_t kMaxParameters = 32;

// Why the walker or an operator refused a node: the CPE stops with cause `breakpoint`, and this is in its
// WalkState. Accesses outside of segments are refused by hardware, with causes of their own.
enum class Refusal : uint32_t {
  kNone = 0,
  kCount = 1,      // more than kMaxNodes, or kMaxParameters
  kOperator = 2,   // no operator has that number
  kHeader = 3,     // reserved bits, or a barrier that does not exist
  kShape = 4,      // sizes: 0, too large, or such that do not fit together
  kStride = 5,     // rows overlap, or are too far apart
  kType = 6,       // a type of numbers that the operator does not take
  kParameter = 7,  // any other argument
  kPatch = 8,      // a word that no arguments have, or a parameter that the launch does not have
};

// At the beginning of local memory in each CPE that walks, also after it has failed.
struct WalkState {
  uint32_t node;  // that runs, or ran last; kNoNode: none has begun
  Refusal refusal;
  uint32_t ahead;  // the node behind it, once weights of that are asked for; else kNoNode
};
inline constexpr uint32_t kNoNode = 0xffff'ffff;
inline constexpr uint32_t kWalkState = cpe::isa::kLdmBase;

}  // namespace swai::node
