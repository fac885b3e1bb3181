// SPDX-License-Identifier: Apache-2.0
// Kernels that print.
#include <cstdio>

#include "swai/cpe.hpp"

using namespace swai::cpe;

// One line of every kind.
__kernel__ void kinds(GlobalPtr<float> to, int32_t number_, uint64_t wide, float real) {
  printf("%d and %5d|%-5d|%05d of core %u\n", number_, number_, number_, number_, number());
  printf("%x %#X %lld %llx 100 %%", static_cast<uint32_t>(number_), number_, static_cast<int64_t>(wide),
         wide);
  printf("%.3f %g %e, %s \"%c\" %p", real, static_cast<double>(real), real, number_ < 0 ? "below" : "above",
         'x', to);
  printf("nothing");
}

// `count` lines of each core.
__kernel__ void lines(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) printf("line %u of %u", i, count);
}

// What was printed before a core stopped comes out, too.
__kernel__ void stops(uint32_t culprit) {
  printf("before");
  if (number() == culprit) asm volatile("ebreak");
}
