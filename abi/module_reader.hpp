// SPDX-License-Identifier: Apache-2.0
// Judges a module (abi/module.hpp) that lies in memory, and says what of it goes where. Nothing in
// it is trusted: it may come from a user, who may change it while it is looked at. So every offset and length
// is read once, and used as it was when it was checked. No allocation, no library; firmware, host tools and
// tests use the same code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "abi/elf32.hpp"
#include "abi/module.hpp"

namespace swai::module {

// Why a module is refused. Numbers cross the border to the host: append, never renumber.
enum class Error : uint8_t {
  kNone = 0,
  kTruncated = 1,
  kNotElf = 2,
  kWrongMachine = 3,
  kNotLinked = 4,
  kBadElf = 5,
  kNoNote = 6,
  kBadNote = 7,
  kWrongModuleAbi = 8,
  kWrongCardAbi = 9,
  kWrongSpace = 10,
  kUndefinedSymbol = 11,
  kSegmentOutside = 12,
  kSegmentWritable = 13,
  kSegmentsOverlap = 14,
  kTooManySegments = 15,
  kNoCode = 16,
  kTooMuchLdm = 17,
  kTooManyKernels = 18,
  kBadKernel = 19,
  kDuplicateKernel = 20,
};

const char* text(Error error);

// The verdict. `name` points into the file: the undefined symbol, or the kernel that is wrong. `value` is the
// number that was not what it should be: a version, an address.
struct Verdict {
  Error error = Error::kNone;
  std::string_view name = {};
  uint32_t value = 0;

  bool ok() const { return error == Error::kNone; }
};

// A kernel of the table, as the file has it.
struct KernelView {
  std::string_view name;
  uint32_t pc;
  uint32_t argument_bytes;
  uint64_t parameters;
};

// What to copy: `data` to byte `offset` of the code segment. What no piece covers is to be zero.
struct Piece {
  uint32_t offset;
  std::span<const uint8_t> data;
};

class Module {
 public:
  // Judges the file, which must stay where it is as long as the object is used. Only after a good verdict the
  // other functions mean something. In a file that changes, names and entries of kernels are no longer what
  // was judged; nothing beyond the file is touched.
  Verdict open(std::span<const uint8_t> file, Space space = Space::kKernel);
  // The same in steps, for those who have other things to do meanwhile: begin(), then step() until it says
  // true, then verdict(). Each step takes about the same time, whatever the file says.
  void begin(std::span<const uint8_t> file, Space space = Space::kKernel);
  bool step();
  const Verdict& verdict() const { return verdict_; }

  std::string_view name() const;
  // How large the code segment has to be, and how much local memory static objects take.
  uint32_t code_bytes() const { return code_bytes_; }
  uint32_t ldm_bytes() const { return ldm_bytes_; }
  std::span<const Piece> pieces() const { return std::span(pieces_).first(piece_count_); }

  uint32_t kernel_count() const { return kernel_count_; }
  KernelView kernel(uint32_t index) const;
  std::optional<KernelView> find(std::string_view name) const;

 private:
  struct Range {
    uint32_t offset = 0;
    uint32_t bytes = 0;
  };

  // What is judged next. Each function judges one thing of its kind, and says what comes then.
  enum class Phase : uint8_t { kElf, kNotes, kNote, kHeader, kSections, kSymbols, kSegments, kKernels, kEnd };

  Verdict judge_next();
  Verdict judge_elf();
  Verdict next_note_segment();
  Verdict next_note();
  Verdict judge_header();
  Verdict next_section();
  Verdict next_symbol();
  Verdict next_segment();
  Verdict add_code(const elf::ProgramHeader& program);
  Verdict next_kernel();
  bool insert_name(uint32_t index);

  void go_to(Phase phase) {
    phase_ = phase;
    next_ = 0;
  }
  // Things that a step judges; a kernel, which is compared with eight others, counts for many.
  static constexpr uint32_t kInAStep = 8;
  static constexpr uint32_t kKernelCounts = 8;

  template <typename T>
  T at(uint64_t offset) const;
  elf::ProgramHeader program(uint32_t index) const;
  elf::SectionHeader section(uint32_t index) const;
  // Of an entry of the kernel table, in the file.
  uint64_t entry_offset(uint32_t index) const {
    return note_ + sizeof(Header) + uint64_t{index} * sizeof(Kernel);
  }
  // The first kernel of this name, or kernel_count_.
  uint32_t index_of(std::string_view name) const;
  // Whether so much more of it may be gone through. Headers can name the same bytes again and again: notes
  // and symbols together are no more than the file.
  bool go_through(uint64_t bytes) {
    gone_through_ += bytes;
    return gone_through_ <= file_.size();
  }
  bool inside(uint64_t offset, uint64_t bytes) const {
    return offset <= file_.size() && bytes <= file_.size() - offset;
  }
  std::string_view field(uint64_t offset, size_t capacity) const;

  static constexpr size_t kMaxPieces = 8;

  std::span<const uint8_t> file_;
  elf::Header elf_ = {};
  Verdict verdict_ = {};
  Phase phase_ = Phase::kEnd;
  uint32_t next_ = 0;  // of the phase: which one is judged next
  // What is gone through at present: notes or symbols, from here to there, and the symbols' strings.
  uint64_t at_ = 0;
  uint64_t end_ = 0;
  Range strings_ = {};
  uint32_t note_bytes_ = 0;
  uint64_t gone_through_ = 0;
  Space space_ = Space::kKernel;
  uint32_t note_ = 0;  // offset of the header in the file
  uint32_t kernel_count_ = 0;
  uint32_t code_bytes_ = 0;
  uint32_t ldm_bytes_ = 0;
  size_t piece_count_ = 0;
  std::array<Piece, kMaxPieces> pieces_ = {};
  // Kernels that have been judged, in the order of their names.
  static_assert(kMaxKernels - 1 <= UINT8_MAX);
  std::array<uint8_t, kMaxKernels> by_name_ = {};
};

}  // namespace swai::module
