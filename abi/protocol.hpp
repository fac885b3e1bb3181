// SPDX-License-Identifier: Apache-2.0
// How a host and the AI-Kernel talk: handshake, short requests, queues of commands, completions. Shared by
// the kernel, the host runtime and tests. docs/firmware/protocol.md explains it; the commands themselves are
// in command.hpp.
//
// Fields are never moved or reused: a new version appends, and says so in its number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace swai::protocol {

inline constexpr uint16_t kVersion = 3;
inline constexpr uint16_t kMinimumVersion = 3;  // the oldest that this one still speaks

// --- Shared words (registers pcie.shared, in BAR4)
// -----------------------------------------------------------------

inline constexpr uint64_t kMagic = 0x3154'522D'4941'5753;  // "SWAI-RT1", first character lowest

namespace word {
inline constexpr unsigned kMagic = 0;      // written last, when the kernel serves; 0 before
inline constexpr unsigned kVersions = 1;   // Versions
inline constexpr unsigned kLife = 2;       // counts starts of the kernel since power-on
inline constexpr unsigned kRequest = 8;    // written last by the host: {operation, tag}
inline constexpr unsigned kArguments = 9;  // six of them
inline constexpr unsigned kReply = 16;     // written last by the kernel: {status, tag}
inline constexpr unsigned kValues = 17;    // six of them
inline constexpr unsigned kArgumentCount = 6;
inline constexpr unsigned kValueCount = 6;
}  // namespace word

// The host's doorbells: bits of inbox.work.
inline constexpr unsigned kRequestDoorbell = 31;
constexpr unsigned queue_doorbell(unsigned queue) { return queue; }

struct Versions {
  uint16_t current;
  uint16_t minimum;
  uint32_t info;  // where Info lies, from the beginning of the SRAM in BAR0
};
static_assert(sizeof(Versions) == 8);

// --- What the card is
// ------------------------------------------------------------------------------------------------

inline constexpr unsigned kQueues = 20;
inline constexpr unsigned kSlots = 64;
inline constexpr unsigned kSlotBytes = 64;
inline constexpr unsigned kQueueBytes = kSlots * kSlotBytes;
inline constexpr unsigned kEvents = 1024;
inline constexpr unsigned kModules = 64;
inline constexpr unsigned kMaxContext = 254;
// Nobody's: what the kernel itself launches is not a client's.
inline constexpr unsigned kKernelContext = 255;
// Clients at once. The number of a context modulo this is the client's place among them.
inline constexpr unsigned kContexts = 8;
// A client that shares the card has at most so many, as long as each of the others can have one.
inline constexpr unsigned kSharedQueues = 3;
// The buffer of kRoutes has at least so many.
inline constexpr uint64_t kRouteBytes = 256 << 10;

enum Capability : uint64_t {
  kSharedMemory = 1 << 0,  // memory that the management processor and the CPEs reach alike
  kCopy2d = 1 << 1,
  kHostCalls = 1 << 2,
  kJournals = 1 << 3,  // log and faults (journal.hpp)
  kGraphs = 1 << 4,    // command::Graph
  kPrograms = 1 << 5,  // model programs (program.hpp)
  kWords = 1 << 6,     // launches by word (command::kWord); firmware from before ignores that flag
};

struct Info {
  uint32_t bytes;  // of this structure
  uint16_t version;
  uint16_t minimum_version;
  uint64_t capabilities;
  uint32_t groups;
  uint16_t rows;
  uint16_t columns;
  uint64_t memory_per_group;
  uint32_t queues;
  uint32_t slots;
  uint32_t slot_bytes;
  uint32_t queue_offset;  // of queue 0, from the beginning of the SRAM in BAR0; the others follow
  uint32_t events;
  uint32_t modules;
  uint32_t telemetry_offset;
  uint32_t telemetry_count;
  uint32_t log_offset;  // of the journals (journal.hpp), from the beginning of the SRAM in BAR0
  uint32_t log_bytes;
  uint32_t fault_offset;
  uint32_t fault_bytes;
  std::array<char, 16> name;
  std::array<char, 16> version_text;
  std::array<char, 16> git_hash;
  uint32_t clients_offset;  // of kContexts ClientUsage, from the beginning of the SRAM in BAR0
  uint32_t clients_count;
};
static_assert(sizeof(Info) == 136);

// Telemetry: pairs of these.
enum class Tag : uint32_t {
  kNone = 0,
  kUptime = 1,    // cycles
  kRequests = 2,  // served
  kCommands = 3,  // completed
  kCommandsFailed = 4,
  kCommandsRefused = 5,  // by their form
  kLaunches = 6,
  kLaunchesFailed = 7,
  kBytesToCard = 8,
  kBytesToHost = 9,
  kMemoryUsed = 10,  // bytes
  kMemoryPeak = 11,
  kAllocations = 12,  // alive
  kModules = 13,      // loaded
  kLogLost = 14,      // lines
  kBadSlots = 15,     // slots that did not hold what a doorbell had promised
  kCleared = 16,      // bytes of memory, for new owners
};
struct Telemetry {
  Tag tag;
  uint32_t reserved;
  uint64_t value;
};
static_assert(sizeof(Telemetry) == 16);

