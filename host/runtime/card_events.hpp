// SPDX-License-Identifier: Apache-2.0
// The card's events: which number is free, and how often each will have been recorded once all that was given
// is done.
#pragma once

#include <cstdint>
#include <vector>

namespace swai::sdaa {

class CardEvents {
 public:
  // Of the card's events the last ones are the library's own: one for each queue.
  void open();

  // A number that nobody has. Throws when all are taken.
  unsigned take();
  void give_back(unsigned number) { free_.push_back(number); }
  // Of the library's own, that of a queue.
  static unsigned of_queue(unsigned queue);
  // A record of it was given to the card: how many that makes.
  uint64_t count(unsigned number) { return ++counts_[number]; }

 private:
  std::vector<unsigned> free_;
  std::vector<uint64_t> counts_;
};

}  // namespace swai::sdaa
