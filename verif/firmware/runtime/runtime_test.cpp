#include <doctest/doctest.h>

#include "verif/common/doctest_main.hpp"
#include "verif/firmware/runtime/garbage.hpp"
#include "verif/lib/random.hpp"

TEST_CASE("garbage in slots and words: nothing outside is touched, everybody is answered, nothing is left") {
  swai::verif::Random random(swai::test_seed());
  swai::runtime::Statistics sum;
  for (int round = 0; round < 400; ++round) {
    swai::runtime::Garbage garbage([&](uint64_t n) { return random.below(n); });
    for (int i = 0; i < 1500; ++i) garbage.step();
    garbage.finish();
    sum.commands += garbage.statistics().commands;
    sum.failed += garbage.statistics().failed;
    sum.launches += garbage.statistics().launches;
    sum.bytes_to_card += garbage.statistics().bytes_to_card;
  }
  MESSAGE(sum.commands, " commands, ", sum.failed, " failed, ", sum.launches, " launches, ",
          sum.bytes_to_card, " bytes to the card");
  CHECK(sum.commands > 1000);
  CHECK(sum.launches > 10);
  CHECK(sum.bytes_to_card > 0);
}
