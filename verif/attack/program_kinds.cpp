// SPDX-License-Identifier: Apache-2.0
// Programs for the management processor, which run beside what others have the card do.
#include <array>
#include <cstring>
#include <span>

#include "abi/command.hpp"
#include "abi/program.hpp"
#include "abi/segment.hpp"
#include "host/runtime/error.hpp"
#include "verif/attack/attacker.hpp"
#include "verif/host/runtime/kernels.hpp"

namespace swai::attack {
namespace {

using protocol::Operation;
using protocol::Status;

// Goes on for ever: a call that nobody knows, and a command whose pointers lead nowhere.
constexpr uint32_t load_upper(unsigned to, uint32_t value) { return (value & 0xffff'f000) | to << 7 | 0x37; }
constexpr uint32_t add(unsigned to, unsigned from, uint32_t value) {
  return (value & 0xfff) << 20 | from << 15 | to << 7 | 0x13;
}
constexpr unsigned kA7 = 17;
constexpr uint32_t kCall = 0x73;             // ecall
constexpr uint32_t kBackBy20 = 0xfedf'f06f;  // jal x0, -20
constexpr auto kCopy =
    static_cast<uint32_t>(program::submit_word(static_cast<uint8_t>(command::Type::kCopy), command::kQuiet));
static_assert((kCopy & 0x800) == 0, "add() would subtract");
constexpr std::array<uint32_t, 6> kSpins = {add(kA7, 0, 0xff),    kCall, load_upper(kA7, kCopy),
                                            add(kA7, kA7, kCopy), kCall, kBackBy20};

// Takes the page for answers, and goes on for ever; ends if it does not get it.
constexpr uint32_t kStay = 0x6f;               // jal x0, 0
constexpr uint32_t kOnBy8IfRefused = 0x51463;  // bne a0, x0, 8
constexpr uint32_t call(program::Call function) { return add(kA7, 0, static_cast<uint32_t>(function)); }
constexpr std::array<uint32_t, 6> kHolds = {call(program::Call::kAnswers), kCall, kOnBy8IfRefused, kStay,
                                            call(program::Call::kExit),    kCall};

// Memory for a program, with that in it.
uint64_t place(HostileClient& client, std::span<const uint32_t> code) {
  constexpr uint64_t kBytes = 2 * program::kPageBytes;
  const uint64_t flags = protocol::AllocateFlags{protocol::Usage::kShared}.bits();
  for (;;) {
    const auto given = client.exchange(Operation::kAllocate, {client.context(), kBytes, flags});
    if (given && given->status == Status::kAgain) continue;
    if (!given || given->status != Status::kOk)
      sdaa::fail(sdaaErrorMemoryAllocation, "no memory for a hostile program");
    client.fill(0);
    std::memcpy(client.pinned->bytes().data(), code.data(), code.size_bytes());
    client.copy(given->values[0], client.iova, false);
    return given->values[0];
  }
}

Status start(HostileClient& client, uint64_t memory) {
  return client.request_as(client.context(), Operation::kProgramStart,
                           {client.queue, memory, program::kCode, 0});
}

// Its queue works again, after whatever ended in it.
void reset_queue(Attacker& attacker, HostileClient& client) {
  const auto reset = client.exchange(Operation::kQueueReset, {client.context(), client.queue});
  attacker.expect(reset && reset->status == Status::kOk, "its queue cannot be reset");
  if (reset) client.next = static_cast<uint32_t>(reset->values[0]);
}

const Kind spins(
    Boundary::kKernel, "runs a program that spins on calls which are refused", [](Attacker& attacker) {
      HostileClient& client = attacker.client();
      const uint64_t memory = place(client, kSpins);
      attacker.expect(start(client, memory) == Status::kOk, "no program begins where one has ended before");
      for (unsigned i = 0; i < 4; ++i) {
        client.connection.let_time_pass(1 + attacker.below(20'000));
        attacker.expect(client.request_as(client.context(), Operation::kMemoryInfo, {0}) == Status::kOk,
                        "nobody is answered beside it");
      }
      // It goes with its queue, and the next one with its client.
      reset_queue(attacker, client);
      attacker.expect(start(client, memory) == Status::kOk, "it goes on when its queue has been reset");
      attacker.leave();
    });

// Starts the program that holds the page for answers. As long as cores work for the client that had it
// before, nobody gets it.
bool holds_page(Attacker& attacker, HostileClient& client) {
  constexpr unsigned kTries = 200;
  const uint64_t memory = place(client, kHolds);
  for (unsigned i = 0; i < kTries; ++i) {
    attacker.expect(start(client, memory) == Status::kOk, "no program begins");
    client.connection.let_time_pass(20'000);
    if (client.connection.queue(client.queue).status == Status::kOk) return true;
    reset_queue(attacker, client);
  }
  return false;
}

const Kind answers(Boundary::kKernel, "a kernel answers a program of another one", [](Attacker& attacker) {
  HostileClient& client = attacker.client();
  attacker.expect(holds_page(attacker, client), "its program has no page");
  const uint64_t page = segment::pointer(program::kAnswerSegment, attacker.below(16) * 64);
  const sdaa::WhoArgs who = {cpe::GlobalPtr<uint32_t>(page)};
  attacker.expect(attacker.api().run("who", who) != sdaaSuccess, "it wrote where another one's cores answer");
  attacker.leave();
});

}  // namespace
}  // namespace swai::attack
