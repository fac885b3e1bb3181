// SPDX-License-Identifier: Apache-2.0
// Needs a function that is nowhere: linked with the linker's eyes closed, to be refused by loaders with the
// function's name.
#include "swai/cpe.hpp"

extern "C" void function_that_is_nowhere();

__kernel__ void needs_it() { function_that_is_nowhere(); }
