// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "firmware/runtime/journal.hpp"
#include "sim/common/random.hpp"
#include "verif/firmware/runtime/garbage.hpp"
#include "verif/kit/doctest_main.hpp"

TEST_CASE("settings that never change stay those of the next launch, however many there are") {
  swai::runtime::Settings settings;
  settings.add({.pc = 1}, 1);
  settings.add({.pc = 2}, 10);
  uint32_t ended = 9;
  for (unsigned i = 0; i < 16; ++i, ended += swai::runtime::Settings::kOld / 2) {
    CAPTURE(i);
    settings.renew(ended);
    uint32_t pc = 0;
    settings.look_back(ended + 1, [&](const swai::runtime::Setting& one, uint32_t) {
      pc = one.launch.pc;
      return true;
    });
    CHECK(pc == 2);
  }
}

TEST_CASE("garbage in slots and words: nothing outside is touched, everybody is answered, nothing is left") {
  swai::verif::Random random(swai::test_seed());
  swai::runtime::Counts sum;
  uint64_t failed = 0;
  for (int round = 0; round < 400; ++round) {
    swai::runtime::Garbage garbage([&](uint64_t n) { return random.below(n); });
    for (int i = 0; i < 1500; ++i) garbage.step();
    garbage.finish();
    sum.add(garbage.counts());
    failed += garbage.statistics().failed;
  }
  MESSAGE(sum.commands, " commands, ", failed, " failed, ", sum.launches, " launches, ", sum.bytes_to_card,
          " bytes to the card");
  CHECK(sum.commands > 1000);
  CHECK(sum.launches > 10);
  CHECK(sum.bytes_to_card > 0);
}

TEST_CASE(
    "a journal goes on after a reset of the processor, also in the midst of a record; garbage is none") {
  using swai::journal::Head;
  using swai::journal::Severity;
  swai::verif::Random random(swai::test_seed());
  const swai::sdaa::FakeOptions options;
  swai::sdaa::FakeProcessor processor(options);
  constexpr uint64_t kAt = swai::sdaa::FakeProcessor::kSram + 0x1000;
  constexpr unsigned kRecords = 4;
  for (uint64_t at = kAt; at < kAt + swai::journal::ring_bytes(kRecords); at += 8)
    processor.store(at, random.next());

  uint64_t written = 0;
  std::set<uint64_t> cut;
  bool cut_at_last = false;
  for (int life = 0; life < 20; ++life) {
    swai::runtime::Journal<swai::sdaa::FakeProcessor> journal(processor);
    journal.init(kAt, kRecords);
    REQUIRE(journal.written() == written);
    for (uint64_t i = random.below(7); i != 0; --i, ++written)
      journal.write(3, Severity::kInfo, 1000 + written, {written});
    for (uint64_t number = journal.oldest(); number < written; ++number)
      CHECK(journal.read(number).arguments[0] == (cut.contains(number) ? 0 : number));
    // The next record is begun, and then the processor is reset.
    cut_at_last = random.chance(50);
    if (cut_at_last) {
      processor.store(kAt + sizeof(Head) + written % kRecords * sizeof(swai::journal::Record), random.next());
      processor.store(kAt + offsetof(Head, begun), written + 1);
      cut.insert(written++);
    }
  }
  Head head;
  processor.fetch(kAt, &head, sizeof head);
  CHECK(head.written + (cut_at_last ? 1 : 0) == written);
  CHECK(head.counts[3] == written - cut.size());
  CHECK(head.records == kRecords);
  // One of another size is another one.
  swai::runtime::Journal<swai::sdaa::FakeProcessor> other(processor);
  other.init(kAt, kRecords - 1);
  CHECK(other.written() == 0);
}

TEST_CASE("every line and every fault has a text of its own, and all of it is formed") {
  const swai::journal::Arguments arguments = {3, 37, 0x1000, 0xabc, swai::journal::command(2, 77), 6};
  std::set<std::string> texts;
  const auto add = [&](const swai::journal::Description& description) {
    std::string text;
    swai::journal::form(description.text, arguments, [&](std::string_view piece) { text += piece; });
    CHECK(text.find_first_of("{}") == text.npos);
    texts.insert(text);
  };
  for (uint16_t id = 1; id <= 8; ++id) {
    add(describe(static_cast<swai::journal::Line>(id)));
    add(describe(static_cast<swai::journal::Fault>(id)));
  }
  add(describe(static_cast<swai::journal::Line>(99)));
  add(describe(static_cast<swai::journal::Fault>(99)));
  CHECK(texts.size() == 18);
  CHECK(texts.contains(
      "kernel failed on core 5 of group 1: misaligned access; address 0xabc, pc 0x1000; queue 2, "
      "command 77"));
}
