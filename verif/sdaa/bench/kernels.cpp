// A kernel that costs nothing: what is measured is how it is launched.
#include "verif/sdaa/bench/kernels.hpp"

#include "swai/cpe.hpp"

using namespace swai::sdaa;

__kernel__ void idle(const IdleArgs*) {}
