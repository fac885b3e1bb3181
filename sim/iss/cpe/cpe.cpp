// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/cpe.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "abi/wait.hpp"
#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/text.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {

namespace {

// An instruction cannot be executed in company. Nothing of it has happened.
struct Alone {};
// It wants to know the time, which the end of the round will tell. Nothing of it has happened.
struct NextRound {};

// Of a command that waits at a barrier.
Sync::Scope scope_of(const Command& command) {
  return static_cast<Sync::Scope>(std::countr_zero(command.rs1));
}

uint32_t line_number(uint64_t offset) { return static_cast<uint32_t>(offset / kLineBytes); }

}  // namespace

Cpe::Cpe(const Surroundings& around, std::span<uint8_t> ldm, unsigned number, unsigned columns,
         const Hart::Identity& identity)
    : ldm_(ldm),
      number_(number),
      row_number_(number / columns),
      column_number_(number % columns),
      port_(around.port),
      memory_(around.port),
      sync_(around.sync),
      row_(around.row),
      column_(around.column),
      dma_(memory_, ldm),
      systolic_(ldm),
      vector_(ldm),
      hart_(around.code, *this, ldm, identity),
      clock_({around.hbm, row_, column_, column_number_, row_number_}) {}

void Cpe::reset(uint32_t pc) {
  hart_.reset(pc);
  dma_.reset();
  systolic_.reset();
  vector_.reset();
  stop_engines();
  if (check_) check_->forget();
  clock_.reset();
  stopped_ = {};
  before_ = work();
  running_ = false;
  waiting_ = false;
  failed_launch_ = false;
}

// Of the unit that went wrong; cause none: none did.
const Fault& Cpe::unit_fault() const {
  if (systolic_.fault().cause != Cause::kNone) return systolic_.fault();
  return vector_.fault().cause != Cause::kNone ? vector_.fault() : dma_.fault();
}

const Fault& Cpe::fault() const {
  if (hart_.fault().cause != Cause::kNone) return hart_.fault();
  return unit_fault().cause != Cause::kNone ? unit_fault() : stopped_;
}

void Cpe::stop(Cause cause) {
  if (!stopped()) {
    stopped_ = {.cause = cause, .pc = hart_.pc()};
    failed_launch_ = true;
  }
  stop_engines();
}

void Cpe::stop_engines() {
  row_.reset(column_number_);
  column_.reset(row_number_);
  sync_.reset(number_);
}

uint64_t Cpe::launch_instructions() const {
  return running_ ? hart_.instructions() - first_instruction_ : launch_instructions_;
}

uint64_t Cpe::run(uint64_t limit, Company company, const Observer& observer) {
  if (stopped()) return 0;
  const uint64_t first = hart_.instructions();
  waiting_ = false;
  company_ = company;
  wants_to_be_alone_ = false;
  window_cycles_ = 0;
  try {
    execute(limit, observer);
  } catch (const Alone&) {
    wants_to_be_alone_ = true;
  } catch (const NextRound&) {
  }
  return hart_.instructions() - first;
}

bool Cpe::still_waits() const {
  const Command& command = hart_.waits_for();
  if (!waiting_ || command.unit != unit::kControl) return false;
  if (command.op == control_op::kLaunch) return !pending_;
  return command.op == control_op::kSync && sync_.has_arrived(number_, scope_of(command));
}

void Cpe::execute(uint64_t limit, const Observer& observer) {
  const uint64_t first = hart_.instructions();
  const auto count = [&] { return hart_.instructions() - first + window_cycles_; };
  while (count() < limit && !memory_.is_full()) {
    const bool check = check_ && !check_->idle();
    const Hart::Status status = check      ? checked_step(observer)
                                : observer ? observed_step(observer)
                                           : hart_.run(limit - count());
    if (status == Hart::Status::kRetired && unit_fault().cause == Cause::kNone) continue;
    waiting_ = status == Hart::Status::kWaiting;
    if (stopped()) {
      failed_launch_ = running_;
      launch_instructions_ = launch_instructions();
      running_ = false;
      stop_engines();
    }
    break;
  }
}

void Cpe::read_memory_only(uint16_t segment) {
  if (company_ == Company::kOthers && !memory_.is_memory(segment)) throw Alone{};
}

Hart::Status Cpe::observed_step(const Observer& observer) {
  Retirement record;
  const Hart::Status status = hart_.step(record);
  if (status == Hart::Status::kRetired) observer(number_, record);
  return status;
}

