// SPDX-License-Identifier: Apache-2.0
// A command processor like AI-Kernel's, for measuring the core: commands of several streams come in a ring,
// each is decoded through a jump table, looks up and changes a few structures, and ends as an entry in a
// completion ring. Everything stays in the caches. Prints what `make bench` reads:
//
//   {"mpe.ipc_dispatch": <instructions per cycle>, "mpe.dispatch_cycles": <cycles per command>}
//
// and fails (tohost) if a command was lost or done twice. Measured is the second half of the commands: the
// first half has filled the caches and taught the branch predictor what it can learn.

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

enum class Opcode : uint8_t { kNop, kLaunch, kCopyIn, kCopyOut, kRecord, kWait, kAllocate, kFree, kCount };

struct Command {
  Opcode opcode;
  uint8_t stream;
  uint16_t object;  // kernel, channel, event or block, depending on the opcode
  uint32_t sequence;
  uint64_t address;
  uint64_t bytes;
};

struct Completion {
  uint32_t sequence;
  uint16_t stream;
  uint16_t status;
  uint64_t value;
};

struct Kernel {
  uint32_t entry;
  uint32_t argument_bytes;
  uint64_t group_mask;
  uint32_t launches;
  uint32_t flags;
};

struct Launch {
  uint64_t word;  // what goes to the doorbell: entry and argument pointer
  uint64_t mask;
};

struct CopyDescriptor {
  uint64_t source;
  uint64_t target;
  uint32_t bytes;
  uint32_t flags;
};

struct Channel {
  uint32_t head;
  uint32_t tail;
  uint64_t bytes;
  std::array<CopyDescriptor, 8> queue;
};

struct Stream {
  uint32_t issued;
  uint32_t done;
  uint32_t waiting_for;  // sequence number of an event, 0: nothing
  uint32_t launches;
  uint64_t bytes;
};

constexpr size_t kRing = 256;
constexpr size_t kCompletions = 64;
constexpr size_t kStreams = 8;
constexpr size_t kKernels = 16;
constexpr size_t kChannels = 4;
constexpr size_t kEvents = 32;
constexpr size_t kBlockWords = 4;
constexpr uint32_t kCommands = 4096;
constexpr uint64_t kChunk = 4096;

struct State {
  std::array<Command, kRing> ring;
  std::array<Completion, kCompletions> completions;
  std::array<Kernel, kKernels> kernels;
  std::array<Launch, 8> launches;
  std::array<Channel, kChannels> channels;
  std::array<Stream, kStreams> streams;
  std::array<uint32_t, kEvents> events;
  std::array<uint64_t, kBlockWords> free_blocks;
  uint32_t head;
  uint32_t tail;
  uint32_t completed;
  uint32_t launched;
  std::array<uint32_t, static_cast<size_t>(Opcode::kCount)> counts;
};

State state;

// The host's part, done before the clock starts: commands in no particular order, the same every time round
// the ring.
void fill_ring() {
  uint64_t noise = 0x1234'5678'9ABC'DEF1;
  constexpr std::array<Opcode, 16> kMix = {
      Opcode::kLaunch, Opcode::kCopyIn, Opcode::kLaunch, Opcode::kRecord, Opcode::kLaunch, Opcode::kCopyOut,
      Opcode::kWait,   Opcode::kLaunch, Opcode::kLaunch, Opcode::kNop,    Opcode::kCopyIn, Opcode::kAllocate,
      Opcode::kLaunch, Opcode::kFree,   Opcode::kRecord, Opcode::kWait};
  for (size_t i = 0; i < kRing; ++i) {
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    Command& command = state.ring[i];
    command.opcode = kMix[(noise >> 40) % kMix.size()];
    command.stream = static_cast<uint8_t>(noise % kStreams);
    command.object = static_cast<uint16_t>(noise >> 8);
    command.address = 0x80'0000'0000 + (noise >> 32 << 6);
    command.bytes = 64 + (noise >> 16) % 8192;
  }
  for (size_t i = 0; i < kKernels; ++i) {
    state.kernels[i] = {.entry = static_cast<uint32_t>(0x1000 + 256 * i),
                        .argument_bytes = 1u << 20,
                        .group_mask = ~uint64_t{0} >> i,
                        .launches = 0,
                        .flags = static_cast<uint32_t>(i & 3)};
  }
  state.free_blocks.fill(~uint64_t{0});
}

uint16_t launch(const Command& command, Stream& stream) {
  Kernel& kernel = state.kernels[command.object % kKernels];
  if (command.bytes > kernel.argument_bytes) return 1;
  Launch& slot = state.launches[state.launched % state.launches.size()];
  slot.word = uint64_t{kernel.entry} << 32 | static_cast<uint32_t>(command.address);
  slot.mask = kernel.group_mask;
  ++state.launched;
  ++kernel.launches;
  ++stream.launches;
  return 0;
}

