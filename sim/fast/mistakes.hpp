// SPDX-License-Identifier: Apache-2.0
// What `--check` finds on a card: told once for each place, with the kernel's name where its module is known.
// The model of the groups is not named here: it and the management processor's have names in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/card/options.hpp"
#include "sim/iss/cpe/memory.hpp"

namespace swai::iss::cpe {
class Group;
struct Finding;
}  // namespace swai::iss::cpe

namespace swai::fast {

class Mistakes {
 public:
  // To `file` a JSON object a line is added; "-": there is none. `modules`: where kernels may come from.
  // Throws std::runtime_error when one of these cannot be used.
  Mistakes(const std::string& file, const std::vector<std::string>& modules);
  ~Mistakes();
  // Null: nobody looks for any.
  static std::unique_ptr<Mistakes> make(const card::Options& options);

  // Where a launch has ended.
  struct Where {
    unsigned card = 0;
    unsigned group = 0;
    iss::cpe::Group& running;
  };
  void tell(const Where& where, const std::vector<iss::cpe::Finding>& findings);
  // The DMA engine has read this line.
  void tell(unsigned card, const iss::cpe::Memory::Dirty& line);

 private:
  class Books;
  std::unique_ptr<Books> books_;
};

}  // namespace swai::fast