Hart::Status Cpe::checked_step(const Observer& observer) {
  const uint32_t pc = hart_.pc();
  const Hart::MemoryAccess access = hart_.next_access();
  const Hart::Status status = observer ? observed_step(observer) : hart_.run(1);
  if (status == Hart::Status::kRetired && access.bytes != 0) check_->accessed(pc, access);
  return status;
}

Environment::WindowResult Cpe::window(const WindowAccess& access) {
  uint16_t number = 0;
  uint64_t offset = access.address & 0xfff'ffff;
  switch (access.address >> 28) {
    case space::kDaemon:
      number = port_.daemon_segment();
      break;
    case space::kKernel:
      number = port_.code_segment();
      break;
    case space::kArguments:
      number = port_.argument_segment();
      break;
    default:
      number = segment::number(access.pointer);
      offset = (offset + access.pointer) & segment::kOffsetMask;
      break;
  }
  if (!access.write) read_memory_only(number);
  if (!access.write && check_)
    look_at_line({.is_core = true, .pc = hart_.pc()}, number, offset, access.bytes);
  // A pointer may have any alignment. Of an access that lies in two lines the upper part goes first; beyond
  // the last line there is none.
  WindowResult result{.segment = number, .offset = offset};
  uint8_t data[sizeof access.data];
  std::memcpy(data, &access.data, sizeof data);
  const std::span<uint8_t> bytes(data, access.bytes);
  const uint64_t in_line = kLineBytes - offset % kLineBytes;
  const uint64_t next_line = offset + in_line;
  if (access.bytes <= in_line || next_line > segment::kOffsetMask) {
    result.cause = this->access(access, number, offset, bytes);
  } else {
    result.cause = this->access(access, number, next_line, bytes.subspan(in_line));
    if (result.cause == Cause::kNone)
      result.cause = this->access(access, number, offset, bytes.first(in_line));
  }
  std::memcpy(&result.data, data, access.bytes);
  window_cycles_ += costs::kRead;
  if (result.cause == Cause::kNone) {
    clock_.accessed(hart_.cycles(), {.lines = access.bytes <= in_line ? 1u : 2u,
                                     .first = line_number(offset) + number,
                                     .write = access.write,
                                     .hops = memory_.hops(number)});
  }
  return result;
}

Cause Cpe::access(const WindowAccess& access, uint16_t number, uint64_t offset, std::span<uint8_t> bytes) {
  return access.write ? memory_.write(number, offset, bytes) : memory_.read(number, offset, bytes);
}

Environment::Answer Cpe::issue(const Command& command) {
  const uint64_t lines = dma_.lines();
  Answer answer = check_ ? checked_issue(command) : pass_on(command);
  if (answer.kind == Answer::kDone) note(command, answer.data, lines);
  answer.ends_run = check_ || memory_.is_full() || unit_fault().cause != Cause::kNone;
  return answer;
}

bool Cpe::set(uint8_t unit, uint8_t op, uint32_t rs1, uint32_t rs2) {
  if (check_) return false;
  switch (unit) {
    case unit::kSystolic:
      return systolic_.set(op, rs1, rs2);
    case unit::kVector:
      return vector_.set(op, rs1, rs2);
    default:
      dma_.set(op, rs1, rs2);
      return true;
  }
}

// For the clock.
void Cpe::note(const Command& command, uint32_t answer, uint64_t lines_before) {
  if (unit_fault().cause != Cause::kNone) return;  // it comes to no end
  const uint64_t core = hart_.cycles();
  switch (command.unit) {
    case unit::kControl:
      if (command.op == control_op::kDone) clock_.ends_launch(core);
      break;
    case unit::kDma:
      if (command.op == dma_op::kLoad || command.op == dma_op::kStore) {
        clock_.began(core, answer,
                     {.lines = static_cast<uint32_t>(dma_.lines() - lines_before),
                      .write = command.op == dma_op::kStore,
                      .hops = memory_.hops(segment::number(dma_.global()))});
      } else if (command.op == dma_op::kWait || (command.op == dma_op::kPoll && answer != 0)) {
        clock_.waited(core, Clock::kDma, command.rs1);
      }
      break;
    case unit::kRow:
    case unit::kColumn: {
      const bool row = command.unit == unit::kRow;
      const bool sends = command.op == channel_op::kSend || command.op == channel_op::kWaitSend;
      const Clock::Line line = sends ? row ? Clock::kRowSends : Clock::kColumnSends
                               : row ? Clock::kRowReceives
                                     : Clock::kColumnReceives;
      const bool begins = command.op == channel_op::kSend || command.op == channel_op::kReceive;
      begins ? clock_.began(core, line, answer) : clock_.waited(core, line, command.rs1);
      break;
    }
    case unit::kSystolic:
      if (command.op == systolic_op::kRun) {
        clock_.began(core, answer, systolic_.takes(command.rs1));
      } else if (command.op == systolic_op::kWait || (command.op == systolic_op::kPoll && answer != 0)) {
        clock_.waited(core, Clock::kSystolic, command.rs1);
      }
      break;
    case unit::kVector:
      if (command.op == vector_op::kRun) {
        clock_.began(core, answer, vector_.takes(command.rs1));
      } else if (command.op == vector_op::kWait || (command.op == vector_op::kPoll && answer != 0)) {
        clock_.waited(core, Clock::kVector, command.rs1);
      }
      break;
    default:
      break;
  }
}

