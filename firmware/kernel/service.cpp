// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/service.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>

#include "abi/kernel_segments.hpp"
#include "abi/protocol.hpp"
#include "firmware/kernel/fault.hpp"
#include "firmware/kernel/identity.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/processor.hpp"
#include "firmware/kernel/segments.hpp"
#include "firmware/kernel/timer.hpp"
#include "firmware/runtime/runtime.hpp"

extern "C" {
extern const uint8_t module_daemon[], module_daemon_end[], module_copy[], module_copy_end[], module_memset[],
    module_memset_end[], module_wipe[], module_wipe_end[];
}

namespace swai::kernel::service {
namespace {

using Tables = runtime::Tables<Processor>;
using Runtime = runtime::Runtime<Processor>;

// --- The kernel's part of the device memory

constexpr uint64_t kSegmentTable = segments::kTable;
constexpr uint64_t kModuleTables = mmu::kPrivate + 0x2'0000;
constexpr uint64_t kEvents = mmu::kPrivate + 0x8'0000;
constexpr uint64_t kRecords = mmu::kPrivate + 0x10'0000;
constexpr uint64_t kCode = mmu::kPrivate + 0x30'0000;
constexpr uint64_t kCodeStride = 0x1'0000;
constexpr uint64_t kPageList = mmu::kPrivate + 0x40'0000;
constexpr uint64_t kScratch = mmu::kPrivate + 0x50'0000;
constexpr uint64_t kPieces = mmu::kPrivate + 0xe0'0000;
static_assert(kSegmentTable + memory::kSegments * sizeof(uint64_t) <= kModuleTables);
static_assert(kModuleTables + runtime::Modules<Processor>::kBytes <= kEvents);
static_assert(kEvents + runtime::Events<Processor>::kBytes <= kRecords);
static_assert(kRecords + memory::Memory<Processor>::record_bytes(launch::kMaxGroups) <= kCode);
static_assert(COLD_CODE_HOME + COLD_BYTES <= kPieces && COLD_DATA_HOME + COLD_BYTES <= kPieces);
static_assert(kScratch + runtime::Scratch::kBytes + segment::kGranuleBytes <= mmu::kProgramPages &&
              mmu::kProgramPagesEnd <= COLD_DATA_HOME);
static_assert(kPieces + memory::Memory<Processor>::piece_bytes(memory::kMaxPools) <= mmu::kTables);

// --- Segments that clients cannot have

constexpr uint16_t kDaemonSegment = 1;
using protocol::kCopySegment;
using protocol::kFillSegment;
using protocol::kFirstQueueSegment;
using protocol::kMemorySegment;
using protocol::kWipeSegment;
constexpr uint16_t kRegistersSegment = 5;  // of the groups; for launches of the kernel's own
constexpr uint16_t kScratchSegment = 6;
constexpr uint16_t kFirstSegment = 32;
static_assert(kMemorySegment + launch::kMaxGroups <= kFirstSegment);
static_assert(program::kAnswerSegment > kScratchSegment && program::kAnswerSegment < kFirstQueueSegment);

// A launch may take a second, unless it says something else.
constexpr uint32_t kWatchdog = 1'000'000'000;
constexpr uint64_t kPatience = 100'000;
// The card tells about itself when it has been quiet for so long, and when what it told is so old.
constexpr uint64_t kQuiet = 10'000;
constexpr uint64_t kOldest = 50'000;
// While there is a model program, whose next launch would wait for that.
constexpr uint64_t kOldestBeside = 4 * kOldest;
// So much an alarm may come later for such a launch.
constexpr uint64_t kLater = 10'000;

// --- SRAM

constexpr uint64_t kInfo = layout::kHostWindow + protocol::kQueues * uint64_t{protocol::kQueueBytes};
constexpr uint64_t kTelemetry = kInfo + sizeof(protocol::Info);
constexpr unsigned kTags = 16;
constexpr uint64_t kUsage = kTelemetry + kTags * sizeof(protocol::Telemetry);
static_assert(kUsage + protocol::kContexts * sizeof(protocol::ClientUsage) <= layout::kLogJournal);

[[gnu::section(".noinit.uncached"), gnu::aligned(64)]] std::array<uint8_t, Runtime::kSramBytes> rings;
[[gnu::section(".noinit.uncached"),
  gnu::aligned(program::kAnswerBytes)]] std::array<uint8_t, program::kAnswerBytes>
    answers;

constinit Processor processor;
alignas(Runtime) constinit std::array<std::byte, sizeof(Runtime)> storage = {};
alignas(Tables) [[gnu::section(".cold_noinit")]] std::array<std::byte, sizeof(Tables)> tables_storage;
constinit bool serves = false;
constinit uint64_t alarms = 0;  // that have been heard of
constinit bool late = false;    // the next one was put off
Runtime& serving() { return *std::launder(reinterpret_cast<Runtime*>(storage.data())); }
// As the host sees them, since then, and whether something was done since. init() begins with nothing.
[[gnu::section(".cold_noinit")]] std::array<protocol::Telemetry, kTags> telemetry;
using UsageWords = std::array<uint64_t, sizeof(protocol::ClientUsage) / sizeof(uint64_t)>;
[[gnu::section(".cold_noinit")]] std::array<UsageWords, protocol::kContexts> usages;
constinit uint64_t told = 0;
constinit bool untold = false;

std::span<const uint8_t> file(const uint8_t* begin, const uint8_t* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

// Puts code of the kernel's own where CPEs find it. Returns where its one kernel begins.
[[gnu::cold, gnu::noinline]] uint32_t load(std::span<const uint8_t> module_file, module::Space space,
                                           uint16_t number) {
  module::Module parsed;
  if (!parsed.open(module_file, space).ok() || group::code_segment_bytes(parsed) > kCodeStride)
    panic(fault::Kind::kAssertion, "a module of the kernel's own is not good");
  // Everybody may read it, to the end of its last granule.
  const uint64_t at = kCode + number * kCodeStride;
  Processor::zero(at, group::code_segment_bytes(parsed));
  Processor::publish(at, group::code_segment_bytes(parsed));
  const segment::Entry entry = group::load_code(processor, parsed, at);
  Processor::set_entry(kSegmentTable + number * sizeof(uint64_t), segment::encode(entry));
  return parsed.kernel(0).pc;
}

struct Card {
  unsigned groups;
  unsigned rows;
  unsigned columns;
  uint64_t memory;  // of a group
};
Card card() {
  namespace reg = regs::pcie::card;
  const uint64_t word = fw::read_reg(reg::kAddr);
  return {static_cast<unsigned>(reg::kGroups.get(word)), static_cast<unsigned>(reg::kRows.get(word)),
          static_cast<unsigned>(reg::kColumns.get(word)), reg::kHbmGib.get(word) << 30};
}

Runtime::Plan plan_for(const Card& card, const runtime::BuiltIn& built_in, const runtime::Code& wipe) {
  Runtime::Plan plan;
  plan.groups = card.groups;
  plan.memory.groups = card.groups;
  for (unsigned group = 0; group < card.groups; ++group) {
    const uint64_t own = group == 0 ? mmu::kPrivateBytes : 0;
    plan.memory.areas[group] = {regs::kHbmRegion.base + group * memory::kMaxGroupBytes + own,
                                card.memory - own};
  }
  plan.memory.segment_table = kSegmentTable;
  plan.memory.first_segment = kFirstSegment;
  plan.memory.records = kRecords;
  plan.memory.pieces = kPieces;
  plan.queues = {layout::kHostWindow, kSegmentTable, kFirstQueueSegment, built_in, kWatchdog, kPageList};
  plan.wipe = {wipe, kRegistersSegment};
  plan.scratch = {kScratchSegment, kScratch, mmu::kPrivate + mmu::kPrivateBytes};
  plan.clearing = {built_in.fill, kMemorySegment, kScratchSegment, runtime::Scratch::kBytes,
                   kScratch + runtime::Scratch::kBytes};
  plan.sram = reinterpret_cast<uint64_t>(rings.data());
  plan.answers = reinterpret_cast<uint64_t>(answers.data());
  plan.modules = kModuleTables;
  plan.events = kEvents;
  return plan;
}

// What a kernel before a reset of the processor has left running. Returns the groups that do not stop.
uint32_t quiet_groups(const Card& card) {
  uint32_t lost = 0;
  for (unsigned i = 0; i < card.groups; ++i) {
    group::Group<Processor> group(processor, i);
    group.flush();
    group.enable(0);
    const auto rests = [&] { return regs::cg::launch_status::kRunning.get(group.status()) == 0; };
    if (!group.wait(rests, kPatience)) lost |= uint32_t{1} << i;
  }
  return lost;
}

void start_groups(const Card& card, uint32_t daemon_pc) {
  for (unsigned i = 0; i < card.groups; ++i) {
    if (serving().groups().lost(i)) continue;
    auto& group = serving().groups().driver(i);
    group.use_segments(kSegmentTable, segments::count());
    group.forget(runtime::Groups<Processor>::Driver::kSegments | runtime::Groups<Processor>::Driver::kCode);
    group.use_daemon(kDaemonSegment, daemon_pc);
    group.enable(group.all());
  }
  for (unsigned i = 0; i < card.groups; ++i) {
    auto& group = serving().groups().driver(i);
    if (serving().groups().lost(i)) continue;
    if (!group.wait_ready(group.all(), kPatience))
      log::write(journal::Line::kCpesDoNotStart, i, group.stopped());
  }
}

// The host must not reach what the kernel keeps in its SRAM, nor command the DMA engine, which looks at no
// such limits. (It has been kept out of the kernel's device memory since start.S.) It writes to its queues
// only, and reads what the kernel tells behind them, and behind the window boot's part with the fault record.
void protect() {
  fw::write_reg(regs::pcie::dma_access::kAddr, regs::pcie::dma_access::kClosed.mask());
  fw::write_reg(regs::pcie::sram_base::kAddr, layout::kHostWindow);
  fw::write_reg(regs::pcie::sram_limit::kAddr, boot::kMemoryEnd);
  static_assert(kInfo % 4096 == 0);
  fw::write_reg(regs::pcie::sram_fixed::kAddr, kInfo);
}

void tell_card(const Card& card) {
  protocol::Info info = {};
  info.bytes = sizeof info;
  info.version = protocol::kVersion;
  info.minimum_version = protocol::kMinimumVersion;
  info.capabilities = protocol::kSharedMemory | protocol::kCopy2d | protocol::kHostCalls |
                      protocol::kJournals | protocol::kGraphs | protocol::kPrograms | protocol::kWords;
  info.groups = card.groups;
  info.rows = static_cast<uint16_t>(card.rows);
  info.columns = static_cast<uint16_t>(card.columns);
  info.memory_per_group = card.memory;
  info.queues = protocol::kQueues;
  info.slots = protocol::kSlots;
  info.slot_bytes = protocol::kSlotBytes;
  info.queue_offset = static_cast<uint32_t>(layout::kHostWindow - boot::kMemoryBase);
  info.events = protocol::kEvents;
  info.modules = protocol::kModules;
  info.telemetry_offset = static_cast<uint32_t>(kTelemetry - boot::kMemoryBase);
  info.telemetry_count = kTags;
  info.clients_offset = static_cast<uint32_t>(kUsage - boot::kMemoryBase);
  info.clients_count = protocol::kContexts;
  info.log_offset = static_cast<uint32_t>(layout::kLogJournal - boot::kMemoryBase);
  info.log_bytes = journal::ring_bytes(layout::kLogRecords);
  info.fault_offset = static_cast<uint32_t>(layout::kFaultJournal - boot::kMemoryBase);
  info.fault_bytes = journal::ring_bytes(layout::kFaultRecords);
  const image::Identity& identity = swai_identity.identity;
  std::ranges::copy_n(identity.name.begin(), std::min(identity.name.size(), info.name.size()),
                      info.name.begin());
  std::ranges::copy_n(identity.version.begin(), std::min(identity.version.size(), info.version_text.size()),
                      info.version_text.begin());
  std::ranges::copy_n(identity.git_hash.begin(), std::min(identity.git_hash.size(), info.git_hash.size()),
                      info.git_hash.begin());
  Processor::put(kInfo, &info, sizeof info);

  const auto word = [](unsigned number) { return regs::pcie::shared::kAddr + number * sizeof(uint64_t); };
  const uint64_t versions =
      protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16 | (kInfo - boot::kMemoryBase) << 32;
  fw::write_reg(word(protocol::word::kRequest), 0);
  fw::write_reg(word(protocol::word::kReply), 0);
  fw::write_reg(word(protocol::word::kVersions), versions);
  fw::write_reg(word(protocol::word::kLife), fw::read_reg(word(protocol::word::kLife)) + 1);
  fw::write_reg(word(protocol::word::kMagic), protocol::kMagic);
}

// Only what has changed: these are writes past the caches.
void tell_usage(unsigned place) {
  UsageWords& known = usages[place];
  const bool was_used = std::bit_cast<protocol::ClientUsage>(known).attached != protocol::Attached::kNobody;
  if (!was_used && !serving().is_used(place)) return;
  const auto now = std::bit_cast<UsageWords>(serving().usage(place));
  for (unsigned i = 0; i < now.size(); ++i) {
    if (now[i] != known[i])
      Processor::put(kUsage + (place * now.size() + i) * sizeof now[i], &now[i], sizeof now[i]);
  }
  known = now;
}
void tell_telemetry() {
  unsigned line = 0;
  const auto put = [&line](protocol::Tag tag, uint64_t value) {
    protocol::Telemetry& known = telemetry[line];
    if (known.tag != tag || known.value != value) {
      known = {tag, 0, value};
      Processor::put(kTelemetry + line * sizeof known, &known, sizeof known);
    }
    ++line;
  };
  put(protocol::Tag::kUptime, Processor::time());
  serving().telemetry(put);
}
[[gnu::cold, gnu::noinline]] void tell() {
  tell_telemetry();
  for (unsigned place = 0; place < protocol::kContexts; ++place) tell_usage(place);
  told = Processor::time();
  untold = false;
}
// Nothing is to be done. Whoever gives the next command must not wait for what takes two thousand cycles, so
// that comes when nobody has given one for long. A model program may be about to.
void rest() {
  if (!untold || !serving().idle()) return;
  const uint64_t now = Processor::time();
  if (now - told >= (serving().has_programs() ? kOldestBeside : kOldest)) [[unlikely]]
    return tell();
  Processor::set_alarm(now + kQuiet);
}

// Until an interrupt comes. True: a model program has done something that is to be looked at, before any
// came. An alarm is heard of first: it would only lead out of the program again.
[[gnu::always_inline]] inline bool wait_or_run() {
  const auto is_alarm = [] { return (csr::read<csr::kSip>() & csr::kSupervisorTimer) != 0; };
  const bool had_programs = serving().has_programs();
  const auto ran = had_programs && !is_alarm() ? serving().run_program() : Runtime::Ran::kNone;
  // Its host hears of its end, and gives the next command.
  if (had_programs && !serving().has_programs()) told = std::max(told, Processor::time() - kOldest + kQuiet);
  if (ran == Runtime::Ran::kNone) csr::wait_for_interrupt();
  return ran == Runtime::Ran::kActed;
}

[[gnu::cold, gnu::noinline]] void alarm() {
  alarms = timer::alarms();
  serving().alarm();
  const uint64_t oldest = serving().has_programs() ? kOldestBeside : serving().idle() ? 0 : kOldest;
  if (Processor::time() - told >= oldest) tell();
}
// Only once: a model program may launch something when it has been notified of the inbox.
[[gnu::cold, gnu::noinline]] bool put_alarm_off() {
  if (late || !serving().has_programs() || fw::read_reg(regs::inbox::work::kAddr) == 0) return false;
  alarms = timer::alarms();
  Processor::set_alarm(Processor::time() + kLater);
  return true;
}
// The timer has woken the processor since this was asked last.
bool hear_alarm() {
  if (timer::alarms() == alarms || !serves) return false;
  late = put_alarm_off();
  if (!late) alarm();
  return !late;
}

}  // namespace

extern "C" bool answer_program(uint64_t a0, uint64_t a1, runtime::ProgramState& state, uint64_t a7) {
  return serving().answer(state, a7, a0, a1);
}
// What comes back is the program's a1; its a0 says kOk.
static_assert(protocol::Status::kOk == protocol::Status{});
extern "C" uint64_t note_launch(runtime::ProgramState& state) { return serving().launched(state); }
extern "C" bool submit_command(uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                               uint64_t a6, uint64_t a7, runtime::ProgramState& state) {
  return serving().submit(state, a7, {a0, a1, a2, a3, a4, a5, a6});
}

[[gnu::cold, gnu::noinline]] bool init() {
  const Card found = card();
  if (found.groups == 0 || found.rows == 0) return false;
  mmu::init_device_memory(found.groups);
  // Before anything of what they use is written anew.
  const uint32_t lost = quiet_groups(found);
  segments::init(found.groups);
  static_assert(layout::kHostWindow % csr::kPairBytes == 0 && layout::kLogJournal % csr::kPairBytes == 0);
  for (uint64_t at = layout::kHostWindow; at < layout::kLogJournal; at += csr::kPairBytes)
    csr::store_pair<0>(reinterpret_cast<volatile uint64_t*>(at), 0, 0);

  const uint32_t daemon_pc =
      load(file(module_daemon, module_daemon_end), module::Space::kDaemon, kDaemonSegment);
  runtime::BuiltIn built_in;
  built_in.copy = {kCopySegment,
                   load(file(module_copy, module_copy_end), module::Space::kKernel, kCopySegment)};
  built_in.fill = {kFillSegment,
                   load(file(module_memset, module_memset_end), module::Space::kKernel, kFillSegment)};
  const runtime::Code wipe = {kWipeSegment,
                              load(file(module_wipe, module_wipe_end), module::Space::kKernel, kWipeSegment)};
  const auto set_own = [](uint16_t number, uint64_t base, uint64_t bytes, uint8_t permissions) {
    Processor::set_entry(kSegmentTable + number * sizeof(uint64_t),
                         segment::encode({base, bytes, permissions, protocol::kKernelContext}));
  };
  set_own(kRegistersSegment, regs::cg::kBase, found.groups * regs::cg::kSize, segment::kWrite);
  // Behind it the arguments of the launches that clear memory.
  set_own(kScratchSegment, kScratch, runtime::Scratch::kBytes + segment::kGranuleBytes,
          segment::kRead | segment::kWrite);
  for (uint16_t group = 0; group < found.groups; ++group) {
    const uint64_t own = group == 0 ? mmu::kPrivateBytes : 0;
    set_own(kMemorySegment + group, regs::kHbmRegion.base + group * memory::kMaxGroupBytes + own,
            found.memory - own, segment::kWrite);
  }
  new (storage.data()) Runtime(processor, *new (tables_storage.data()) Tables(processor));
  Runtime::Plan plan = plan_for(found, built_in, wipe);
  plan.lost = lost;
  serving().init(plan);
  start_groups(found, daemon_pc);
  serving().calibration().measure_card();
  protect();
  namespace irq = regs::irq;
  fw::write_reg(regs::inbox::enable::kAddr, 0);
  fw::write_reg(irq::enable_s::kAddr, fw::read_reg(irq::enable_s::kAddr) | irq::pending::kInbox.mask());
  timer::set_alarm(~uint64_t{0});
  alarms = timer::alarms();
  serves = true;
  telemetry.fill({});
  usages.fill({});
  tell_card(found);
  tell();
  return true;
}

void serve() {
  namespace inbox = regs::inbox;
  // So often before other interrupts have their turn.
  constexpr unsigned kInARow = 64;
  fw::write_reg(inbox::enable::kAddr, ~uint64_t{0});
  bool alarmed = hear_alarm();
  for (unsigned i = 0; i < kInARow; ++i) {
    if (serves) serving().rest();
    const bool acted = !alarmed && wait_or_run();
    uint64_t work = fw::read_reg(inbox::work::kAddr);
    if ((work == 0 && !alarmed && !acted) || !serves) break;
    untold |= work != 0 || acted;
    alarmed = false;
    for (bool more = true; more || work != 0; work = fw::read_reg(inbox::work::kAddr)) {
      if (work != 0) fw::write_reg(inbox::work::kAddr, work);
      more = serving().poll(work);
      more |= serving().feed_programs();
    }
    rest();
  }
  fw::write_reg(inbox::enable::kAddr, 0);
  csr::fence();
}

}  // namespace swai::kernel::service
