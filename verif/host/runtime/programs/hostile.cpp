// SPDX-License-Identifier: Apache-2.0
// A program that does what it must not, one thing in each run.
#include "verif/host/runtime/programs/hostile.hpp"

#include "swai/program.hpp"

namespace {

using namespace swai::program;
using swai::hostile::Deed;
using swai::hostile::Wish;

// Not a loop for the compiler.
[[gnu::noinline]] uint64_t recurse(uint64_t depth) {
  volatile uint64_t kept[16];
  kept[depth % 16] = depth;
  return depth == ~uint64_t{0} ? 0 : recurse(depth + 1) + kept[depth % 16];
}

void call_garbage(uint64_t times) {
  uint64_t state = 0x9e37'79b9'7f4a'7c15;
  const auto random = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  };
  for (uint64_t i = 0; i < times; ++i) {
    // Everything but an end, and waits that may never be over.
    const uint64_t function = random();
    if ((function & 0xff) == static_cast<uint64_t>(Call::kExit) ||
        (function & 0xff) == static_cast<uint64_t>(Call::kWait))
      continue;
    call(i % 2 == 0 ? function : (function & ~uint64_t{0xff}) | static_cast<uint64_t>(Call::kSubmit),
         random(), random());
  }
}

int echo(Job& job) {
  for (uint64_t seen = 0;;) {
    wait_until([seen] { return word(kInput) != seen || cancelled(); });
    if (cancelled()) return 0;
    seen = word(kInput);
    job.stream().send(&seen, sizeof seen);
  }
}

int flood(Job& job, uint64_t counter) {
  auto* const sent = show<volatile uint64_t>(counter);
  for (uint64_t i = 0; !cancelled(); ++i) {
    job.stream().send(&i, sizeof i);
    if (sent == nullptr) continue;
    *sent = i + 1;
    publish(sent, sizeof *sent);
  }
  return 0;
}

// --- Registers

// Puts the words of `registers` into the registers of these numbers, but for s11, which points to them; does
// something, and puts there what the registers have then.
using Registers = std::array<uint64_t, 32>;
constexpr unsigned kRa = 1, kSp = 2, kGp = 3, kTp = 4, kT0 = 5, kS0 = 8, kS1 = 9, kA0 = 10, kA1 = 11,
                   kA7 = 17, kS2 = 18, kS11 = 27;
extern "C" void with_registers_call(Registers& registers);
// Counts t0 down.
extern "C" void with_registers_count(Registers& registers);
asm(R"(
.macro with_registers name, act
\name:
    addi    sp, sp, -256
    .irp    number, 1,3,4,8,9,18,19,20,21,22,23,24,25,26,27
    sd      x\number, 8*\number(sp)
    .endr
    la      t0, with_registers_sp
    sd      sp, 0(t0)
    mv      s11, a0
    .irp    number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,28,29,30,31
    ld      x\number, 8*\number(s11)
    .endr
    \act
    .irp    number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd      x\number, 8*\number(s11)
    .endr
    la      t0, with_registers_sp
    ld      sp, 0(t0)
    .irp    number, 1,3,4,8,9,18,19,20,21,22,23,24,25,26,27
    ld      x\number, 8*\number(sp)
    .endr
    addi    sp, sp, 256
    ret
.endm
.macro count_down
1:  addi    t0, t0, -1
    bnez    t0, 1b
.endm
.text
    with_registers with_registers_call, ecall
    with_registers with_registers_count, count_down
.local with_registers_sp
.comm with_registers_sp, 8, 8
)");

