// SPDX-License-Identifier: Apache-2.0
// What looks for mistakes on a whole card (`swai-card --check`): lines that the processor's cache holds
// dirty.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "abi/dma.hpp"
#include "abi/group/group.hpp"
#include "abi/kernel_arguments.hpp"
#include "abi/segment.hpp"
#include "card_regs.hpp"
#include "sim/fast/mistakes.hpp"
#include "verif/sim/fast/bed.hpp"
#include "verif/sim/fast/module_code.hpp"

namespace swai::fast {
namespace {

constexpr uint64_t kTable = regs::kHbmRegion.base + (uint64_t{2} << 30);
constexpr uint64_t kDaemonAt = kTable + 0x10000;
constexpr uint64_t kCodeAt = kTable + 0x20000;
constexpr uint64_t kArgumentsAt = kTable + 0x60000;
constexpr uint64_t kDataAt = kTable + 0x70000;
constexpr uint64_t kRing = kTable + 0x80000;
constexpr uint64_t kBytes = 0x10000;
constexpr uint16_t kDaemon = 1, kCode = 2, kArguments = 3, kData = 4;
constexpr uint32_t kCulprit = 3;

// The first line of the data is stored by the processor; `clean`: and cleaned.
void store(Bed& bed, bool clean) {
  bed.halt();
  REQUIRE(bed.store_word(kDataAt, 7));
  if (clean) bed.clean_line(kDataAt);
}

// A kernel that reads the data and makes no mistake itself.
void launch(Bed& bed) {
  const ModuleCode module = module_code("build/cpe-kernels/mistakes.elf", "reads_too_early");
  bed.write_memory(kDaemonAt, module.daemon);
  bed.write_memory(kCodeAt, module.code);
  const cpe::FaultArgs arguments{.at = cpe::GlobalPtr<void>(kData, 0), .culprit = kCulprit, .value = 1};
  bed.write_memory(kArgumentsAt, {reinterpret_cast<const uint8_t*>(&arguments), sizeof arguments});
  group::Group<Bed> group(bed, 0);
  using segment::kExecute, segment::kRead, segment::kWrite;
  group.use_segments(kTable, 8);
  group.set_segment(kDaemon, {kDaemonAt, kBytes, kRead | kExecute});
  group.set_segment(kCode, {kCodeAt, 4 * kBytes, kRead | kExecute});
  group.set_segment(kArguments, {kArgumentsAt, kBytes, kRead});
  group.set_segment(kData, {kDataAt, kBytes, kRead | kWrite});
  group.forget(group::Group<Bed>::kSegments | group::Group<Bed>::kCode);
  group.use_daemon(kDaemon, 0x4000'0000);
  group.enable(0);
  group.enable(group.all());
  REQUIRE(group.wait_ready(group.all(), 100'000));
  group.prepare({.mask = group.all(), .code_segment = kCode, .argument_segment = kArguments});
  group.start(module.pc, launch::kArgumentWindow);
  bed.run(100'000);
  namespace reg = regs::cg::launch_status;
  REQUIRE(reg::kEnded.get(bed.read(reg::kAddr)) == 1);
}

// The DMA engine moves the data to the host.
void transfer(Bed& bed) {
  const dma::Descriptor descriptor{
      .host = Bed::kHostAt, .card = kDataAt, .length = 256, .flags = 1, .tag = 0, .reserved = 0};
  bed.write_memory(kRing, {reinterpret_cast<const uint8_t*>(&descriptor), sizeof descriptor});
  bed.write_register(regs::dma::kBase + regs::dma::ring_base::kOffset, kRing);
  bed.write_register(regs::dma::kBase + regs::dma::ring_size::kOffset, 4);
  bed.write_register(regs::dma::kBase + regs::dma::control::kOffset, 1);
  bed.write_register(regs::dma::kBase + regs::dma::tail::kOffset, 1);
  bed.run(10'000);
  REQUIRE(bed.read_register(regs::dma::kBase + regs::dma::head::kOffset) == 1);
}

// What is told while `run` goes on.
template <typename Run>
std::vector<nlohmann::json> told(Run run) {
  std::string file = std::filesystem::temp_directory_path() / "swai-check-XXXXXX";
  const int made = ::mkstemp(file.data());
  REQUIRE(made >= 0);
  {
    Mistakes mistakes(file, {"build/cpe-kernels/mistakes.elf"});
    Bed bed(std::vector<uint8_t>(card::FlashStore::kMinBytes, 0xFF), &mistakes);
    run(bed);
  }
  std::vector<nlohmann::json> records;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) records.push_back(nlohmann::json::parse(line));
  std::filesystem::remove(file);
  return records;
}

TEST_CASE("check: a kernel reads what the processor has stored and not cleaned") {
  const auto records = told([](Bed& bed) {
    store(bed, false);
    launch(bed);
  });
  REQUIRE(records.size() == 1);
  CHECK(records[0]["kind"] == "not cleaned");
  CHECK(records[0]["kernel"] == "reads_too_early");
  CHECK(records[0]["module"] == "build/cpe-kernels/mistakes.elf");
  CHECK(records[0]["cpes"] == 1u << kCulprit);
  CHECK(records[0]["who"] == "DMA load 1");
  CHECK(records[0]["line"].get<std::string>().starts_with("verif/kit/faulty/mistakes.cpp:"));
  CHECK(records[0]["memory"] == kDataAt);
  CHECK(told([](Bed& bed) {
          store(bed, true);
          launch(bed);
        }).empty());
}

TEST_CASE("check: the DMA engine reads what the processor has stored and not cleaned") {
  const auto records = told([](Bed& bed) {
    store(bed, false);
    transfer(bed);
  });
  REQUIRE(records.size() == 1);
  CHECK(records[0]["kind"] == "not cleaned");
  CHECK(records[0]["memory"] == kDataAt);
  CHECK(told([](Bed& bed) {
          store(bed, true);
          transfer(bed);
        }).empty());
  // Page tables are no reason to write lines back.
  CHECK(told([](Bed& bed) {
          store(bed, false);
          bed.forget_translations();
          transfer(bed);
        }).size() == 1);
}

TEST_CASE("check: a line that others have certainly displaced is no mistake") {
  const auto behind = [](uint64_t others) {
    return told([others](Bed& bed) {
      store(bed, false);
      for (uint64_t i = 1; i <= others; ++i) {
        uint64_t value = 0;
        REQUIRE(bed.load_word(kDataAt + i * 0x1000, value));
      }
      transfer(bed);
    });
  };
  CHECK(behind(7).size() == 1);
  CHECK(behind(8).empty());
}

}  // namespace
}  // namespace swai::fast