// What each place of a client has and did, renewed like the telemetry. What is counted is counted since its
// context was attached, and stays until the place is taken again.
enum class Attached : uint8_t {
  kNobody = 0,
  kYes = 1,
  kLeaving = 2,  // not all that it had is given back
};
struct ClientUsage {
  uint8_t context;
  Attached attached;
  uint16_t queues;  // open
  uint32_t allocations;
  uint64_t memory;  // bytes
  uint32_t modules;
  uint32_t running;   // launches that run now
  uint64_t commands;  // completed
  uint64_t launches;  // that have ended
  uint64_t busy;      // cycles that its launches ran, those that run included
  uint64_t bytes_to_card;
  uint64_t bytes_to_host;
};
static_assert(sizeof(ClientUsage) == 64);

// --- Status
// ------------------------------------------------------------------------------------------------------------

// Of requests and commands. Append, never renumber.
enum class Status : uint16_t {
  kOk = 0,
  kBadOperation = 1,  // unknown, or its arguments make no sense
  kVersion = 2,       // versions do not meet
  kNotAttached = 3,
  kNoContext = 4,  // too many clients
  kNoMemory = 5,
  kBadPointer = 6,  // names no memory of this context
  kBadRange = 7,    // leaves the allocation
  kBadHandle = 8,   // module, kernel, queue or event
  kNoQueue = 9,
  kNoModule = 10,       // too many modules
  kModuleRefused = 11,  // detail: module::Error
  kBadArguments = 12,   // not as many bytes of arguments as the kernel takes
  kBadMask = 13,        // no CPE, or one that is not there
  kKernelFault = 14,    // detail: CPE and cause; the record is in the log
  kKernelTimeout = 15,  // stopped by the watchdog
  kTransfer = 16,       // detail: error of the DMA channel
  kRefused = 17,        // an earlier command of the queue failed, and it was not reset yet
  kBadCommand = 18,     // the slot holds nothing that could be a command
  kCancelled = 19,      // queue closed or reset, context detached
  kGroupLost = 20,      // a group does not answer any more
  kInternal = 21,
  kAgain = 22,         // not yet: ask again
  kNoProgram = 23,     // too many programs
  kProgramEnded = 24,  // the queue's program, by itself; value: program_end()
  kProgramFault = 25,  // detail: cause, as in scause
};

constexpr const char* text(Status status) {
  switch (status) {
    case Status::kOk:
      return "no error";
    case Status::kBadOperation:
      return "unknown operation, or arguments that make no sense";
    case Status::kVersion:
      return "host and card speak different versions of the protocol";
    case Status::kNotAttached:
      return "not attached";
    case Status::kNoContext:
      return "too many clients";
    case Status::kNoMemory:
      return "out of device memory";
    case Status::kBadPointer:
      return "the pointer names no memory of this client";
    case Status::kBadRange:
      return "beyond the end of the memory that was allocated";
    case Status::kBadHandle:
      return "no such module, kernel, queue or event";
    case Status::kNoQueue:
      return "no queue is free";
    case Status::kNoModule:
      return "too many modules are loaded";
    case Status::kModuleRefused:
      return "the module was refused";
    case Status::kBadArguments:
      return "the kernel takes another number of bytes as arguments";
    case Status::kBadMask:
      return "the launch names no CPE, or one that is not there";
    case Status::kKernelFault:
      return "the kernel failed";
    case Status::kKernelTimeout:
      return "the kernel ran too long";
    case Status::kTransfer:
      return "a transfer failed";
    case Status::kRefused:
      return "an earlier command of the stream failed";
    case Status::kBadCommand:
      return "not a command";
    case Status::kCancelled:
      return "cancelled";
    case Status::kGroupLost:
      return "a core group does not answer";
    case Status::kInternal:
      return "error in the card's firmware";
    case Status::kAgain:
      return "not yet";
    case Status::kNoProgram:
      return "too many programs";
    case Status::kProgramEnded:
      return "the program has ended";
    case Status::kProgramFault:
      return "the program failed";
  }
  return "unknown status";
}

// --- Requests: short, answered at once
// -------------------------------------------------------------------------------

