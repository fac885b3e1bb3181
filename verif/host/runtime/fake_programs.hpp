// SPDX-License-Identifier: Apache-2.0
// Model programs of the played card: what a program does is a function of the test's, which is called in
// place of entering user mode, and fills in why it comes back. Which pages a program was shown is kept and
// compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>

#include "abi/program.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::sdaa {

class FakePrograms {
 public:
  static constexpr uint64_t kInterrupt = uint64_t{1} << 63 | 9;
  static constexpr uint64_t kTimer = uint64_t{1} << 63 | 5;
  static constexpr uint64_t kCall = 8;

  struct Page {
    uint64_t physical;
    bool executable;
  };
  struct Space {
    bool lives = false;
    std::array<std::optional<Page>, program::kPages> pages = {};
    unsigned shown = 1;
    program::Notes notes = {};
    uint64_t answers = 0;  // physical address of the page that it sees there; 0: none
  };
  using Turn = std::function<void(unsigned number, runtime::ProgramState&)>;
  Turn turn;                 // what a program does until it calls or is stopped
  unsigned handed_over = 0;  // launches that were ready
  // The firmware's Runtime::answer(), submit() and launched().
  std::function<bool(runtime::ProgramState&, uint64_t, uint64_t, uint64_t)> answer;
  std::function<bool(runtime::ProgramState&, uint64_t, const runtime::CallArguments&)> submit;
  std::function<uint32_t(runtime::ProgramState&)> launched;

  const Space& space(unsigned number) const { return spaces_.at(number); }
  // Where a program finds what it names so; nothing: it faults.
  std::optional<uint64_t> physical(unsigned number, uint64_t address) const {
    const uint64_t page = (address - program::kNotes) / program::kPageBytes;
    if (page >= program::kPages || !space(number).pages[page]) return std::nullopt;
    return space(number).pages[page]->physical + address % program::kPageBytes;
  }

  void begin(unsigned number) {
    if (spaces_.at(number).lives) throw std::runtime_error("the firmware begins a program twice");
    spaces_[number] = {};
    spaces_[number].lives = true;
  }
  uint64_t show(unsigned number, uint64_t physical, unsigned pages, bool executable) {
    Space& space = living(number);
    const auto address_of = [](unsigned page) { return program::kNotes + page * program::kPageBytes; };
    for (unsigned page = 1; page < space.shown; ++page) {
      if (space.pages[page] && space.pages[page]->physical == physical) return address_of(page);
    }
    if (pages > program::kPages - space.shown) return 0;
    const unsigned first = space.shown;
    for (unsigned i = 0; i < pages; ++i)
      space.pages[space.shown++] = Page{physical + i * program::kPageBytes, executable};
    return address_of(first);
  }
  void show_answers(unsigned number, uint64_t physical) { living(number).answers = physical; }
  void end(unsigned number) {
    living(number);
    spaces_[number] = {};
  }
  void end_all() { spaces_ = {}; }
  void tell(unsigned number, const program::Notes& notes) { living(number).notes = notes; }
  void tell_end(unsigned number, const program::Notes& notes) {
    program::Notes& its = living(number).notes;
    its.completed = notes.completed;
    its.status = notes.status;
    its.value = notes.value;
  }
  void run(unsigned number, runtime::ProgramState& state) {
    living(number);
    if (!turn) throw std::runtime_error("the test says not what its programs do");
    turn(number, state);
  }
  // It has called, and goes on.
  bool is_answered(runtime::ProgramState& state) const {
    if (state.cause != kCall) return false;
    constexpr unsigned kA0 = 10, kA7 = 17;
    const auto& registers = state.registers;
    if (static_cast<program::Call>(registers[kA7] & 0xff) != program::Call::kSubmit)
      return answer(state, registers[kA7], registers[kA0], registers[kA0 + 1]);
    runtime::CallArguments words;
    std::copy_n(registers.begin() + kA0, words.size(), words.begin());
    return submit(state, registers[kA7], words);
  }
  void unmap(uint64_t physical, uint64_t bytes) {
    for (Space& space : spaces_) {
      for (auto& page : space.pages) {
        if (page && page->physical - physical < bytes) page.reset();
      }
    }
  }

 private:
  Space& living(unsigned number) {
    if (!spaces_.at(number).lives) throw std::runtime_error("the firmware uses a program that is not there");
    return spaces_[number];
  }

  std::array<Space, program::kPrograms> spaces_ = {};
};

}  // namespace swai::sdaa
