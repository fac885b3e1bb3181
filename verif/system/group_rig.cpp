// SPDX-License-Identifier: Apache-2.0
#include "verif/system/group_rig.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "abi/group/load.hpp"
#include "abi/kernel_arguments.hpp"

namespace swai::system {
namespace {

constexpr uint32_t kTableEntries = 64;
constexpr uint64_t kArgumentsAt = 0x1'0000;
constexpr uint64_t kArgumentBytes = 64;
constexpr unsigned kArgumentSets = 64;
constexpr uint64_t kCodeAt = 0x10'0000;
constexpr uint64_t kCodeStride = 0x1'0000;
constexpr uint16_t kFirstCodeSegment = 32;

// Which file has a kernel.
std::string file_of(const std::string& kernel) {
  static const std::map<std::string, std::string> kFiles = {
      {"empty", "empty"},    {"fill", "memset"},   {"copy", "copy"},    {"broadcast", "broadcast"},
      {"sync_loop", "sync"}, {"stream", "stream"}, {"scalar", "scalar"}};
  const auto found = kFiles.find(kernel);
  return found == kFiles.end() ? "faults" : found->second;
}

}  // namespace

GroupRig::GroupRig(MpeProxy& mpe, unsigned number) : mpe_(mpe), number_(number) { start(); }

void GroupRig::start() {
  codes_.clear();
  mpe_.zero(memory(), kTableEntries * sizeof(uint64_t));
  recount();
  driver_->set_segment(kArgumentSegment, {memory() + kArgumentsAt, segment::kGranuleBytes, segment::kRead});
  driver_->set_segment(kDataSegment, {data(), kDataBytes, segment::kRead | segment::kWrite});
  Code& daemon = code_of("daemon", module::Space::kDaemon);
  driver_->forget(group::Group<MpeProxy>::kSegments | group::Group<MpeProxy>::kCode);
  driver_->use_daemon(daemon.segment, daemon.module.find("daemon")->pc);
  driver_->set_watchdog(0);
  driver_->enable(driver_->all());
  REQUIRE(driver_->wait_ready(driver_->all(), kLimit));
}

void GroupRig::recount() {
  driver_.emplace(mpe_, number_);
  driver_->use_segments(memory(), kTableEntries);
}

GroupRig::Code& GroupRig::code_of(const std::string& file, module::Space space) {
  if (const auto found = codes_.find(file); found != codes_.end()) return found->second;
  Code& code = codes_[file];
  std::ifstream in("build/cpe-kernels/" + file + ".elf", std::ios::binary);
  code.file.assign(std::istreambuf_iterator<char>(in), {});
  const auto verdict = code.module.open(code.file, space);
  if (!verdict.ok()) throw std::runtime_error(file + ": " + module::text(verdict.error));
  const auto index = static_cast<uint16_t>(codes_.size() - 1);
  code.segment = static_cast<uint16_t>(kFirstCodeSegment + index);
  segment(code.segment, group::load_code(mpe_, code.module, memory() + kCodeAt + index * kCodeStride));
  return code;
}

GroupRig::Program GroupRig::program_of(const std::string& kernel) {
  Code& code = code_of(file_of(kernel));
  const auto view = code.module.find(kernel);
  if (!view) throw std::runtime_error("no kernel " + kernel);
  return {*view, code.segment};
}

void GroupRig::segment(uint16_t number, const segment::Entry& entry) {
  driver_->set_segment(number, entry);
  driver_->forget(group::Group<MpeProxy>::kSegments);
}

// Arguments of launches that wait must stay: there are more places than launches can wait.
uint32_t GroupRig::launch_bytes(const std::string& kernel, std::span<const uint8_t> arguments, uint32_t mask,
                                bool notify) {
  const Program program = program_of(kernel);
  REQUIRE(arguments.size() == program.kernel.argument_bytes);
  const uint64_t at = arguments_++ % kArgumentSets * kArgumentBytes;
  if (!arguments.empty()) mpe_.copy(memory() + kArgumentsAt + at, arguments);
  driver_->prepare({.mask = mask == 0 ? driver_->all() : mask,
                    .code_segment = program.segment,
                    .argument_segment = kArgumentSegment,
                    .notify = notify});
  return driver_->start(program.kernel.pc, launch::kArgumentWindow + static_cast<uint32_t>(at));
}

launch::Done GroupRig::finish(uint32_t number) {
  REQUIRE(driver_->wait_ended(number, kLimit));
  return driver_->last_done();
}

void GroupRig::check_good(uint32_t number) {
  const auto done = finish(number);
  CHECK(done.sequence == number);
  CHECK_FALSE(done.failed);
  if (!done.failed) return;
  for (const Record& record : take_faults())
    MESSAGE("CPE ", record.cpe, ": ", std::string(launch::text(record.fault.cause)));
}

void GroupRig::prove(verif::Random& random) {
  using cpe::GlobalPtr;
  const uint64_t from = random.below(4096), to = (1 << 20) + random.below(4096);
  const std::vector<uint8_t> bytes = random_bytes(random, 1 + random.below(20'000));
  mpe_.copy(data() + from, bytes);
  run("copy", cpe::CopyArgs{GlobalPtr<void>(kDataSegment, to), GlobalPtr<const void>(kDataSegment, from),
                            static_cast<uint32_t>(bytes.size()), 0});
  CHECK(holds(mpe_, data() + to, bytes));
}

std::vector<GroupRig::Record> GroupRig::take_faults() {
  std::vector<Record> records;
  driver_->take_faults([&](unsigned cpe, const launch::Fault& fault) { records.push_back({cpe, fault}); });
  return records;
}

bool GroupRig::take_bit(unsigned bit) {
  const uint64_t mask = uint64_t{1} << bit;
  if ((mpe_.read(regs::inbox::work::kAddr) & mask) == 0) return false;
  mpe_.write(regs::inbox::work::kAddr, mask);
  return true;
}

std::vector<uint8_t> random_bytes(verif::Random& random, uint64_t bytes) {
  std::vector<uint8_t> result(bytes);
  for (auto& byte : result) byte = static_cast<uint8_t>(random.next());
  return result;
}

bool holds(MpeProxy& mpe, uint64_t address, const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> found(bytes.size());
  mpe.fetch(address, found);
  return found == bytes;
}

}  // namespace swai::system
