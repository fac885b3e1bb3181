// SPDX-License-Identifier: Apache-2.0
// What a model program is written with: C++ for the management processor, compiled by `sdaacc --mpe`.
//
//   #include "swai/program.hpp"
//   using namespace swai::program;
//
//   int program(Job& job) {
//     const auto& wish = job.arguments<Wish>();
//     for (uint32_t i = 0; i < wish.times && !cancelled(); ++i) {
//       if (wait(launch(wish.kernel, wish.arguments)) != Status::kOk) return 1;
//       job.stream().send(&i, sizeof i);
//     }
//     return 0;
//   }
//   SWAI_PROGRAM(program)
//
// The processor's caches are its own: what cores or the host are to read is published first, what they have
// written is looked at before it is read. docs/program/programs.md explains it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "abi/command.hpp"
#include "abi/line.hpp"
#include "abi/program.hpp"
#include "swai/processor.hpp"

namespace swai::program {

[[noreturn]] inline void exit(uint64_t code) {
  for (;;) call(Call::kExit, code);
}

// A word from the host.
inline uint64_t word(unsigned number) {
  return reinterpret_cast<const volatile uint64_t*>(&notes().words)[number];
}
inline bool cancelled() { return word(kCancel) != 0; }

// --- Memory

inline constexpr uint64_t kLineBytes = 64;
// Gives memory what was written there.
inline void hand_over(const volatile void* data, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(data);
  for (uint64_t line = first & ~(kLineBytes - 1); line < first + bytes; line += kLineBytes)
    clean_line(reinterpret_cast<const volatile void*>(line));
}
// From the return on others find there what was written.
inline void publish(const volatile void* data, uint64_t bytes) {
  hand_over(data, bytes);
  written();
}
// A line for others, in the fewest instructions: four stores, and on its way to memory. Others find all lines
// that were written so from the return of written() on.
[[gnu::always_inline]] inline void write_line(volatile void* to, const Line& line) {
  store_line(to, line);
  clean_line(to);
}
// A line for others at which the program does not look again: it is not read from memory, and the cache keeps
// nothing of it.
[[gnu::always_inline]] inline void send_line(volatile void* to, const Line& line) {
  zero_line(to);
  store_line(to, line);
  flush_line(to);
}
[[gnu::always_inline]] inline void send_zeros(volatile void* to) {
  zero_line(to);
  flush_line(to);
}
// What others wrote into the line there is read from now on.
[[gnu::always_inline]] inline void look_line(const volatile void* line) {
  flush_line(line);
  written();
}
// The same of several.
inline void look(const volatile void* data, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(data);
  for (uint64_t line = first & ~(kLineBytes - 1); line < first + bytes; line += kLineBytes)
    flush_line(reinterpret_cast<const volatile void*>(line));
  written();
}
// Memory of the client that processor and cores reach, by the pointer that cores and host know. Null: it is
// not there.
template <typename T>
T* show(uint64_t pointer) {
  const CallAnswer answer = call(Call::kShow, pointer);
  return answer.status == Status::kOk ? reinterpret_cast<T*>(answer.value) : nullptr;
}

// A page beside the processor, where the client's cores write and the program reads: what they answer is
// there sooner than in memory, as wait_for() finds it. `here` is null while another program has it; then
// memory does.
struct Answers {
  const volatile std::byte* here = nullptr;  // kAnswerBytes, zeros at first
  uint64_t pointer = 0;                      // as cores know it
};
inline Answers answers() {
  if (call(Call::kAnswers, 0).status != Status::kOk) return {};
  return {reinterpret_cast<const volatile std::byte*>(kAnswers), kAnswerPointer};
}

// --- Commands of the program's queue, in their order

// The number of a command, or why there is none.
struct Ticket {
  uint32_t number = 0;
  Status status = Status::kOk;
};
// Until the command is complete.
inline Status wait(Ticket ticket) {
  if (ticket.status != Status::kOk) return ticket.status;
  for (;;) {
    const CallAnswer answer = call(Call::kWait, ticket.number, notes().told);
    if (answer.status != Status::kAgain) return answer.status;
  }
}
// Sleeps until the condition holds; evaluates it again after every notification by the host. The count of
// notifications is read first, so none is lost between the evaluation and the call that sleeps.
template <typename Condition>
void wait_until(Condition holds) {
  constexpr uint32_t kFar = 1 << 30;
  for (uint64_t told = notes().told; !holds(); told = notes().told)
    call(Call::kWait, notes().completed + kFar, told);
}

// A command of one slot; it waits for room. What was given memory before is there before the command begins.
template <typename Command>
Ticket submit(command::Type type, const Command& command, uint16_t flags = command::kQuiet) {
  static_assert(sizeof(Command) <= protocol::kSlotBytes && std::is_trivially_copyable_v<Command>);
  std::array<uint64_t, protocol::kSlotBytes / sizeof(uint64_t)> words = {};
  std::memcpy(words.data(), &command, sizeof command);
  for (;;) {
    uint32_t number = 0;
    const Status status = call_submit(submit_word(static_cast<uint8_t>(type), flags), words, number);
    if (status != Status::kAgain) return {number, status};
    wait({notes().completed + 1});
  }
}
// A kernel that takes at most 40 bytes of arguments, on the cores that the host has chosen.
template <typename Arguments>
Ticket launch(const Kernel& kernel, const Arguments& arguments) {
  struct {
    command::Header header;
    Kernel kernel;
    Arguments arguments;
  } command = {{}, kernel, arguments};
  return submit(command::Type::kLaunch, command);
}

// Copies between memory of the client, by the engine that is expected to be quickest.
inline Ticket copy_device(uint64_t to, uint64_t from, uint64_t bytes) {
  return submit(command::Type::kCopyDevice,
                command::CopyDevice{{}, to, from, bytes, 1, command::Engine::kBest, 0, 0});
}

// A launch of a kernel whose argument is one word, which the cores receive in a register: it begins soonest.
[[gnu::always_inline]] inline Ticket launch_word(const Kernel& kernel, uint32_t argument) {
  constexpr uint64_t kFunction =
      submit_word(static_cast<uint8_t>(command::Type::kLaunch), command::kQuiet | command::kWord);
  for (;;) {
    uint32_t number = 0;
    const Status status = call_launch_word(kFunction, kernel, argument, number);
    if (status != Status::kAgain) [[likely]]
      return {number, status};
    wait({notes().completed + 1});
  }
}
// Until the launch, or one before it, has written this word, which was another one before: what is expected
// soon is looked for in memory, as the call that waits takes longer than a look. Behind it the launch may
// still be about to end, so wait() comes before anything that needs that. An error: it has ended, or failed,
// and the word is not there.
[[gnu::always_inline]] inline Status wait_for(const volatile uint64_t* word, uint64_t value, Ticket ticket) {
  constexpr unsigned kLooks = 16;
  // One behind the other without a count between: what comes is seen two cycles sooner.
#pragma GCC unroll 16
  for (unsigned i = 0; i < kLooks; ++i) {
    if (look_word(word) == value) [[likely]]
      return Status::kOk;
  }
  const Status status = wait(ticket);
  look_line(word);
  return status != Status::kOk || *word == value ? status : Status::kBadArguments;
}

// --- Messages to the host

class Stream {
 public:
  explicit Stream(const Start& start) : start_(start) {}
  // Waits while the host has read nothing for a whole ring. False: the queue has failed, or the host cancels
  // and does not read. `wakes`: interrupts the host when all of it has arrived, so that the host need not
  // poll.
  bool send(const void* data, size_t bytes, bool wakes = false) {
    const auto* from = static_cast<const uint8_t*>(data);
    do {
      const size_t some = bytes < Record::kBytes ? bytes : Record::kBytes;
      bytes -= some;
      if (!send_record(from, some, bytes != 0, wakes && bytes == 0)) return false;
      from += some;
    } while (bytes != 0);
    return true;
  }
  // Until the host has all of it.
  Status flush() const { return written_ == 0 ? Status::kOk : wait(last_); }

