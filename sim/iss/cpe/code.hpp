// Decoded code. Harts that see the same code share one of these; it keeps what it has read until
// invalidate(), as the instruction caches do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/iss/cpe/fault.hpp"

namespace swai::iss::cpe {

// Every instruction; compressed ones are what they expand to.
enum class Op : uint8_t {
  kUndecoded,
  kIllegal,
  // clang-format off
  kLui, kAuipc, kJal, kJalr,
  kBeq, kBne, kBlt, kBge, kBltu, kBgeu,
  kLb, kLh, kLw, kLbu, kLhu, kSb, kSh, kSw,
  kAddi, kSlti, kSltiu, kXori, kOri, kAndi, kSlli, kSrli, kSrai,
  kAdd, kSub, kSll, kSlt, kSltu, kXor, kSrl, kSra, kOr, kAnd,
  kMul, kMulh, kMulhsu, kMulhu, kDiv, kDivu, kRem, kRemu,
  kFence, kBreak,
  kCsrrw, kCsrrs, kCsrrc, kCsrrwi, kCsrrsi, kCsrrci,
  kCustom,
  // clang-format on
};
inline constexpr size_t kOpCount = static_cast<size_t>(Op::kCustom) + 1;

struct Insn {
  Op op = Op::kUndecoded;
  uint8_t rd = 0;  // 0 where there is none
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  int32_t imm = 0;    // immediate, shift amount, CSR number; custom: {unit, funct7}
  uint32_t bits = 0;  // as in memory; compressed: 16 bits, zero-extended
  uint8_t length = 4;
};

// Decodes any bits; the upper 16 do not matter when the lower ones are a compressed instruction.
Insn decode(uint32_t bits);

// The 32-bit instruction that a compressed one stands for; 0 (never legal) if there is none.
uint32_t expand(uint16_t bits);

// Where code comes from.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  // The 64 bytes at this scalar address, a multiple of 64 in SpaceDaemon or SpaceKernel.
  virtual Cause fetch(uint32_t address, uint8_t* line) = 0;
};

class Code {
 public:
  explicit Code(CodeSource& source) : source_(source), lines_(kLines) {}

  void invalidate();

  // The instruction at pc, which is even. `length / 2` behind it lies the one that follows, or one that is
  // not decoded, when that is yet to be found. Null when it cannot be fetched: see failure().
  const Insn* find(uint32_t pc) {
    Line& line = lines_[(pc / 64) % kLines];
    if (line.tag == pc / 64) {
      const Insn& insn = line.insns[pc / 2 % 32];
      if (insn.op != Op::kUndecoded) return &insn;
    }
    return find_slowly(pc);
  }

  struct Failure {
    Cause cause = Cause::kNone;
    uint32_t address = 0;  // of the first 16 bits that could not be read
  };
  const Failure& failure() const { return failure_; }

 private:
  static constexpr uint32_t kLines = 1024;
  static constexpr uint32_t kNoTag = ~uint32_t{0};

  struct Line {
    uint32_t tag = kNoTag;
    std::array<uint16_t, 32> halves{};
    std::array<Insn, 34> insns{};  // behind the line: never decoded
  };

  const Insn* find_slowly(uint32_t pc);
  Line* get(uint32_t address);

  CodeSource& source_;
  std::vector<Line> lines_;
  Failure failure_;
};

}  // namespace swai::iss::cpe
