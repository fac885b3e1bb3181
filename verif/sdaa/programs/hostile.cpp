// A program that does what it must not, one thing in each run.
#include "verif/sdaa/programs/hostile.hpp"

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
  for (uint64_t seen = 0; !cancelled();) {
    const uint64_t told = notes().told;
    const uint64_t input = word(kInput);
    if (input == seen) {
      wait_told(told);
    } else {
      seen = input;
      job.stream().send(&input, sizeof input);
    }
  }
  return 0;
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
  }
  return -1;
}

}  // namespace

SWAI_PROGRAM(run)
