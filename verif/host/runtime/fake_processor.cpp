// SPDX-License-Identifier: Apache-2.0
#include "verif/host/runtime/fake_processor.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "abi/command.hpp"
#include "abi/kernel_arguments.hpp"
#include "card_regs.hpp"
#include "firmware/memory/layout.hpp"
#include "verif/host/runtime/kernels.hpp"

namespace swai::sdaa {
namespace {

namespace cg = regs::cg;

// About what the card takes.
constexpr uint64_t kLinkCycles = 250;
constexpr uint64_t kLaunchCycles = 60;
constexpr uint64_t kMoveCycles = 100;
constexpr uint64_t kSlowCycles = 100'000;
constexpr uint64_t kForever = uint64_t{1} << 40;

template <typename T>
T read_as(const uint8_t* from) {
  T value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}

}  // namespace

FakeProcessor::FakeProcessor(const FakeOptions& options) : options_(options), sram_(regs::kSramBytes) {
  for (unsigned group = 0; group < options.groups; ++group) {
    void* memory = ::mmap(nullptr, options.memory_per_group, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for a played card");
    memory_.push_back(static_cast<uint8_t*>(memory));
  }
  lines.init(kLogAt, kJournalRecords);
  faults.init(kFaultsAt, kJournalRecords);
}

FakeProcessor::~FakeProcessor() {
  for (uint8_t* memory : memory_) ::munmap(memory, options_.memory_per_group);
}

void FakeProcessor::reset() {
  events_.clear();
  alarm_.reset();
  alarmed_ = false;
  work_ = 0;
  heard_ = ~uint64_t{0};
  channels_ = {};
  groups_ = {};
  pages_.clear();
  programs.end_all();
}

uint64_t FakeProcessor::cycles() {
  if (!events_.empty()) run_next();
  return ++spin_ + now_;
}

void FakeProcessor::run_next() {
  if (alarm_ && next_event() == alarm_) {
    now_ = std::max(now_, *alarm_);
    alarm_.reset();
    alarmed_ = true;
    return;
  }
  auto node = events_.extract(events_.begin());
  now_ = std::max(now_, node.key());
  node.mapped()();
}

// --- Memory

uint8_t* FakeProcessor::at(uint64_t address, uint64_t bytes) {
  if (address >= kSram && address + bytes <= kSram + sram_.size()) return sram_.data() + (address - kSram);
  const uint64_t offset = address - regs::kHbmRegion.base;
  const uint64_t group = offset / memory::kMaxGroupBytes;
  const uint64_t inside = offset % memory::kMaxGroupBytes;
  if (address < regs::kHbmRegion.base || group >= memory_.size() || inside >= options_.memory_per_group ||
      bytes > options_.memory_per_group - inside)
    return nullptr;
  return memory_[group] + inside;
}

uint64_t FakeProcessor::word_at(uint64_t address) {
  const uint8_t* from = at(address, sizeof(uint64_t));
  if (from == nullptr) throw std::runtime_error("the firmware reads memory that is not there");
  return read_as<uint64_t>(from);
}
void FakeProcessor::write_memory(uint64_t address, const void* from, uint64_t bytes) {
  uint8_t* to = at(address, bytes);
  if (to == nullptr) throw std::runtime_error("the firmware writes memory that is not there");
  std::memcpy(to, from, bytes);
}
void FakeProcessor::check_pages(uint64_t address, uint64_t bytes) const {
  constexpr uint64_t kPage = memory::kBlockBytes;
  const uint64_t offset = address - regs::kHbmRegion.base;
  if (address < regs::kHbmRegion.base || (offset < own && bytes <= own - offset)) return;
  for (uint64_t page = address / kPage * kPage; page < address + bytes; page += kPage) {
    if (!pages_.contains(page)) throw std::runtime_error("the firmware has no page there");
  }
}
void FakeProcessor::map(uint64_t address, uint64_t bytes, protocol::Usage) {
  for (uint64_t page = address; page < address + bytes; page += memory::kBlockBytes) {
    if (!pages_.insert(page).second) throw std::runtime_error("the firmware maps a page twice");
  }
}
void FakeProcessor::unmap(uint64_t address, uint64_t bytes) {
  programs.unmap(address, bytes);
  for (uint64_t page = address; page < address + bytes; page += memory::kBlockBytes) {
    if (pages_.erase(page) == 0)
      throw std::runtime_error("the firmware takes away a page that is not mapped");
  }
}

void FakeProcessor::discard(uint64_t address, uint64_t bytes) {
  const auto page = pages_.lower_bound(address);
  if (at(address, bytes) == nullptr || (page != pages_.end() && *page < address + bytes))
    throw std::runtime_error("the firmware discards memory that is in use or does not exist");
}

// What the caches do not hold: SRAM alone.
void FakeProcessor::fetch(uint64_t address, void* to, uint64_t bytes) {
  const uint8_t* from = address < regs::kHbmRegion.base ? at(address, bytes) : nullptr;
  if (from == nullptr) throw std::runtime_error("the firmware reads SRAM that is not there");
  std::memcpy(to, from, bytes);
}
void FakeProcessor::put(uint64_t address, const void* from, uint64_t bytes) {
  uint8_t* to = address < regs::kHbmRegion.base ? at(address, bytes) : nullptr;
  if (to == nullptr) throw std::runtime_error("the firmware writes SRAM that is not there");
  std::memcpy(to, from, bytes);
}
void FakeProcessor::move(uint64_t to, uint64_t from, uint64_t bytes) {
  const uint8_t* source = at(from, bytes);
  if (source == nullptr) throw std::runtime_error("the firmware reads memory that is not there");
  write_memory(to, source, bytes);
  now_ += kMoveCycles + 2 * bytes;
}
void FakeProcessor::copy(uint64_t address, std::span<const uint8_t> bytes) {
  touch();
  check_pages(address, bytes.size());
  write_memory(address, bytes.data(), bytes.size());
}
void FakeProcessor::zero(uint64_t address, uint64_t bytes) {
  touch();
  const std::vector<uint8_t> zeros(bytes);
  check_pages(address, bytes);
  write_memory(address, zeros.data(), bytes);
}

// --- Registers

std::optional<unsigned> FakeProcessor::group_of_core(uint64_t address) {
  const uint64_t offset = address - cg::kBase;
  if (address < cg::kBase || offset >= kGroups * cg::kSize || offset % cg::kSize < regs::kCgAccess) return {};
  return static_cast<unsigned>(offset / cg::kSize);
}
bool FakeProcessor::at_rest(unsigned group) const {
  return groups_[group].off && now_ - *groups_[group].off >= drain_cycles;
}
bool FakeProcessor::try_read(uint64_t address, uint64_t& value) {
  if (const auto group = group_of_core(address)) {
    ++core_looks[*group];
    if (at_rest(*group)) return false;
  }
  value = read(address);
  return true;
}
uint64_t FakeProcessor::read(uint64_t address) {
  if (const auto group = group_of_core(address); group && at_rest(*group))
    throw std::runtime_error("the firmware reads a core that is in reset");
  if (address == regs::timer::mtime::kAddr) return now_;
  if (address == regs::inbox::work::kAddr) return work_;
  if (address - regs::inbox::done0::kAddr < kGroups * 8)
    return groups_[(address - regs::inbox::done0::kAddr) / 8].done;
  if (address == regs::pcie::reset_status::kAddr) return 0;
  if (address == regs::pcie::bar0::kAddr) return kBar0;
  if (address - regs::pcie::shared::kAddr < sizeof shared_)
    return shared_[(address - regs::pcie::shared::kAddr) / 8];
  if (address - regs::dma::kBase < dma::kChannels * regs::dma::control::kStride) {
    const uint64_t offset = address - regs::dma::kBase;
    return read_dma(static_cast<unsigned>(offset / regs::dma::control::kStride),
                    offset % regs::dma::control::kStride);
  }
  if (address - cg::kBase < options_.groups * cg::kSize)
    return read_group(static_cast<unsigned>((address - cg::kBase) / cg::kSize),
                      (address - cg::kBase) % cg::kSize);
  throw std::runtime_error("the firmware reads a register that is not there");
}

void FakeProcessor::write(uint64_t address, uint64_t value) {
  if (address - regs::pcie::shared::kAddr < sizeof shared_) {
    shared_[(address - regs::pcie::shared::kAddr) / 8] = value;
  } else if (address - regs::dma::kBase < dma::kChannels * regs::dma::control::kStride) {
    const uint64_t offset = address - regs::dma::kBase;
    write_dma(static_cast<unsigned>(offset / regs::dma::control::kStride),
              offset % regs::dma::control::kStride, value);
  } else if (address - cg::kBase < options_.groups * cg::kSize) {
    write_group(static_cast<unsigned>((address - cg::kBase) / cg::kSize), (address - cg::kBase) % cg::kSize,
                value);
  } else if (address == regs::inbox::work::kAddr) {
    work_ &= ~value;
  } else if (address == regs::inbox::enable::kAddr) {
    heard_ = value;
  } else {
    throw std::runtime_error("the firmware writes a register that is not there");
  }
}

bool FakeProcessor::answers_launch(runtime::ProgramState& state) {
  constexpr unsigned kA0 = 10, kA2 = 12, kA7 = 17;
  const runtime::ReadyLaunch& ready = state.ready;
  const auto& registers = state.registers;
  if (state.cause != FakePrograms::kCall || ready.function == runtime::ReadyLaunch::kNone ||
      registers[kA7] != ready.function || registers[kA0] != ready.words[0] ||
      registers[kA0 + 1] != ready.words[1] || work_ != 0)
    return false;
  constexpr uint64_t kArguments = protocol::kSlotBytes - sizeof(swai::command::Launch);
  put(ready.slot, &registers[kA2], ready.argument != 0 ? sizeof(uint64_t) : kArguments);
  write(ready.doorbell.address, ready.doorbell.word | (registers[kA2] & ready.argument));
  ++programs.handed_over;
  state.registers[kA0] = 0;
  state.registers[kA0 + 1] = programs.launched(state);
  return true;
}

// --- DMA engine

uint64_t FakeProcessor::read_dma(unsigned number, uint64_t offset) {
  Channel& channel = channels_[number];
  if (offset == regs::dma::status::kOffset) {
    if (channel.looks == 0) return regs::dma::status::kStateIdle;
    --channel.looks;
    return regs::dma::status::kStateStopping;
  }
  if (offset == regs::dma::control::kOffset) return channel.control;
  if (offset == regs::dma::head::kOffset) return channel.head;
  if (offset == regs::dma::tail::kOffset) return channel.tail;
  if (offset == regs::dma::error::kOffset) return regs::dma::error::kCause.put(channel.error);
  if (offset == regs::dma::error_address::kOffset) return channel.error_address;
  throw std::runtime_error("the firmware reads a register of the DMA engine that is not played");
}

void FakeProcessor::write_dma(unsigned number, uint64_t offset, uint64_t value) {
  namespace reg = regs::dma;
  Channel& channel = channels_[number];
  if (offset == reg::control::kOffset) {
    if ((value & reg::control::kClear.mask()) != 0) {
      const bool runs = channel.busy && channel.error == 0;
      channel = {.life = channel.life + 1,
                 .looks = runs                 ? clear_looks
                          : channel.error != 0 ? failed_looks
                                               : channel.looks};
    }
    channel.control = value;
  } else if (offset == reg::ring_base::kOffset) {
    channel.ring = value;
  } else if (offset == reg::ring_size::kOffset) {
    channel.size_log2 = value;
  } else if (offset == reg::vector::kOffset) {
    channel.vector = value;
  } else if (offset == reg::tail::kOffset) {
    channel.tail = static_cast<uint16_t>(value);
    transfer(number);
  } else {
    throw std::runtime_error("the firmware writes a register of the DMA engine that is not played");
  }
}

void FakeProcessor::transfer(unsigned number) {
  Channel& channel = channels_[number];
  if (channel.busy || channel.head == channel.tail || channel.error != 0) return;
  const uint64_t entry =
      channel.ring + channel.head % (uint64_t{1} << channel.size_log2) * sizeof(dma::Descriptor);
  const auto descriptor = read_as<dma::Descriptor>(at(entry, sizeof(dma::Descriptor)));
  channel.busy = true;
  later(kLinkCycles * 2 + descriptor.length / 32, [this, number, descriptor, life = channel.life] {
    if (channels_[number].life == life) end_of_transfer(number, descriptor);
  });
}

void FakeProcessor::end_of_transfer(unsigned number, const dma::Descriptor& descriptor) {
  Channel& channel = channels_[number];
  const bool to_host = (descriptor.flags & dma::kToHost) != 0;
  uint8_t* card = at(descriptor.card, descriptor.length);
  auto mapping = mappings.upper_bound(descriptor.host);
  uint8_t* host = nullptr;
  if (descriptor.host >= kBar0 && options_.card_routes) {
    host = at(regs::kHbmRegion.base + (descriptor.host - kBar0), descriptor.length);
  } else if (mapping != mappings.begin()) {
    --mapping;
    const uint64_t inside = descriptor.host - mapping->first;
    const bool allowed = to_host ? mapping->second.writable : mapping->second.readable;
    if (allowed && inside < mapping->second.bytes && descriptor.length <= mapping->second.bytes - inside)
      host = mapping->second.host + inside;
  }
  if (card == nullptr || host == nullptr) {
    channel.error = 3;
    channel.error_address = descriptor.host;
    work_ |= uint64_t{1} << (32 + number);
    return;
  }
  if (check_transfer) check_transfer(descriptor);
  std::memcpy(to_host ? host : card, to_host ? card : host, descriptor.length);
  channel.busy = false;
  ++channel.head;
  if ((descriptor.flags & dma::kWork) != 0) work_ |= uint64_t{1} << (32 + number);
  if ((descriptor.flags & dma::kInterrupt) != 0) pending_vectors |= uint64_t{1} << channel.vector;
  transfer(number);
}

// --- Core groups

uint64_t FakeProcessor::read_group(unsigned number, uint64_t offset) {
  const Group& group = groups_[number];
  if (offset == cg::config::kOffset)
    return cg::config::kRows.put(options_.rows) | cg::config::kColumns.put(options_.columns);
  if (offset == cg::launch_status::kOffset) {
    return cg::launch_status::kEnded.put(group.ended) | cg::launch_status::kRunning.put(group.running);
  }
  if (cores_wait && group.running) {
    namespace word = cpe::isa::cpe_status;
    if (offset == cg::cpe_running::kOffset) return group.launches.front().mask;
    if (offset >= regs::kCgAccess) {
      const uint64_t inside = (offset - regs::kCgAccess) % regs::kCgAccessStride;
      return inside == regs::kCgAccessStatus ? word::kWaits.mask() | word::kSync.put(1) : now_;
    }
  }
  if (offset == cg::launch_age::kOffset) return group.running ? now_ - group.launches.front().began : 0;
  if (offset == cg::fault_pending::kOffset) return group.fault_pending;
  if (offset - cg::launch_cycles::kOffset < sizeof group.results)
    return group.results[(offset - cg::launch_cycles::kOffset) / 8];
  if (offset - cg::fault_record0::kOffset < sizeof group.record0)
    return group.record0[(offset - cg::fault_record0::kOffset) / 8];
  if (offset - cg::fault_record1::kOffset < sizeof group.record1)
    return group.record1[(offset - cg::fault_record1::kOffset) / 8];
  return 0;
}

void FakeProcessor::write_group(unsigned number, uint64_t offset, uint64_t value) {
  Group& group = groups_[number];
  if (offset == cg::fault_pending::kOffset) {
    group.fault_pending &= ~static_cast<uint32_t>(value);
  } else if (offset == cg::doorbell::kOffset) {
    ring(number, value);
  } else {
    group.registers[offset] = value;
    if (offset == cg::launch_control::kOffset) control_launches(number, value);
    if (offset == cg::segment_table::kOffset) segment_table_ = value;
    if (offset == cg::cpe_enable::kOffset) group.off = value == 0 ? std::optional(now_) : std::nullopt;
  }
}

void FakeProcessor::ring(unsigned number, uint64_t doorbell) {
  namespace setup = cg::launch_setup;
  Group& group = groups_[number];
  if (group.launches.size() > launch::kQueue)
    throw std::runtime_error("the firmware rings for more launches than a group takes");
  const auto pc = static_cast<uint32_t>(cg::doorbell::kPc.get(doorbell));
  const auto argument = static_cast<uint32_t>(cg::doorbell::kArgument.get(doorbell));
  const uint64_t word = group.registers[setup::kOffset];
  const uint64_t watchdog = group.registers[cg::watchdog::kOffset];
  const auto entry = [&](uint64_t segment) { return segment::decode(word_at(segment_table_ + segment * 8)); };
  const segment::Entry code = entry(setup::kCodeSegment.get(word));
  const segment::Entry arguments = entry(setup::kArgumentSegment.get(word));

  Launch launch;
  const uint64_t first = code.base + (pc & 0x0fff'ffff);
  launch.operation = static_cast<Operation>(static_cast<uint32_t>(word_at(first)));
  launch.constants = word_at(first + sizeof(uint64_t));
  launch.mask = static_cast<uint32_t>(group.registers[cg::launch_mask::kOffset]);
  launch.owner = static_cast<uint8_t>(setup::kOwner.get(word));
  launch.argument = argument;
  launch.arguments = arguments.base + (argument - launch::kArgumentWindow);
  launch.cycles = kLaunchCycles;
  if (launch.operation == Operation::kSlow) launch.cycles = kSlowCycles;
  if (launch.operation == Operation::kHang) launch.cycles = kForever;
  launch.stopped = watchdog != 0 && launch.cycles > watchdog;
  if (launch.stopped) launch.cycles = watchdog;
  group.launches.push_back(launch);
  run_next_launch(number);
}

void FakeProcessor::control_launches(unsigned number, uint64_t control) {
  namespace reg = cg::launch_control;
  Group& group = groups_[number];
  if ((control & reg::kFlush.mask()) != 0) {
    for (size_t i = group.running ? 1 : 0; i < group.launches.size(); ++i) group.launches[i].flushed = true;
  }
  if ((control & reg::kKill.mask()) != 0 && group.running && !is_dead(group.launches.front())) {
    group.launches.front().killed = true;
    end_launch_in(number, 5);
  }
  if ((control & reg::kResume.mask()) != 0) group.held = false;
  run_next_launch(number);
}

bool FakeProcessor::is_dead(const Launch& launch) const {
  return launch.operation == Operation::kDead ||
         (own_fills_die && launch.operation == Operation::kFill && launch.owner == protocol::kKernelContext);
}
void FakeProcessor::run_next_launch(unsigned number) {
  Group& group = groups_[number];
  if (group.running || group.launches.empty() || (group.held && !group.launches.front().flushed)) return;
  group.running = true;
  group.launches.front().began = now_;
  if (is_dead(group.launches.front())) return;
  end_launch_in(number, group.launches.front().flushed ? 5 : group.launches.front().cycles);
}

// Unless something else ends it before.
void FakeProcessor::end_launch_in(unsigned number, uint64_t cycles) {
  later(cycles, [this, number, plan = ++groups_[number].plan] {
    if (groups_[number].plan == plan) end_launch(number);
  });
}

void FakeProcessor::end_launch(unsigned number) {
  Group& group = groups_[number];
  Launch launch = group.launches.front();
  launch.cycles = launch.flushed ? 0 : std::max<uint64_t>(now_ - launch.began, 1);
  group.launches.pop_front();
  group.running = false;
  if (!launch.flushed && launch.operation == Operation::kWipe) {
    group.holds = 0;
  } else if (!launch.flushed && launch.owner != protocol::kKernelContext) {
    if (group.holds != 0 && group.holds != launch.owner)
      throw std::runtime_error("a kernel finds what another client's has left");
    group.holds = launch.owner;
  }
  Fault fault;
  if (launch.stopped && !launch.killed) {
    fault.cause = launch::Cause::kWatchdog;
    fault.cpe = static_cast<unsigned>(std::countr_zero(launch.mask));
  } else if (launch.killed) {
    fault.cause = launch::Cause::kKilled;
    fault.cpe = static_cast<unsigned>(std::countr_zero(launch.mask));
  } else if (!launch.flushed && launch.operation == Operation::kWipe && wipes_fail) {
    fault = {launch::Cause::kBreakpoint, segment::pointer(segment::kNone, 0), 0};
  } else if (!launch.flushed) {
    fault = run_kernel(launch);
  }
  const bool faulted = !launch.flushed && fault.cause != launch::Cause::kNone;
  const bool failed = launch.flushed || faulted;
  const bool watchdog = faulted && launch.stopped && !launch.killed;
  ++group.ended;
  group.results[group.ended % group.results.size()] = cg::launch_cycles::kRun.put(launch.cycles) |
                                                      cg::launch_cycles::kFailed.put(failed) |
                                                      cg::launch_cycles::kWatchdog.put(watchdog);
  if (faulted) {
    group.fault_pending |= 1u << fault.cpe;
    group.record0[fault.cpe] = cg::fault_record0::kPc.put(0x5000'0010) |
                               cg::fault_record0::kCause.put(static_cast<uint64_t>(fault.cause));
    group.record1[fault.cpe] = fault.pointer;
    group.held =
        (group.registers[cg::launch_control::kOffset] & cg::launch_control::kHoldAfterFailure.mask()) != 0;
  }
  if (!words_lost) {
    group.done = launch::encode_done({group.ended, failed, watchdog, static_cast<uint32_t>(launch.cycles)});
    work_ |= uint64_t{1} << (40 + number);
  }
  run_next_launch(number);
}

uint8_t* FakeProcessor::reach(uint64_t pointer, uint64_t bytes, uint8_t permission, uint8_t owner,
                              Fault& fault) {
  using launch::Cause;
  const uint64_t word = word_at(segment_table_ + segment::number(pointer) * uint64_t{8});
  const segment::Entry entry = segment::decode(word);
  const uint64_t offset = segment::offset(pointer);
  if (segment::number(pointer) >= memory::kSegments || !segment::is_valid(word)) {
    fault = {Cause::kNoSegment, pointer, 0};
  } else if (entry.owner != segment::kShared && entry.owner != owner) {
    fault = {Cause::kOwner, pointer, 0};
  } else if (offset >= entry.size || bytes > entry.size - offset) {
    fault = {Cause::kLimit, pointer, 0};
  } else if ((entry.permissions & permission) == 0) {
    fault = {Cause::kPermission, pointer, 0};
  } else {
    return at(entry.base + offset, bytes);
  }
  return nullptr;
}

uint8_t FakeProcessor::owner_at(uint64_t address) {
  const uint8_t* table = at(segment_table_, memory::kSegments * sizeof(uint64_t));
  if (table == nullptr) throw std::runtime_error("there is no memory where the table of segments is to be");
  for (uint64_t number = 0; number < memory::kSegments; ++number) {
    const auto word = read_as<uint64_t>(table + number * sizeof(uint64_t));
    if (word == 0 || !segment::is_valid(word)) continue;  // most are, and a field costs time with sanitizers
    const segment::Entry entry = segment::decode(word);
    const bool is_clients = entry.owner != segment::kShared && entry.owner != protocol::kKernelContext;
    if (is_clients && address - entry.base < entry.size) return entry.owner;
  }
  return 0;
}

FakeProcessor::Fault FakeProcessor::run_kernel(const Launch& launch) {
  const uint8_t* arguments = at(launch.arguments, 1);
  const uint8_t owner = launch.owner;
  Fault fault;
  switch (launch.operation) {
    case Operation::kFill: {
      const auto args = read_as<cpe::MemsetArgs>(arguments);
      if (uint8_t* to = reach(args.to.bits(), args.bytes, segment::kWrite, owner, fault))
        std::memset(to, static_cast<uint8_t>(args.value), args.bytes);
      break;
    }
    case Operation::kCopy: {
      const auto args = read_as<cpe::CopyArgs>(arguments);
      uint8_t* to = reach(args.to.bits(), args.bytes, segment::kWrite, owner, fault);
      const uint8_t* from = reach(args.from.bits(), args.bytes, segment::kRead, owner, fault);
      if (to != nullptr && from != nullptr) std::memcpy(to, from, args.bytes);
      break;
    }
    case Operation::kAxpyInt: {
      const auto args = read_as<AxpyIntArgs>(arguments);
      const uint64_t bytes = args.count * sizeof(int32_t);
      uint8_t* y = reach(args.y.bits(), bytes, segment::kWrite, owner, fault);
      const uint8_t* x = reach(args.x.bits(), bytes, segment::kRead, owner, fault);
      for (uint64_t i = 0; y != nullptr && x != nullptr && i < bytes; i += sizeof(int32_t)) {
        // As cores count: it wraps.
        const uint32_t value =
            static_cast<uint32_t>(args.a) * read_as<uint32_t>(x + i) + read_as<uint32_t>(y + i);
        std::memcpy(y + i, &value, sizeof value);
      }
      break;
    }
    case Operation::kWho: {
      const auto args = read_as<WhoArgs>(arguments);
      for (uint32_t cpe = 0; cpe < launch::kMaxCpes; ++cpe) {
        if ((launch.mask >> cpe & 1) == 0) continue;
        if (uint8_t* to = reach(args.to.bits() + cpe * 64, 4, segment::kWrite, owner, fault))
          std::memcpy(to, &cpe, 4);
      }
      break;
    }
    case Operation::kConstants: {
      const auto args = read_as<WhoArgs>(arguments);
      uint8_t* to = reach(args.to.bits(), kConstantBytes, segment::kWrite, owner, fault);
      const uint8_t* from = reach(launch.constants, kConstantBytes, segment::kRead, owner, fault);
      if (to != nullptr && from != nullptr) std::memcpy(to, from, kConstantBytes);
      break;
    }
    case Operation::kMany: {
      const auto args = read_as<ManyArgs>(arguments);
      uint32_t sum = 0;
      for (const uint32_t value : args.values) sum += value;
      if (uint8_t* to = reach(args.to.bits(), 4, segment::kWrite, owner, fault)) std::memcpy(to, &sum, 4);
      break;
    }
    case Operation::kWord:
      words.push_back(launch.argument);
      break;
    case Operation::kBreakpoint:
      fault = {launch::Cause::kBreakpoint, segment::pointer(segment::kNone, 0), 1};
      break;
    case Operation::kCommand:
      fault = {launch::Cause::kCommand, segment::pointer(segment::kNone, 0), 1};
      break;
    default:
      break;
  }
  return fault;
}

}  // namespace swai::sdaa
