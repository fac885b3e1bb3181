// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/places.hpp"

#include <cstdlib>

namespace swai::cli {

namespace fs = std::filesystem;

Places places(const std::string& config, const std::string& tier) {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path installed = self.parent_path() / "lib" / "swai";
  const bool is_installed = fs::exists(installed / "firmware", ignored);
  const fs::path folder = is_installed ? installed : self;
  // The functional model is one program for all configurations.
  const std::string& kind = tier == "fast" ? tier : config;
  return {.card = folder / (kind == "cg1" ? "swai-card" : "swai-card-" + kind),
          .rom = folder / "firmware" / "rom.hex",
          .flash = folder / "firmware" / "flash.bin",
          .operators = folder / "cpe-kernels" / "operators.elf",
          .bench = folder / "cpe-kernels" / "swai-bench.elf",
          .decode = folder / "programs" / "decode.elf",
          .listen = folder / "programs" / "listen.elf",
          .timed_launches = folder / "programs" / "timed_launches.elf",
          .compiler = is_installed ? self / "sdaacc"
                                   : self.parent_path() / "cpe-kernels" / "sdk" / "compiler" / "sdaacc",
          .image = folder / "firmware" / "kernel.img",
          .emulator = folder / "swai-usb-board"};
}

std::string library_path() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  std::string path = before == nullptr ? "" : before;
  for (const fs::path& folder : {self, self.parent_path() / "lib"}) {
    if (fs::exists(folder / "libsdaa.so.1", ignored))
      return path + (path.empty() ? "" : ":") + folder.string();
  }
  return path;
}

}  // namespace swai::cli
