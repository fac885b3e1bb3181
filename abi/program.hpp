// SPDX-License-Identifier: Apache-2.0
// Model programs: code for the management processor that runs in user mode, in memory of its client. What the
// kernel and a program agree on; behind it what the host library and the programs' own runtime agree on, of
// which the kernel knows nothing. docs/program/programs.md explains it.
#pragma once

#include <array>
#include <cstdint>

#include "abi/protocol.hpp"

namespace swai::program {

// --- Kernel and program

// A program sees its client's memory in pages from here on. Its own memory, an allocation of two pages or
// more, comes first: a page of code, which it cannot write, then pages that it cannot execute. What it asks
// for with kShow follows.
inline constexpr uint64_t kPageBytes = 2 << 20;
inline constexpr uint64_t kNotes = 0x2'0000'0000;  // Notes, which it cannot write
inline constexpr uint64_t kCode = kNotes + kPageBytes;
inline constexpr uint64_t kData = kCode + kPageBytes;
// A page beside the processor for one program at a time (kAnswers): it reads there, the cores of its client
// write there, through a segment of this number.
inline constexpr uint64_t kAnswers = kNotes + 4096;
inline constexpr uint64_t kAnswerBytes = 4096;
inline constexpr uint16_t kAnswerSegment = 7;
inline constexpr uint64_t kAnswerPointer = uint64_t{kAnswerSegment} << 48;
inline constexpr unsigned kPages = 512;     // that it can see, Notes among them
inline constexpr unsigned kMostPages = 64;  // of its own memory

inline constexpr unsigned kPrograms = protocol::kContexts;  // at once
inline constexpr unsigned kWords = 8;

// As they are when the program goes on; renewed whenever it does. The host wakes a program by each word that
// it tells (protocol::Operation::kProgramTell).
struct Notes {
  uint64_t told;  // how often
  std::array<uint64_t, kWords> words;
  uint32_t completed;       // ticket of the last command that is complete
  protocol::Status status;  // of its queue
  uint16_t reserved;
  uint64_t value;  // of its queue (protocol::QueueStatus)
};
static_assert(sizeof(Notes) == 88);

// Functions of `ecall`, in a7; arguments from a0 on. a0 comes back as a protocol::Status.
enum class Call : uint8_t {
  kExit = 0,  // code
  // Seven words of a command of one slot (abi/command.hpp) behind its header; of that a7 has the rest: the
  // type in bits 8 to 15, flags in bits 16 to 31. a1 comes back as its ticket. kAgain: the queue is full.
  kSubmit = 1,
  // Ticket, Notes::told as the program knows it: sleeps until the command is complete, or the host has told
  // something else, which is kAgain.
  kWait = 2,
  kShow = 3,  // device pointer: shows the allocation that it leads to. a1 comes back as the address
  // Nothing: gives it kAnswerBytes of zeros, at kAnswers, until it ends. kNoMemory: another program has them,
  // or had them and something of its client is under way.
  kAnswers = 4,
};
constexpr uint64_t submit_word(uint8_t type, uint16_t flags) {
  return static_cast<uint64_t>(Call::kSubmit) | uint64_t{type} << 8 | uint64_t{flags} << 16;
}

// --- Host library and program

// Words that the host tells.
enum Word : uint8_t {
  kCancel = 0,  // not 0: the program is to end
  kTaken = 1,   // records of the stream that the host has read
  kInput = 2,   // free for those who write programs, and what follows
};

// A program's stream to the host: a ring of these in host memory. Record n lies in place n modulo the number
// of places, and is there when its number is n + 1; the bytes of a message follow each other in records.
struct alignas(64) Record {
  static constexpr unsigned kBytes = 52;
  uint64_t number;
  uint16_t bytes;  // of this record; a message ends with one that is not `more`
  uint8_t more;
  uint8_t reserved;
  std::array<uint8_t, kBytes> data;
};
static_assert(sizeof(Record) == 64);
inline constexpr unsigned kRecords = 256;

// What a0 points to when a program begins.
struct Start {
  uint64_t memory;     // device pointer of its own memory, which begins with the code
  uint64_t arguments;  // address
  uint64_t argument_bytes;
  uint64_t heap;  // memory that nobody uses, to its end
  uint64_t heap_end;
  uint64_t staging;  // kRecords records of its own
  uint64_t stream;   // bus address of as many of the host
};
static_assert(sizeof(Start) == 56);

// A kernel of a module, as a program launches it: the words of command::Launch behind the header.
struct Kernel {
  std::array<uint64_t, 2> words;
  constexpr unsigned argument_bytes() const { return static_cast<unsigned>(words[0] >> 32 & 0xffff); }
};

}  // namespace swai::program
