// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/mpe/random_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/iss/mpe/insn.hpp"

namespace swai::mpe {

namespace {

using common::GdbTarget;

constexpr uint64_t kRamBytes = uint64_t{4}
                               << 20;  // above it memory is vacant: accesses there end in bus errors
constexpr uint64_t kPass = 1;

// No instruction takes that long, whatever the bus does.
constexpr uint64_t kPatience = 50'000;
// After that long in wfi, the bench makes something happen.
constexpr uint64_t kLongSleep = 300;

constexpr unsigned kWordsChecked = 16;

}  // namespace

void Mix::add(const Mix& other) {
  programs += other.programs;
  cycles += other.cycles;
  records += other.records;
  instructions += other.instructions;
  compressed += other.compressed;
  loads += other.loads;
  stores += other.stores;
  halts += other.halts;
  checked_words += other.checked_words;
  for (size_t i = 0; i < modes.size(); ++i) modes[i] += other.modes[i];
  for (size_t i = 0; i < events.size(); ++i) events[i] += other.events[i];
  for (size_t i = 0; i < opcodes.size(); ++i) opcodes[i] += other.opcodes[i];
  for (const auto& [cause, count] : other.causes) causes[cause] += count;
}

void MixCounter::retired(const Record& record) {
  const auto& r = record.retirement;
  ++mix_.records;
  if (r.trap || r.intr) {
    ++mix_.causes[r.cause];
    return;
  }
  ++mix_.instructions;
  ++mix_.modes[static_cast<unsigned>(r.mode) & 3];
  mix_.loads += r.mem_rmask != 0;
  mix_.stores += r.mem_wmask != 0;
  if ((r.insn & 3) == 3) {
    ++mix_.opcodes[r.insn & 0x7f];
  } else {
    ++mix_.compressed;
  }
}

RandomRun::RandomRun(const RandomOptions& options) : options_(options), rng_(options.seed) {
  random_program::Options generator;
  generator.length = options.length ? *options.length : static_cast<uint32_t>(rng_.between(200, 6000));
  if (options.kinds) {
    generator.kinds = *options.kinds;
  } else if (rng_.chance(30)) {
    generator.kinds = static_cast<uint32_t>(rng_.below(random_program::kAllKinds + 1));
  }
  program_ = random_program::generate(options.seed, generator);
  choose_pace();
  std::optional<uint64_t> stalls;
  if (rng_.chance(70)) stalls = rng_.next();
  sim_ = std::make_unique<MpeSim>(
      MpeSim::Options{.boot_addr = program_.entry,
                      .nmi_addr = program_.nmi_entry,
                      .power_up_seed = options.seed,
                      .memory = {.ram_bytes = kRamBytes,
                                 .latency = rng_.chance(50) ? 1 : static_cast<unsigned>(rng_.between(1, 12)),
                                 .seed = stalls}});
  reference_ = std::make_unique<ReferenceMemory>(sim_->memory().ram().base(), kRamBytes);
  sim_->count_events();
  load();
  lockstep_ = std::make_unique<Lockstep>(
      *reference_, Lockstep::Options{.boot_addr = program_.entry, .nmi_addr = program_.nmi_entry},
      [this](const std::string& report) { fail(report); });
  debugger_ = std::make_unique<common::MpeGdbTarget>(*sim_);
  sim_->add_observer(*lockstep_);
  sim_->add_observer(counter_);
  sim_->add_observer(watcher_);
  if (!options.trace.empty()) {
    trace_ = std::make_unique<Trace>(options.trace);
    sim_->add_observer(*trace_);
  }
}

void RandomRun::load() {
  for (auto* ram : {&sim_->memory().ram(), &reference_->ram()}) {
    std::memcpy(ram->at(program_.base), program_.image.data(), program_.image.size());
  }
}

void RandomRun::choose_pace() {
  static constexpr std::array<uint64_t, 6> kPaces = {0, 0, 40, 200, 1000, 5000};
  pace_.lines = rng_.pick(kPaces);
  pace_.time = rng_.pick(kPaces);
  pace_.halts = rng_.chance(25) ? rng_.pick({200, 1000, 4000}) : 0;
  if (rng_.chance(20)) pace_.nmi_at = 1 + rng_.below(20'000);
}

void RandomRun::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
  sim_->stop();
}

void RandomRun::note(const Record& record) {
  last_record_ = record.cycle;
  const auto& r = record.retirement;
  if (r.intr && rng_.chance(90)) drop_line(r.cause);
  if (r.mem_wmask != 0 && !r.trap && record.mem_paddr == program_.tohost) result_ = r.mem_wdata;
}

// What a device does when its interrupt has been noticed.
void RandomRun::drop_line(uint64_t cause) {
  switch (uint64_t{1} << (cause & 63)) {
    case iss::irq::kMsi:
      lines_.m_software = false;
      break;
    case iss::irq::kMti:
      lines_.m_timer = false;
      break;
    case iss::irq::kMei:
      lines_.m_external = false;
      break;
    case iss::irq::kSei:
      lines_.s_external = false;
      break;
    default:
      return;
  }
  sim_->set_lines(lines_);
}

void RandomRun::play_lines() {
  switch (rng_.below(4)) {
    case 0:
      lines_.m_software = !lines_.m_software;
      break;
    case 1:
      lines_.m_timer = !lines_.m_timer;
      break;
    case 2:
      lines_.m_external = !lines_.m_external;
      break;
    default:
      lines_.s_external = !lines_.s_external;
      break;
  }
  sim_->set_lines(lines_);
}

// Nothing has happened for a while: all lines, and if the program has disabled every one of them, the NMI.
void RandomRun::wake() {
  const uint64_t idle = sim_->cycles() - last_record_;
  const bool any = lines_.m_software && lines_.m_timer && lines_.m_external && lines_.s_external;
  if (!any) {
    lines_ = {.m_software = true, .m_timer = true, .m_external = true, .s_external = true, .nmi = lines_.nmi};
    sim_->set_lines(lines_);
  } else if (idle > 2 * kLongSleep && !nmi_raised_) {
    pace_.nmi_at = sim_->cycles();
  }
}

std::string RandomRun::run() {
  try {
    run_to_end();
    if (failure_.empty() && result_ != kPass) {
      fail(fmt::format("the program ends with {:#x} in tohost, on core and model alike\n", result_));
    }
    if (failure_.empty()) fail(compare_final_memory());
  } catch (const std::runtime_error& error) {
    fail(fmt::format("{}\n", error.what()));
  }
  mix_.programs = 1;
  mix_.cycles = sim_->cycles();
  mix_.events = sim_->events();
  return failure_;
}

void RandomRun::run_to_end() {
  next_line_ = soon(pace_.lines + 1);
  next_jump_ = soon(pace_.time + 1);
  next_halt_ = soon(pace_.halts + 1);
  while (failure_.empty()) {
    sim_->tick();
    if (result_ != 0) break;
    const uint64_t now = sim_->cycles();
    if (pace_.lines != 0 && now >= next_line_) {
      play_lines();
      next_line_ = soon(pace_.lines);
    }
    if (pace_.time != 0 && now >= next_jump_) {
      auto& clint = sim_->memory().clint();
      clint.set_time(clint.time() + rng_.below(rng_.chance(10) ? 1'000'000 : 500));
      next_jump_ = soon(pace_.time);
    }
    if (pace_.nmi_at != 0 && now >= pace_.nmi_at && !nmi_raised_) {
      nmi_raised_ = true;
      lines_.nmi = true;
      sim_->set_lines(lines_);
      lockstep_->raise_nmi(now);
    }
    if (pace_.halts != 0 && now >= next_halt_) {
      play_debugger();
      next_halt_ = soon(pace_.halts);
      continue;  // time has passed
    }
    if (now - last_record_ > kLongSleep && sim_->asleep()) wake();
    if (now - last_record_ > kPatience) fail(describe_standstill());
    if (mix_.instructions > program_.max_instructions + kPatience) fail("the program does not end\n");
  }
}

std::string RandomRun::describe_standstill() {
  const auto& top = sim_->top();
  return fmt::format(
      "nothing has retired for {} cycles: {}, {} after {} visits of the debugger; {}\n", kPatience,
      sim_->asleep() ? "the core sleeps" : "the core is not in wfi",
      top.dbg_halted_o ? "halted" : "not halted", mix_.halts,
      top.req_valid_o ? fmt::format("it asks for {:#x}", top.req_addr_o) : "it asks for no memory");
}

void RandomRun::play_debugger() {
  ++mix_.halts;
  lockstep_->debug_mode();
  debugger_->request_halt();
  if (!debugger_->run_until_halted()) {
    fail("the core does not halt for the debugger\n");
    return;
  }
  if (result_ != 0) return;
  std::string wrong;
  for (unsigned actions = 1 + static_cast<unsigned>(rng_.below(3)); actions > 0 && wrong.empty(); --actions) {
    switch (rng_.below(4)) {
      case 0:
        wrong = compare_registers();
        break;
      case 1:
        wrong = compare_memory_view();
        break;
      default:
        wrong = step_some();
        break;
    }
  }
  if (!wrong.empty()) fail("debugger: " + wrong);
  if (!failure_.empty() || result_ != 0) return;
  lockstep_->debug_mode();
  debugger_->resume();
  last_record_ = sim_->cycles();
}

std::string RandomRun::compare_registers() {
  static constexpr unsigned kPc = 32;
  static constexpr unsigned kFirstCsr = 65;
  const auto& hart = lockstep_->hart();
  std::string wrong;
  const auto check = [&](const std::string& name, unsigned number, uint64_t expected) {
    const auto value = debugger_->read_register(number);
    if (value != expected) {
      wrong += fmt::format("{} reads {}, model {:#x}\n", name,
                           value ? fmt::format("{:#x}", *value) : "nothing", expected);
    }
  };
  for (unsigned n = 1; n < kPc; ++n) check(fmt::format("x{}", n), n, hart.reg(n));
  check("pc", kPc, hart.pc());
  for (const unsigned number : {0x300U, 0x305U, 0x341U, 0x342U, 0x105U, 0x140U, 0x180U}) {
    check(fmt::format("csr {:#x}", number), kFirstCsr + number, hart.peek_csr(number).value_or(0));
  }
  check("privilege", kFirstCsr + 4096, static_cast<uint64_t>(hart.privilege()));
  return wrong;
}

// Memory as the halted program sees it: the same bytes, and faults where it would fault.
std::string RandomRun::compare_memory_view() {
  const auto& hart = lockstep_->hart();
  const auto& ram = reference_->ram();
  for (unsigned n = 0; n < 4; ++n) {
    uint64_t addr = program_.base + rng_.below(program_.image.size() - 8);
    if (rng_.chance(30)) addr = hart.reg(static_cast<unsigned>(rng_.below(32)));
    addr &= ~uint64_t{7};
    const auto paddr = hart.translate(addr, iss::Access::kLoad);
    const bool readable = paddr && ram.contains(*paddr, 8);
    if (paddr && !readable && iss::pma(*paddr) != iss::Pma::kVacant)
      continue;  // a device, or memory that errs
    uint64_t value = 0;
    const size_t got = debugger_->read_memory(addr, {reinterpret_cast<uint8_t*>(&value), 8});
    uint64_t expected = 0;
    if (readable) std::memcpy(&expected, ram.at(*paddr), 8);
    if ((got == 8) != readable || (readable && value != expected)) {
      return fmt::format("memory at {:#x}: {} bytes, {:#x}; model {}, {:#x}\n", addr, got, value,
                         readable ? "readable" : "not readable", expected);
    }
  }
  return {};
}

std::string RandomRun::step_some() {
  for (unsigned steps = 1 + static_cast<unsigned>(rng_.below(5)); steps > 0; --steps) {
    const uint64_t before = lockstep_->compared();
    lockstep_->debug_mode();
    debugger_->step();
    if (!debugger_->run_until_halted()) return "a step does not end\n";
    if (!failure_.empty() || result_ != 0) return {};
    // An interrupt may be taken on the way; its record is not an instruction.
    const uint64_t records = lockstep_->compared() - before;
    if (records < 1 || records > 2) return fmt::format("{} records in one step\n", records);
    if (debugger_->stop_reason() != GdbTarget::StopReason::kStep) return "a step stops for another reason\n";
  }
  return {};
}

// Lines that differ from the model's must be dirty in the data cache: then the core itself reads them right.
std::string RandomRun::compare_final_memory() {
  auto& core = sim_->memory().ram();
  const auto& model = reference_->ram();
  std::vector<uint64_t> different;
  for (uint64_t addr = core.base(); addr < core.base() + program_.image.size(); addr += 8) {
    if (std::memcmp(core.at(addr), model.at(addr), 8) != 0) different.push_back(addr);
  }
  if (different.empty()) return {};
  lockstep_->debug_mode();
  debugger_->request_halt();
  if (!debugger_->run_until_halted()) return "the core does not halt at the end\n";
  for (unsigned n = 0; n < kWordsChecked; ++n) {
    const uint64_t addr = rng_.pick(different);
    uint64_t value = 0;
    uint64_t expected = 0;
    std::memcpy(&expected, model.at(addr), 8);
    ++mix_.checked_words;
    if (!debugger_->read_physical(addr, {reinterpret_cast<uint8_t*>(&value), 8}) || value != expected) {
      return fmt::format("memory at {:#x} is {:#x} in the end, model {:#x}\n", addr, value, expected);
    }
  }
  return {};
}

}  // namespace swai::mpe
