// SPDX-License-Identifier: Apache-2.0
#include "verif/host/runtime/fake_card.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "abi/fault.hpp"
#include "abi/kernel_segments.hpp"
#include "card_regs.hpp"
#include "firmware/runtime/runtime.hpp"
#include "host/transport/card.hpp"
#include "verif/host/runtime/fake_processor.hpp"
#include "verif/host/runtime/transfer_check.hpp"

namespace swai::sdaa {
namespace {

namespace vendor = link::vendor;
constexpr uint64_t kOneWay = 250;
constexpr uint64_t kSramInBar = uint64_t{64} << 30;
constexpr unsigned kMemoryBar = 0;
constexpr unsigned kControlBar = 4;

// Where the firmware of this card keeps its things.
constexpr uint64_t kWindow = FakeProcessor::kSram + 0x2'8000;
constexpr uint64_t kInfo = kWindow + protocol::kQueues * uint64_t{protocol::kQueueBytes};
constexpr uint64_t kUsage = kInfo + 1024;
constexpr uint64_t kRings = FakeProcessor::kSram + 0x1'8000;
constexpr uint64_t kAnswers = FakeProcessor::kSram + 0x1'c000;
constexpr uint64_t kSegmentTable = regs::kHbmRegion.base;
constexpr uint64_t kTables = kSegmentTable + 0x2'0000;
constexpr uint64_t kEvents = kSegmentTable + 0x8'0000;
constexpr uint64_t kRecords = kSegmentTable + 0x10'0000;
constexpr uint64_t kCode = kSegmentTable + 0x30'0000;
constexpr uint64_t kPageList = kSegmentTable + 0x38'0000;
constexpr uint64_t kScratch = kSegmentTable + 0x40'0000;
constexpr uint64_t kPieces = kSegmentTable + 0x60'0000;
constexpr unsigned kPools = 32;
constexpr uint64_t kOwn = 14 << 20;
using protocol::kCopySegment;
using protocol::kFillSegment;
using protocol::kFirstQueueSegment;
using protocol::kMemorySegment;
using protocol::kWipeSegment;
constexpr uint16_t kScratchSegment = 6;
constexpr uint16_t kFirstSegment = 32;

class FakeCard final : public link::Backend {
 public:
  explicit FakeCard(const FakeOptions& options)
      : options_(options),
        processor_(options),
        tables_(std::in_place, processor_),
        firmware_(std::in_place, processor_, *tables_) {
    description_.address = "a played card";
    description_.regions.resize(10);
    description_.regions[kMemoryBar] = {uint64_t{128} << 30, true, true};
    description_.regions[2] = {4096, true, true};
    description_.regions[kControlBar] = {1 << 16, true, true};
    description_.regions[link::Card::kConfig] = {4096, true, true};
    description_.vectors = 32;
    description_.has_vendor_region = true;
    description_.configuration = options.configuration;
    description_.deterministic = true;
    processor_.own = kOwn;
    processor_.own_fills_die = !options.clears;
    FakePrograms& programs = processor_.programs;
    programs.turn = [this](unsigned number, runtime::ProgramState& state) { execute(number, state); };
    programs.answer = [this](runtime::ProgramState& state, uint64_t function, uint64_t first,
                             uint64_t second) { return firmware_->answer(state, function, first, second); };
    programs.submit = [this](runtime::ProgramState& state, uint64_t function,
                             const runtime::CallArguments& words) {
      return firmware_->submit(state, function, words);
    };
    programs.launched = [this](runtime::ProgramState& state) { return firmware_->launched(state); };
    processor_.check_transfer = [this](const dma::Descriptor& descriptor) {
      check_transfer(*firmware_, processor_, descriptor);
    };
    start();
  }

  const link::Description& describe() const override { return description_; }

  void read(unsigned region, uint64_t offset, link::Buffer to) override {
    check_open();
    if (region == vendor::kRegion) {
      require(offset == vendor::kCycleAt && to.size() == 8);
      const uint64_t now = processor_.now();
      std::memcpy(to.data(), &now, sizeof now);
      return;
    }
    if (region == link::Card::kConfig) {
      std::ranges::fill(to, uint8_t{0x57});
      return;
    }
    run(processor_.now() + kOneWay, 0);
    if (region == kMemoryBar && offset >= kSramInBar) {
      // Nothing is there behind the SRAM.
      const uint64_t end = kSramInBar + regs::kSramBytes;
      const uint64_t there = offset < end ? std::min<uint64_t>(to.size(), end - offset) : 0;
      std::ranges::fill(to.subspan(there), uint8_t{0xff});
      to = to.first(there);
    }
    if (!to.empty())
      access(region, offset, to.size(), [&](uint8_t* at) { std::memcpy(to.data(), at, to.size()); });
    run(processor_.now() + kOneWay, 0);
  }
  void write(unsigned region, uint64_t offset, link::Bytes from) override { post(region, offset, from); }
  void post(unsigned region, uint64_t offset, link::Bytes from) override {
    check_open();
    if (region == vendor::kRegion)
      throw link::Error(link::ErrorKind::kRefused, "a fake card has no such command");
    if (region == kControlBar && offset == regs::pcie::doorbell::kOffset) {
      processor_.later(kOneWay, [this, bit = from[0]] { processor_.set_work(uint64_t{1} << (bit & 31)); });
      return;
    }
    if (region == kControlBar && offset == regs::pcie::reset_request::kOffset) {
      processor_.reset();
      return start();
    }
    access(region, offset, from.size(), [&](uint8_t* at) { std::memcpy(at, from.data(), from.size()); });
  }

