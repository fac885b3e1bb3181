// The custom instructions of a CPE, in the numbers of rtl/cpe/cpe_pkg.sv (a test compares them). Kernels use
// the functions in the other headers; these are for them.
//
// custom-0 and custom-1 are R-type: funct3 and the choice of the two name a unit, funct7 its operation.
// Issuing takes one cycle when the unit has room. Every one is a barrier to the compiler: stores to local
// memory before it stay before it.
#pragma once

#include <cstdint>

namespace swai::cpe::isa {

enum class Unit : unsigned {
  kControl = 0,
  kDma = 1,
  kRow = 2,
  kColumn = 3,
  kSystolic = 8,
  kVector = 9,
};

enum Control : unsigned {
  kControlLaunch = 0,    // sleeps until a launch comes; gives its pc
  kControlArgument = 1,  // gives the launch's argument
  kControlDone = 2,
  kControlSync = 3,
};

enum Dma : unsigned {
  kDmaGlobal = 0,
  kDmaShape = 1,
  kDmaLoad = 2,
  kDmaStore = 3,
  kDmaWait = 4,
  kDmaPoll = 5,
};

enum Channel : unsigned {
  kChannelSend = 0,
  kChannelReceive = 1,
  kChannelWaitSend = 2,
  kChannelWaitReceive = 3,
};

enum Systolic : unsigned {
  kSystolicActivations = 0,
  kSystolicWeights = 1,
  kSystolicColumns = 2,
  kSystolicGroups = 3,
  kSystolicOutput = 4,
  kSystolicFactors = 5,
  kSystolicRows = 6,
  kSystolicClamp = 7,
  kSystolicSize = 8,
  kSystolicRun = 16,
  kSystolicWait = 17,
  kSystolicPoll = 18,
};

enum Vector : unsigned {
  kVectorA = 0,
  kVectorB = 1,
  kVectorC = 2,
  kVectorResult = 3,
  kVectorReduce = 4,
  kVectorSize = 5,
  kVectorRun = 16,
  kVectorWait = 17,
  kVectorPoll = 18,
};

// Of elements in local memory.
enum class Number : uint32_t { kFp32 = 0, kInt32 = 1, kFp16 = 2, kInt8 = 3 };

// What a systolic unit's weights are: systolic.hpp.
enum class Weights : uint32_t { kInt8 = 0, kInt4 = 1, kSparse = 2 };

// What a vector unit computes: vector.hpp.
enum class VectorOp : uint32_t {
  kFma = 0,
  kMul = 1,
  kAdd = 2,
  kMin = 3,
  kMax = 4,
  kLess = 5,
  kEqual = 6,
  kSelect = 7,
};
enum class Special : uint32_t { kNone = 0, kExp2 = 1, kLog2 = 2, kReciprocal = 3, kRoot = 4 };
enum class Reduce : uint32_t { kNone = 0, kSum = 1, kMin = 2, kMax = 3 };
enum class OperandKind : uint32_t { kVector = 0, kScalar = 1, kValue = 2, kNone = 3 };

// Control and status registers.
enum Csr : unsigned {
  kWindowLow = 0x7c0,
  kWindowHigh = 0x7c1,
  kMcycle = 0xb00,
  kMinstret = 0xb02,
  kMhpmcounter3 = 0xb03,
  kCpeConfig = 0xfc0,
  kLaunchMask = 0xfc1,
  kMhartid = 0xf14,
};

#if defined(__riscv) && __riscv_xlen == 32

constexpr unsigned funct3(Unit unit) { return static_cast<unsigned>(unit) & 7; }
constexpr bool is_custom_1(Unit unit) { return static_cast<unsigned>(unit) >= 8; }

// A command without a result. An operand that is the constant 0 costs no register.
template <Unit kUnit, unsigned kOp>
[[gnu::always_inline]] inline void issue(uint32_t rs1 = 0, uint32_t rs2 = 0) {
  if constexpr (is_custom_1(kUnit)) {
    asm volatile(".insn r CUSTOM_1, %0, %1, x0, %z2, %z3" ::"i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  } else {
    asm volatile(".insn r CUSTOM_0, %0, %1, x0, %z2, %z3" ::"i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  }
}

// A command that gives a number.
template <Unit kUnit, unsigned kOp>
[[gnu::always_inline]] inline uint32_t ask(uint32_t rs1 = 0, uint32_t rs2 = 0) {
  uint32_t rd;
  if constexpr (is_custom_1(kUnit)) {
    asm volatile(".insn r CUSTOM_1, %1, %2, %0, %z3, %z4"
                 : "=r"(rd)
                 : "i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  } else {
    asm volatile(".insn r CUSTOM_0, %1, %2, %0, %z3, %z4"
                 : "=r"(rd)
                 : "i"(funct3(kUnit)), "i"(kOp), "rJ"(rs1), "rJ"(rs2)
                 : "memory");
  }
  return rd;
}

// A register that stands still during a launch: may be read once and kept.
template <Csr kCsr>
[[gnu::always_inline]] inline uint32_t constant_csr() {
  uint32_t value;
  asm("csrr %0, %1" : "=r"(value) : "i"(kCsr));
  return value;
}
template <Csr kCsr>
[[gnu::always_inline]] inline uint32_t read_csr() {
  uint32_t value;
  asm volatile("csrr %0, %1" : "=r"(value) : "i"(kCsr) : "memory");
  return value;
}
template <Csr kCsr>
[[gnu::always_inline]] inline void write_csr(uint32_t value) {
  asm volatile("csrw %0, %z1" ::"i"(kCsr), "rJ"(value) : "memory");
}

#endif

}  // namespace swai::cpe::isa
