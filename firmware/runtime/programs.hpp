// SPDX-License-Identifier: Apache-2.0
// Model programs (abi/program.hpp): they run when nothing else is to be done, and fill a queue of their
// client's in the host's place. All that a program gives goes into the slots of that queue, and is checked
// there as what the host writes. Nothing of a program's memory is read here: its calls have their arguments
// in registers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "abi/program.hpp"
#include "card_regs.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/cleaner.hpp"
#include "firmware/runtime/machine.hpp"
#include "firmware/runtime/queues.hpp"

namespace swai::runtime {

template <Machine M>
class Programs {
 public:
  Programs(M& machine, memory::Memory<M>& memory) : machine_(machine), memory_(memory) {}

  [[gnu::cold, gnu::noinline]] void init(Queues<M>& queues, const Cleaner<M>& cleaner, uint64_t answers) {
    queues_ = &queues;
    cleaner_ = &cleaner;
    answers_ = {answers};
    programs_ = {};
    living_ = 0;
    feeds_ = alone_ = false;
    next_ = 0;
    fed_ = machine_.time();
  }

  // --- Requests. The queue is the client's.

  struct Place {
    uint64_t memory = 0;  // device pointer
    uint64_t pc = 0;
    uint64_t argument = 0;
  };
  [[gnu::cold, gnu::noinline]] Status start(const Client& client, unsigned queue, const Place& place) {
    if (find(queue) != nullptr || !queues_->is_fresh(queue)) return Status::kBadOperation;
    const unsigned number = free_number(client);
    if (number == program::kPrograms) return Status::kNoProgram;
    const memory::Range range = find_memory(place.memory, client.context);
    if (range.bytes == 0 || range.pointer != place.memory) return Status::kBadPointer;
    const unsigned pages = pages_of(range);
    if (pages < 2 || pages > program::kMostPages) return Status::kBadRange;
    machine_.begin_program(number);
    machine_.show(number, range.physical, 1, true);
    machine_.show(number, range.physical + program::kPageBytes, pages - 1, false);
    Program& program = programs_[number];
    program = {};
    program.lives = true;
    if (living_++ == 0) fed_ = machine_.time();
    program.number = static_cast<uint8_t>(number);
    program.queue = static_cast<uint8_t>(queue);
    program.context = client.context;
    program.given = queues_->next_sequence(queue);
    program.pc = place.pc;
    program.registers[kA0] = place.argument;
    queues_->expect_launch(queue);
    return Status::kOk;
  }
  [[gnu::cold, gnu::noinline]] Status tell(unsigned queue, uint64_t number, uint64_t word) {
    Program* program = find(queue);
    if (program == nullptr || number >= program::kWords) return Status::kBadOperation;
    program->notes.words[number] = word;
    ++program->notes.told;
    return Status::kOk;
  }
  // Nobody has that queue any more.
  [[gnu::cold, gnu::noinline]] void drop(unsigned queue) {
    if (Program* program = find(queue)) forget(*program);
  }
  [[gnu::cold, gnu::noinline]] void drop_all(uint8_t context) {
    for (Program& program : programs_) {
      if (program.lives && program.context == context) forget(program);
    }
  }

  // --- Work

  // Cycles without an alarm after a program that is alone resumes: an alarm takes longer than most programs
  // need until they sleep again.
  static constexpr uint64_t kUndisturbed = 10'000;

