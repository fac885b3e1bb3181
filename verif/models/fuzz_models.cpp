// Fuzzes the loaders: the first byte chooses which committed model's main file the rest takes the place of.
#include <filesystem>
#include <fstream>

#include "verif/models/mutation.hpp"

namespace {

const std::vector<swai::models::Sample>& all_samples() {
  static const std::vector<swai::models::Sample> all = swai::models::samples();
  return all;
}

}  // namespace

// Begins with the models themselves. The last argument is the corpus.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::filesystem::path corpus = (*argv)[*argc - 1];
  if (*argc == 1 || corpus.native().starts_with('-') || std::filesystem::is_regular_file(corpus)) return 0;
  std::filesystem::create_directories(corpus);
  char number = 0;
  for (const auto& sample : all_samples()) {
    const auto& bytes = sample.files.at(sample.main);
    std::ofstream(corpus / sample.name, std::ios::binary)
        .put(number++)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  swai::models::Sample one = all_samples()[data[0] % all_samples().size()];
  one.files[one.main].assign(data + 1, data + size);
  swai::models::accepted(one);
  return 0;
}
