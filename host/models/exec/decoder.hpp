// SPDX-License-Identifier: Apache-2.0
// Lists that the card walks by itself, one run after the other: the program `decode` (firmware/programs)
// launches them, changes what changes from run to run, and sends what each has chosen, for one text or for
// several at once. The host asks once.
#pragma once

#include <functional>
#include <optional>

#include "abi/decode.hpp"
#include "host/models/exec/job.hpp"
#include "host/models/exec/list.hpp"

namespace swai::walk {

class Decoder {
 public:
  // A run of a list for one text.
  struct Reading {
    const List* list = nullptr;
    std::vector<uint64_t> parameters;
    bool writes = true;  // its token is text, which may end; else it says that the run is over
    uint32_t text = 0;
  };
  // Runs behind them, each for all texts that go on.
  struct Writing {
    const List* list = nullptr;
    std::vector<uint64_t> parameters;  // at the largest of the texts' positions
    std::vector<uint64_t> next;        // at the position behind it: each further one changes as much
    uint32_t runs = 0;                 // at most; 0: nothing is to be written
  };
  // Where they are, in memory that is CardMemory::kShared.
  struct Texts {
    std::span<const decode::Text> texts;
    cpe::GlobalPtr<void> tokens;     // where the last node of each run puts them
    cpe::GlobalPtr<void> positions;  // where a run for several texts finds them; null: it does not
    // So many words for each text, in which what was chosen is put at its position; null: in none.
    cpe::GlobalPtr<void> said = {};
    uint32_t said_tokens = 0;
  };

  // `name`: what messages call the program. It launches what the walker would.
  Decoder(std::string name, std::span<const uint8_t> program, const Walker& walker);

  // Gives each run's tokens as they come, until all are there. A text ends with one of `ends`, which is
  // given, too, or when `got` says that it wants no more of it: then runs whose tokens were not given may
  // have been made. When `pause`, which is asked behind each token, says so, no run begins any more; the
  // tokens of those that were made are given. Throws CardError.
  using Got = std::function<bool(uint32_t text, uint32_t token)>;
  using Pause = std::function<bool()>;
  void run(
      std::span<const Reading> readings, const Writing& writing, const Texts& texts,
      std::span<const uint32_t> ends, const Got& got, const Pause& pause = [] { return false; });
  // Of the last run, in nanoseconds of the card.
  uint64_t nanoseconds() const { return job_.nanoseconds(); }

 private:
  void hear(const Got& got, const Pause& pause);

  const Walker& walker_;
  CardMemory parameters_;
  Job job_;
};

}  // namespace swai::walk
