// SPDX-License-Identifier: Apache-2.0
// What the runtime's card side needs of the processor that it runs on: that of the group driver (registers,
// memory that others read, time) and that of the memory manager, and memory that the host writes, read past
// the caches.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include "abi/group/group.hpp"
#include "abi/group/machine.hpp"
#include "abi/journal.hpp"
#include "abi/program.hpp"
#include "firmware/memory/layout.hpp"

namespace swai::runtime {

// A program's next launch, if nothing is left to do for it but to hand it over. Then a call with this in a7,
// a0 and a1, while inbox.work is 0, is answered by the machine itself: it puts what is in a2 to a6 into the
// slot, orders, and rings; by word it rings with a2 as argument, and puts no more than that. Then comes
// Runtime::launched(), while the cores run, and the call comes back with kOk and what that says.
struct ReadyLaunch {
  static constexpr uint64_t kNone = 0;  // nothing is ready, whatever a call says
  uint64_t function = kNone;
  std::array<uint64_t, 2> words = {};
  uint64_t slot = 0;
  group::Doorbell doorbell = {};
  uint64_t argument = 0;  // the bits of a2 that go into the doorbell's word: by word these 32, else none
  uint64_t group = 0;
  uint64_t next = kNone;  // `function`, once what has begun last is complete and nothing else was done
};

// A program while it does not run, and what stopped it last. Behind a call the registers that a function need
// not keep are 0, but for a0 and a1.
struct ProgramState {
  std::array<uint64_t, 32> registers;  // x0 is the machine's own
  uint64_t pc;
  uint64_t cause;  // as in scause
  uint64_t value;  // as in stval
  ReadyLaunch ready;
};

// Of a program's call that gives a command: a0 to a6.
using CallArguments = std::array<uint64_t, 7>;

template <typename M>
concept Machine = group::Machine<M> && memory::Machine<M> &&
    requires(M m, uint64_t address, void* to, const void* from, uint64_t bytes, journal::Fault fault,
             const journal::Arguments& arguments, unsigned number, bool executable, ProgramState& state,
             const program::Notes& notes, uint64_t& value) {
  // A register that may refuse: false, it did.
  { m.try_read(address, value) } -> std::same_as<bool>;
  // SRAM that the host or the DMA engine reads and writes: whole words, nothing is kept in caches. What was
  // put before order() is there for whoever is told afterwards.
  m.fetch(address, to, bytes);
  m.put(address, from, bytes);
  m.order();
  // The card's timer.
  { m.time() } -> std::same_as<uint64_t>;
  // Client memory that the processor has pages for: what others wrote there is seen from now on.
  m.look(address, bytes);
  // Some of it is read without a look, so the caches keep what they had of it.
  m.touch();
  { m.bytes(address) } -> std::same_as<const uint8_t*>;
  // Copies device memory, to that, from this; not over the end of a page of 2 MiB on either side.
  m.move(address, address, bytes);
  // Puts a fault into the journal that the host reads.
  m.note(fault, arguments);
  // At this time of the card's timer whoever drives the runtime is to call alarm(); ~0: never.
  m.set_alarm(address);
  { m.alarm() } -> std::same_as<uint64_t>;
  // Until something has happened that the processor is woken for; or not so long.
  m.sleep();
  // --- Programs, by number: each sees pages that it was shown, from program::kCode on, and nothing else. A
  // page that loses its owner (unmap) is seen no more.
  m.begin_program(number);
  // So many pages from this physical address on, as former owners of the memory have not left them. The
  // address at which the program sees them, also if it was shown them before; 0: there is no room.
  { m.show(number, address, number, executable) } -> std::same_as<uint64_t>;
  // A page of the SRAM, of program::kAnswerBytes, at program::kAnswers; it cannot write there.
  m.show_answers(number, address);
  m.end_program(number);
  m.tell(number, notes);
  m.tell_end(number, notes);  // what they say of its queue
  // Until it fails, somebody wants the processor, or it calls and Runtime::answer() says that it does not go
  // on. A launch that is ready (ReadyLaunch) is no reason.
  m.run_program(number, state);
  // From then on nothing but this time of the card's timer takes the processor from a program. Who is done
  // gives back what came of it, by which the alarm is as it was.
  { m.begin_quantum(address) } -> std::same_as<uint64_t>;
  m.end_quantum(address);
};

}  // namespace swai::runtime
