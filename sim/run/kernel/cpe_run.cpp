// SPDX-License-Identifier: Apache-2.0
// cpe-run MODULE.elf: runs a kernel on a core group in RTL. See docs/simulate/cpe-run.md.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/lib/elf.hpp"
#include "sim/run/kernel/rtl_device.hpp"
#include "sim/run/kernel/tool.hpp"

namespace {

#define SWAI_TEXT(x) #x
#define SWAI_NAME(x) SWAI_TEXT(x)
#ifdef SWAI_CONFIG
constexpr const char* kThisConfig = SWAI_NAME(SWAI_CONFIG);
#else
constexpr const char* kThisConfig = "cg1";
#endif

// Each configuration is a program of its own, beside this one.
void become(const std::string& config, char** argv) {
  if (config == kThisConfig) return;
  const std::string name = config == "cg1" ? "cpe-run" : "cpe-run-" + config;
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  ::execv(program.c_str(), argv);
  throw swai::common::InputError(fmt::format("--config {}: cannot run {}: {}; make builds it", config,
                                             program.string(), std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace swai;
  std::string config = kThisConfig;
  cg::GroupSim::Options options;
  kernel_run::TraceWindow trace;
  bool quiet = false;
  kernel_run::Tool tool("cpe-run", "Runs a kernel on one core group in RTL, cycle by cycle.", "cycles");
  tool.app()
      .add_option("--config", config, "cg1: 4 rows of 8 CPEs; tiny: 2 rows of 2")
      ->check(CLI::IsMember({"cg1", "tiny"}))
      ->type_name("NAME");
  tool.app().add_option("--seed", options.seed, "of what reset leaves open; 0: zero")->type_name("N");
  auto* wave = tool.app().add_option("--wave", options.wave, "write waves (only build/wave/cpe-run)");
  wave->type_name("FILE");
  tool.app()
      .add_option("--wave-from", options.wave_from, "first cycle in the waves")
      ->needs(wave)
      ->type_name("N");
  tool.app().add_option("--wave-to", options.wave_to, "last cycle in the waves")->needs(wave)->type_name("N");
  auto* traced = tool.app().add_option("--trace", trace.path, "write one line per instruction to FILE");
  traced->type_name("FILE");
  tool.app()
      .add_option("--trace-from", trace.from, "first cycle in the trace")
      ->needs(traced)
      ->type_name("N");
  tool.app().add_option("--trace-to", trace.to, "last cycle in the trace")->needs(traced)->type_name("N");
  tool.app().add_flag("--quiet", quiet, "no line of progress on long runs");
  return tool.run(argc, argv, [&](const kernel_run::Options&) {
    become(config, argv);
    try {
      return std::make_unique<kernel_run::RtlDevice>(options, trace, !quiet);
    } catch (const std::runtime_error& error) {
      throw common::InputError(error.what());
    }
  });
}