  void map(const link::DmaMapping& mapping) override {
    check_open();
    require(mapping.iova % 4096 == 0 && mapping.memory.size() % 4096 == 0);
    const auto next = processor_.mappings.lower_bound(mapping.iova);
    const bool overlaps =
        (next != processor_.mappings.end() && next->first < mapping.iova + mapping.memory.size()) ||
        (next != processor_.mappings.begin() &&
         std::prev(next)->first + std::prev(next)->second.bytes > mapping.iova);
    if (overlaps) throw link::Error(link::ErrorKind::kRefused, "mapped already", EEXIST);
    processor_.mappings[mapping.iova] = {mapping.memory.data(), mapping.memory.size(), mapping.readable,
                                         mapping.writable};
  }
  void unmap(uint64_t iova, uint64_t bytes) override {
    check_open();
    const auto found = processor_.mappings.find(iova);
    if (found == processor_.mappings.end() || found->second.bytes != bytes)
      throw link::Error(link::ErrorKind::kRefused, "not mapped", ENOENT);
    processor_.mappings.erase(found);
  }
  void set_interrupts(std::span<const int>) override {}
  void reset() override {}
  vendor::RunResult run_until(const vendor::RunRequest& request) override {
    check_open();
    const uint64_t limit =
        (request.flags & vendor::kLimitIsRelative) != 0 ? processor_.now() + request.limit : request.limit;
    if (options_.on_run && request.vectors != 0) options_.on_run(limit - processor_.now());
    const bool awake = run(limit, request.vectors);
    const uint64_t fired = processor_.pending_vectors & request.vectors;
    processor_.pending_vectors &= ~fired;
    if (fired != 0) return {vendor::Cause::kInterrupt, fired, processor_.now()};
    return {awake ? vendor::Cause::kLimit : vendor::Cause::kAsleep, 0, processor_.now()};
  }
  bool wait(std::span<pollfd>, link::Milliseconds) override {
    check_open();
    return false;
  }
  int fd() const override { return closed_ ? -1 : options_.connection; }
  void close() override { closed_ = true; }

 private:
  static void require(bool condition) {
    if (!condition) throw link::Error(link::ErrorKind::kBadArgument, "an access that makes no sense");
  }
  void check_open() {
    closed_ = closed_ || (options_.lost && options_.lost());
    if (closed_) throw link::Error(link::ErrorKind::kLost, "the card is gone");
  }

  template <typename Do>
  void access(unsigned region, uint64_t offset, uint64_t bytes, Do use) {
    uint8_t* at = nullptr;
    if (region == kControlBar && offset - regs::pcie::shared::kOffset < sizeof(uint64_t) * 64) {
      at = reinterpret_cast<uint8_t*>(processor_.shared().data()) + (offset - regs::pcie::shared::kOffset);
    } else if (region == kControlBar && offset == regs::pcie::boot_status::kOffset &&
               bytes == sizeof status_) {
      at = reinterpret_cast<uint8_t*>(&status_);
    } else if (region == kControlBar && offset == regs::pcie::card::kOffset && bytes == sizeof card_) {
      at = reinterpret_cast<uint8_t*>(&card_);
    } else if (region == kControlBar && offset == regs::pcie::bar0::kOffset && bytes == sizeof bar0_) {
      at = reinterpret_cast<uint8_t*>(&bar0_);
    } else if (region == kMemoryBar && offset >= kSramInBar) {
      at = processor_.at(FakeProcessor::kSram + (offset - kSramInBar), bytes);
    }
    require(at != nullptr);
    use(at);
  }