uint16_t copy(const Command& command, Stream& stream, bool in) {
  Channel& channel = state.channels[command.object % kChannels];
  uint64_t address = command.address;
  uint64_t left = command.bytes;
  while (left != 0) {
    if (channel.tail - channel.head == channel.queue.size()) channel.head += 4;  // the engine has done some
    const uint64_t bytes = left < kChunk ? left : kChunk;
    CopyDescriptor& descriptor = channel.queue[channel.tail % channel.queue.size()];
    descriptor.source = in ? address : address >> 1;
    descriptor.target = in ? address >> 1 : address;
    descriptor.bytes = static_cast<uint32_t>(bytes);
    descriptor.flags = left == bytes;
    ++channel.tail;
    address += bytes;
    left -= bytes;
  }
  channel.bytes += command.bytes;
  stream.bytes += command.bytes;
  return 0;
}

uint16_t wait(const Command& command, Stream& stream) {
  const uint32_t reached = state.events[command.object % kEvents];
  if (reached >= stream.waiting_for) {
    stream.waiting_for = 0;
    return 0;
  }
  return 2;
}

uint16_t allocate(uint64_t& value) {
  for (size_t i = 0; i < kBlockWords; ++i) {
    uint64_t& word = state.free_blocks[i];
    if (word == 0) continue;
    value = i * 64 + static_cast<uint64_t>(__builtin_ctzll(word));
    word &= word - 1;
    return 0;
  }
  return 3;
}

uint16_t release(const Command& command) {
  const size_t block = command.object % (kBlockWords * 64);
  state.free_blocks[block / 64] |= uint64_t{1} << block % 64;
  return 0;
}

// Takes one command out of the ring.
[[gnu::noinline]] void dispatch() {
  const Command& command = state.ring[state.head % kRing];
  Stream& stream = state.streams[command.stream % kStreams];
  const uint32_t sequence = ++stream.issued;
  uint16_t status = 0;
  uint64_t value = 0;
  switch (command.opcode) {
    case Opcode::kLaunch:
      status = launch(command, stream);
      value = state.launched;
      break;
    case Opcode::kCopyIn:
      status = copy(command, stream, true);
      break;
    case Opcode::kCopyOut:
      status = copy(command, stream, false);
      break;
    case Opcode::kRecord:
      state.events[command.object % kEvents] = sequence;
      break;
    case Opcode::kWait:
      status = wait(command, stream);
      break;
    case Opcode::kAllocate:
      status = allocate(value);
      break;
    case Opcode::kFree:
      status = release(command);
      break;
    case Opcode::kNop:
      break;
    default:
      status = 0xFFFF;
      break;
  }
  ++state.counts[static_cast<size_t>(command.opcode)];
  Completion& completion = state.completions[state.tail % kCompletions];
  completion.sequence = sequence;
  completion.stream = command.stream;
  completion.status = status;
  completion.value = value;
  ++stream.done;
  ++state.head;
  ++state.tail;
  ++state.completed;
}

void run(uint32_t commands) {
  while (commands-- != 0) dispatch();
}

uint64_t read_cycle() {
  uint64_t value;
  asm volatile("csrr %0, mcycle" : "=r"(value)::"memory");
  return value;
}
uint64_t read_instret() {
  uint64_t value;
  asm volatile("csrr %0, minstret" : "=r"(value)::"memory");
  return value;
}

void put(char character) { *reinterpret_cast<volatile char*>(0x1000'0000) = character; }
void print(const char* text) {
  while (*text != 0) put(*text++);
}
// With three decimal places.
void print_ratio(uint64_t numerator, uint64_t denominator) {
  const uint64_t value = (numerator * 1000 + denominator / 2) / denominator;
  char digits[24];
  size_t count = 0;
  uint64_t rest = value;
  do {
    digits[count++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
    if (count == 3) digits[count++] = '.';
  } while (rest != 0 || count < 5);
  while (count != 0) put(digits[--count]);
}

bool all_done() {
  uint32_t issued = 0;
  uint32_t counted = 0;
  for (const Stream& stream : state.streams) {
    issued += stream.issued;
    if (stream.issued != stream.done) return false;
  }
  for (const uint32_t count : state.counts) counted += count;
  return issued == kCommands && counted == kCommands && state.completed == kCommands &&
         state.launched == state.counts[static_cast<size_t>(Opcode::kLaunch)];
}

}  // namespace

extern "C" int main() {
  fill_ring();
  run(kCommands / 2);
  const uint64_t instructions_before = read_instret();
  const uint64_t cycles_before = read_cycle();
  run(kCommands / 2);
  const uint64_t cycles = read_cycle() - cycles_before;
  const uint64_t instructions = read_instret() - instructions_before;
  print("{\"mpe.ipc_dispatch\": ");
  print_ratio(instructions, cycles);
  print(", \"mpe.dispatch_cycles\": ");
  print_ratio(cycles, kCommands / 2);
  print("}\n");
  return all_done() ? 0 : 1;
}
