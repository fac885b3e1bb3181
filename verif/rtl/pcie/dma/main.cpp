// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/lib/test_main.hpp"
#include "verif/rtl/pcie/dma/tests.hpp"

int main(int argc, char** argv) {
  using namespace swai::dma_test;
  return swai::verif::test_main(argc, argv,
                                {{"first", test_first},
                                 {"random", test_random},
                                 {"errors", test_errors},
                                 {"aborts", test_aborts},
                                 {"fair", test_fair},
                                 {"registers", test_registers},
                                 {"bandwidth", test_bandwidth}});
}
