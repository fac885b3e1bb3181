// SPDX-License-Identifier: Apache-2.0
// Commands, as they lie in the slots of a queue: shared by the kernel, the host runtime and tests.
// docs/firmware/protocol.md explains how they get there.
//
// A command takes one slot or several in a row, never beyond the end of the queue. The slot that begins it is
// written last, in one piece: its sequence number makes the command valid. Sequence numbers of a queue count
// its slots, so that n lies in slot n modulo kSlots; a command's number is that of its first slot.
#pragma once

#include <cstdint>

#include "abi/protocol.hpp"

namespace swai::command {

enum class Type : uint8_t {
  kNone = 0,
  kPad = 1,  // nothing: fills up the queue's end
  kLaunch = 2,
  kCopy = 3,  // between host and card
  kCopyDevice = 4,
  kFill = 5,
  kEventRecord = 6,
  kEventWait = 7,
  kModuleLoad = 8,  // gives the module's handle
  kModuleUnload = 9,
  kHostCall = 10,  // complete when the host says so (Operation::kResume)
  kMarker = 11,    // nothing, but it completes
  kPageList = 12,  // takes over a list of pages (kPaged)
  kGraph = 13,     // runs commands that lie in memory of the card
};

struct alignas(uint64_t) Header {
  uint32_t sequence;
  Type type;
  uint8_t slots;
  uint16_t flags;
};
static_assert(sizeof(Header) == 8);

inline constexpr uint16_t kQuiet = 1 << 0;       // no interrupt for it
inline constexpr uint16_t kConcurrent = 1 << 1;  // copies: may run beside the command before it
// Copies of one row: `host` is an offset in the memory whose pages the client's list names, one after the
// other. The baseline for pinned memory, which the IOMMU makes one piece.
inline constexpr uint16_t kPaged = 1 << 2;

// Graphs: their memory was written since the last time.
inline constexpr uint16_t kFresh = 1 << 3;

// Launches: the arguments are four bytes, and the cores get these themselves, not where they lie: who has to
// fetch them first takes longer than an empty kernel. Not in graphs.
inline constexpr uint16_t kWord = 1 << 4;

inline constexpr unsigned kMaxSlots = 16;

// The arguments follow in place, where the CPEs read them: nobody copies them.
struct Launch {
  Header header;
  uint16_t module;
  uint16_t kernel;          // its index in the module's table
  uint16_t argument_bytes;  // as many as the kernel says it takes
  uint8_t group;
  uint8_t reserved;
  uint32_t mask;      // of CPEs; all ones: all that are there
  uint32_t watchdog;  // cycles, at least 10,000; 0: the kernel's own choice
};
static_assert(sizeof(Launch) == 24);
inline constexpr unsigned kMaxArgumentBytes = kMaxSlots * protocol::kSlotBytes - sizeof(Launch);

// `rows` of `bytes`; with one row the pitches do not count.
struct Copy {
  Header header;
  uint64_t host;    // bus address
  uint64_t device;  // device pointer
  uint64_t bytes;
  uint32_t rows;
  uint32_t to_host;  // else to the card
  uint64_t host_pitch;
  uint64_t device_pitch;
};
static_assert(sizeof(Copy) == 56);

// Bus addresses of pages of kListedPageBytes, which the card fetches and keeps, in place of the list before.
struct PageList {
  Header header;
  uint64_t host;  // bus address of the list
  uint64_t pages;
};
static_assert(sizeof(PageList) == 24);
inline constexpr uint64_t kListedPageBytes = 4096;
inline constexpr uint64_t kMaxListedPages = 16384;

// Launches, copies and fills, one behind the other in memory of usage kShared, each at a multiple of a slot
// and as a queue has them; the low half of a sequence number there is what QueueStatus calls the command by
// if it fails. They are checked each time that they run. A fill's or copy's arguments overwrite this slot
// behind the structure.
struct Graph {
  Header header;
  uint64_t commands;  // device pointer
  uint64_t bytes;
};
static_assert(sizeof(Graph) == 24);
inline constexpr uint64_t kMaxGraphBytes = 256 << 10;

// What can copy on the card. The last two take the DMA engine over the link: by way of a buffer of the host,
// or reading the card's own BAR0 through the root complex.
enum class Engine : uint32_t {
  kBest = 0,  // the card chooses
  kProcessor = 1,
  kCores = 2,
  kHost = 3,
  kRootComplex = 4,
};
inline constexpr unsigned kEngines = 5;

struct CopyDevice {
  Header header;
  uint64_t to;
  uint64_t from;
  uint64_t bytes;
  uint32_t rows;  // several: by the cores, or by the processor if these do not reach them
  Engine engine;
  uint64_t to_pitch;
  uint64_t from_pitch;
};
static_assert(sizeof(CopyDevice) == 56);

struct Fill {
  Header header;
  uint64_t to;
  uint64_t bytes;
  uint32_t rows;
  uint32_t value;  // its low byte
  uint64_t pitch;
};
static_assert(sizeof(Fill) == 40);

struct Event {
  Header header;
  uint32_t event;
  uint32_t reserved;
  uint64_t count;  // kEventWait: goes on when it was recorded as often
};
static_assert(sizeof(Event) == 24);

struct ModuleLoad {
  Header header;
  uint64_t file;  // device pointer to the ELF file, which may be freed afterwards
  uint64_t bytes;
};
static_assert(sizeof(ModuleLoad) == 24);

struct ModuleUnload {
  Header header;
  uint32_t module;
  uint32_t reserved;
};
static_assert(sizeof(ModuleUnload) == 16);

}  // namespace swai::command
