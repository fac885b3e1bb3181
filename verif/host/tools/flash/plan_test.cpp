// SPDX-License-Identifier: Apache-2.0
// What is planned: which slot, which sectors, in which order, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>

#include "host/lib/sha256.hpp"
#include "verif/host/tools/flash/rig.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::flash {
namespace {

using image::Slot;

constexpr uint64_t kOld = image::make_version(1, 0, 0);
constexpr uint64_t kNew = image::make_version(1, 1, 0);
constexpr uint32_t kSector = 4096;

Trouble trouble_of(const std::function<void()>& act, const std::string& words = "") {
  try {
    act();
  } catch (const BoardError& error) {
    CAPTURE(error.what());
    CHECK(std::string(error.what()).find(words) != std::string::npos);
    return error.trouble();
  }
  FAIL("nothing was refused");
  return {};
}

bool says(const Plan& plan, const std::string& words) {
  return std::ranges::any_of(plan.says,
                             [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

Rig usual(const Bytes& b = {}) {
  Rig rig(test_seed());
  rig.put(Slot::kA, with_state(test_image(kOld, 9000), true));
  rig.put(Slot::kB, b);
  return rig;
}

TEST_CASE("a new image goes into the slot that the card does not need, its header last") {
  Rig rig = usual(with_state(test_image(kOld - 1, 9000, 7), true));
  const Plan plan = rig.plan(test_image(kNew, 10'000));
  CHECK(plan.slot == Slot::kB);
  REQUIRE(plan.steps.size() == 4);
  const uint32_t begin = slot_offset(Slot::kB);
  CHECK(plan.steps[0].kind == Step::Kind::kInvalidate);
  CHECK(plan.steps[0].offset == begin);
  CHECK(plan.steps[1].offset == begin + kSector);
  CHECK(plan.steps[1].erase);
  CHECK(plan.steps[2].offset == begin + 2 * kSector);
  CHECK(plan.steps[3].kind == Step::Kind::kSeal);
  CHECK(plan.steps[3].offset == begin);
  CHECK(says(plan, "slot A stays as it is"));
}

TEST_CASE("whatever is in the slots, no step touches the one that has to survive") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 300; ++round) {
    Rig rig(random());
    for (const Slot slot : image::kSlots) {
      Bytes image = with_state(test_image(kOld + random() % 3, 500 + random() % 9000, random()),
                               random() % 2 == 0, random() % 5, random() % 3);
      if (random() % 4 == 0) image.resize(random() % image.size());
      if (random() % 4 == 0) image[random() % std::max<size_t>(image.size(), 1)] ^= 0x10;
      if (random() % 5 != 0) rig.put(slot, image);
    }
    const Contents there = rig.contents();
    const auto kept = keeper(there);
    if (there.slot(Slot::kA).valid() || there.slot(Slot::kB).valid()) REQUIRE(kept);
    const Plan plan =
        rig.plan(test_image(kOld + random() % 3, 500 + random() % 20'000, random()), {.downgrade = true});
    for (const Step& step : plan.steps) {
      CHECK(step.offset >= slot_offset(*plan.slot));
      CHECK(step.offset + step.bytes <= slot_offset(*plan.slot) + image::kSlotBytes);
    }
    if (kept && !plan.steps.empty()) CHECK(plan.slot != kept);
  }
}

TEST_CASE("what is there already is not written") {
  Rig rig = usual();
  const Bytes image = test_image(kNew, 30'000);
  CHECK(execute(rig.plan(image), rig.chip(), {}).end == Outcome::End::kDone);
  CHECK(rig.boot(true) == Slot::kB);
  const Plan again = rig.plan(image);
  CHECK(again.steps.empty());
  CHECK(says(again, "holds this image already"));
  // An image that differs in one sector costs that sector, and the header's.
  Bytes changed = image;
  changed[3 * kSector + 5] ^= 0xFF;
  image::Header header = read_header(changed);
  header.sha256 = sha256(std::span(changed).subspan(sizeof(header)));
  header.image_version = kNew + 1;
  seal(header);
  write_header(changed, header);
  rig.put(Slot::kA, with_state(image, true));
  rig.put(Slot::kB, with_state(changed, false, image::kMaxAttempts));
  const Plan plan = rig.plan(changed);
  REQUIRE(plan.steps.size() == 2);
  CHECK(plan.program_bytes == kSector);
}

TEST_CASE("bits that only have to be cleared need no erasure, and whole blocks are erased at once") {
  Rig rig = usual();
  const Plan fresh = rig.plan(test_image(kNew, 200'000));
  CHECK(fresh.erase_bytes == 0);
  rig.put(Slot::kB, Bytes(200'000, 0x00));
  const Plan over = rig.plan(test_image(kNew, 200'000));
  CHECK(std::ranges::count(over.steps, 64u << 10, &Step::bytes) == 2);
  CHECK(std::ranges::count(over.steps, 32u << 10, &Step::bytes) == 1);
}

TEST_CASE("older versions need a flag, and then go before the newer one") {
  Rig rig = usual();
  const Bytes older = test_image(kOld - 1, 5000);
  CHECK(trouble_of([&] { rig.plan(older); }, "--downgrade") == Trouble::kRefused);
  const Plan plan = rig.plan(older, {.downgrade = true});
  CHECK(says(plan, "ranks before slot A"));
  CHECK(execute(plan, rig.chip(), {}).end == Outcome::End::kDone);
  CHECK(rig.boot(true) == Slot::kB);
  // The way forward again needs none.
  CHECK(execute(rig.plan(test_image(kNew, 5000)), rig.chip(), {}).end == Outcome::End::kDone);
  CHECK(rig.boot(true) == Slot::kA);
}

TEST_CASE("the same version with other contents is tried, too") {
  Rig rig = usual();
  CHECK(execute(rig.plan(test_image(kOld, 5000, 99)), rig.chip(), {}).end == Outcome::End::kDone);
  CHECK(rig.boot(true) == Slot::kB);
}

TEST_CASE("slots that are needed are refused") {
  Rig rig = usual(with_state(test_image(kNew, 900), false));
  const Bytes image = test_image(kNew + 1, 5000);
  CHECK(trouble_of([&] { rig.plan(image, {.slot = Slot::kA}); }, "falls back to") == Trouble::kRefused);
  CHECK(rig.plan(image, {.slot = Slot::kB}).slot == Slot::kB);
  CHECK(trouble_of([&] { rig.plan(image, {.slot = Slot::kB, .running = Slot::kB}); }, "runs slot B") ==
        Trouble::kRefused);
  CHECK(trouble_of([&] { rig.plan(image, {.running = Slot::kB}); }, "falls back to") == Trouble::kRefused);
  const Contents there = rig.contents(image::kSlotBytes);
  const Geometry& geometry = rig.chip().geometry();
  CHECK(trouble_of([&] { plan_erase(there, {}, geometry, Slot::kA, {}); }, "falls back to") ==
        Trouble::kRefused);
  CHECK(execute(plan_erase(there, {}, geometry, Slot::kB, {}), rig.chip(), {}).end == Outcome::End::kDone);
  CHECK(std::ranges::all_of(rig.slot(Slot::kB), [](uint8_t cell) { return cell == 0xFF; }));
}

TEST_CASE("images that the ROM would refuse are not written") {
  Rig rig = usual();
  Bytes image = test_image(kNew, 5000);
  image[4000] ^= 1;
  CHECK_THROWS_WITH_AS(rig.plan(image), doctest::Contains("digest wrong"), InputError);
  image.resize(2000);
  CHECK_THROWS_WITH_AS(rig.plan(image), doctest::Contains("truncated"), InputError);
}

TEST_CASE("rollback goes to and fro, and only to what is confirmed") {
  Rig rig = usual(with_state(test_image(kNew, 3000), true));
  for (unsigned i = 0; i < image::kMaxRank; ++i) {
    const Slot expected = i % 2 == 0 ? Slot::kA : Slot::kB;
    const Plan plan = plan_rollback(rig.contents(), SlotMap{});
    REQUIRE(plan.steps.size() == 1);
    REQUIRE(execute(plan, rig.chip(), {}).end == Outcome::End::kDone);
    REQUIRE(rig.boot(true) == expected);
  }
  CHECK(trouble_of([&] { plan_rollback(rig.contents(), SlotMap{}); }, "write both images again") ==
        Trouble::kRefused);
  Rig trial = usual(with_state(test_image(kNew, 3000), false));
  CHECK(execute(plan_rollback(trial.contents(), SlotMap{}), trial.chip(), {}).end == Outcome::End::kDone);
  CHECK(trial.boot(true) == Slot::kA);
  CHECK(trouble_of([&] { plan_rollback(trial.contents(), SlotMap{}); }, "not confirmed") ==
        Trouble::kRefused);
  Rig nothing(test_seed());
  CHECK(trouble_of([&] { plan_rollback(nothing.contents(), SlotMap{}); }, "nothing boots") ==
        Trouble::kRefused);
}

TEST_CASE("what is told explains what happened") {
  const auto told = [](Rig& rig) {
    std::string all;
    for (const std::string& line : explain(rig.contents())) all += line + "\n";
    return all;
  };
  Rig failed = usual(with_state(test_image(kNew, 3000), false, image::kMaxAttempts));
  CHECK(
      told(failed).find("was booted 3 times and never passed its self-test; the card fell back to slot A") !=
      std::string::npos);
  Rig torn = usual(Bytes(5000, 0x12));
  CHECK(told(torn).find("slot B holds no complete image") != std::string::npos);
  Bytes damaged = test_image(kNew, 3000);
  damaged.back() ^= 1;
  Rig wrong = usual(damaged);
  CHECK(told(wrong).find("its digest is wrong") != std::string::npos);
  Rig empty(test_seed());
  CHECK(told(empty).find("ends in recovery") != std::string::npos);
}

}  // namespace
}  // namespace swai::flash
