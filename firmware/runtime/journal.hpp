// SPDX-License-Identifier: Apache-2.0
// The writer of a ring of records (abi/journal.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/journal.hpp"

namespace swai::runtime {

// M: fetch(), put() and order() of Machine.
template <typename M>
class Journal {
 public:
  constexpr explicit Journal(M& machine) : machine_(machine) {}

  // Goes on with what is there: the records of a kernel before a reset of the processor.
  [[gnu::cold, gnu::noinline]] void init(uint64_t at, uint32_t records) {
    at_ = at;
    machine_.fetch(at, &head_, sizeof head_);
    const bool known = head_.magic == journal::Head::kMagic && head_.records == records;
    if (!known) head_ = {};
    head_.magic = journal::Head::kMagic;
    head_.records = records;
    // A reset may have cut off a record, and with it the one whose place it was to take.
    if (head_.begun != head_.written) {
      constexpr journal::Record kNone = {};
      machine_.put(place(head_.written++), &kNone, sizeof kNone);
    }
    head_.begun = head_.written;
    machine_.put(at, &head_, sizeof head_);
    machine_.order();
  }

  [[gnu::noinline]] void write(uint16_t id, journal::Severity severity, uint64_t cycle,
                               const journal::Arguments& arguments) {
    const journal::Record record = {cycle, id, severity, 0, 0, arguments};
    put_word(offsetof(journal::Head, begun), ++head_.begun);
    machine_.order();
    machine_.put(place(head_.written), &record, sizeof record);
    ++head_.counts[id % journal::kIds];
    // Two counts are one word.
    const size_t pair = offsetof(journal::Head, counts) + id % journal::kIds / 2 * sizeof(uint64_t);
    machine_.put(at_ + pair, reinterpret_cast<const uint8_t*>(&head_) + pair, sizeof(uint64_t));
    machine_.order();
    put_word(offsetof(journal::Head, written), ++head_.written);
    machine_.order();
  }

  uint64_t written() const { return head_.written; }
  uint64_t oldest() const { return head_.written > head_.records ? head_.written - head_.records : 0; }
  journal::Record read(uint64_t number) const {
    journal::Record record;
    machine_.fetch(place(number), &record, sizeof record);
    return record;
  }

 private:
  uint64_t place(uint64_t number) const {
    return at_ + sizeof head_ + number % head_.records * sizeof(journal::Record);
  }
  void put_word(size_t offset, uint64_t value) { machine_.put(at_ + offset, &value, sizeof value); }

  M& machine_;
  uint64_t at_ = 0;
  journal::Head head_ = {};
};

}  // namespace swai::runtime
