// SPDX-License-Identifier: Apache-2.0
#include "sim/run/mpe/runner.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace swai::mpe {

namespace {

using common::InputError;

// How often the loop comes up for air: to look for gdb, and for a core that will sleep for ever.
constexpr uint64_t kSlice = 100'000;
constexpr uint64_t kGdbSlice = 2'000;
constexpr int kGdbWaitMs = 100;

MpeSim::Options sim_options(const RunOptions& options, const common::Elf& elf, common::Console& console) {
  return {.boot_addr = elf.entry,
          .nmi_addr = elf.entry,
          .memory = {.ram_bytes = options.ram_mib << 20,
                     .latency = options.latency,
                     .seed = options.seed,
                     .console = [&console](uint8_t byte) { console.put(byte); }}};
}

}  // namespace

Runner::Runner(RunOptions options)
    : options_(std::move(options)),
      elf_(common::load_elf(options_.program)),
      sim_(sim_options(options_, elf_, console_)),
      target_(sim_,
              [this](std::string_view command) -> std::optional<std::string> {
                if (command != "cycles") return "monitor cycles: how far the simulation has come\n";
                return fmt::format("{} cycles, {} instructions\n", sim_.cycles(), sim_.instructions());
              }),
      tohost_(
          elf_,
          {.read = [this](uint64_t addr, std::span<uint8_t> to) { return target_.read_physical(addr, to); },
           .write =
               [this](uint64_t addr, std::span<const uint8_t> from) {
                 for (uint64_t i = 0; reference_memory_ && i < from.size(); ++i) {
                   reference_memory_->write(addr + i, 1, from[i]);
                 }
                 return target_.write_physical(addr, from);
               }},
          console_) {
  load();
  if (tohost_.address()) {
    sim_.watch(*tohost_.address());
  } else if (options_.max_cycles == 0 && !options_.gdb) {
    throw InputError(
        fmt::format("{}: has no symbol `tohost`, so nothing would end it; give --max-cycles", elf_.path));
  }
  if (options_.lockstep) {
    lockstep_ = std::make_unique<Lockstep>(*reference_memory_,
                                           Lockstep::Options{.boot_addr = elf_.entry, .nmi_addr = elf_.entry},
                                           [this](const std::string& report) {
                                             fmt::print(stderr, "{}replay: {}\n", report, options_.replay);
                                             end("FAILED: mismatch with the reference model", false);
                                             sim_.stop();
                                           });
    lockstep_->describe_with([this](uint64_t pc) { return elf_.describe(pc); });
    sim_.add_observer(*lockstep_);
  }
  if (!options_.trace.empty()) {
    trace_ = std::make_unique<Trace>(options_.trace);
    sim_.add_observer(*trace_);
  }
  if (!options_.signature.empty()) check_signature();
  if (options_.stats || !options_.json.empty()) sim_.count_events();
  if (!options_.wave.empty()) sim_.open_wave(options_.wave);
}

void Runner::load() {
  auto& ram = sim_.memory().ram();
  const std::array<common::LoadArea, 1> areas = {{{ram.base(), ram.all()}}};
  common::place(elf_, areas);
  if (!ram.contains(elf_.entry, 2)) {
    throw InputError(
        fmt::format("{}: it starts at {:#x}, outside the memory at {:#x} to {:#x}; link it there", elf_.path,
                    elf_.entry, ram.base(), ram.base() + ram.bytes() - 1));
  }
  if (!options_.lockstep) return;
  reference_memory_ = std::make_unique<ReferenceMemory>(ram.base(), ram.bytes());
  auto& reference = reference_memory_->ram();
  const std::array<common::LoadArea, 1> reference_areas = {{{reference.base(), reference.all()}}};
  common::place(elf_, reference_areas);
}

void Runner::end(std::string verdict, bool passed) {
  if (verdict_) return;
  verdict_ = std::move(verdict);
  passed_ = passed;
}

