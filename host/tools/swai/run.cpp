// SPDX-License-Identifier: Apache-2.0
// swai run: one kernel, with arguments from the command line.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include "host/lib/argument_text.hpp"
#include "host/lib/grid_text.hpp"
#include "host/lib/new_file.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/kernel_arguments.hpp"
#include "host/tools/swai/tier.hpp"

namespace swai::cli {
namespace {

using kernel_run::Dump;

// Where --dump writes then.
constexpr std::string_view kStandardOutput = "-";

constexpr const char* kExamples =
    R"(Arguments, in the kernel's order, as its types want them (--list tells them):
  7, -1, 0x1f, 2   a number in the range of its type; a float may be written 2, 2.5 or 1e-3
  buf:BYTES        memory of zeros on the card, 4096, 4K or 1M bytes; the kernel gets its pointer
  buf:BYTES:VALUE  with bytes of this value; :index with words 0, 1, 2 ...; :random
  buf:BYTES=FILE   with a file, and zeros behind it; buf:=FILE as large as the file

A kernel written for CUDA (swai/cuda.hpp) runs once for each thread of a grid: --grid blocks of --block
threads, each X, X,Y or X,Y,Z. --list tells which kernels do, and how many threads of a block they take.

Examples:
  swai run build/cpe-kernels/copy.elf --list
  swai run build/cpe-kernels/copy.elf --args buf:4096 buf:4096:index 4096 0 --dump 0:copied.bin
  swai run build/examples/axpy/kernel.elf --args buf:4096 buf:4096:random 1024 2.0 --repeat 3
  swai run build/examples/cuda/vectorAdd.elf --grid 4 --block 64 \
       --args buf:1000:0x40 buf:1000:0x40 buf:1000 250 --dump 2:sums.bin
  swai run build/examples/cuda/reduction.elf --grid 2 --block 128 --shared 512 \
       --args buf:2K:index buf:8 512 --dump 1:sums.bin
  swai --tier fast run --check build/cpe-kernels/out_of_bounds.elf --kernel writes --args buf:64 17)";

struct Wish {
  std::string module;
  std::string kernel;
  std::vector<std::string> arguments;
  kernel_run::GridText grid;
  std::vector<std::string> dumps;
  unsigned repeat = 1;
  uint32_t limit = 0;
  int group = sdaaAnyGroup;
  std::string mask;
  bool list = false;
  bool check = false;
};

struct OnCard {
  void* pointer = nullptr;
  size_t bytes = 0;
};

Json describe(const std::vector<module::ArgumentType>& arguments) {
  Json list = Json::array();
  for (const module::ArgumentType& one : arguments)
    list.push_back({{"name", one.name}, {"type", one.type}, {"offset", one.offset}, {"bytes", one.bytes}});
  return list;
}

int list_kernels(const Cli& cli, const ModuleFile& file) {
  Json report = {{"module", file.module().name()}, {"kernels", Json::array()}};
  Table table({"kernel", ">bytes", "threads of a block", "arguments"});
  const module::ArgumentTypes types = file.argument_types();
  for (uint32_t i = 0; i < file.module().kernel_count(); ++i) {
    const module::KernelView kernel = file.module().kernel(i);
    const auto arguments = types.of(kernel);
    const module::Parameters parameters(kernel.parameters);
    Json sizes = Json::array();
    for (unsigned k = 0; k < parameters.values(); ++k) sizes.push_back(parameters.size(k));
    const uint64_t threads = module::most_threads(file.grid_kernel(kernel, types), 0);
    const bool in_threads = parameters.has_grid();
    report["kernels"].push_back({{"name", kernel.name},
                                 {"argument_bytes", kernel.argument_bytes},
                                 {"parameter_bytes", sizes},
                                 {"max_threads_per_block", in_threads ? Json(threads) : Json()},
                                 {"arguments", arguments ? describe(*arguments) : Json()}});
    table.add({std::string(kernel.name), fmt::format("{}", kernel.argument_bytes),
               in_threads ? fmt::format("up to {}", threads) : "-",
               arguments ? text_of(*arguments) : "a structure"});
  }
  if (cli.options().json) {
    cli.print(report);
  } else {
    fmt::print("{}", table.text());
  }
  return kDone;
}

std::vector<OnCard> place(const std::vector<kernel_run::Buffer>& buffers) {
  std::vector<OnCard> placed;
  for (const kernel_run::Buffer& buffer : buffers) {
    const std::string what = fmt::format("buffer {} of {} bytes", placed.size(), buffer.content.size());
    OnCard& fresh = placed.emplace_back(OnCard{nullptr, buffer.content.size()});
    check(sdaaMalloc(&fresh.pointer, fresh.bytes), what);
    check(sdaaMemcpy(fresh.pointer, buffer.content.data(), fresh.bytes, sdaaMemcpyHostToDevice), what);
  }
  return placed;
}

std::vector<uint64_t> pointers_of(const std::vector<OnCard>& buffers) {
  std::vector<uint64_t> pointers;
  for (const OnCard& buffer : buffers) pointers.push_back(reinterpret_cast<uint64_t>(buffer.pointer));
  return pointers;
}

std::vector<Dump> dumps_of(const Cli& cli, const Wish& wish, size_t buffers) {
  std::vector<Dump> dumps;
  for (const std::string& text : wish.dumps) {
    const Dump& dump = dumps.emplace_back(kernel_run::parse_dump(text));
    if (dump.buffer >= buffers)
      throw Error(kBadInput, fmt::format("--dump {}: there are {} buffers", text, buffers));
    if (dump.file != kStandardOutput) {
      kernel_run::check_writable(dump.file);
    } else if (cli.options().json) {
      throw Error(kBadInput, fmt::format("--dump {}: --json has standard output for itself", text));
    }
  }
  return dumps;
}

void write(const Dump& dump, const OnCard& buffer) {
  std::vector<uint8_t> bytes(buffer.bytes);
  check(sdaaMemcpy(bytes.data(), buffer.pointer, bytes.size(), sdaaMemcpyDeviceToHost),
        fmt::format("buffer {}", dump.buffer));
  if (dump.file != kStandardOutput) {
    common::write_file(dump.file, bytes);
  } else if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    throw std::system_error(errno, std::generic_category(), "standard output");
  }
}

