// SPDX-License-Identifier: Apache-2.0
// System tests of booting: the whole card, its real boot ROM, and flash contents of every kind. A boot of a
// tiny image takes some ten thousand cycles, so there can be thousands.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/card/boot_bench.hpp"

namespace swai::card {
namespace {

using image::Header;
using image::Refusal;
using image::Slot;
using Stage = BootStatus::Stage;

constexpr uint64_t kOld = image::make_version(1, 0, 0);
constexpr uint64_t kNew = image::make_version(1, 2, 0);
constexpr uint16_t kMarkA = 0xA;
constexpr uint16_t kMarkB = 0xB;

BootStatus ready(uint16_t mark) { return {.stage = Stage::kReady, .detail = mark}; }
BootStatus recovery(Refusal a, Refusal b) {
  return {.stage = Stage::kRecovery, .detail = boot::recovery_detail(a, b)};
}

flash::Bytes confirmed(uint16_t mark, uint64_t version) {
  auto image = tiny_image(Act::kReport, mark, version);
  confirm(image);
  return image;
}

// The same code runs on the host, against all of this and more (verif/firmware/flow_test.cpp): here a part is
// enough, but in long tests.
bool all() { return std::getenv("SWAI_LONG") != nullptr; }
int rounds(int whole) { return all() ? whole : whole / 5; }

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("no '" << part << "' in:\n" << text);
  return found;
}

std::string refused(Slot slot, Refusal refusal) {
  return fmt::format("slot {}: refused: {}", letter(slot), text(refusal));
}

// Changes the header of an image and seals it again, so that only the change itself is wrong.
template <typename Change>
flash::Bytes edited(flash::Bytes image, Change change) {
  Header header = flash::read_header(image);
  change(header);
  flash::seal(header);
  flash::write_header(image, header);
  return image;
}

TEST_CASE("choice of the slot") {
  BootBench bench(test_seed());
  struct Case {
    uint64_t version_a, version_b;
    uint16_t expected;
  };
  for (const Case& c : {Case{kNew, kOld, kMarkA},
                        {kOld, kNew, kMarkB},
                        {kNew, kNew, kMarkA},
                        {image::make_version(1, 10, 0), image::make_version(1, 9, 9), kMarkA},
                        {image::make_version(0, 9, 9), image::make_version(1, 0, 0), kMarkB}}) {
    bench.put(Slot::kA, confirmed(kMarkA, c.version_a));
    bench.put(Slot::kB, confirmed(kMarkB, c.version_b));
    CHECK(bench.boot() == ready(c.expected));
    CHECK(contains(bench.console(), c.expected == kMarkA ? "booting slot A" : "booting slot B"));
  }
  // Of equal versions the confirmed one.
  bench.put(Slot::kA, tiny_image(Act::kReport, kMarkA, kNew));
  bench.put(Slot::kB, confirmed(kMarkB, kNew));
  CHECK(bench.boot() == ready(kMarkB));

  bench.erase(Slot::kB);
  bench.put(Slot::kA, confirmed(kMarkA, kOld));
  CHECK(bench.boot() == ready(kMarkA));
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  bench.erase(Slot::kA);
  CHECK(bench.boot() == ready(kMarkB));
  CHECK(bench.card().flash_pins().violations().total() == 0);
  CHECK(bench.card().uart().framing_errors() == 0);
}

TEST_CASE("no image, then one from outside") {
  BootBench bench(test_seed());
  CHECK(bench.boot() == recovery(Refusal::kErased, Refusal::kErased));
  CHECK(contains(bench.console(), refused(Slot::kA, Refusal::kErased)));
  CHECK(contains(bench.console(), refused(Slot::kB, Refusal::kErased)));
  CHECK(contains(bench.console(), "recovery: no bootable image"));

  // It sleeps, so nothing changes, until it is asked to look again.
  const uint64_t before = bench.card().cycle();
  bench.card().run(1000);
  CHECK(bench.card().cycle() == before + 1);
  bench.put(Slot::kB, confirmed(kMarkB, kNew));
  bench.type("xr");
  for (int i = 0; i < 100'000 && bench.card().status().stage != Stage::kRom; ++i) bench.card().tick();
  CHECK(bench.run_on(1'000'000) == ready(kMarkB));
}

TEST_CASE("bad images in one slot fall back to the other, in both end in recovery") {
  BootBench bench(test_seed());
  const flash::Bytes good = confirmed(kMarkA, kNew);
  auto cut = [&](size_t bytes) {
    flash::Bytes image = good;
    std::fill(image.begin() + static_cast<ptrdiff_t>(bytes), image.end(), 0xFF);
    return image;
  };
  struct Case {
    const char* name;
    Refusal refusal;
    flash::Bytes image;
  };
  const Case cases[] = {
      {"erased", Refusal::kErased, flash::Bytes(256, 0xFF)},
      {"zeros", Refusal::kBadMagic, flash::Bytes(1024, 0x00)},
      {"cut inside the payload", Refusal::kDigestMismatch, cut(280)},
      {"cut after the header", Refusal::kDigestMismatch, cut(256)},
      {"cut inside the header", Refusal::kBadChecksum, cut(100)},
      {"cut after the magic", Refusal::kUnknownFormat, cut(8)},
      {"format of the future", Refusal::kUnknownFormat, edited(good, [](Header& h) { h.format = 2; })},
      {"header of another size", Refusal::kBadHeader, edited(good, [](Header& h) { h.header_bytes = 512; })},
      {"reserved bytes in use", Refusal::kBadHeader, edited(good, [](Header& h) { h.reserved[11] = 1; })},
      {"length 0", Refusal::kEmpty, edited(good, [](Header& h) { h.length = 0; })},
      {"longer than the slot", Refusal::kTooLong,
       edited(good, [](Header& h) { h.length = image::kMaxPayloadBytes + 8; })},
      {"absurd length", Refusal::kTooLong, edited(good, [](Header& h) { h.length = ~uint64_t{7}; })},
      {"longer than memory", Refusal::kOutsideMemory, edited(good, [](Header& h) { h.length = 0x4'0000; })},
      {"into the ROM's own memory", Refusal::kOutsideMemory,
       edited(good, [](Header& h) { h.length = 0x4'0000 - boot::kReservedBytes + 8; })},
      {"below memory", Refusal::kOutsideMemory, edited(good, [](Header& h) { h.load_address = 0x1'0000; })},
      {"wraps around", Refusal::kOutsideMemory,
       edited(good, [](Header& h) { h.load_address = ~uint64_t{7}; })},
      {"odd length", Refusal::kMisaligned, edited(good, [](Header& h) { h.length -= 4; })},
      {"odd load address", Refusal::kMisaligned, edited(good, [](Header& h) { h.load_address += 4; })},
      {"entry behind the end", Refusal::kEntryOutside, edited(good, [](Header& h) { h.entry += h.length; })},
      {"odd entry", Refusal::kEntryOutside, edited(good, [](Header& h) { h.entry += 1; })},
      {"wrong digest", Refusal::kDigestMismatch, edited(good, [](Header& h) { h.sha256[31] ^= 0x80; })},
      {"revoked", Refusal::kRevoked, edited(good, [](Header& h) { h.state.revoked = 0; })},
      {"attempts used up", Refusal::kAttemptsUsedUp,
       edited(good,
              [](Header& h) {
                h.state.confirmed = ~uint64_t{0};
                h.state.attempts = ~uint64_t{7};
              })},
  };
  const flash::Bytes other = confirmed(kMarkB, kOld);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto number = static_cast<size_t>(&c - cases);
    bench.put(Slot::kA, c.image);
    bench.put(Slot::kB, other);
    CHECK(bench.boot() == ready(kMarkB));
    CHECK(contains(bench.console(), refused(Slot::kA, c.refusal)));
    if (!all() && number % 4 != 0) continue;

    bench.put(Slot::kA, other);
    bench.put(Slot::kB, c.image);
    CHECK(bench.boot() == ready(kMarkB));  // the mark of `other`, now in slot A
    CHECK(contains(bench.console(), "booting slot A"));

    const Case& second = cases[(number + 5) % std::size(cases)];
    bench.put(Slot::kA, second.image);
    CHECK(bench.boot() == recovery(second.refusal, c.refusal));
    CHECK(contains(bench.console(), refused(Slot::kA, second.refusal)));
    CHECK(contains(bench.console(), refused(Slot::kB, c.refusal)));
    CHECK(contains(bench.console(), "recovery: no bootable image"));
  }
}

// Which refusal a flipped bit at this byte of a good header must bring; none: the image stays bootable.
Refusal refusal_for_byte(size_t byte) {
  if (byte < offsetof(Header, format)) return Refusal::kBadMagic;
  if (byte < offsetof(Header, header_bytes)) return Refusal::kUnknownFormat;
  if (byte < image::kStateOffset) return Refusal::kBadChecksum;
  return Refusal::kNone;  // no single bit of the state takes an image out of service
}

// A single bit of the rank puts a valid image before another.
bool in_rank(size_t byte) { return byte >= offsetof(Header, state.rank); }

// One boot tries a bit of each slot: A's in order, B's in some other order, so that every bit has its turn in
// both.
TEST_CASE("every byte of both headers") {
  BootBench bench(test_seed());
  const flash::Bytes good_a = confirmed(kMarkA, kNew);
  const flash::Bytes good_b = confirmed(kMarkB, kOld);
  bench.put(Slot::kA, good_a);
  bench.put(Slot::kB, good_b);
  constexpr size_t kBits = 8 * image::kHeaderBytes;
  // One bit of each byte in either header: eight seeds in a row try them all.
  std::array<bool, kBits> tried_in_b{};
  auto flip = [&](Slot slot, size_t bit) { bench.slot(slot)[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8); };
  for (size_t bit_a = test_seed() % 8; bit_a < kBits; bit_a += 8) {
    const size_t bit_b = (bit_a * 1237 + test_seed()) % kBits;
    CAPTURE(bit_a);
    CAPTURE(bit_b);
    tried_in_b[bit_b] = true;
    flip(Slot::kA, bit_a);
    flip(Slot::kB, bit_b);
    const Refusal a = refusal_for_byte(bit_a / 8);
    const Refusal b = refusal_for_byte(bit_b / 8);
    const BootStatus status = bench.boot();
    if (a == Refusal::kNone && (in_rank(bit_a / 8) || !in_rank(bit_b / 8))) {
      CHECK(status == ready(kMarkA));
    } else if (b == Refusal::kNone) {
      CHECK(status == ready(kMarkB));
    } else {
      CHECK(status == recovery(a, b));
    }
    flip(Slot::kA, bit_a);
    flip(Slot::kB, bit_b);
  }
  CHECK(std::ranges::count(tried_in_b, true) == kBits / 8);
}

TEST_CASE("random bits of the payload") {
  BootBench bench(test_seed());
  std::mt19937_64 random(test_seed());
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  for (int round = 0; round < rounds(60); ++round) {
    const auto bytes = static_cast<uint32_t>(64 + 8 * (random() % 200));
    flash::Bytes image = tiny_image(Act::kReport, kMarkA, kNew, bytes);
    confirm(image);
    bench.put(Slot::kA, image);
    CHECK(bench.boot() == ready(kMarkA));
    const size_t bit = random() % (8 * bytes);
    CAPTURE(bytes);
    CAPTURE(bit);
    bench.slot(Slot::kA)[image::kHeaderBytes + bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    CHECK(bench.boot() == ready(kMarkB));
    CHECK(contains(bench.console(), refused(Slot::kA, Refusal::kDigestMismatch)));
  }
}

TEST_CASE("boots of an unconfirmed image are counted and survive power cycles") {
  BootBench bench(test_seed());
  bench.put(Slot::kA, tiny_image(Act::kReport, kMarkA, kNew));
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  for (unsigned boot = 1; boot <= image::kMaxAttempts; ++boot) {
    CHECK(bench.boot() == ready(kMarkA));
    CHECK(image::attempts_made(bench.header(Slot::kA).state) == boot);
    CHECK(contains(bench.console(), fmt::format("unconfirmed, attempt {} of {}", boot, image::kMaxAttempts)));
  }
  CHECK(bench.boot() == ready(kMarkB));
  CHECK(contains(bench.console(), refused(Slot::kA, Refusal::kAttemptsUsedUp)));
}

TEST_CASE("a torn confirmation counts by its majority") {
  BootBench bench(test_seed());
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  for (const auto& [kept, expected] : {std::pair{24, kMarkA}, {40, kMarkB}}) {
    flash::Bytes image = tiny_image(Act::kReport, kMarkA, kNew);
    set_attempts(image, image::kMaxAttempts);
    Header header = flash::read_header(image);
    header.state.confirmed = (uint64_t{1} << kept) - 1;
    flash::write_header(image, header);
    bench.put(Slot::kA, image);
    CHECK(bench.boot() == ready(expected));
  }
}

TEST_CASE("an image that hangs is reset by the watchdog and given up") {
  BootBench bench(test_seed());
  bench.put(Slot::kA, tiny_image(Act::kHang, kMarkA, kNew));
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  bench.card().power_cycle();
  BootStatus status;
  // The ROM handles the watchdog's interrupt by saying so (stage failed) and waits for the reset.
  while (bench.card().cycle() < 10'000'000) {
    bench.card().tick();
    status = bench.card().status();
    if (status.stage == Stage::kReady) break;
  }
  CHECK(status == ready(kMarkB));
  CHECK(image::attempts_made(bench.header(Slot::kA).state) == image::kMaxAttempts);
  CHECK(contains(bench.console(), "reset: watchdog"));
  CHECK(contains(bench.console(), refused(Slot::kA, Refusal::kAttemptsUsedUp)));
}

TEST_CASE("an attempt that flash does not take is not made") {
  BootBench bench(test_seed());
  bench.put(Slot::kA, tiny_image(Act::kReport, kMarkA, kNew));
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  bench.store().set_status({.sr1 = 0x1C});  // the whole chip is protected
  CHECK(bench.boot() == ready(kMarkB));
  CHECK(contains(bench.console(), refused(Slot::kA, Refusal::kAttemptNotRecorded)));
}

TEST_CASE("quad enable that the factory or a torn write left off") {
  BootBench bench(test_seed());
  bench.put(Slot::kA, confirmed(kMarkA, kNew));
  bench.store().set_status({.sr2 = 0x00});
  CHECK(bench.boot() == ready(kMarkA));
  CHECK(bench.store().status().sr2 == 0x00);  // the chip's own settings stay
}

TEST_CASE("power cuts while an attempt is recorded") {
  std::mt19937_64 random(test_seed());
  BootBench bench(test_seed());
  bench.put(Slot::kB, confirmed(kMarkB, kOld));
  for (int round = 0; round < rounds(40); ++round) {
    CAPTURE(round);
    bench.put(Slot::kA, tiny_image(Act::kReport, kMarkA, kNew));
    bench.card().power_cycle();
    while (!bench.card().flash().busy()) {
      bench.card().tick();
      REQUIRE(bench.card().cycle() < 1'000'000);
    }
    bench.card().run(random() % FlashTimes{}.first_byte);
    const BootStatus status = bench.boot();
    CHECK(status.stage == Stage::kReady);  // one of them, always
  }
}

TEST_CASE("the same seed brings the same cycles, and the seed does not matter to what is booted") {
  auto run = [](uint64_t seed) {
    BootBench bench(seed);
    bench.put(Slot::kA, confirmed(kMarkA, kNew));
    CHECK(bench.boot() == ready(kMarkA));
    bench.console();
    return bench.card().cycle();
  };
  CHECK(run(test_seed()) == run(test_seed()));
  CHECK(run(test_seed() + 1) == run(test_seed() + 2));
}

}  // namespace
}  // namespace swai::card
