// SPDX-License-Identifier: Apache-2.0
// Code that no sensible person writes.
#pragma once

#include "verif/rtl/group/group/group_bench.hpp"

namespace swai::cg {

// Anything at all: words that are mostly instructions, many of them commands, registers that are mostly
// addresses.
cpe::Assembler garbage(verif::Random& random);

// Sets a transfer up that never comes.
cpe::Assembler unfinished_transfer(verif::Random& random);

// Something good, then one thing that is mostly bad, and `ret` in case that it is not. Nothing else goes on
// beside it, so that the record of its fault does not depend on time.
cpe::Assembler one_fault(verif::Random& random);

}  // namespace swai::cg
