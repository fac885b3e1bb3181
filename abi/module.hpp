// SPDX-License-Identifier: Apache-2.0
// What a module, a program for the CPEs, carries about itself: shared by the compiler driver, firmware, host
// tools and tests. docs/firmware/module-format.md explains it.
//
// A module is a linked ELF32 for fixed scalar addresses; a launch's code segment maps it there, wherever in
// memory it lies. Its first PT_NOTE holds one note of name "SWAI-CPE" whose descriptor is a ModuleHeader and
// behind it the kernel table.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpe_isa.hpp"

namespace swai::module {

inline constexpr uint64_t kMagic = 0x444F'4D2D'4941'5753;  // "SWAI-MOD", first character lowest
// Of the note and its kernel table.
inline constexpr uint16_t kModuleAbi = 1;
// Of the CPE as programs see it: instructions, memory map, launch.
inline constexpr uint16_t kCardAbi = 1;

// Its length with the zero at its end makes the descriptor begin at a multiple of 8.
inline constexpr char kNoteName[] = "SWAI-CPE";
inline constexpr uint32_t kNoteType = 1;

// Where the code of a module runs: the upper four bits of its scalar addresses.
enum class Space : uint32_t { kDaemon = cpe::isa::space::kDaemon, kKernel = cpe::isa::space::kKernel };
constexpr uint32_t base(Space space) { return static_cast<uint32_t>(space) << 28; }

using cpe::isa::kLdmBase;
using cpe::isa::kLdmBytes;
// A code segment holds at most this much: the private and shared caches index 28 bits, memory for code is
// scarce.
inline constexpr uint32_t kMaxCodeBytes = 0x100'0000;
inline constexpr uint32_t kMaxKernels = 256;

// Text fields are filled up with zeros; a field that is full has no zero at its end.
struct Header {
  uint64_t magic;
  uint16_t module_abi;
  uint16_t card_abi;
  uint32_t header_bytes;
  uint32_t kernel_bytes;  // of one entry of the table
  Space space;
  std::array<char, 40> name;
};
static_assert(sizeof(Header) == 64 && offsetof(Header, name) == 24);

struct Kernel {
  std::array<char, 48> name;
  uint32_t pc;
  uint32_t argument_bytes;  // of the structure that its argument points to; 0: it takes none
  uint64_t parameters;      // bits of Parameters; 0: it takes the structure as it is, or nothing
};
static_assert(sizeof(Kernel) == 64 && offsetof(Kernel, parameters) == 56);

// The parameters of a kernel that is written as a function of values. In memory they lie as the members of a
// structure would: each at a multiple of its size, all of them in a multiple of the largest one's. Four bits
// for each, the first one lowest: 1 + log2 of its bytes. Behind the values of a kernel with threads there is
// one more, which no programmer wrote: the grid (abi/grid.hpp), at a multiple of 8.
class Parameters {
 public:
  static constexpr unsigned kMax = 16;
  static constexpr uint32_t kMaxBytes = 8;
  static constexpr uint32_t kGridBytes = 32;

  constexpr explicit Parameters(uint64_t bits = 0) : bits_(bits) {}
  constexpr uint64_t bits() const { return bits_; }
  // 1, 2, 4 or 8 bytes, or at the end kGridBytes; there are at most kMax.
  constexpr Parameters with(uint32_t size) const {
    return Parameters(bits_ | static_cast<uint64_t>(std::countr_zero(size) + 1) << 4 * count());
  }

  // All, and those that whoever launches the kernel gives.
  constexpr unsigned count() const { return (static_cast<unsigned>(std::bit_width(bits_)) + 3) / 4; }
  constexpr unsigned values() const { return has_grid() ? count() - 1 : count(); }
  constexpr bool has_grid() const { return count() != 0 && size(count() - 1) == kGridBytes; }
  constexpr uint32_t size(unsigned index) const { return uint32_t{1} << ((bits_ >> 4 * index & 15) - 1); }
  constexpr uint32_t offset(unsigned index) const {
    uint32_t at = 0;
    for (unsigned i = 0; i < index; ++i) at = rounded(at, alignment(i)) + size(i);
    return index < count() ? rounded(at, alignment(index)) : at;
  }
  constexpr uint32_t bytes() const {
    uint32_t largest = 1;
    for (unsigned i = 0; i < count(); ++i) largest = alignment(i) > largest ? alignment(i) : largest;
    return rounded(offset(count()), largest);
  }
  // The only function that means something before it has said yes.
  constexpr bool valid() const {
    for (unsigned i = 0; i < values(); ++i) {
      const uint64_t field = bits_ >> 4 * i & 15;
      if (field == 0 || size(i) > kMaxBytes) return false;
    }
    return true;
  }

 private:
  constexpr uint32_t alignment(unsigned index) const {
    return size(index) < kMaxBytes ? size(index) : kMaxBytes;
  }
  static constexpr uint32_t rounded(uint32_t at, uint32_t size) { return (at + size - 1) / size * size; }

  uint64_t bits_;
};

}  // namespace swai::module
