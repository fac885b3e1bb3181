// SPDX-License-Identifier: Apache-2.0
#include "sim/run/kernel/tool.hpp"

#include <fmt/format.h>

#include <limits>

#include "host/lib/elf.hpp"
#include "sim/run/kernel/report.hpp"

namespace swai::kernel_run {

using common::InputError;

namespace {

// The last launch, of which the report is, gets those of all. Whether there are any.
bool join_findings(std::vector<Outcome>& outcomes) {
  if (!outcomes.back().findings) return false;
  std::vector<Finding> all;
  for (const Outcome& outcome : outcomes) {
    for (const Finding& finding : *outcome.findings) iss::cpe::add_finding(all, finding);
  }
  outcomes.back().findings = all;
  return !all.empty();
}

}  // namespace

Tool::Tool(std::string name, const std::string& description, const std::string& limit_unit)
    : name_(std::move(name)),
      app_(description +
           "\nArguments: 32-bit words (7, 0x1f), and buffers, each with a segment of its own: buf:BYTES with "
           "zeros,\n"
           "buf:BYTES:VALUE with bytes of a value, buf:BYTES:index with words 0, 1, 2..., buf:BYTES:random,\n"
           "buf:BYTES=FILE or buf:=FILE with a file. A kernel gets the 64-bit global pointer of a buffer.\n"
           "A kernel written for CUDA runs once for each thread of a grid:\n  " +
           name_ +
           " build/examples/cuda/vectorAdd.elf --grid 4 --block 64 \\\n"
           "      --args buf:1000:0x40 buf:1000:0x40 buf:1000 250 --dump 2:sums.bin\n"
           "Exit code: 0 done, 1 the kernel failed or has mistakes, 2 bad usage or input.") {
  app_.add_option("MODULE", options_.module, "module for the CPEs (ELF)")->required();
  app_.add_option("--kernel", options_.kernel, "name of the kernel")->type_name("NAME");
  app_.add_option("--args", options_.arguments, "arguments of the kernel")
      ->type_name("ARG...")
      ->expected(1, -1);
  app_.add_option("--grid", options_.grid.blocks, "blocks, of a kernel that runs in threads")
      ->type_name("X[,Y[,Z]]");
  app_.add_option("--block", options_.grid.threads, "threads of each block")->type_name("X[,Y[,Z]]");
  app_.add_option("--shared", options_.grid.shared, "of a block's `extern __shared__` memory (default 0)")
      ->type_name("BYTES");
  app_.add_option("--dump", options_.dumps, "write buffer INDEX (from 0) to FILE at the end")
      ->type_name("INDEX:FILE")
      ->expected(1)
      ->take_all();
  app_.add_option("--mask", options_.mask, "CPEs that take part, one bit each (default: all)")
      ->type_name("BITS");
  app_.add_option("--daemon", options_.daemon, "module with the daemon (default: a plain one)")
      ->type_name("FILE");
  app_.add_option("--context", options_.context, "context of the launch")
      ->check(CLI::Range(1, 255))
      ->type_name("N");
  app_.add_option("--launches", options_.launches, "launch it so often, one after the other")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  app_.add_option("--limit", options_.limit, "stop a launch after N " + limit_unit + "; 0: never")
      ->type_name("N");
  app_.add_flag("--list", options_.list, "list the kernels of the module");
  app_.add_flag("--stats", options_.counters, "print counters");
  app_.add_flag("--by-cpe", options_.by_cpe, "print counters of each CPE");
  app_.add_option("--json", options_.json, "write the report as JSON to FILE; -: standard output")
      ->type_name("FILE");
}

int Tool::run(int argc, char** argv, const MakeDevice& make_device) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_.exit(error) == 0 ? 0 : common::kExitBadInput;
  }
  try {
    return run_job(make_device);
  } catch (const InputError& error) {
    fmt::print(stderr, "{}: {}\n", name_, error.what());
    return common::kExitBadInput;
  }
}

int Tool::run_job(const MakeDevice& make_device) {
  Program program(options_.module);
  if (options_.list) {
    for (const Program::Kernel& kernel : program.kernels()) {
      fmt::print("{} {:#010x} {}", kernel.name, kernel.pc, kernel.argument_bytes);
      if (kernel.parameters.has_grid())
        fmt::print(", blocks of up to {} threads", module::most_threads(program.grid_kernel(kernel.name), 0));
      fmt::print("\n");
    }
    return 0;
  }
  if (options_.kernel.empty()) {
    if (program.kernels().size() != 1)
      throw InputError("--kernel is needed; --list shows those of the module");
    options_.kernel = program.kernels()[0].name;
  }
  Job::Setup setup{.kernel = options_.kernel, .context = static_cast<uint8_t>(options_.context)};
  setup.grid = parse_grid(options_.grid, program.grid_kernel(options_.kernel));
  for (const std::string& text : options_.arguments) setup.arguments.push_back(parse_argument(text));
  std::vector<Dump> dumps;
  for (const std::string& text : options_.dumps) dumps.push_back(parse_dump(text));

  const std::unique_ptr<Device> device = make_device(options_);
  const uint64_t all = (uint64_t{1} << (device->rows() * device->columns())) - 1;
  setup.mask =
      static_cast<uint32_t>(options_.mask.empty() ? all : parse_number(options_.mask, all, "--mask"));
  const Job job(
      std::move(program),
      options_.daemon.empty() ? Program::plain_daemon() : Program(options_.daemon, module::Space::kDaemon),
      std::move(setup));
  for (const Dump& dump : dumps) {
    if (dump.buffer >= job.buffers()) {
      throw InputError(fmt::format("--dump {}: there are {} buffers", dump.buffer, job.buffers()));
    }
  }

  job.load(*device, options_.limit);
  std::vector<Outcome> outcomes;
  do {
    outcomes.push_back(device->launch(job.launch()));
    fmt::print(stderr, "{}", job.take_prints(*device));
  } while (outcomes.back().ok && outcomes.size() < options_.launches);

  const bool found = join_findings(outcomes);

  for (const Dump& dump : dumps) write_file(dump.file, job.read_buffer(*device, dump.buffer));
  const Outcome& last = outcomes.back();
  fmt::print(stderr, "{}", report(job, last, options_.counters));
  if (options_.by_cpe) fmt::print(stderr, "{}", table(last, device->columns()));
  if (!options_.json.empty()) {
    const std::string text = report_json(job, outcomes).dump(2) + "\n";
    if (options_.json == "-") {
      fmt::print("{}", text);
    } else {
      write_file(options_.json, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
  }
  return last.ok && !found ? 0 : 1;
}

}  // namespace swai::kernel_run
