// SPDX-License-Identifier: Apache-2.0
// The clock of a CPE: when its core and its units would have come how far. It only watches: what a program
// computes does not depend on it, except where it reads the time.
//
// While the CPE runs its round it notes what it does. At the end of the round its group goes through these
// notes, and what the DMA engines still have to do, of all CPEs in the order of their time, and reserves what
// they share. Figures: costs.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Channel;
class HbmTime;

class Clock {
 public:
  // What it shares with others.
  struct Surroundings {
    HbmTime& hbm;
    Channel& row;
    Channel& column;
    unsigned row_position = 0;
    unsigned column_position = 0;
  };
  explicit Clock(const Surroundings& around) : around_(around) {}

  // Commands that come to their end in the order in which they were issued.
  enum Line : uint8_t {
    kDma,
    kSystolic,
    kVector,
    kRowSends,
    kRowReceives,
    kColumnSends,
    kColumnReceives,
    kNoLine
  };

  // What a command to a unit takes.
  struct Transfer {
    uint32_t lines = 0;
    uint32_t first = 0;  // of an access: the line's number
    bool write = false;
    uint8_t hops = 0;  // on the ring, to the memory of another group
  };
  struct Product {
    uint32_t blocks = 0;
    uint64_t array = 0;       // of a block
    uint64_t last_array = 0;  // of the last one
    uint64_t drain = 0;
    uint64_t last_drain = 0;
    uint8_t half = 0;  // of the first block
  };
  struct Elements {
    uint64_t lanes = 0;
    uint64_t end = 0;  // from the last group to its results
    bool overlap = false;
  };

  // --- while the CPE runs; `core`: cycles that its core has counted
  void began(uint64_t core, uint32_t ticket, const Transfer& transfer) {
    note({.kind = Note::kTransfer, .ticket = ticket, .core = core, .transfer = transfer});
  }
  void began(uint64_t core, uint32_t ticket, const Product& product) {
    products_.all.push_back(product);
    note({.kind = Note::kProduct, .ticket = ticket, .core = core});
  }
  void began(uint64_t core, uint32_t ticket, const Elements& elements) {
    elements_.all.push_back(elements);
    note({.kind = Note::kElements, .ticket = ticket, .core = core});
  }
  // A send or a receive.
  void began(uint64_t core, Line line, uint32_t ticket) {
    note({.kind = Note::kChannel, .line = line, .ticket = ticket, .core = core});
  }
  void waited(uint64_t core, Line line, uint32_t ticket) {
    note({.kind = Note::kWait, .line = line, .ticket = ticket, .core = core});
  }
  void accessed(uint64_t core, const Transfer& transfer) {
    note({.kind = Note::kAccess, .core = core, .transfer = transfer});
  }
  void ends_launch(uint64_t core) { note({.kind = Note::kDone, .core = core}); }
  // The time cannot be told before the round has ended.
  bool has_notes() const { return !notes_.all.empty(); }
  // Cycles in which the core was not asleep, since it was reset.
  uint64_t cycles(uint64_t core) const { return time_ - asleep_ + (core - core_); }

  // --- at the end of a round
  static constexpr uint64_t kNever = ~uint64_t{0};
  // Goes through notes up to one that needs memory: what they change is this CPE's alone, so nobody else's
  // notes come between.
  void go_on_alone();
  // When it needs memory next: for an access that was noted, or for lines of the DMA engine.
  uint64_t next() const;
  // Goes through that, and on alone.
  void go_on();
  // When the last note that it has gone through was written.
  uint64_t last_note() const { return last_note_; }
  bool has_notes_left() const { return notes_.at < notes_.all.size(); }
  // All were gone through: to where the core is.
  void catch_up(uint64_t core);
  void wait_for_code(uint64_t cycles);
  // Asleep until then.
  void release(uint64_t time);
  // Of the CPE: how far it has come.
  uint64_t time() const { return time_; }

  // What the core waited for, and how many cycles.
  enum Reason : uint8_t { kForCode, kForWindow, kForDma, kForRow, kForColumn, kForUnits, kReasons };
  uint64_t waited_for(Reason reason) const { return waits_[reason]; }
  // The CPE was reset: its core counts from 0.
  void reset();
  void visit(Archive& archive);

 private:
  struct Note {
    enum Kind : uint8_t { kDone, kTransfer, kProduct, kElements, kChannel, kWait, kAccess };
    Kind kind = kDone;
    Line line = kNoLine;
    uint32_t ticket = 0;
    uint64_t core = 0;
    Transfer transfer{};
  };
  void note(const Note& note) { notes_.all.push_back(note); }

  // The ends of the last commands of a unit, by ticket.
  struct Ends {
    static constexpr uint32_t kKept = 8;
    std::array<uint64_t, kKept> at{};
    uint32_t known = 0;

    // One that is known.
    uint64_t of(uint32_t ticket) const { return known - ticket < kKept ? at[ticket % kKept] : 0; }
    // In the order of tickets, as commands end.
    void set(uint32_t ticket, uint64_t end) {
      at[ticket % kKept] = std::max(end, last());
      known = ticket;
    }
    uint64_t last() const { return at[known % kKept]; }
  };
  // That the DMA engine has begun.
  struct Moving {
    uint32_t ticket = 0;
    uint32_t lines = 0;  // left
    bool write = false;
    uint8_t hops = 0;
  };

  void wait_until(uint64_t time, Reason reason);
  bool is_stuck() const;
  uint64_t next_note() const;
  void go_through_note();
  void transfer(const Note& note);
  void move_lines();
  void product(uint32_t ticket, const Product& run);
  void elements(uint32_t ticket, const Elements& run);
  void access(const Note& note);
  uint64_t end_of(Line line, uint32_t ticket) const;

  // What was noted, and how many of them were gone through. Of runs it is rare and long, so it lies apart.
  template <typename T>
  struct Pile {
    std::vector<T> all;
    size_t at = 0;

    void clear() {
      all.clear();
      at = 0;
    }
    const T& take() { return all[at++]; }
  };
  void forget_notes();

  const Surroundings around_;
  uint64_t last_note_ = 0;
  Pile<Note> notes_;
  Pile<Product> products_;
  Pile<Elements> elements_;

  uint64_t time_ = 0;  // when the core had counted `core_` cycles
  uint64_t core_ = 0;
  uint64_t asleep_ = 0;  // of `time_`, and what had passed when the CPE was reset
  std::array<uint64_t, kReasons> waits_{};
  std::array<Ends, 3> ends_;  // DMA, systolic and vector unit
  std::deque<Moving> moving_;
  uint64_t dma_free_ = 0;      // may send its next requests
  uint64_t array_free_ = 0;    // of the systolic unit
  uint64_t array_before_ = 0;  // the run before
  uint64_t drain_free_ = 0;
  std::array<uint64_t, 2> half_free_{};
  uint64_t lanes_free_ = 0;
};

}  // namespace swai::iss::cpe