 private:
  bool send_record(const uint8_t* data, size_t bytes, bool more, bool wakes) {
    const auto is_full = [this] { return written_ - word(kTaken) >= kRecords; };
    wait_until([&] { return !is_full() || cancelled(); });
    if (is_full()) return false;
    const uint64_t offset = written_ % kRecords * sizeof(Record);
    auto* record = reinterpret_cast<Record*>(start_.staging + offset);
    record->number = ++written_;
    record->bytes = static_cast<uint16_t>(bytes);
    record->more = more ? 1 : 0;
    std::memcpy(record->data.data(), data, bytes);
    publish(record, sizeof *record);
    const uint64_t device = start_.memory + (start_.staging + offset - kCode);
    last_ = submit(command::Type::kCopy,
                   command::Copy{{}, start_.stream + offset, device, sizeof *record, 1, 1, 0, 0},
                   static_cast<uint16_t>((wakes ? 0 : command::kQuiet) | command::kConcurrent));
    return last_.status == Status::kOk;
  }

  const Start& start_;
  uint64_t written_ = 0;
  Ticket last_;
};

// --- A run

class Job {
 public:
  explicit Job(const Start& start) : start_(start), stream_(start) {}
  // What the host has given, as it lies in the program's memory.
  template <typename T>
  const T& arguments() const {
    return *reinterpret_cast<const T*>(start_.arguments);
  }
  size_t argument_bytes() const { return start_.argument_bytes; }
  Stream& stream() { return stream_; }
  // Memory of the program that nobody else uses; cores and host reach it by global().
  std::byte* heap() const { return reinterpret_cast<std::byte*>(start_.heap); }
  size_t heap_bytes() const { return start_.heap_end - start_.heap; }
  // How cores and host name something in the program's memory.
  uint64_t global(const volatile void* data) const {
    return start_.memory + (reinterpret_cast<uint64_t>(data) - kCode);
  }

 private:
  const Start& start_;
  Stream stream_;
};

}  // namespace swai::program

// The function that runs: int FUNCTION(swai::program::Job&). Its result is what the host gets as the
// program's code.
#define SWAI_PROGRAM(function)                                               \
  extern "C" int program_main(const swai::program::Start* start) {           \
    swai::program::Job job(*start);                                          \
    return function(job);                                                    \
  }                                                                          \
  extern "C" [[noreturn]] void program_exit(int code) {                      \
    swai::program::exit(static_cast<uint64_t>(static_cast<uint32_t>(code))); \
  }
