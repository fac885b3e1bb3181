// SPDX-License-Identifier: Apache-2.0
// Plans carried out on chips and buses with faults.
#include <doctest/doctest.h>

#include <algorithm>

#include "verif/host/tools/flash/rig.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::flash {
namespace {

using image::Slot;

constexpr uint64_t kOld = image::make_version(1, 0, 0);
constexpr uint64_t kNew = image::make_version(1, 1, 0);

void fill(Rig& rig) {
  rig.put(Slot::kA, with_state(test_image(kOld, 9000), true));
  rig.put(Slot::kB, Bytes(20'000, 0x00));
}

Outcome write(
    Rig& rig, const std::function<void(const SpiCommand&)>& before = [](const SpiCommand&) {},
    const Watcher& watcher = {}) {
  SpiNor& chip = rig.chip();
  const Plan plan = rig.plan(test_image(kNew, 10'000));
  rig.bus().before = before;
  return execute(plan, chip, watcher);
}

bool is_program(const SpiCommand& command) { return command.out[0] == 0x02; }

TEST_CASE("a transfer that fails once is tried again") {
  Rig rig(test_seed());
  fill(rig);
  unsigned left = 1;
  const Outcome outcome = write(rig, [&](const SpiCommand& command) {
    if (is_program(command) && left != 0 && left-- != 0) throw BoardError(Trouble::kNoAnswer, "no answer");
  });
  CHECK(outcome.end == Outcome::End::kDone);
  CHECK(outcome.retries == 1);
  CHECK(rig.bus().recoveries == 1);
  CHECK(rig.boot(true) == Slot::kB);
}

TEST_CASE("one that fails twice ends it, and the old version boots") {
  Rig rig(test_seed());
  fill(rig);
  unsigned programs = 0;
  const Outcome outcome = write(rig, [&](const SpiCommand& command) {
    if (is_program(command) && ++programs > 20) throw BoardError(Trouble::kNoAnswer, "no answer");
  });
  CHECK(outcome.end == Outcome::End::kFailed);
  CHECK(outcome.trouble == Trouble::kNoAnswer);
  CHECK(outcome.why == "no answer");
  CHECK(rig.boot(true) == Slot::kA);
}

TEST_CASE("nothing is tried again on a board that has gone") {
  Rig rig(test_seed());
  fill(rig);
  const Outcome outcome = write(rig, [&](const SpiCommand& command) {
    if (is_program(command)) throw BoardError(Trouble::kGone, "unplugged");
  });
  CHECK(outcome.trouble == Trouble::kGone);
  CHECK(outcome.retries == 0);
}

TEST_CASE("a bit that is stuck is found, and where") {
  Rig rig(test_seed(), {.stuck = {{.address = slot_offset(Slot::kB) + 0x1234, .bit = 3, .value = true}}});
  fill(rig);
  Bytes image = test_image(kNew, 10'000);
  const Outcome outcome = write(rig);
  if ((image[0x1234] & 0x08) != 0) return;  // by chance it is right
  CHECK(outcome.end == Outcome::End::kFailed);
  CHECK(outcome.trouble == Trouble::kFailed);
  CHECK(outcome.retries == 1);
  CHECK(outcome.why.find("at 0x501234") != std::string::npos);
  CHECK(rig.boot(true) == Slot::kA);
}

TEST_CASE("a sector that erases badly once is erased again") {
  Rig rig(test_seed(), {.worn = {{.address = slot_offset(Slot::kB) + 0x1000, .bits = 3, .erases = 1}}});
  fill(rig);
  const Outcome outcome = write(rig);
  CHECK(outcome.end == Outcome::End::kDone);
  CHECK(outcome.retries <= 1);
  CHECK(rig.boot(true) == Slot::kB);
}

TEST_CASE("protected blocks are named as the cause") {
  Rig rig(test_seed());
  fill(rig);
  const uint8_t enable[] = {0x06};
  const uint8_t protect[] = {0x01, 0x1C};  // all blocks
  const SpiCommand commands[] = {{enable, {}}, {protect, {}}};
  SpiNor& chip = rig.chip();
  rig.bus().run(commands);
  std::array<uint8_t, 100'000> waited;
  const uint8_t status[] = {0x05};
  const SpiCommand wait = {status, waited};
  rig.bus().run({&wait, 1});
  const Outcome outcome = execute(rig.plan(test_image(kNew, 10'000)), chip, {});
  CHECK(outcome.trouble == Trouble::kFailed);
  CHECK(outcome.why.find("protected") != std::string::npos);
}

TEST_CASE("an interruption finishes the step, and the command again the rest") {
  for (size_t steps = 0; steps < 5; ++steps) {
    Rig rig(test_seed());
    fill(rig);
    size_t asked = 0;
    Watcher watcher;
    watcher.wants_stop = [&] { return asked++ == steps; };
    const Outcome outcome = write(
        rig, [](const SpiCommand&) {}, watcher);
    if (outcome.end == Outcome::End::kDone) continue;
    CHECK(outcome.end == Outcome::End::kStopped);
    CHECK(outcome.steps_done == steps);
    CHECK(outcome.why.find("stopped at 0x50") != std::string::npos);
    CHECK(rig.boot(true) == Slot::kA);
    CHECK(write(rig).end == Outcome::End::kDone);
    CHECK(rig.boot(true) == Slot::kB);
  }
}

TEST_CASE("progress grows up to all of it") {
  Rig rig(test_seed());
  fill(rig);
  size_t last = 0;
  size_t whole = 0;
  Watcher watcher;
  watcher.progress = [&](size_t done, size_t all) {
    CHECK(done >= last);
    last = done;
    whole = all;
  };
  CHECK(write(
            rig, [](const SpiCommand&) {}, watcher)
            .end == Outcome::End::kDone);
  CHECK(last == whole);
  CHECK(whole > 20'000);
}

}  // namespace
}  // namespace swai::flash
