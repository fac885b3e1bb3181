// What a module, a program for the CPEs, carries about itself: shared by the compiler driver, firmware, host
// tools and tests. docs/module-format.md explains it.
//
// A module is a linked ELF32 for fixed scalar addresses; a launch's code segment maps it there, wherever in
// memory it lies. Its first PT_NOTE holds one note of name "SWAI-CPE" whose descriptor is a ModuleHeader and
// behind it the kernel table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
enum class Space : uint32_t { kDaemon = 4, kKernel = 5 };
constexpr uint32_t base(Space space) { return static_cast<uint32_t>(space) << 28; }

inline constexpr uint32_t kLdmBase = 0x1000'0000;
inline constexpr uint32_t kLdmBytes = 0x2'0000;
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
  uint32_t flags;           // 0
  uint32_t reserved;        // 0
};
static_assert(sizeof(Kernel) == 64 && offsetof(Kernel, pc) == 48);

}  // namespace swai::module
