// SPDX-License-Identifier: Apache-2.0
// Fuzzes the module loader: whatever the file, it stays inside it, and what it accepts can be used.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "verif/abi/module_check.hpp"
#include "verif/abi/module_file.hpp"

// A good module to begin with.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::filesystem::create_directories("build/fuzz/module");
  const swai::module::Bytes seed = swai::module::ModuleFile().make();
  std::ofstream("build/fuzz/module/good", std::ios::binary)
      .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bool broken = false;
  swai::module::open_and_use({data, size}, swai::module::Space::kKernel, broken);
  if (broken) std::abort();
  return 0;
}
