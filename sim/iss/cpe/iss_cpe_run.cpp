// SPDX-License-Identifier: Apache-2.0
// iss-cpe-run MODULE.elf: runs a kernel on the functional model of a core group. See
// docs/simulate/cpe-run.md.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/lib/elf.hpp"
#include "sim/iss/cpe/model_device.hpp"
#include "sim/iss/cpe/text.hpp"
#include "sim/run/kernel/tool.hpp"

int main(int argc, char** argv) {
  using namespace swai;
  unsigned rows = 4;
  unsigned columns = 8;
  uint64_t turn = iss::cpe::Group::kTurn;
  unsigned threads = 1;
  std::string trace;
  bool check = false;
  kernel_run::Tool tool("iss-cpe-run", "Runs a kernel on the functional model of a core group.",
                        "instructions of a CPE");
  tool.app().add_option("--rows", rows, "rows of CPEs")->check(CLI::Range(1, 4));
  tool.app().add_option("--columns", columns, "columns of CPEs")->check(CLI::Range(1, 8));
  tool.app()
      .add_option("--turn", turn, "instructions that a CPE runs before it is the next one's turn")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  tool.app()
      .add_option("--threads", threads, "threads of the host; they change nothing but the time")
      ->check(CLI::Range(1, 32));
  tool.app().add_option("--trace", trace, "write one line per instruction to FILE")->type_name("FILE");
  tool.app().add_flag(
      "--check", check,
      "look for waits that were forgotten, and for operands and results that are overwritten");
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, std::fclose);
  return tool.run(argc, argv, [&](const kernel_run::Options&) {
    auto device = std::make_unique<iss::cpe::ModelDevice>(rows, columns, turn, threads);
    if (check) device->group().look_for_mistakes();
    if (!trace.empty()) {
      file.reset(std::fopen(trace.c_str(), "w"));
      if (!file) throw common::InputError(fmt::format("{}: cannot write: {}", trace, std::strerror(errno)));
      device->group().set_observer([&](unsigned cpe, const iss::cpe::Retirement& record) {
        fmt::print(file.get(), "{}\n", iss::cpe::trace_line(cpe, record));
      });
    }
    return device;
  });
}