// How long each took, in nanoseconds of the card.
std::vector<uint64_t> launch(sdaaFunction_t function, const Wish& wish, std::span<const uint8_t> packed,
                             uint32_t mask, uint32_t shared) {
  sdaaLaunchConfig_t config = {};
  config.structBytes = sizeof config;
  config.group = wish.group;
  config.timeoutCycles = wish.limit;
  config.coreMask = mask;
  config.sharedMem = shared;
  sdaaEvent_t begin = nullptr;
  sdaaEvent_t end = nullptr;
  check(sdaaEventCreate(&begin), "event");
  check(sdaaEventCreate(&end), "event");
  std::vector<uint64_t> times;
  for (unsigned i = 0; i < wish.repeat; ++i) {
    check(sdaaEventRecord(begin, nullptr), wish.module);
    check(sdaaLaunch(function, &config, packed.data(), packed.size(), nullptr), wish.module);
    check(sdaaEventRecord(end, nullptr), wish.module);
    check(sdaaEventSynchronize(end), wish.module);
    float milliseconds = 0;
    check(sdaaEventElapsedTime(&milliseconds, begin, end), wish.module);
    times.push_back(static_cast<uint64_t>(milliseconds * 1e6f + 0.5f));
  }
  return times;
}

int run(const Cli& cli, const Wish& wish) {
  const ModuleFile file(wish.module);
  if (wish.list) return list_kernels(cli, file);

  // Everything that may be wrong with what was given is found before there is a card.
  const module::KernelView kernel = file.kernel(wish.kernel);
  const std::string name(kernel.name);
  const module::ArgumentTypes types = file.argument_types();
  const module::GridKernel grid_kernel = file.grid_kernel(kernel, types);
  const cpe::Grid grid = kernel_run::parse_grid(wish.grid, grid_kernel);
  const KernelArguments arguments(kernel, types, wish.arguments);
  const std::vector<Dump> dumps = dumps_of(cli, wish, arguments.buffers().size());
  const auto mask = wish.mask.empty()
                        ? 0
                        : static_cast<uint32_t>(kernel_run::parse_number(wish.mask, ~uint32_t{0}, "--mask"));

  // What is a buffer's, or JSON, stays whole.
  const bool apart = std::ranges::any_of(dumps, [](const Dump& one) { return one.file == kStandardOutput; });
  if (apart || cli.options().json) ::setenv("SWAI_PRINT", "stderr", 1);
  UsedCard card(cli.options(),
                wish.check ? checks(cli.options(), {wish.module}) : std::vector<std::string>());
  const Progress progress(!cli.options().quiet, name);
  sdaaModule_t module = nullptr;
  sdaaFunction_t function = nullptr;
  check(sdaaModuleLoadBytes(&module, file.bytes().data(), file.bytes().size()), wish.module);
  check(sdaaModuleGetFunction(&function, module, name.c_str()), wish.module);
  const std::vector<OnCard> buffers = place(arguments.buffers());
  std::vector<uint8_t> packed = arguments.packed(pointers_of(buffers));
  if (grid_kernel.parameters.has_grid()) module::place_grid(packed, grid_kernel.parameters, grid);
  const std::vector<uint64_t> times = launch(function, wish, packed, mask, grid.shared_bytes);
  for (const Dump& dump : dumps) write(dump, buffers[dump.buffer]);
  // If the library checks memory, sdaaFree checks the zones around the buffers.
  for (const OnCard& buffer : buffers) check(sdaaFree(buffer.pointer), name);

  sdaaDeviceProp_t properties;
  check(sdaaGetDeviceProperties(&properties, 0), name);
  if (cli.options().json) {
    cli.print({{"module", wish.module}, {"kernel", name}, {"tier", tier_of(properties)}, {"ns", times}});
  } else {
    const char* const whose = is_fast(properties) ? " (fast tier: coarse)" : "";
    for (const uint64_t time : times) {
      fmt::print(apart ? stderr : stdout, "{}: done in {} ns{}\n", name, time, whose);
    }
  }
  return wish.check ? code_of_checks(card) : kDone;
}

}  // namespace

