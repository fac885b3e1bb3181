// SPDX-License-Identifier: Apache-2.0
#include "verif/abi/sdaacc_runs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "abi/module_reader.hpp"
#include "host/lib/source_lines.hpp"
#include "host/lib/stops.hpp"

namespace swai {

Finished sdaacc(const TempFolder& folder, const std::string& source, const std::string& options) {
  std::ofstream(folder / "source.cpp") << "#include \"swai/cpe.hpp\"\n" << source;
  return run_command(fmt::format("cpe-kernels/sdk/compiler/sdaacc --flag=-Werror '{}' -o '{}' {}",
                                 folder / "source.cpp", folder / "out.elf", options));
}

std::vector<uint8_t> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::string& source, const std::string& options) {
  const TempFolder folder;
  const Finished finished = sdaacc(folder, source, options);
  CHECK(finished.code == 1);
  CHECK(!std::filesystem::exists(folder / "out.elf"));
  return finished.error;
}

std::string failure(const std::string& command) {
  const Finished finished = run_command(command);
  CHECK(finished.code == 2);
  return finished.error;
}

bool contains(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

std::multimap<std::string, std::string> stops_of(std::span<const uint8_t> file) {
  const module::SourceLines lines(file);
  const module::Stops stops(file);
  std::multimap<std::string, std::string> all;
  for (uint32_t offset = 0; offset < 1024; offset += 2) {
    const uint32_t pc = module::base(module::Space::kKernel) + offset;
    const std::string_view why = stops.why(launch::Cause::kBreakpoint, pc);
    if (!why.empty()) all.emplace(lines.place(pc), why);
    if (!stops.why(launch::Cause::kIllegal, pc).empty()) all.emplace("another cause", why);
  }
  return all;
}

}  // namespace swai
