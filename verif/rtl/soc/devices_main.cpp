// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/lib/test_main.hpp"
#include "verif/rtl/soc/tests.hpp"

int main(int argc, char** argv) {
  using namespace swai::soc;
  return swai::verif::test_main(argc, argv,
                                {{"registers", test_registers},
                                 {"timer", test_timer},
                                 {"uart", test_uart},
                                 {"flash-pins", test_flash_pins},
                                 {"flash-chip", test_flash_chip},
                                 {"sha256", test_sha256},
                                 {"system", test_system},
                                 {"inbox", test_inbox}});
}
