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
// written is looked at before it is read. docs/programs.md explains it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "abi/command.hpp"
#include "abi/line.hpp"
#include "abi/program.hpp"

namespace swai::program {

using protocol::Status;

// --- Calls into the kernel

struct CallAnswer {
  Status status;
  uint64_t value;
};
// A call is one of a function: what a callee need not keep is lost, but for a0 and a1, which have the answer.
inline CallAnswer call(uint64_t function, uint64_t first, uint64_t second = 0) {
  register uint64_t a0 asm("a0") = first;
  register uint64_t a1 asm("a1") = second;
  register uint64_t a7 asm("a7") = function;
  asm volatile("ecall"
               : "+r"(a0), "+r"(a1), "+r"(a7)
               :
               : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5", "a6", "memory");
  return {static_cast<Status>(a0), a1};
}
inline CallAnswer call(Call function, uint64_t first, uint64_t second = 0) {
  return call(static_cast<uint64_t>(function), first, second);
}
[[noreturn]] inline void exit(uint64_t code) {
  for (;;) call(Call::kExit, code);
}

// What the host and the card have told.
inline const volatile Notes& notes() { return *reinterpret_cast<const volatile Notes*>(kNotes); }
inline uint64_t word(unsigned number) {
  return reinterpret_cast<const volatile uint64_t*>(kNotes + offsetof(Notes, words))[number];
}
inline bool cancelled() { return word(kCancel) != 0; }
// Of the card's timer.
inline uint64_t time() {
  uint64_t value;
  asm volatile("rdtime %0" : "=r"(value));
  return value;
}

// --- Memory

inline constexpr uint64_t kLineBytes = 64;
// From the return on others find in memory what was given it before.
inline void written() { asm volatile("fence" ::: "memory"); }
// Gives memory what was written there.
inline void hand_over(const volatile void* data, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(data);
  for (uint64_t line = first & ~(kLineBytes - 1); line < first + bytes; line += kLineBytes)
    asm volatile("cbo.clean 0(%0)" ::"r"(line) : "memory");
}
// From the return on others find there what was written.
inline void publish(const volatile void* data, uint64_t bytes) {
  hand_over(data, bytes);
  written();
}
[[gnu::always_inline]] inline void store_line(volatile void* to, const Line& line) {
  asm volatile(
      ".option push\n .option arch, +xtheadmempair\n"
      " th.sdd %1, %2, (%0), 0, 4\n th.sdd %3, %4, (%0), 1, 4\n"
      " th.sdd %5, %6, (%0), 2, 4\n th.sdd %7, %8, (%0), 3, 4\n"
      " .option pop" ::"r"(to),
      "r"(line.w0), "r"(line.w1), "r"(line.w2), "r"(line.w3), "r"(line.w4), "r"(line.w5), "r"(line.w6),
      "r"(line.w7)
      : "memory");
}
// A line for others, in the fewest instructions: four stores, and on its way to memory. Others find all lines
// that were written so from the return of written() on.
[[gnu::always_inline]] inline void write_line(volatile void* to, const Line& line) {
  store_line(to, line);
  asm volatile("cbo.clean 0(%0)" ::"r"(to) : "memory");
}
// Before write_line() of a line that is hardly in the cache: it is not read from memory then, only to be
// overwritten. Of 64 bytes nothing is left; one that is in the cache takes two cycles more so.
[[gnu::always_inline]] inline void zero_line(volatile void* line) {
  asm volatile(".option push\n .option arch, +zicboz\n cbo.zero 0(%0)\n .option pop" ::"r"(line) : "memory");
}
// A line for others at which the program does not look again: it is not read from memory, and the cache keeps
// nothing of it.
[[gnu::always_inline]] inline void send_line(volatile void* to, const Line& line) {
  zero_line(to);
  store_line(to, line);
  asm volatile("cbo.flush 0(%0)" ::"r"(to) : "memory");
}
[[gnu::always_inline]] inline void send_zeros(volatile void* to) {
  zero_line(to);
  asm volatile("cbo.flush 0(%0)" ::"r"(to) : "memory");
}
// What others wrote into the line there is read from now on.
[[gnu::always_inline]] inline void look_line(const volatile void* line) {
  asm volatile("cbo.flush 0(%0)\n fence" ::"r"(line) : "memory");
}
// The same of several.
inline void look(const volatile void* data, uint64_t bytes) {
  const auto first = reinterpret_cast<uint64_t>(data);
  for (uint64_t line = first & ~(kLineBytes - 1); line < first + bytes; line += kLineBytes)
    asm volatile("cbo.flush 0(%0)" ::"r"(line) : "memory");
  asm volatile("fence" ::: "memory");
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
// Until the host has told more than this.
inline void wait_told(uint64_t told) {
  constexpr uint32_t kFar = 1 << 30;
  while (notes().told == told) call(Call::kWait, notes().completed + kFar, told);
}

// A command of one slot; it waits for room. What was given memory before is there before the command begins.
template <typename Command>
Ticket submit(command::Type type, const Command& command, uint16_t flags = command::kQuiet) {
  static_assert(sizeof(Command) <= protocol::kSlotBytes && std::is_trivially_copyable_v<Command>);
  std::array<uint64_t, protocol::kSlotBytes / sizeof(uint64_t)> words = {};
  std::memcpy(words.data(), &command, sizeof command);
  for (;;) {
    register uint64_t a0 asm("a0") = words[1];
    register uint64_t a1 asm("a1") = words[2];
    register uint64_t a2 asm("a2") = words[3];
    register uint64_t a3 asm("a3") = words[4];
    register uint64_t a4 asm("a4") = words[5];
    register uint64_t a5 asm("a5") = words[6];
    register uint64_t a6 asm("a6") = words[7];
    register uint64_t a7 asm("a7") = submit_word(static_cast<uint8_t>(type), flags);
    asm volatile("ecall"
                 : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5), "+r"(a6), "+r"(a7)
                 :
                 : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
    const auto status = static_cast<Status>(a0);
    if (status != Status::kAgain) return {static_cast<uint32_t>(a1), status};
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

// The same for a kernel whose argument is one word, which the cores get themselves: it begins soonest.
[[gnu::always_inline]] inline Ticket launch_word(const Kernel& kernel, uint32_t argument) {
  for (;;) {
    register uint64_t a0 asm("a0") = kernel.words[0];
    register uint64_t a1 asm("a1") = kernel.words[1];
    register uint64_t a2 asm("a2") = argument;
    register uint64_t a7 asm("a7") =
        submit_word(static_cast<uint8_t>(command::Type::kLaunch), command::kQuiet | command::kWord);
    asm volatile("ecall"
                 : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a7)
                 :
                 : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5", "a6", "memory");
    const auto status = static_cast<Status>(a0);
    if (status != Status::kAgain) [[likely]]
      return {static_cast<uint32_t>(a1), status};
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
    // Of the same line, so one behind the other without a fence, and from one register.
    uint64_t found;
    asm volatile("cbo.flush 0(%1)\n ld %0, 0(%1)" : "=r"(found) : "r"(word) : "memory");
    if (found == value) [[likely]]
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
  // and does not read.
  bool send(const void* data, size_t bytes) {
    const auto* from = static_cast<const uint8_t*>(data);
    do {
      const size_t some = bytes < Record::kBytes ? bytes : Record::kBytes;
      bytes -= some;
      if (!send_record(from, some, bytes != 0)) return false;
      from += some;
    } while (bytes != 0);
    return true;
  }
  // Until the host has all of it.
  Status flush() const { return written_ == 0 ? Status::kOk : wait(last_); }

 private:
  bool send_record(const uint8_t* data, size_t bytes, bool more) {
    for (uint64_t told = notes().told; written_ - word(kTaken) >= kRecords; told = notes().told) {
      if (cancelled()) return false;
      wait_told(told);
    }
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
                   command::kQuiet | command::kConcurrent);
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