void add_run(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "run", "run a kernel of a module", [&cli, wish] { return run(cli, *wish); }, kExamples);
  command->add_option("MODULE", wish->module, "file with kernels, made by `swai cc`")->required();
  command->add_option("--kernel", wish->kernel, "which one; needed when there are several")
      ->type_name("NAME");
  command->add_option("--args", wish->arguments, "its arguments, see below")
      ->type_name("ARG...")
      ->expected(1, -1);
  command->add_option("--grid", wish->grid.blocks, "blocks, of a kernel that runs in threads")
      ->type_name("X[,Y[,Z]]");
  command->add_option("--block", wish->grid.threads, "threads of each block")->type_name("X[,Y[,Z]]");
  command->add_option("--shared", wish->grid.shared, "of a block's `extern __shared__` memory (default 0)")
      ->type_name("BYTES");
  command
      ->add_option("--dump", wish->dumps,
                   "write buffer INDEX (from 0) to FILE at the end; -: standard output")
      ->type_name("INDEX:FILE")
      ->expected(1)
      ->take_all();
  command->add_option("--repeat", wish->repeat, "run it so often (default 1)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command->add_option("--limit", wish->limit, "stop it after so many cycles (default: a thousand million)")
      ->type_name("CYCLES");
  command->add_option("--group", wish->group, "core group (default: the card chooses)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command->add_option("--mask", wish->mask, "cores that take part, a bit each (default: all)")
      ->type_name("BITS");
  command->add_flag("--check", wish->check,
                    "detect accesses to unallocated memory, and uses of results before they are ready; "
                    "exit code 1 if any are found (--tier fast)");
  command->add_flag("--list", wish->list, "list the module's kernels instead; needs no card");
}

}  // namespace swai::cli