bool is_kept(unsigned number) {
  return (number >= kSp && number <= kTp) || number == kS0 || number == kS1 ||
         (number >= kS2 && number <= kS11);
}
Registers make_registers(uint64_t hostile) {
  Registers registers;
  for (unsigned i = 0; i < registers.size(); ++i) registers[i] = 0x0101'0101'0101'0101 * (i + 1);
  registers[kSp] = registers[kGp] = registers[kTp] = hostile;
  return registers;
}
// A bit for each register that is not what it should be behind a call: as before, or 0.
uint32_t keep_call(uint64_t hostile, uint64_t function, uint64_t first, uint64_t second, Status expected) {
  Registers before = make_registers(hostile);
  before[kA0] = first;
  before[kA1] = second;
  before[kA7] = function;
  Registers now = before;
  with_registers_call(now);
  before[kS11] = reinterpret_cast<uint64_t>(&now);
  uint32_t wrong = static_cast<Status>(now[kA0]) == expected ? 0 : 1U << kA0;
  for (unsigned i = kRa; i < now.size(); ++i) {
    if (i == kA0 || i == kA1) continue;
    if (now[i] != (is_kept(i) ? before[i] : 0)) wrong |= 1U << i;
  }
  return wrong;
}
// By a call that is answered at once, one that waits, and a command.
uint32_t keep(uint64_t hostile) {
  constexpr uint64_t kUnknown = 0xff;
  const auto marker = static_cast<uint8_t>(swai::command::Type::kMarker);
  return keep_call(hostile, kUnknown, 0, 0, Status::kBadOperation) |
         keep_call(hostile, static_cast<uint64_t>(Call::kWait), notes().completed, 0, Status::kOk) |
         keep_call(hostile, submit_word(marker, swai::command::kQuiet), 0, 0, Status::kOk);
}
uint32_t keep_long(uint64_t hostile) {
  Registers before = make_registers(hostile);
  before[kT0] = 20'000;
  Registers now = before;
  with_registers_count(now);
  before[kS11] = reinterpret_cast<uint64_t>(&now);
  before[kT0] = 0;
  uint32_t wrong = 0;
  for (unsigned i = kRa; i < now.size(); ++i) wrong |= now[i] == before[i] ? 0 : 1U << i;
  return wrong;
}

int use_answers(bool writes) {
  const auto* const page = reinterpret_cast<const volatile uint64_t*>(answers().here);
  if (page == nullptr) return -1;
  uint64_t left = 0;
  for (unsigned i = 0; i < kAnswerBytes / sizeof *page; ++i) left |= page[i];
  if (writes) *const_cast<volatile uint64_t*>(page) = 1;
  return left == 0 ? 0 : 1;
}

int run(Job& job) {
  const auto& wish = job.arguments<Wish>();
  auto* const address = reinterpret_cast<volatile uint64_t*>(wish.word);
  switch (wish.deed) {
    case Deed::kReturn:
      return static_cast<int>(wish.word);
    case Deed::kSpin:
      for (;;) asm volatile("");
    case Deed::kRecurse:
      return static_cast<int>(recurse(0));
    case Deed::kLoad:
      return static_cast<int>(*address);
    case Deed::kStore:
      *address = 1;
      return 0;
    case Deed::kJump:
      reinterpret_cast<void (*)()>(wish.word)();
      return 0;
    case Deed::kClean:
      publish(address, 1);
      return 0;
    case Deed::kZero:
      zero_line(address);
      return 0;
    case Deed::kAnswers:
      return use_answers(wish.word != 0);
    case Deed::kPrivileged:
      asm volatile("csrw satp, zero");
      return 0;
    case Deed::kCall:
      call_garbage(wish.word);
      return 0;
    case Deed::kFlood:
      return flood(job, wish.word);
    case Deed::kBreak:
      asm volatile("ebreak");
      return 0;
    case Deed::kLaunch:
      return static_cast<int>(wait(launch(wish.kernel, wish.words)));
    case Deed::kSubmit: {
      struct {
        swai::command::Header header;
        std::array<uint64_t, 5> words;
      } const command = {{}, wish.words};
      return static_cast<int>(wait(submit(static_cast<swai::command::Type>(wish.word), command)));
    }
    case Deed::kShow: {
      const auto* shown = show<const volatile uint64_t>(wish.word);
      return shown == nullptr ? -1 : static_cast<int>(*shown);
    }
    case Deed::kEcho:
      return echo(job);
    case Deed::kExit:
      for (unsigned i = 0; i < 10; ++i) launch(wish.kernel, wish.words);
      return 5;
    case Deed::kCallOn:
      for (;;) call(0xff, 0);
    case Deed::kKeep:
      return static_cast<int>(keep(wish.word));
    case Deed::kKeepLong:
      return static_cast<int>(keep_long(wish.word));
  }
  return -1;
}

}  // namespace

SWAI_PROGRAM(run)
