// SPDX-License-Identifier: Apache-2.0
// The boot flow: which slot is booted, and what becomes of it when something is wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "verif/firmware/fake_platform.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::boot {
namespace {

using image::Header;
using image::Refusal;
using image::Slot;

constexpr uint64_t kOld = image::make_version(1, 0, 0);
constexpr uint64_t kNew = image::make_version(1, 0, 1);

std::mt19937_64 seeded() { return std::mt19937_64(test_seed()); }

// A card with an older confirmed image in A and a newer one in B.
FakePlatform usual_card(std::mt19937_64& random, bool new_is_confirmed) {
  FakePlatform card;
  card.put(Slot::kA, random_confirmed_image(random, kOld, 700));
  card.put(Slot::kB,
           new_is_confirmed ? random_confirmed_image(random, kNew, 900) : random_image(random, kNew, 900));
  return card;
}

bool booted(FakePlatform& card, Slot slot) {
  const auto loaded = card.boot();
  if (!loaded || loaded->slot != slot) return false;
  const Header header = card.header(slot);
  CHECK(loaded->entry == header.entry);
  CHECK(loaded->confirmed == image::is_confirmed(header.state));
  CHECK(card.stage() == Stage::kLoading);
  CHECK(card.stage_slot() == slot);
  CHECK(std::ranges::equal(card.loaded(header), card.slot(slot).subspan(sizeof(Header), header.length)));
  return true;
}

bool in_recovery(FakePlatform& card, Refusal a, Refusal b) {
  if (card.boot()) return false;
  CHECK(card.stage() == Stage::kRecovery);
  CHECK(card.detail() == recovery_detail(a, b));
  CHECK(card.progress() == Progress::kRomRecovery);
  CHECK(card.text().find("recovery:") != std::string::npos);
  CHECK(card.text().find(text(a)) != std::string::npos);
  CHECK(card.text().find(text(b)) != std::string::npos);
  return true;
}

TEST_CASE("the newest valid image is booted") {
  auto random = seeded();
  FakePlatform card = usual_card(random, true);
  CHECK(booted(card, Slot::kB));
  CHECK(card.programs() == 0);
  CHECK(card.text().starts_with("introduction\n"));
  std::array<uint8_t, 2048> swap;
  std::ranges::copy(card.slot(Slot::kA).first(swap.size()), swap.begin());
  std::ranges::copy(card.slot(Slot::kB).first(swap.size()), card.slot(Slot::kA).begin());
  std::ranges::copy(swap, card.slot(Slot::kB).begin());
  CHECK(booted(card, Slot::kA));
}

TEST_CASE("one slot is enough") {
  auto random = seeded();
  for (const Slot slot : image::kSlots) {
    FakePlatform card;
    card.put(slot, random_confirmed_image(random, kOld, 64));
    CHECK(booted(card, slot));
  }
}

TEST_CASE("nothing to boot") {
  FakePlatform card;
  CHECK(in_recovery(card, Refusal::kErased, Refusal::kErased));
  for (const Refusal refusal : {Refusal::kNoFlash, Refusal::kFlashBusy, Refusal::kNoQuadMode}) {
    card.flash_state = refusal;
    CHECK(in_recovery(card, refusal, refusal));
  }
}

TEST_CASE("an unconfirmed image has three attempts, then the other slot is booted") {
  auto random = seeded();
  FakePlatform card = usual_card(random, false);
  for (unsigned attempt = 1; attempt <= image::kMaxAttempts; ++attempt) {
    CHECK(booted(card, Slot::kB));
    CHECK(card.text().find("attempt " + std::to_string(attempt) + " of 3") != std::string::npos);
    CHECK(image::attempts_made(card.header(Slot::kB).state) == attempt);
  }
  CHECK(booted(card, Slot::kA));
  CHECK(card.text().find(text(Refusal::kAttemptsUsedUp)) != std::string::npos);
  CHECK(card.programs() == image::kMaxAttempts);
}

TEST_CASE("a confirmed image is booted for ever, whatever its attempts") {
  auto random = seeded();
  FakePlatform card = usual_card(random, false);
  CHECK(booted(card, Slot::kB));
  Header header = card.header(Slot::kB);
  header.state.confirmed = 0;
  card.edit_header(Slot::kB, header);
  for (int boot = 0; boot < 10; ++boot) CHECK(booted(card, Slot::kB));
  CHECK(card.programs() == 1);
}

TEST_CASE("attempts whose bits were cleared in any order count") {
  auto random = seeded();
  for (int round = 0; round < 200; ++round) {
    FakePlatform card = usual_card(random, false);
    Header header = card.header(Slot::kB);
    const unsigned made = random() % (image::kMaxAttempts + 1);
    while (image::attempts_made(header.state) < made)
      header.state.attempts &= ~(uint64_t{1} << random() % 64);
    card.edit_header(Slot::kB, header);
    CHECK(booted(card, made < image::kMaxAttempts ? Slot::kB : Slot::kA));
    if (made < image::kMaxAttempts) CHECK(image::attempts_made(card.header(Slot::kB).state) == made + 1);
  }
}

TEST_CASE("an attempt that flash does not keep makes the image unbootable") {
  auto random = seeded();
  struct Case {
    bool works, reports_success;
  };
  for (const Case& c : {Case{false, false}, Case{false, true}, Case{true, false}}) {
    FakePlatform card = usual_card(random, false);
    card.program_works = c.works;
    card.program_reports_success = c.reports_success;
    CHECK(booted(card, Slot::kA));
    CHECK(card.text().find(text(Refusal::kAttemptNotRecorded)) != std::string::npos);
    card.erase(Slot::kA);
    CHECK(in_recovery(card, Refusal::kErased, Refusal::kAttemptNotRecorded));
  }
}

TEST_CASE("the higher rank goes before the newer version, and only among valid images") {
  auto random = seeded();
  for (unsigned more = 1; more <= image::kMaxRank; ++more) {
    FakePlatform card = usual_card(random, true);
    CHECK(booted(card, Slot::kB));
    Header header = card.header(Slot::kA);
    header.state.rank = more == 64 ? 0 : ~uint64_t{0} << more;
    card.edit_header(Slot::kA, header);
    CHECK(booted(card, Slot::kA));
    Header other = card.header(Slot::kB);
    other.state.rank = header.state.rank;
    card.edit_header(Slot::kB, other);
    CHECK(booted(card, Slot::kB));
    card.slot(Slot::kA)[sizeof(Header)] ^= 1;
    other.state.rank = ~uint64_t{0};
    card.edit_header(Slot::kB, other);
    CHECK(booted(card, Slot::kB));
  }
}

TEST_CASE("a revoked image is passed over") {
  auto random = seeded();
  FakePlatform card = usual_card(random, true);
  Header header = card.header(Slot::kB);
  header.state.revoked = 0;
  card.edit_header(Slot::kB, header);
  CHECK(booted(card, Slot::kA));
  CHECK(card.text().find("slot B: refused: revoked") != std::string::npos);
}

TEST_CASE("every flipped bit of either header boots the other slot") {
  auto random = seeded();
  FakePlatform card = usual_card(random, true);
  for (const Slot slot : image::kSlots) {
    const Slot other = slot == Slot::kA ? Slot::kB : Slot::kA;
    for (size_t bit = 0; bit < image::kStateOffset * 8; ++bit) {
      uint8_t& byte = card.slot(slot)[bit / 8];
      byte ^= static_cast<uint8_t>(1 << bit % 8);
      CAPTURE(bit);
      CHECK(booted(card, other));
      byte ^= static_cast<uint8_t>(1 << bit % 8);
    }
    // The state decides by majority; a bit of the rank decides alone, between two that are valid.
    for (size_t bit = image::kStateOffset * 8; bit < sizeof(Header) * 8; ++bit) {
      uint8_t& byte = card.slot(slot)[bit / 8];
      byte ^= static_cast<uint8_t>(1 << bit % 8);
      CAPTURE(bit);
      CHECK(booted(card, bit < offsetof(Header, state.rank) * 8 ? Slot::kB : slot));
      byte ^= static_cast<uint8_t>(1 << bit % 8);
    }
  }
}

TEST_CASE("flipped bits in both headers end in recovery") {
  auto random = seeded();
  for (int round = 0; round < 500; ++round) {
    FakePlatform card = usual_card(random, true);
    for (const Slot slot : image::kSlots) {
      const size_t bit = 96 + random() % (image::kStateOffset * 8 - 96);
      card.slot(slot)[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
    CHECK(in_recovery(card, Refusal::kBadChecksum, Refusal::kBadChecksum));
  }
}

TEST_CASE("random body bits, truncation and garbage") {
  auto random = seeded();
  for (int round = 0; round < 500; ++round) {
    FakePlatform card = usual_card(random, true);
    const uint64_t length = card.header(Slot::kB).length;
    auto payload = card.slot(Slot::kB).subspan(sizeof(Header), length);
    switch (random() % 3) {
      case 0: {
        const size_t bit = random() % (payload.size() * 8);
        payload[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        break;
      }
      case 1:
        // Writing stopped early. (The last bytes of a payload may happen to be 0xFF: 16 of them hardly.)
        std::ranges::fill(payload.subspan(random() % (payload.size() - 16)), uint8_t{0xFF});
        break;
      default:
        for (uint8_t& byte : payload) byte = static_cast<uint8_t>(random());
    }
    CHECK(booted(card, Slot::kA));
    CHECK(card.text().find("slot B: refused: digest wrong") != std::string::npos);
    card.erase(Slot::kA);
    CHECK(in_recovery(card, Refusal::kErased, Refusal::kDigestMismatch));
  }
}

TEST_CASE("an image that fills all memory it may have") {
  auto random = seeded();
  FakePlatform card;
  card.put(Slot::kA,
           random_confirmed_image(random, kOld, kImageMemory.memory_end - kImageMemory.memory_base));
  CHECK(booted(card, Slot::kA));
}

TEST_CASE("identity texts from flash cannot send control characters") {
  auto random = seeded();
  flash::Bytes bytes = random_confirmed_image(random, kOld, 64);
  Header header = flash::read_header(bytes);
  header.identity.name.fill('\x1b');
  header.identity.git_hash.fill('\xff');
  flash::seal(header);
  flash::write_header(bytes, header);
  FakePlatform card;
  card.put(Slot::kA, bytes);
  CHECK(booted(card, Slot::kA));
  CHECK(std::ranges::all_of(card.text(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  CHECK(card.text().find(std::string(32, '?') + " 1.0.0 (" + std::string(40, '?') + ")") !=
        std::string::npos);
}

}  // namespace
}  // namespace swai::boot