uint32_t Cpe::counter(unsigned number, bool high) {
  if (clock_.has_notes()) throw NextRound{};
  return static_cast<uint32_t>(count(number) >> (high ? 32 : 0));
}

Environment::Answer Cpe::checked_issue(const Command& command) {
  // With the settings, and the local memory, that it finds.
  Footprint uses = footprint(command);
  const bool loads = command.unit == unit::kDma && command.op == dma_op::kLoad;
  const auto rows = loads ? dma_.rows_of(command) : decltype(dma_.rows_of(command)){};
  const Answer answer = pass_on(command);
  if (answer.kind != Answer::kDone) return answer;
  for (const auto& [offset, bytes] : rows) {
    look_at_line({.unit = command.unit, .op = command.op, .ticket = answer.data, .pc = command.pc},
                 segment::number(dma_.global()), offset, bytes);
  }
  check_->taken(command, answer.data, std::move(uses));
  return answer;
}

// What may be in a cache of the management processor.
void Cpe::look_at_line(const Finding::Party& reader, uint16_t segment, uint64_t offset, uint64_t bytes) {
  uint64_t address = 0;
  if (port_.translate(segment, offset, bytes, Access::kRead, address) != Cause::kNone) return;
  if (const auto line = port_.memory().dirty(address, bytes)) check_->read(reader, *line);
}

// Of a command that begins something.
Footprint Cpe::footprint(const Command& command) const {
  switch (command.unit) {
    case unit::kDma:
      if (command.op == dma_op::kLoad || command.op == dma_op::kStore) return dma_.footprint(command);
      return {};
    case unit::kRow:
    case unit::kColumn:
      if (command.op == channel_op::kSend || command.op == channel_op::kReceive) {
        return Channel::footprint(command);
      }
      return {};
    case unit::kSystolic:
      return command.op == systolic_op::kRun ? systolic_.footprint(command.rs1) : Footprint{};
    case unit::kVector:
      return command.op == vector_op::kRun ? vector_.footprint(command.rs1) : Footprint{};
    default:
      return {};
  }
}

Environment::Answer Cpe::pass_on(const Command& command) {
  switch (command.unit) {
    case unit::kControl:
      return control(command);
    case unit::kDma:
      if (command.op == dma_op::kLoad) read_memory_only(segment::number(dma_.global()));
      return dma_.issue(command);
    case unit::kRow:
      return row_.issue(column_number_, command);
    case unit::kColumn:
      return column_.issue(row_number_, command);
    case unit::kSystolic:
      return systolic_.issue(command.op, command.rs1, command.rs2, command.pc);
    case unit::kVector:
      return vector_.issue(command.op, command.rs1, command.rs2, command.pc);
    default:
      return {.kind = Answer::kBad};
  }
}

Environment::Answer Cpe::control(const Command& command) {
  // A launch is asked for outside of launches only, all else inside only.
  if (running_ == (command.op == control_op::kLaunch)) return {.kind = Answer::kBad};
  // Whoever ends one or takes one goes on with the rights of the next.
  const bool of_daemon = command.pc >> 28 == space::kDaemon;
  if (!of_daemon && (command.op == control_op::kLaunch || command.op == control_op::kDone))
    return {.kind = Answer::kBad};
  switch (command.op) {
    case control_op::kLaunch:
      if (!pending_) return {.kind = Answer::kWait};
      launch_ = *pending_;
      pending_.reset();
      running_ = true;
      ++taken_;
      first_instruction_ = hart_.instructions();
      hart_.set_launch(launch_.mask, launch_.argument_segment);
      return {.data = launch_.pc};
    case control_op::kArgument:
      return {.data = launch_.argument};
    case control_op::kDone:
      if (busy()) return {.kind = Answer::kWait};
      dma_.end_launch();
      launch_instructions_ = launch_instructions();
      running_ = false;
      return {};
    case control_op::kSync: {
      if (command.rs1 != 1 && command.rs1 != 2 && command.rs1 != 4) return {.kind = Answer::kBad};
      return {.kind = sync_.wait(number_, scope_of(command)) ? Answer::kDone : Answer::kWait};
    }
    default:
      return {.kind = Answer::kBad};
  }
}

