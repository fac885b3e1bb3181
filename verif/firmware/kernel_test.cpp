// SPDX-License-Identifier: Apache-2.0
// The kernel on the simulated card: what it says, what it does with commands, and how it ends. Each case runs
// swai-card as a user would.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "abi/fault.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "verif/firmware/test_tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::kernel {
namespace {

using image::Header;
using image::Slot;

constexpr uint64_t kAll = ~uint64_t{0};

struct Run {
  int code = 0;
  std::string output;

  bool says(std::string_view text) const {
    const bool found = output.find(text) != std::string::npos;
    if (!found) MESSAGE("no '" << std::string(text) << "' in:\n" << output);
    return found;
  }
  unsigned times(std::string_view text) const {
    unsigned count = 0;
    for (size_t at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) ++count;
    return count;
  }
};

// A card with its own flash file.
class TestCard {
 public:
  TestCard() { flash::write_file(flash_path(), flash::Bytes(image::kMinFlashBytes, 0xFF)); }

  flash::FlashFile flash() const { return flash::FlashFile(flash_path()); }
  void put(Slot slot, std::span<const uint8_t> image, bool confirmed) const {
    flash::FlashFile file = flash();
    file.write(slot, image);
    if (confirmed) file.mark(slot, {kAll, 0, kAll, kAll});
  }
  Header header(Slot slot) const { return flash::read_header(flash().slot(slot)); }

  // From power-on until the input is used up and the card sleeps.
  Run run(std::string_view input) const {
    const Finished finished = run_command(
        fmt::format("build/swai-card --flash '{}' --quiet --max-cycles 30000000{}", flash_path(), power_on()),
        input);
    return {finished.code, finished.out};
  }

 private:
  std::string flash_path() const { return folder_ / "flash.bin"; }
  // What memories hold then, where the card is RTL.
  static std::string power_on() {
    const char* const tier = std::getenv("SWAI_TIER");
    return tier != nullptr && std::string_view(tier) == "fast" ? "" : fmt::format(" --seed {}", test_seed());
  }

  TempFolder folder_;
};

flash::Bytes kernel_image() { return flash::read_file("build/firmware/kernel.img"); }

// The kernel with its first instruction replaced by one that does not exist, as a newer version.
flash::Bytes stillborn_image() {
  const flash::Bytes good = kernel_image();
  const Header header = flash::read_header(good);
  flash::Bytes payload(good.begin() + sizeof(Header), good.end());
  std::fill_n(payload.begin() + static_cast<ptrdiff_t>(header.entry - header.load_address), 4, uint8_t{0});
  flash::Description description = {header.identity, header.load_address, header.entry};
  flash::set_text(description.identity.version, "999.0.0", "version");
  return flash::make_image(payload, description);
}

TEST_CASE("a fresh image boots, confirms itself, and answers") {
  TestCard card;
  card.put(Slot::kA, kernel_image(), false);
  const std::string identity = fmt::format("{} ({})", flash::get_text(card.header(Slot::kA).identity.version),
                                           flash::get_text(card.header(Slot::kA).identity.git_hash));
  Run run = card.run("info\nfault\n\nnonsense\n");
  CHECK(run.code == 0);
  CHECK(run.says("unconfirmed, attempt 1 of 3"));
  CHECK(run.says("\nSWAI AI-Kernel " + identity + " on swai-card\n"));
  CHECK(run.says("self-test passed"));
  CHECK(run.says("ready, booted from slot A"));
  CHECK(run.says("image in slot A confirmed"));
  CHECK(run.says("ai-kernel " + identity + " for swai-card"));
  CHECK(run.says("no fault recorded"));
  CHECK(run.says("unknown command; try help"));
  CHECK(card.header(Slot::kA).state.confirmed == 0);
  CHECK(image::attempts_made(card.header(Slot::kA).state) == 1);

  run = card.run("");
  CHECK(run.code == 0);
  CHECK(run.says("bytes, confirmed"));
  CHECK(run.times("image in slot") == 0);
  CHECK(image::attempts_made(card.header(Slot::kA).state) == 1);
}

TEST_CASE("lines can be corrected, and too much input does no harm") {
  TestCard card;
  card.put(Slot::kB, kernel_image(), true);
  const std::string flood(3000, 'x');
  const Run run = card.run(
      "xhel\b\x7F\x7F\x7F"
      "help\r" +
      flood + "\nlog\n");
  CHECK(run.code == 0);
  CHECK(run.says("help: this list"));
  CHECK(run.times("unknown command") == 1);
  CHECK(run.times("ready, booted from slot B") == 2);
}

TEST_CASE("each fault leaves its record and halts a confirmed kernel") {
  struct Case {
    const char* how;
    fault::Kind kind;
    const char* detail;
  };
  TestCard card;
  card.put(Slot::kA, kernel_image(), true);
  for (const Case& c : {Case{"null", fault::Kind::kException, "store page fault, value 0x0"},
                        Case{"illegal", fault::Kind::kException, "illegal instruction"},
                        Case{"assert", fault::Kind::kAssertion, "asked for on the console"},
                        Case{"stack", fault::Kind::kStackOverflow, "store page fault"},
                        Case{"machine", fault::Kind::kMachineException, "call from kernel"},
                        Case{"nested", fault::Kind::kNestedTrap, "store page fault"},
                        Case{"bus", fault::Kind::kBusWrite, "interrupt"}}) {
    CAPTURE(c.how);
    const Run run = card.run(fmt::format("crash {}\n", c.how));
    CHECK(run.code == 1);
    CHECK(run.says(fmt::format("*** PANIC: {}", text(c.kind))));
    CHECK(run.says(c.detail));
    CHECK(run.says("\n  pc 0x0000000080"));
    CHECK(run.says("\nhalted\n"));
    CHECK(run.times("PANIC") == 1);
  }
}

TEST_CASE("a kernel that hangs is reset by the watchdog, and the next one finds the record") {
  TestCard card;
  card.put(Slot::kA, kernel_image(), true);
  const Run run = card.run("crash hang\nfault\n");
  CHECK(run.code == 0);
  CHECK(run.says("*** PANIC: watchdog expired"));
  CHECK(run.says("\nresetting\n"));
  CHECK(run.says("reset: software at progress 0x2f"));
  CHECK(run.says("an earlier run ended: watchdog expired, pc 0x80"));
  CHECK(run.times("ready, booted from slot A") == 2);
  CHECK(run.times("watchdog expired") == 3);
}

TEST_CASE("reboot") {
  TestCard card;
  card.put(Slot::kA, kernel_image(), true);
  const Run run = card.run("reboot\ninfo\n");
  CHECK(run.code == 0);
  CHECK(run.says("reset: software at progress 0x2e"));
  CHECK(run.times("ready, booted from slot A") == 2);
  CHECK(run.says("memory 256 KiB"));
  // A reset is no fault.
  CHECK(run.times("earlier run") == 0);
}

TEST_CASE("an update that cannot even start is given up after its attempts") {
  TestCard card;
  card.put(Slot::kA, kernel_image(), true);
  card.put(Slot::kB, stillborn_image(), false);
  const Run run = card.run("info\n");
  CHECK(run.code == 0);
  CHECK(run.times("booting slot B") == image::kMaxAttempts);
  CHECK(run.times("boot ROM: unexpected trap, cause 0x2, pc 0x80000000") == image::kMaxAttempts);
  CHECK(run.says("reset: watchdog"));
  CHECK(run.says("slot B: refused: never confirmed, boot attempts used up"));
  CHECK(run.says("ready, booted from slot A"));
}

}  // namespace
}  // namespace swai::kernel
