// Lists that the card walks by itself, one run after the other: the program `decode` (firmware/programs)
// launches them, changes what changes from run to run, and sends what each has chosen. The host asks once.
#pragma once

#include <functional>

#include "host/walk/job.hpp"
#include "host/walk/list.hpp"

namespace swai::walk {

class Decoder {
 public:
  // A list and how often it is walked.
  struct Phase {
    const List* list = nullptr;
    std::vector<uint64_t> parameters;  // of the first run
    std::vector<uint64_t> next;  // of the second one, if there are several: all further ones change as much
    uint32_t runs = 1;           // several: of the last phase alone
    bool writes = true;          // its tokens are text, which may end; else they say that a run is over
  };

  // `name`: what messages call the program.
  Decoder(std::string name, std::span<const uint8_t> program, const Walker& walker);

  // Gives each run's token as it comes, until all are there, or one of `ends`, which is given, too, or `got`
  // says that it wants no more: then the card stops, and runs whose tokens were not given may have been made.
  // `token`: where the last node of each run puts it, in memory that is CardMemory::kShared. Throws
  // CardError.
  void run(std::span<const Phase> phases, cpe::GlobalPtr<void> token, std::span<const uint32_t> ends,
           const std::function<bool(uint32_t)>& got);
  // Of the last run, in nanoseconds of the card.
  uint64_t nanoseconds() const { return job_.nanoseconds(); }

 private:
  const Walker& walker_;
  CardMemory parameters_;
  Job job_;
};

}  // namespace swai::walk