  // Until a vector fires or the cycle is there. False: nothing is left to happen.
  bool run(uint64_t limit, uint64_t vectors) {
    for (;;) {
      if ((processor_.pending_vectors & vectors) != 0) return true;
      const auto next = processor_.next_event();
      if (!next || *next > limit) {
        if (next || vectors == 0) processor_.pass_to(limit);
        return next.has_value();
      }
      processor_.run_next();
      serve();
    }
  }
  void serve() {
    if (!booted_) return;
    if (options_.ends && options_.ends()) return panic();
    if (processor_.take_alarm()) firmware_->alarm();
    for (;;) {
      const uint64_t work = processor_.take_work();
      bool more = firmware_->poll(work);
      more |= firmware_->feed_programs();
      if (more || work != 0) continue;
      firmware_->rest();
      if (!firmware_->has_programs() || firmware_->run_program() != Firmware::Ran::kActed) break;
    }
    for (unsigned place = 0; place < protocol::kContexts; ++place) {
      const protocol::ClientUsage usage = firmware_->usage(place);
      processor_.put(kUsage + place * sizeof usage, &usage, sizeof usage);
    }
    if (options_.on_idle) options_.on_idle(processor_.now());
  }

  // What code of programs can be here: so much that one can spin on calls. Nothing else interrupts it.
  void execute(unsigned number, runtime::ProgramState& state) {
    constexpr unsigned kTurn = 32;
    constexpr unsigned kUpper = 0x37, kAdd = 0x13, kJump = 0x6f, kCall = 0x73;
    constexpr uint64_t kNoCode = 12;  // of scause
    while (++executed_ % kTurn != 0) {
      const auto at = processor_.programs.physical(number, state.pc);
      uint32_t code = 0;
      if (at) std::memcpy(&code, processor_.bytes(*at), sizeof code);
      uint64_t& to = state.registers[code >> 7 & 31];
      const auto upper = static_cast<int32_t>(code & 0xffff'f000);
      uint64_t next = state.pc + sizeof code;
      switch (code & 0x7f) {
        case kUpper:
          to = static_cast<uint64_t>(int64_t{upper});
          break;
        case kAdd:
          to = (code >> 15 & 31) == 0 ? 0 : state.registers[code >> 15 & 31];
          to += static_cast<uint64_t>(int64_t{static_cast<int32_t>(code) >> 20});
          break;
        case kJump:  // back, by less than 2 KiB
          next = state.pc - 2048 + (code >> 20 & 0x7fe);
          break;
        case kCall:
          state.cause = FakePrograms::kCall;
          state.pc = next;
          return;
        default:
          state.cause = kNoCode;
          state.value = state.pc;
          return;
      }
      state.pc = next;
    }
    state.cause = FakePrograms::kInterrupt;
  }

  void start() {
    booted_ = false;
    status_ = regs::system::status::kStageRom;
    processor_.later(options_.boot_cycles, [this] { boot(); });
  }
  // What fault.cpp of the kernel does.
  void panic() {
    booted_ = false;
    status_ = regs::system::status::kStage.put(regs::system::status::kStageFailed) |
              regs::system::status::kDetail.put(static_cast<uint64_t>(fault::Kind::kAssertion));
    fault::Record record = {};
    record.magic = fault::Record::kMagic;
    record.format = fault::Record::kFormat;
    record.kind = fault::Kind::kAssertion;
    record.time = processor_.now();
    record.pc = 0x8000'1234;
    record.registers[2] = 0x8002'0000;
    std::ranges::copy(std::string_view("played"), record.message.begin());
    std::ranges::copy(std::string_view("c0ffee"), record.build.begin());
    record.checksum = fault::checksum(record);
    processor_.put(fault::kRecordAddress, &record, sizeof record);
  }
  void report_last_fault() {
    fault::Record record;
    processor_.fetch(fault::kRecordAddress, &record, sizeof record);
    if (!fault::is_valid(record) || record.reported != 0) return;
    record.reported = 1;
    processor_.put(fault::kRecordAddress, &record, sizeof record);
    const auto kind = static_cast<uint64_t>(record.kind);
    processor_.log(journal::Line::kEarlierRun, {kind, record.pc});
    processor_.note(journal::Fault::kFirmware, {kind, record.cause, record.pc, record.value});
  }

  // What service.cpp of the kernel does.
  void boot() {
    report_last_fault();
    status_ = regs::system::status::kStageReady;
    if (!options_.serves) return;
    tables_.emplace(processor_);
    firmware_.emplace(processor_, *tables_);
    const auto built_in = [&](uint16_t number, Operation operation) {
      const uint64_t at = kCode + number * segment::kGranuleBytes;
      processor_.store(at, static_cast<uint64_t>(operation));
      processor_.set_entry(kSegmentTable + number * 8,
                           segment::encode({at, segment::kGranuleBytes, segment::kRead | segment::kExecute}));
      return runtime::Code{number, module::base(module::Space::kKernel)};
    };
    Firmware::Plan plan;
    plan.groups = options_.groups;
    plan.memory.groups = options_.groups;
    for (unsigned group = 0; group < options_.groups; ++group) {
      const uint64_t own = group == 0 ? kOwn : 0;
      plan.memory.areas[group] = {regs::kHbmRegion.base + group * memory::kMaxGroupBytes + own,
                                  options_.memory_per_group - own};
    }
    plan.memory.segment_table = kSegmentTable;
    plan.memory.first_segment = kFirstSegment;
    plan.memory.records = kRecords;
    plan.memory.pieces = kPieces;
    plan.memory.pools = kPools;
    runtime::BuiltIn codes;
    codes.copy = built_in(kCopySegment, Operation::kCopy);
    codes.fill = built_in(kFillSegment, Operation::kFill);
    plan.queues = {kWindow, kSegmentTable, kFirstQueueSegment, codes, 1'000'000'000, kPageList};
    plan.wipe = {built_in(kWipeSegment, Operation::kWipe), 0};
    plan.scratch = {kScratchSegment, kScratch, kSegmentTable + kOwn};
    processor_.set_entry(kSegmentTable + kScratchSegment * 8,
                         segment::encode({kScratch, runtime::Scratch::kBytes + segment::kGranuleBytes,
                                          segment::kRead | segment::kWrite, protocol::kKernelContext}));
    for (unsigned group = 0; group < options_.groups; ++group) {
      const auto& area = plan.memory.areas[group];
      processor_.set_entry(
          kSegmentTable + (kMemorySegment + group) * 8,
          segment::encode({area.base, area.bytes, segment::kWrite, protocol::kKernelContext}));
    }
    plan.clearing = {codes.fill, kMemorySegment, kScratchSegment, runtime::Scratch::kBytes,
                     kScratch + runtime::Scratch::kBytes};
    plan.sram = kRings;
    plan.answers = kAnswers;
    plan.modules = kTables;
    plan.events = kEvents;
    firmware_->init(plan);
    for (unsigned group = 0; group < options_.groups; ++group)
      firmware_->groups().driver(group).use_segments(kSegmentTable, memory::kSegments);
    firmware_->calibration().measure_card();

    protocol::Info info = {};
    info.bytes = sizeof info;
    info.version = options_.version;
    info.minimum_version = options_.minimum_version;
    info.capabilities = protocol::kSharedMemory | protocol::kCopy2d | protocol::kHostCalls |
                        protocol::kGraphs | protocol::kWords;
    if (options_.runs_programs) info.capabilities |= protocol::kPrograms;
    info.groups = options_.groups;
    info.rows = static_cast<uint16_t>(options_.rows);
    info.columns = static_cast<uint16_t>(options_.columns);
    info.memory_per_group = options_.memory_per_group;
    info.queues = protocol::kQueues;
    info.slots = protocol::kSlots;
    info.slot_bytes = protocol::kSlotBytes;
    info.queue_offset = kWindow - FakeProcessor::kSram;
    info.events = protocol::kEvents;
    info.modules = protocol::kModules;
    info.clients_offset = kUsage - FakeProcessor::kSram;
    info.clients_count = protocol::kContexts;
    info.capabilities |= protocol::kJournals;
    info.log_offset = FakeProcessor::kLogAt - FakeProcessor::kSram;
    info.fault_offset = FakeProcessor::kFaultsAt - FakeProcessor::kSram;
    info.log_bytes = info.fault_bytes = journal::ring_bytes(FakeProcessor::kJournalRecords);
    processor_.put(kInfo, &info, sizeof info);
    processor_.log(journal::Line::kServing);
    ++processor_.shared()[protocol::word::kLife];
    processor_.shared()[protocol::word::kVersions] =
        options_.version | uint64_t{options_.minimum_version} << 16 | (kInfo - FakeProcessor::kSram) << 32;
    processor_.shared()[protocol::word::kMagic] = protocol::kMagic;
    booted_ = true;
  }

  FakeOptions options_;
  link::Description description_;
  FakeProcessor processor_;
  std::optional<runtime::Tables<FakeProcessor>> tables_;
  std::optional<Firmware> firmware_;
  unsigned executed_ = 0;  // instructions of programs
  uint64_t status_ = 0;
  uint64_t card_ = regs::pcie::card::kGroups.put(options_.groups) |
                   regs::pcie::card::kSramKib.put(regs::kSramBytes / 1024);
  uint64_t bar0_ = FakeProcessor::kBar0;
  bool booted_ = false;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<link::Backend> make_fake_card(const FakeOptions& options) {
  return std::make_unique<FakeCard>(options);
}

}  // namespace swai::sdaa
