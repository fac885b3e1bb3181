// SPDX-License-Identifier: Apache-2.0
// A core group of the card: the model of sim/iss/cpe on the card's memory. That model is not named here: it
// and the management processor's have names in common.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/fast/card_memory.hpp"

namespace swai::iss::cpe {
class Allocations;
class GroupUnit;
}  // namespace swai::iss::cpe
namespace swai::common {
class Workers;
}

namespace swai {
class Archive;
}

namespace swai::fast {

class DataCache;
class Mistakes;

class CoreGroup {
 public:
  struct Options {
    unsigned number = 0;
    unsigned rows = 0;
    unsigned columns = 0;
    common::Workers* workers = nullptr;  // threads of the host, for all groups; null: the caller's alone
    // Of who looks for mistakes; null: nobody does.
    Mistakes* mistakes = nullptr;
    const DataCache* cache = nullptr;
    unsigned card = 0;
    const iss::cpe::Allocations* allocations = nullptr;  // of the client; null: none are reported
  };

  struct Outside {
    // What the management processor's inbox gets.
    std::function<void(uint64_t word, bool notify)> done;
    std::function<void()> fault;
    // Accesses of cores to devices of the card: the daemon clears local memories through the window. False: a
    // bus error.
    std::function<bool(uint64_t address, unsigned size, uint64_t& value)> read;
    std::function<bool(uint64_t address, unsigned size, uint64_t value)> write;
  };

  CoreGroup(const Options& options, CardMemory& memory, Outside outside);
  ~CoreGroup();

  // An access to the group's registers or, from cg_access on, to its cores. False: a bus error.
  bool read(uint64_t offset, unsigned size, uint64_t& value);
  bool write(uint64_t offset, unsigned size, uint64_t value);

  // Cores have something to do.
  bool busy() const;
  void run(uint64_t cycles);
  void reset();
  void visit(Archive& archive);

 private:
  class Lines;
  static std::unique_ptr<iss::cpe::GroupUnit> make_unit(const Options& options, Lines& lines,
                                                        const Outside& outside);
  Outside outside_;
  std::unique_ptr<Lines> lines_;
  std::unique_ptr<iss::cpe::GroupUnit> unit_;
};

}  // namespace swai::fast