int Runner::run() {
  if (options_.gdb) wait_for_gdb();
  const auto start = std::chrono::steady_clock::now();
  while (!verdict_) {
    if (gdb_) {
      serve_gdb();
    } else {
      simulate();
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int code = passed_ ? 0 : 1;
  if (gdb_) gdb_->exited(code);
  if (!options_.signature.empty()) write_signature();
  console_.flush();
  report(seconds.count());
  return code;
}

void Runner::wait_for_gdb() {
  target_.request_halt();
  if (!target_.run_until_halted()) throw std::runtime_error("the core does not halt for the debugger");
  gdb_ = std::make_unique<common::GdbServer>(*options_.gdb, target_, [this] { target_.run_until_halted(); });
  fmt::print(stderr, "waiting for gdb-multiarch {} and its command: target remote localhost:{}\n",
             options_.program, gdb_->port());
}

void Runner::serve_gdb() {
  const bool still = target_.halted();
  gdb_->poll(still ? kGdbWaitMs : 0);
  if (gdb_->kill_requested()) {
    end("killed by the debugger", false);
  } else if (!target_.halted()) {
    simulate();
  }
}

void Runner::simulate() {
  uint64_t limit = gdb_ ? kGdbSlice : kSlice;
  if (options_.max_cycles != 0) limit = std::min(limit, options_.max_cycles - sim_.cycles());
  sim_.run(limit);
  if (verdict_) {
    cycles_ = sim_.cycles();
    instructions_ = sim_.instructions();
  } else if (sim_.watch_hit()) {
    serve_tohost();
  } else {
    end_of_time();
  }
}

bool Runner::end_of_time() {
  if (options_.max_cycles != 0 && sim_.cycles() >= options_.max_cycles) {
    end(fmt::format("no end after {} cycles", sim_.cycles()), false);
  } else if (!gdb_ && sim_.asleep() && sim_.memory().clint().never_fires()) {
    end("the core waits for an interrupt and none can come", false);
  } else if (!gdb_ && sim_.stuck_in_trap()) {
    end(fmt::format("the trap handler at {:#x} cannot be executed", sim_.top().rvfi_pc), false);
  }
  if (!verdict_) return false;
  cycles_ = sim_.cycles();
  instructions_ = sim_.instructions();
  return true;
}

// The word may be in the store buffer or the data cache: the halted core itself is asked for it.
void Runner::serve_tohost() {
  cycles_ = sim_.cycles();
  instructions_ = sim_.instructions();
  if (lockstep_) lockstep_->debug_mode();
  target_.request_halt();
  if (!target_.run_until_halted()) throw std::runtime_error("the core does not halt");
  const auto result = tohost_.poll();
  if (result) end(common::describe_result(*result), *result == 0);
  // If the debugger's own request, a breakpoint or a step came first, it is the debugger who goes on.
  const bool ours = target_.stop_reason() == common::GdbTarget::StopReason::kHaltRequest;
  if (verdict_ || !ours) return;
  if (lockstep_) lockstep_->debug_mode();
  target_.resume();
}

// Said before the program runs, not after.
void Runner::check_signature() const {
  if (!elf_.symbol("begin_signature") || !elf_.symbol("end_signature")) {
    throw InputError(fmt::format(
        "{}: no signature to write: it lacks the symbols begin_signature and end_signature", elf_.path));
  }
  std::FILE* file = std::fopen(options_.signature.c_str(), "w");
  if (file == nullptr) {
    throw InputError(
        fmt::format("{}: cannot write the signature: {}", options_.signature, std::strerror(errno)));
  }
  std::fclose(file);
}

void Runner::write_signature() {
  if (!target_.halted()) {
    target_.request_halt();
    if (!target_.run_until_halted()) throw std::runtime_error("the core does not halt");
  }
  const auto begin = elf_.symbol("begin_signature").value_or(0);
  const auto end = elf_.symbol("end_signature").value_or(0);
  std::vector<uint8_t> bytes(sim_.memory().ram().contains(begin, end - begin) ? end - begin : 0);
  const bool readable = target_.read_physical(begin, bytes);
  common::write_signature(elf_,
                          {.read =
                               [&](uint64_t addr, std::span<uint8_t> to) {
                                 if (!readable || addr - begin + to.size() > bytes.size()) return false;
                                 std::memcpy(to.data(), &bytes[addr - begin], to.size());
                                 return true;
                               },
                           .write = {}},
                          options_.signature, options_.granularity);
}

void Runner::report(double seconds) {
  const double ipc = cycles_ == 0 ? 0 : static_cast<double>(instructions_) / static_cast<double>(cycles_);
  const double khz = seconds > 0 ? static_cast<double>(cycles_) / seconds / 1000 : 0;
  if (!passed_ || options_.stats) fmt::print(stderr, "{}: {}\n", options_.program, *verdict_);
  if (options_.stats) {
    fmt::print(stderr, "{:<14}{:>14}\n{:<14}{:>14}\n{:<14}{:>14.3f}\n", "cycles", cycles_, "instructions",
               instructions_, "ipc", ipc);
    for (unsigned event = 0; event < kEvents; ++event) {
      if (*kEventNames[event] != 0)
        fmt::print(stderr, "{:<14}{:>14}\n", kEventNames[event], sim_.events()[event]);
    }
    if (lockstep_) fmt::print(stderr, "{:<14}{:>14}\n", "compared", lockstep_->compared());
    fmt::print(stderr, "{:<14}{:>14.0f}\n", "kHz", khz);
  }
  if (options_.json.empty()) return;
  nlohmann::ordered_json json = {{"version", 1},
                                 {"program", options_.program},
                                 {"verdict", *verdict_},
                                 {"passed", passed_},
                                 {"cycles", cycles_},
                                 {"instructions", instructions_},
                                 {"ipc", ipc},
                                 {"events", nlohmann::json::object()},
                                 {"khz", khz}};
  for (unsigned event = 0; event < kEvents; ++event) {
    if (*kEventNames[event] != 0) json["events"][kEventNames[event]] = sim_.events()[event];
  }
  const std::string text = json.dump(2) + "\n";
  const bool to_stdout = options_.json == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(options_.json.c_str(), "w");
  if (file == nullptr)
    throw InputError(fmt::format("{}: cannot write: {}", options_.json, std::strerror(errno)));
  std::fputs(text.c_str(), file);
  if (!to_stdout) std::fclose(file);
}

}  // namespace swai::mpe
