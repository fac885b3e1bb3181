// SPDX-License-Identifier: Apache-2.0
// Snapshots: a card that takes one goes on as the one that it was taken from, whatever it held before; and a
// file that does not fit, or is damaged, changes nothing.
#include "sim/fast/snapshot.hpp"

#include <cxxabi.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "abi/dma.hpp"
#include "card_regs.hpp"
#include "card_regs_table.hpp"
#include "sim/common/archive.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/kit/folder.hpp"
#include "verif/sim/fast/bed.hpp"
#include "verif/sim/fast/group_job.hpp"

namespace swai::fast {
namespace {

constexpr uint64_t kHbm = regs::kHbmRegion.base;
// Where the tests put their things: behind what the firmware uses, and out of the way of each other.
constexpr uint64_t kRing = kHbm + (uint64_t{1} << 30);
constexpr uint64_t kData = kRing + 0x10000;

std::vector<uint8_t> image() {
  std::ifstream file("build/firmware/flash.bin", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> state_of(Bed& bed) {
  Archive archive;
  archive(bed.card());
  return {archive.bytes().begin(), archive.bytes().end()};
}

// The other card takes all that this one holds, its flash and its host's memory included.
void hand_over(Bed& from, Bed& to) {
  std::ranges::copy(from.flash().cells(), to.flash().cells().begin());
  to.flash().set_status(from.flash().status());
  to.host() = from.host();
  const std::vector<uint8_t> state = state_of(from);
  Archive archive(state);
  archive(to.card());
  CHECK(archive.at_end());
}

// ------------------------------------------------------------------------------------------- completeness

// Bytes of each class that its visit() does not name: references, what is only there to be fast, padding, and
// registers and cores, which visit themselves. A number that grows means a new member: does it belong in the
// snapshot?
struct Unvisited {
  const char* type;
  size_t bytes;
};
constexpr Unvisited kUnvisited[] = {
    {"iss::cpe::RoundMemory", 464},  // empty between rounds
    {"iss::cpe::Cpe", 96},           // who looks for mistakes; of a round
    {"iss::cpe::Dma", 27},
    {"iss::cpe::Hart", 70},  // where a row is, the last failure of a fetch
    {"iss::cpe::Port", 29},
    {"iss::cpe::Sync", 8},
    {"iss::cpe::Code", 160},   // decoded code, code of the host
    {"iss::cpe::Clock", 136},  // what was noted in a round, what it shares
    {"iss::cpe::Rate", 0},
    {"iss::cpe::HbmTime", 0},
    {"iss::cpe::Group", 160},  // cores and channels, which visit themselves; threads
    {"iss::cpe::Vector", 24},
    {"iss::cpe::Channel", 31},
    {"iss::cpe::Systolic::Settings", 4},
    {"iss::cpe::Systolic", 72},  // scratch
    {"iss::cpe::GroupUnit::State", 27},
    {"iss::cpe::GroupUnit", 120},
    {"iss::Hart", 57612},       // translations, decoded code, the step under way
    {"card::FlashChip", 2704},  // random numbers for defects and power cuts, options
    {"fast::CardMemory", 24},
    {"fast::Management", 64},
    {"fast::ConfigSpace", 16},
    {"fast::Irq", 56},
    {"fast::Card", 2080},  // what it was made from, ways to the outside, books of a cache, of a client
    {"fast::Msix", 4},
    {"fast::Uart", 88},
    {"fast::Flash", 145},
    {"fast::Inbox", 56},
    {"fast::Timer", 64},
    {"fast::Sha256", 63},
    {"fast::System", 93},     // a way to the memory
    {"fast::Endpoint", 272},  // sizes, ways to the outside
    {"fast::CoreGroup", 144},
    {"fast::DebugPort", 76},
    {"fast::DmaEngine::Channel", 108},  // a piece on its way
    {"fast::DmaEngine", 232},
};

std::string name_of(std::string_view mangled) {
  char* const name = abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, nullptr);
  std::string text(name);
  std::free(name);
  return text.substr(std::string_view("swai::").size());
}

TEST_CASE("snapshot: no member of a model is forgotten") {
  Bed bed(std::vector<uint8_t>(card::FlashStore::kMinBytes, 0xFF));
  Archive archive = Archive::of_layout();
  archive(bed.card());
  CHECK(archive.unvisited().size() == std::size(kUnvisited));
  for (const auto& one : archive.unvisited()) {
    const std::string name = name_of(one.first);
    const auto* const known =
        std::ranges::find(kUnvisited, name, [](const Unvisited& it) { return it.type; });
    const size_t expected = known != std::end(kUnvisited) ? known->bytes : 0;
    CHECK_MESSAGE(one.second == expected, name, ": a member is not named in its visit(), or is new");
  }
}

// --------------------------------------------------------------------------------------- random programs

// Things that a host, or somebody at the debug port, does to a card. The same numbers do the same.
class Program {
 public:
  Program(Bed& bed, uint64_t seed) : bed_(bed), random_(seed) {}

  void step() {
    switch (random_.below(9)) {
      case 0:
        return bed_.run(random_.between(1, 20'000));
      case 1:
        return memory();
      case 2:
        return transfers();
      case 3:
        return processor();
      case 4:
        bed_.card().uart().push(static_cast<uint8_t>(random_.chance(30) ? '\n' : random_.next()));
        return;
      case 5:
        return endpoint();
      default:
        return registers();
    }
  }

 private:
  void look(uint64_t value) { bed_.seen().push_back(value); }

  void memory() {
    std::vector<uint8_t> bytes(random_.between(1, 300));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_.next());
    bed_.write_memory(kData + random_.below(10'000), bytes);
    for (const uint8_t byte : bed_.read_memory(kData + random_.below(10'000), 8)) look(byte);
  }

  // A few descriptors for one channel of the DMA engine.
  void transfers() {
    const uint64_t channel = random_.below(dma::kChannels);
    const uint64_t ring = kRing + channel * 0x1000;
    const uint64_t base = regs::dma::kBase + channel * 0x100;
    bed_.write_register(base + regs::dma::ring_base::kOffset, ring);
    bed_.write_register(base + regs::dma::ring_size::kOffset, 4);
    bed_.write_register(base + regs::dma::writeback::kOffset, ring + 0x800 + random_.below(2));
    bed_.write_register(base + regs::dma::control::kOffset, random_.chance(90) ? 1 : random_.number());
    for (uint64_t slot = 0; slot < 16; ++slot) {
      const dma::Descriptor descriptor{
          .host =
              Bed::kHostAt + random_.below(random_.chance(95) ? Bed::kHostBytes / 2 : 2 * Bed::kHostBytes),
          .card = kData + random_.below(1 << 16),
          .length = static_cast<uint32_t>(random_.below(9'000)),
          .flags = static_cast<uint32_t>(random_.below(32)),
          .tag = static_cast<uint32_t>(random_.next()),
          .reserved = 0};
      bed_.write_memory(ring + slot * sizeof descriptor,
                        {reinterpret_cast<const uint8_t*>(&descriptor), sizeof descriptor});
    }
    const uint64_t head = bed_.read_register(base + regs::dma::head::kOffset);
    bed_.write_register(base + regs::dma::tail::kOffset, (head + random_.below(17)) & 0xFFFF);
    look(head);
  }

  void processor() {
    bed_.halted() ? bed_.resume() : bed_.halt();
    if (!bed_.halted() && random_.chance(30)) {
      bed_.write_register(regs::debug::action::kAddr, random_.number());
      bed_.write_register(regs::debug::control::kAddr, random_.number() & ~uint64_t{1});
      bed_.write_register(regs::debug::breakpoint0::kAddr, random_.number());
    }
  }

  void endpoint() {
    const auto word = static_cast<uint32_t>(random_.next());
    switch (random_.below(4)) {
      case 0:
        return bed_.card().endpoint().msix().write(12 + 16 * random_.below(32), word & 1, 1);
      case 1:
        return bed_.card().endpoint().interrupt(static_cast<unsigned>(random_.below(32)));
      case 2: {
        constexpr uint64_t kHarmless[] = {0x0C, 0x3C, 0x68, 0x88, 0x90};
        bed_.card().endpoint().config().write(kHarmless[random_.below(5)], word, 0x7FFF);
        return;
      }
      default:
        bed_.write_register(regs::pcie::doorbell::kAddr, random_.below(64));
        return;
    }
  }

  // Any registers, by a processor that stands still.
  void registers() {
    if (!bed_.halted()) bed_.halt();
    for (uint64_t count = random_.between(1, 12); count != 0; --count) {
      const regs::RegisterInfo& one = regs::kRegisters[random_.below(std::size(regs::kRegisters))];
      if (std::string_view(one.device) == "debug") continue;
      const uint64_t value = random_.chance(50) ? random_.below(8) : random_.number();
      if (random_.chance(60)) look(bed_.store_word(one.base + one.offset, value) ? 1 : 0);
      uint64_t read = 0;
      look(bed_.load_word(one.base + one.offset, read) ? read : ~uint64_t{0});
    }
  }

  Bed& bed_;
  verif::Random random_;
};

void check_same(Bed& one, Bed& other) {
  CHECK(one.card().cycle() == other.card().cycle());
  CHECK(one.card().instructions() == other.card().instructions());
  CHECK(one.seen() == other.seen());
  CHECK(one.host() == other.host());
  CHECK(std::ranges::equal(one.flash().cells(), other.flash().cells()));
  CHECK(state_of(one) == state_of(other));
}

TEST_CASE("snapshot: a card that takes one goes on as the one that went on, whatever was done to both") {
  const std::vector<uint8_t> flash = image();
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 6; ++round) {
    CAPTURE(round);
    Bed first(flash);
    Bed second(flash);
    // One boots to somewhere and has things done to it; the other one lives another life.
    for (Bed* const bed : {&first, &second}) {
      if (random.chance(80)) bed->run(random.below(1'600'000));
      Program before(*bed, random.next());
      for (uint64_t steps = random.below(60); steps != 0; --steps) before.step();
    }
    hand_over(first, second);
    first.seen().clear();
    second.seen().clear();
    const uint64_t seed = random.next();
    const uint64_t steps = random.between(20, 80);
    for (Bed* const bed : {&first, &second}) {
      Program after(*bed, seed);
      for (uint64_t i = 0; i < steps; ++i) after.step();
      bed->run(50'000);
    }
    check_same(first, second);
  }
}

// ------------------------------------------------------------------------------------------------ kernels

void begin(Bed& bed, const GroupJob& job) {
  bed.halt();
  group::Group<Bed> group(bed, 0);
  REQUIRE(start(bed, group, job).has_value());
}

TEST_CASE("snapshot: kernels under way end as they would have") {
  const std::vector<uint8_t> flash = image();
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 6; ++round) {
    CAPTURE(round);
    Bed first(flash);
    Bed second(flash);
    for (Bed* const bed : {&first, &second}) {
      begin(*bed, GroupJob(2, 2, random.next()));
      bed->run(random.below(20'000));
    }
    hand_over(first, second);
    for (Bed* const bed : {&first, &second}) bed->run(20'000);
    check_same(first, second);
    for (Bed* const bed : {&first, &second}) bed->run(2'000'000);
    namespace reg = regs::cg::launch_status;
    for (Bed* const bed : {&first, &second}) CHECK(reg::kEnded.get(bed->read(reg::kAddr)) == 1);
    check_same(first, second);
  }
}

// -------------------------------------------------------------------------------------------------- files

std::string error_of(const std::string& path, Bed& bed) {
  try {
    restore_snapshot(path, bed.card());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("snapshot: a file is the whole card") {
  const common::Folder folder;
  const std::string path = folder.path / "card.snapshot";
  const std::vector<uint8_t> flash = image();
  Bed first(flash);
  first.run(1'000'000);
  save_snapshot(path, first.card(), Client::kNone);
  Bed second(flash);
  restore_snapshot(path, second.card());
  CHECK(state_of(first) == state_of(second));
  for (Bed* const bed : {&first, &second}) bed->run(1'000'000);
  CHECK(state_of(first) == state_of(second));
  // A host is in no snapshot: whoever takes one finds that it has gone.
  save_snapshot(path, first.card(), Client::kAttached);
  restore_snapshot(path, second.card());
  CHECK(first.card().endpoint().config().link_up());
  CHECK_FALSE(second.card().endpoint().config().link_up());
}

TEST_CASE("snapshot: a damaged file changes nothing, whichever byte is damaged and wherever it ends") {
  const common::Folder folder;
  const std::string path = folder.path / "card.snapshot";
  const std::vector<uint8_t> flash = image();
  Bed bed(flash);
  bed.run(1'500'000);
  save_snapshot(path, bed.card(), Client::kNone);
  std::ifstream in(path, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(in), {});
  Bed other(flash);
  other.run(1000);
  const std::vector<uint8_t> before = state_of(other);
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 60; ++round) {
    std::string bad = good;
    const size_t at = random.chance(30) ? random.below(600) : random.below(good.size());
    if (random.chance(70)) {
      bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
    } else {
      bad.resize(at);
    }
    std::ofstream(path, std::ios::binary) << bad;
    CAPTURE(at);
    CHECK(error_of(path, other).starts_with(path));
    if (round % 10 == 0) CHECK(state_of(other) == before);
  }
  CHECK(state_of(other) == before);
  std::ofstream(path, std::ios::binary) << good << "more";
  CHECK(error_of(path, other).find("truncated or corrupt") != std::string::npos);
  CHECK(error_of(folder.path / "missing", other).find("No such file") != std::string::npos);
}

TEST_CASE("snapshot: of another card it is refused, and all that differs is named") {
  const common::Folder folder;
  const std::string path = folder.path / "card.snapshot";
  std::vector<uint8_t> flash = image();
  Bed bed(flash);
  bed.run(1000);
  save_snapshot(path, bed.card(), Client::kNone);
  flash.back() ^= 1;
  Bed other(flash);
  const std::string error = error_of(path, other);
  CHECK(error.find("of another card") != std::string::npos);
  CHECK(error.find("flash image") != std::string::npos);
  CHECK(error.find("boot ROM") == std::string::npos);
  CHECK(error.find("layout") == std::string::npos);
}

}  // namespace
}  // namespace swai::fast
