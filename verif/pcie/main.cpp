#include "verif/lib/test_main.hpp"
#include "verif/pcie/tests.hpp"

int main(int argc, char** argv) {
  using namespace swai::pcie;
  return swai::verif::test_main(
      argc, argv, {{"memory", test_memory}, {"latency", test_latency}, {"config", test_config}});
}