bool Cpe::asleep() const {
  if (stopped()) return true;
  const Command& command = hart_.waits_for();
  return waiting_ && !busy() && command.unit == unit::kControl && command.op != control_op::kDone;
}

Cpe::Work Cpe::work() const {
  return {
      .lines = dma_.lines(),
      .row = (row_.bytes_sent(column_number_) + row_.bytes_received(column_number_)) / Channel::kBeatBytes,
      .column = (column_.bytes_sent(row_number_) + column_.bytes_received(row_number_)) / Channel::kBeatBytes,
      .systolic = systolic_.rows(),
      .vector = vector_.groups()};
}

uint64_t Cpe::count(unsigned number) const {
  const Work now = work();
  switch (number) {
    case 0:
      return clock_.cycles(hart_.cycles());
    case 1:
      return hart_.instructions();
    case 2:
      return hart_.cycles() - hart_.instructions() + clock_.waited_for(Clock::kForCode);
    case 4:
      return clock_.waited_for(Clock::kForWindow);
    case 6:
      return clock_.waited_for(Clock::kForDma);
    case 7:
      return clock_.waited_for(Clock::kForRow);
    case 8:
      return clock_.waited_for(Clock::kForColumn);
    case 9:
      return clock_.waited_for(Clock::kForUnits);
    case 12:
      return now.lines - before_.lines;
    case 13:
      return now.row - before_.row;
    case 14:
      return now.column - before_.column;
    case 16:
      return now.systolic - before_.systolic;
    case 20:
      return now.vector - before_.vector;
    default:
      return 0;
  }
}

uint32_t Cpe::status(bool is_there) const {
  namespace word = cpe_status;
  uint64_t status = word::kAsleep.put(asleep()) | word::kHalted.put(stopped()) | word::kFault.put(stopped()) |
                    word::kIdle.put(!running_) | word::kBusy.put(busy());
  if (!is_there || !waiting_ || stopped()) return static_cast<uint32_t>(status);
  // Transfers of the DMA engine and runs have ended when their commands have: only channels are under way.
  const Command& command = hart_.waits_for();
  status |= word::kWaits.put(1) | word::kUnit.put(command.unit) | word::kOp.put(command.op);
  const bool syncs = command.unit == unit::kControl && command.op == control_op::kSync;
  return static_cast<uint32_t>(status | word::kSync.put(syncs ? command.rs1 : 0));
}

std::string Cpe::describe() const {
  if (stopped()) return "stopped: " + text(fault());
  if (waiting_) return fmt::format("waits at {:#010x} {}", hart_.pc(), describe_wait());
  return fmt::format("runs at {:#010x}", hart_.pc());
}

std::string Cpe::describe_wait() const {
  const Command& command = hart_.waits_for();
  const auto run = [&](const char* what, uint32_t begun) {
    return fmt::format("for {} {}, but has begun only {}", what, command.rs1, begun);
  };
  if (command.unit == unit::kDma) return run("DMA transfer", dma_.begun());
  if (command.unit == unit::kSystolic) return run("run of the systolic unit", systolic_.begun());
  if (command.unit == unit::kVector) return run("run of the vector unit", vector_.begun());
  if (command.unit == unit::kControl && command.op == control_op::kLaunch) {
    return "for a launch";
  }
  if (command.unit == unit::kControl && command.op == control_op::kSync) {
    const Sync::Scope scope = scope_of(command);
    return fmt::format("to synchronise with {}; missing: {}", launch::kScopes[scope],
                       list(sync_.missing(number_, scope)));
  }
  const std::string row = row_.describe(column_number_);
  const std::string column = column_.describe(row_number_);
  if (command.unit == unit::kControl) {
    return fmt::format("to end, {}{}{}", row.empty() ? "" : "row channel: " + row,
                       row.empty() || column.empty() ? "" : "; ",
                       column.empty() ? "" : "column channel: " + column);
  }
  const bool is_row = command.unit == unit::kRow;
  const std::string& state = is_row ? row : column;
  return fmt::format(
      "on its {} channel, {}", is_row ? "row" : "column",
      state.empty() ? fmt::format("for transfer {}, which has not begun", command.rs1) : state);
}

}  // namespace swai::iss::cpe
