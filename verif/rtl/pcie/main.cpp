// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/lib/test_main.hpp"
#include "verif/rtl/pcie/tests.hpp"

int main(int argc, char** argv) {
  using namespace swai::pcie;
  return swai::verif::test_main(argc, argv,
                                {{"memory", test_memory},
                                 {"latency", test_latency},
                                 {"config", test_config},
                                 {"order", test_order},
                                 {"blocked", test_blocked},
                                 {"msix", test_msix},
                                 {"registers", test_registers},
                                 {"protection", test_protection},
                                 {"debug", test_debug},
                                 {"errors", test_errors},
                                 {"malformed", test_malformed},
                                 {"function-reset", test_function_reset},
                                 {"link", test_link}});
}