  bool any() const { return std::ranges::any_of(programs_, &Program::lives); }
  // One that can go on; program::kPrograms: none.
  [[gnu::cold, gnu::noinline]] unsigned next() {
    for (unsigned i = 0; i < program::kPrograms; ++i) {
      const unsigned number = (next_ + i) % program::kPrograms;
      Program& program = programs_[number];
      if (program.lives && (can_go_on(program) || can_wait_anew(program))) return number;
    }
    fed_ = machine_.time();
    return program::kPrograms;
  }
  // Until somebody wants the processor, or something is to be done for it. True: that.
  [[gnu::cold, gnu::noinline]] bool run(unsigned number) {
    const uint64_t begin = machine_.time();
    const bool acted = resume(programs_[number]);
    if (machine_.time() - begin >= kQuantum) end_turn(number);
    return acted;
  }
  // A call of the program that runs, but for a command; `function`: a7. True: the answer is in a0 and a1 of
  // its state, and it goes on; false: others have something to do before.
  [[gnu::always_inline]] bool answer(ProgramState& state, uint64_t function, uint64_t first,
                                     uint64_t second) {
    auto& program = static_cast<Program&>(state);
    program.registers[kA1] = 0;
    switch (static_cast<program::Call>(function & 0xff)) {
      case program::Call::kExit:
        return exit(program, first);
      case program::Call::kWait:
        return wait(program, static_cast<uint32_t>(first), second);
      case program::Call::kShow:
        return show(program, first);
      case program::Call::kAnswers:
        return give_answers(program);
      default:
        return give(program, Status::kBadOperation);
    }
  }
  // The same for a command.
  [[gnu::cold, gnu::noinline]] bool submit(ProgramState& state, uint64_t function,
                                           const CallArguments& words) {
    auto& program = static_cast<Program&>(state);
    constexpr uint64_t kOneSlot = 1 << 8;
    const auto kind = static_cast<uint32_t>((function & 0xffff'0000) | kOneSlot | (function >> 8 & 0xff));
    program.ready.function = program.ready.next = ReadyLaunch::kNone;
    // Ends that are taken here may be others', who wait for no call that is refused.
    const bool quiet = !(alone_ && take_ends()) || queues_->is_quiet(program.queue, program.given);
    const bool alone = quiet && machine_.read(regs::inbox::work::kAddr) == 0;
    const protocol::QueueStatus& line = queues_->line(program.queue);
    program.registers[kA1] = 0;
    if (line.status != Status::kOk) return give(program, line.status) && quiet;
    if (program.given - line.completed > protocol::kSlots) return give(program, Status::kAgain) && quiet;
    const auto header = std::bit_cast<command::Header>(program.given | uint64_t{kind} << 32);
    given(program);
    if (!queues_->put(program.queue, header, words, alone)) return false;
    // Something of it waits for an end now, or somebody wants to hear of one.
    const bool is_loud = (header.flags & command::kQuiet) == 0;
    if (heard_ != kAll && (is_loud || !queues_->is_alone(program.queue))) hear(heard_ = kAll);
    return true;
  }
  // Its launch that was ready has begun. The ticket.
  [[gnu::always_inline]] uint32_t launched(ProgramState& state) {
    auto& program = static_cast<Program&>(state);
    queues_->note_begin(program.queue, program.ready);
    return program.given++;
  }
  // Others keep the processor so busy that nobody here has had a turn for long.
  bool starve() const { return machine_.time() - fed_ > kPatience; }
  // Those others wait for once. True: something has been done.
  [[gnu::cold, gnu::noinline]] bool feed() {
    const unsigned number = next();
    if (number == program::kPrograms) return false;
    Program& program = programs_[number];
    const uint64_t end = machine_.time() + kQuantum;
    bool acted = false;
    const uint64_t alarm = machine_.begin_quantum(end);
    feeds_ = true;
    while (machine_.time() < end && program.lives && can_go_on(program) && resume(program)) acted = true;
    feeds_ = false;
    machine_.end_quantum(alarm);
    end_turn(number);
    return acted;
  }

 private:
  // In lines of its own, and the first program's none of those with which a page begins, as Tables lie:
  // everybody has something there, and handing 4 KiB over took 80 cycles more.
  struct alignas(64) Program : ProgramState {
    bool lives = false;
    bool waits = false;
    uint8_t queue = 0;
    uint8_t context = 0;
    uint8_t number = 0;
    uint32_t given = 0;   // ticket of its next command
    uint32_t wanted = 0;  // waits: for this ticket, or for more to be told than that
    uint64_t told = 0;
    program::Notes notes = {};
  };
  // The page beside the processor where cores answer.
  static constexpr unsigned kNobody = program::kPrograms;
  struct Answers {
    uint64_t physical = 0;
    unsigned holder = kNobody;                   // the program that has it
    uint8_t context = protocol::kKernelContext;  // whose cores could write there last
  };
  static constexpr unsigned kA0 = 10, kA1 = 11;
  static constexpr uint64_t kInterrupt = uint64_t{1} << 63;
  static constexpr uint64_t kCalled = 8;  // of scause
  static constexpr uint64_t kAll = ~uint64_t{0};
  static constexpr uint64_t kNever = ~uint64_t{0};
  // A turn has so many cycles; who was interrupted before goes on first. Such a turn is given to a program
  // beside those who never pause, that often.
  static constexpr uint64_t kQuantum = 1000, kPatience = 10'000;

  // Until others have something to do before it goes on; false: until somebody wanted the processor.
  [[gnu::cold, gnu::noinline]] bool resume(Program& program) {
    renew_notes(program);
    machine_.tell(program.number, program.notes);
    alone_ = is_alone();
    queues_->make_ready(program.queue, program.given, program.ready);
    heard_ = alone_ && queues_->is_alone(program.queue) ? ~regs::inbox::work::kGroups.mask() : kAll;
    hear(heard_);
    hold_alarm();
    machine_.run_program(program.number, program);
    release_alarm();
    hear(kAll);
    if ((program.cause & kInterrupt) != 0) return false;
    if (program.cause != kCalled) fail(program);
    return true;
  }
  void renew_notes(Program& program) {
    const protocol::QueueStatus& line = queues_->line(program.queue);
    program.notes.completed = line.completed;
    program.notes.status = line.status;
    program.notes.value = line.value;
  }
  // Bits of the inbox that interrupt the program. Ends of launches do not if they are its own: it waits for
  // them, or does not want to know.
  void hear(uint64_t bits) { machine_.write(regs::inbox::enable::kAddr, bits); }
  // Ends of launches that nobody has taken. False: there is something else, or nothing.
  bool take_ends() {
    namespace work = regs::inbox::work;
    const uint64_t bits = machine_.read(work::kAddr);
    if (bits == 0 || (bits & ~work::kGroups.mask()) != 0) return false;
    machine_.write(work::kAddr, bits);
    queues_->launches_ended(static_cast<uint32_t>(work::kGroups.get(bits)));
    return true;
  }
  // A launch's end is waited for here, as long as nothing else is to be done: the way through the service
  // loop, which tells the host of each end, takes longer than a short launch. The host hears of it with the
  // next poll(), at the latest at the next alarm. True: the program goes on.
  [[gnu::cold, gnu::noinline]] bool wait(Program& program, uint32_t ticket, uint64_t told) {
    program.wanted = ticket;
    program.told = told;
    program.waits = true;
    if (alone_) take_ends();
    while (alone_ && queues_->is_quiet(program.queue, program.given)) {
      if (can_go_on(program)) {
        renew_notes(program);
        machine_.tell_end(program.number, program.notes);
        if (program.ready.next == ReadyLaunch::kNone || !queues_->is_fresh(program.queue)) {
          queues_->make_ready(program.queue, program.given, program.ready);
        } else {
          program.ready.function = program.ready.next;
        }
        return true;
      }
      hear(kAll);
      release_alarm();
      machine_.sleep();
      hold_alarm();
      hear(heard_);
      if (!take_ends()) break;
    }
    return false;
  }
  // Delays an alarm that is due soon until the program sleeps, its turn is over, or kUndisturbed cycles have
  // passed.
  [[gnu::cold, gnu::noinline]] void hold_alarm() {
    const uint64_t due = machine_.alarm();
    const uint64_t now = machine_.time();
    // An overdue alarm is already under way.
    if (!alone_ || due - now >= kUndisturbed) return;
    held_ = due;
    machine_.set_alarm(now + kUndisturbed);
  }
  [[gnu::cold, gnu::noinline]] void release_alarm() {
    if (held_ != kNever) machine_.set_alarm(std::exchange(held_, kNever));
  }
  void end_turn(unsigned number) {
    next_ = (number + 1) % program::kPrograms;
    fed_ = machine_.time();
  }

  Program* find(unsigned queue) {
    const auto found = std::ranges::find_if(
        programs_, [&](const Program& program) { return program.lives && program.queue == queue; });
    return found == programs_.end() ? nullptr : &*found;
  }
  // A client that shares the card has one program, so that the others find a place.
  unsigned free_number(const Client& client) const {
    const auto is_its = [&](const Program& one) { return one.lives && one.context == client.context; };
    if (client.shared && std::ranges::any_of(programs_, is_its)) return program::kPrograms;
    const auto free = std::ranges::find(programs_, false, &Program::lives);
    return static_cast<unsigned>(free - programs_.begin());
  }
  // Memory that the processor reaches, of this client alone; bytes 0: none.
  memory::Range find_memory(uint64_t pointer, uint8_t context) const {
    const memory::Range range = memory_.find(pointer, context);
    if (range.context != context || range.usage == memory::Usage::kCpe) return {};
    return range;
  }
  static unsigned pages_of(const memory::Range& range) {
    return static_cast<unsigned>((range.bytes + program::kPageBytes - 1) / program::kPageBytes);
  }
  bool is_complete(const Program& program, uint32_t ticket) const {
    return static_cast<int32_t>(queues_->line(program.queue).completed - ticket) >= 0;
  }
  // Leaves the answer of a call that it waits for.
  bool can_go_on(Program& program) {
    if (!program.waits) return true;
    const protocol::QueueStatus& line = queues_->line(program.queue);
    Status answer = Status::kAgain;
    if (is_complete(program, program.wanted)) {
      const bool good = line.status == Status::kOk || static_cast<int32_t>(line.failed - program.wanted) > 0;
      answer = good ? Status::kOk : line.status;
    } else if (program.notes.told == program.told) {
      return false;
    }
    program.waits = false;
    give(program, answer);
    return true;
  }
  // It may wait in its call, which an interrupt has led out of: the end is taken soonest there.
  bool can_wait_anew(Program& program) {
    if (!program.waits || !is_alone() || !queues_->awaits_launch(program.queue)) return false;
    if (!queues_->is_quiet(program.queue, program.given)) return false;
    program.waits = false;
    give(program, Status::kAgain);
    return true;
  }
  // Nothing else needs turns of the service loop.
  bool is_alone() const { return living_ == 1 && !feeds_ && !cleaner_->wanted() && !queues_->needs_turns(); }
  static bool give(Program& program, Status status) {
    program.registers[kA0] = static_cast<uint64_t>(status);
    return true;
  }

  void fail(Program& program) {
    machine_.note(journal::Fault::kProgram, {program.cause, program.context, program.pc, program.value,
                                             journal::command(program.queue, program.given)});
    queues_->program_failed(program.queue, program.cause, program.pc, program.value);
    forget(program);
  }
  static bool given(Program& program) {
    program.registers[kA1] = program.given++;
    return give(program, Status::kOk);
  }
  [[gnu::cold, gnu::noinline]] bool show(Program& program, uint64_t pointer) {
    const memory::Range range = find_memory(pointer, program.context);
    if (range.bytes == 0) return give(program, Status::kBadPointer);
    const uint64_t address = machine_.show(program.number, range.physical, pages_of(range), false);
    if (address == 0) return give(program, Status::kNoMemory);
    program.registers[kA1] = address + (segment::offset(pointer) - segment::offset(range.pointer));
    return give(program, Status::kOk);
  }
  // What cores of the former owner have under way may still write there; those of the same client may anyway.
  // Who is given it finds zeros.
  [[gnu::cold, gnu::noinline]] bool give_answers(Program& program) {
    if (answers_.holder == program.number) return give(program, Status::kOk);
    const bool in_use = answers_.context != program.context && !queues_->is_quiet_for(answers_.context);
    if (answers_.holder != kNobody || in_use) return give(program, Status::kNoMemory);
    constexpr std::array<uint64_t, 8> kZeros = {};
    for (uint64_t at = 0; at < program::kAnswerBytes; at += sizeof kZeros)
      machine_.put(answers_.physical + at, &kZeros, sizeof kZeros);
    answers_.holder = program.number;
    answers_.context = program.context;
    queues_->set_own_segment(
        program::kAnswerSegment,
        segment::encode({answers_.physical, program::kAnswerBytes, segment::kWrite, program.context}));
    machine_.show_answers(program.number, answers_.physical);
    return give(program, Status::kOk);
  }
  [[gnu::cold, gnu::noinline]] void take_answers(const Program& program) {
    if (answers_.holder != program.number) return;
    answers_.holder = kNobody;
    queues_->set_own_segment(program::kAnswerSegment, segment::kNoEntry);
  }
  [[gnu::cold, gnu::noinline]] bool exit(Program& program, uint64_t code) {
    queues_->program_ended(program.queue, code);
    forget(program);
    return false;
  }
  void forget(Program& program) {
    take_answers(program);
    machine_.end_program(program.number);
    program.lives = false;
    --living_;
  }

  M& machine_;
  memory::Memory<M>& memory_;
  Queues<M>* queues_ = nullptr;
  const Cleaner<M>* cleaner_ = nullptr;
  std::array<Program, program::kPrograms> programs_ = {};
  Answers answers_;
  unsigned living_ = 0;
  uint64_t held_ = kNever;  // when the delayed alarm was due
  uint64_t heard_ = kAll;   // bits of the inbox, while a program runs
  bool feeds_ = false;      // in feed(): one has a turn that others wait for
  bool alone_ = false;  // nothing else needs turns of the service loop, since the program that runs began its
  unsigned next_ = 0;   // who is looked at first
  uint64_t fed_ = 0;    // when somebody had a turn last, or nobody wanted one
};

}  // namespace swai::runtime
