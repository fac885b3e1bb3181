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

struct Node {
  uint16_t operation = 0;  // operators::Operator, or a user's; 0 is none
  Barrier barrier = Barrier::kNone;
  uint8_t reserved[5] = {};  // 0
  alignas(8) std::array<std::byte, kArgumentBytes> arguments = {};
};
static_assert(sizeof(Node) == kNodeBytes && offsetof(Node, arguments) == 8);

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
};
inline constexpr uint64_t kMaxNodes = 1 << 20;

// Why the walker or an operator refused a node: the CPE stops with cause `breakpoint`, and this is in its
// WalkState. Accesses outside of segments are refused by hardware, with causes of their own.
enum class Refusal : uint32_t {
  kNone = 0,
  kCount = 1,      // more than kMaxNodes
  kOperator = 2,   // no operator has that number
  kHeader = 3,     // reserved bits, or a barrier that does not exist
  kShape = 4,      // sizes: 0, too large, or such that do not fit together
  kStride = 5,     // rows overlap, or are too far apart
  kType = 6,       // a type of numbers that the operator does not take
  kParameter = 7,  // any other argument
};

// At the beginning of local memory in each CPE that walks, also after it has failed.
struct WalkState {
  uint32_t node;  // that runs, or ran last; kNoNode: none has begun
  Refusal refusal;
};
inline constexpr uint32_t kNoNode = 0xffff'ffff;
inline constexpr uint32_t kWalkState = cpe::isa::kLdmBase;

}  // namespace swai::node