enum class Operation : uint32_t {
  kNone = 0,
  // {version | minimum << 16, bus address of the StatusPage, Option bits, window base, window bytes, key} ->
  // {context, epoch}. A client that does not share the card and gives a key keeps the link: until the next
  // reset of the PCIe function whoever attaches must give the same one, else kNotAttached. With window bytes
  // all bus addresses that the client names, this one too, count from the base and lie below the bytes; 0:
  // they are what they are.
  kAttach = 1,
  kDetach = 2,    // {context}: frees all that it has. kAgain: something of it may still touch host memory
  kAllocate = 3,  // {context, bytes, AllocateFlags} -> {pointer, physical address, bytes}
  kFree = 4,      // {context, pointer}
  kMemoryInfo =
      5,  // {context, group} -> {free, total, largest piece, bytes of this context, its allocations}
  kPointerInfo = 6,  // {context, pointer} -> {begin, bytes, usage, physical address of the pointer, group}
  kQueueOpen = 7,    // {context} -> {queue, sequence of its next command}
  kQueueClose = 8,   // {context, queue}
  kQueueReset = 9,   // {context, queue} -> {sequence of its next command}: after a failure
  kResume = 10,      // {context, queue, sequence}: the host function of that command is done
  kModuleInfo = 11,  // {context, module} -> {code bytes, kernels, launches}
  // {context, queue, bus address of a ring}: takes its commands from there (two_level.hpp). Not for clients
  // that share the card or have a window.
  kQueueFeed = 12,
  // {context, bus address of a buffer, bytes} -> {engines, a bit for each command::Engine, that can copy on
  // the card, cycles that it took to measure those over the link, and at boot the others}; kAgain: not yet.
  // The buffer is the card's until a client attaches that does not share. Not for clients that do.
  kRoutes = 13,
  // {context, queue, pointer to its memory, pc, a0}: begins a program there, which fills the queue from now
  // on, until it ends or the queue is reset or closed. Nothing is under way in the queue, and it has not
  // failed.
  kProgramStart = 14,
  kProgramTell = 15,  // {context, queue, number, word}: puts the word into the program's notes and wakes it
};

// Low half the tag, which comes back in the reply, high half the operation or status.
constexpr uint64_t request(Operation operation, uint32_t tag) {
  return uint64_t{static_cast<uint32_t>(operation)} << 32 | tag;
}
constexpr Operation operation(uint64_t request) { return static_cast<Operation>(request >> 32); }
constexpr uint64_t reply(Status status, uint32_t tag) {
  return uint64_t{static_cast<uint16_t>(status)} << 32 | tag;
}
constexpr Status status(uint64_t reply) { return static_cast<Status>(reply >> 32); }
constexpr uint32_t tag(uint64_t word) { return static_cast<uint32_t>(word); }

enum Option : uint64_t {
  kDebugMemory = 1 << 0,  // poison and red zones
  // Those who are attached stay. Without it a client is alone on the link: it takes over from all others.
  kShared = 1 << 1,
};

enum class Usage : uint8_t {
  kCpe = 0,     // segments only: kernels and copies
  kMpe = 1,     // pages only: the management processor and copies
  kShared = 2,  // both
};
inline constexpr unsigned kAnyGroup = 0xff;
struct AllocateFlags {
  Usage usage = Usage::kCpe;
  uint8_t group = kAnyGroup;

  constexpr uint64_t bits() const { return static_cast<uint64_t>(usage) | uint64_t{group} << 8; }
  static constexpr AllocateFlags of(uint64_t bits) {
    return {static_cast<Usage>(bits & 0xff), static_cast<uint8_t>(bits >> 8)};
  }
};

// Memory of the management processor has no segment; its pointers carry this number and the physical address.
inline constexpr uint16_t kPageSegment = 0xfffe;

// --- Completions, in host memory
// -----------------------------------------------------------------------------------------

// What the host knows of a queue. One line, written as a whole; then the interrupt.
struct QueueStatus {
  uint32_t completed;  // sequence number of the last command that is complete, also if it failed
  uint32_t failed;     // of the first command that failed since the queue was reset, if status is not kOk
  Status status;
  uint16_t detail;      // to the status: module::Error, cause of a fault, error of a channel
  uint32_t detail_cpe;  // kernel faults: group * 32 + CPE
  uint64_t
      detail_address;  // kernel faults: global pointer or scalar address; pc in the upper half of detail_pc
  uint64_t detail_pc;
  uint64_t value;  // of the last command that gives one
  uint32_t value_sequence;
  uint32_t waiting;  // sequence of the host function that waits for kResume, if `waits` is not 0
  uint32_t waits;
  uint32_t node;   // of the graph that failed: what its command has as sequence number; 0: no graph
  uint64_t cycle;  // of the card's timer, when `completed` got its value
};
static_assert(sizeof(QueueStatus) == 64);

// The value of a queue whose program has ended: its code, and what the queue had failed with before, to which
// the details belong then.
constexpr uint64_t program_end(Status queue, uint32_t code) {
  return uint64_t{static_cast<uint16_t>(queue)} << 32 | code;
}
constexpr Status status_at_end(uint64_t value) { return static_cast<Status>(value >> 32); }
constexpr uint32_t code_at_end(uint64_t value) { return static_cast<uint32_t>(value); }

struct EventStatus {
  uint64_t count;  // how often it was recorded
  uint64_t cycle;  // of the card's timer, the last time
};
static_assert(sizeof(EventStatus) == 16);

struct StatusPage {
  std::array<QueueStatus, kQueues> queues;
  std::array<EventStatus, kEvents> events;
};
// Interrupts: the status page has changed; a fault was noted.
inline constexpr unsigned kStatusVector = 0;
inline constexpr unsigned kLogVector = 1;

}  // namespace swai::protocol
