// SPDX-License-Identifier: Apache-2.0
// Fuzzes what reads templates of lists; begins with those of the examples.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/models/graph/program.hpp"
#include "verif/host/models/graph/sealed.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::filesystem::create_directories("build/fuzz/templates");
  for (const char* const name : {"encoder", "decoder"}) {
    std::ostringstream text;
    text << std::ifstream(std::string("examples/graphs/") + name + ".graph").rdbuf();
    const auto bytes = swai::graph::template_bytes(swai::graph::program_of(text.str()).pattern);
    std::ofstream(std::string("build/fuzz/templates/") + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  swai::graph::accepted({data, data + size});
  return 0;
}
