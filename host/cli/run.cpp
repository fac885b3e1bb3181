// swai run: one kernel, with arguments from the command line.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "abi/argument_text.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/module_file.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/started_card.hpp"
#include "host/cli/table.hpp"

namespace swai::cli {
namespace {

using kernel_run::Argument;
using kernel_run::Buffer;
using kernel_run::Dump;

constexpr const char* kExamples = R"(Arguments, in the kernel's order:
  7, 0x1f, 2.5     a number; with a point an fp32 number
  buf:BYTES        memory of zeros on the card; the kernel gets its pointer
  buf:BYTES:VALUE  with bytes of this value; :index with words 0, 1, 2 ...; :random
  buf:BYTES=FILE   with a file, and zeros behind it; buf:=FILE as large as the file

Examples:
  swai run build/cpe-kernels/copy.elf --list
  swai run build/cpe-kernels/copy.elf --args buf:4096 buf:4096:index 4096 0 --dump 0:copied.bin
  swai run build/examples/axpy/kernel.elf --args buf:4096 buf:4096:random 1024 2.0 --repeat 3
  SWAI_MEMORY_CHECK=1 swai run ...     tells when a kernel writes around its buffers)";

struct Wish {
  std::string module;
  std::string kernel;
  std::vector<std::string> arguments;
  std::vector<std::string> dumps;
  unsigned repeat = 1;
  uint32_t limit = 0;
  int group = sdaaAnyGroup;
  std::string mask;
  bool list = false;
};

struct OnCard {
  void* pointer = nullptr;
  size_t bytes = 0;
};

int list_kernels(const Cli& cli, const ModuleFile& file) {
  Json report = {{"module", file.module().name()}, {"kernels", Json::array()}};
  Table table({"kernel", ">bytes", "arguments"});
  for (uint32_t i = 0; i < file.module().kernel_count(); ++i) {
    const module::KernelView kernel = file.module().kernel(i);
    const module::Parameters parameters(kernel.parameters);
    Json sizes = Json::array();
    std::string text;
    for (unsigned k = 0; k < parameters.count(); ++k) {
      sizes.push_back(parameters.size(k));
      text += fmt::format("{}{}", k == 0 ? "values of " : ", ", parameters.size(k));
    }
    if (text.empty()) text = kernel.argument_bytes == 0 ? "none" : "a structure";
    report["kernels"].push_back(
        {{"name", kernel.name}, {"argument_bytes", kernel.argument_bytes}, {"parameter_bytes", sizes}});
    table.add({std::string(kernel.name), fmt::format("{}", kernel.argument_bytes), text});
  }
  if (cli.options().json) {
    cli.print(report);
  } else {
    fmt::print("{}", table.text());
  }
  return kDone;
}

std::vector<OnCard> place_buffers(const std::vector<Argument>& arguments) {
  std::vector<OnCard> buffers;
  for (const Argument& argument : arguments) {
    const auto* buffer = std::get_if<Buffer>(&argument);
    if (buffer == nullptr) continue;
    const std::string what = fmt::format("buffer {} of {} bytes", buffers.size(), buffer->content.size());
    OnCard& fresh = buffers.emplace_back(OnCard{nullptr, buffer->content.size()});
    check(sdaaMalloc(&fresh.pointer, fresh.bytes), what);
    check(sdaaMemcpy(fresh.pointer, buffer->content.data(), fresh.bytes, sdaaMemcpyHostToDevice), what);
  }
  return buffers;
}

// Without `buffers` the pointers are null: what counts is whether all fits.
std::vector<ArgumentValue> values_of(const std::vector<Argument>& arguments,
                                     std::span<const OnCard> buffers) {
  std::vector<ArgumentValue> values;
  size_t next = 0;
  for (const Argument& argument : arguments) {
    if (const auto* word = std::get_if<uint32_t>(&argument)) {
      values.push_back({*word, false});
    } else {
      values.push_back({buffers.empty() ? 0 : reinterpret_cast<uint64_t>(buffers[next++].pointer), true});
    }
  }
  return values;
}

// How long each took, in nanoseconds of the card.
std::vector<uint64_t> launch(sdaaFunction_t function, const Wish& wish, std::span<const uint8_t> packed,
                             uint32_t mask) {
  sdaaLaunchConfig_t config = {};
  config.structBytes = sizeof config;
  config.group = wish.group;
  config.timeoutCycles = wish.limit;
  config.coreMask = mask;
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
  std::vector<Argument> arguments;
  for (const std::string& text : wish.arguments) arguments.push_back(kernel_run::parse_argument(text));
  pack(kernel, values_of(arguments, {}));
  const auto count = std::ranges::count_if(
      arguments, [](const Argument& argument) { return std::holds_alternative<Buffer>(argument); });
  std::vector<Dump> dumps;
  for (const std::string& text : wish.dumps) {
    dumps.push_back(kernel_run::parse_dump(text));
    if (dumps.back().buffer >= count)
      throw Error(kBadInput, fmt::format("--dump {}: there are {} buffers", text, count));
    kernel_run::check_writable(dumps.back().file);
  }
  const auto mask = wish.mask.empty()
                        ? 0
                        : static_cast<uint32_t>(kernel_run::parse_number(wish.mask, ~uint32_t{0}, "--mask"));

  const UsedCard card(cli.options());
  const Progress progress(!cli.options().quiet, name);
  sdaaModule_t module = nullptr;
  sdaaFunction_t function = nullptr;
  check(sdaaModuleLoadBytes(&module, file.bytes().data(), file.bytes().size()), wish.module);
  check(sdaaModuleGetFunction(&function, module, name.c_str()), wish.module);
  const std::vector<OnCard> buffers = place_buffers(arguments);
  const std::vector<uint64_t> times =
      launch(function, wish, pack(kernel, values_of(arguments, buffers)), mask);
  for (const Dump& dump : dumps) {
    std::vector<uint8_t> bytes(buffers[dump.buffer].bytes);
    check(sdaaMemcpy(bytes.data(), buffers[dump.buffer].pointer, bytes.size(), sdaaMemcpyDeviceToHost),
          fmt::format("buffer {}", dump.buffer));
    kernel_run::write_file(dump.file, bytes);
  }
  // With SWAI_MEMORY_CHECK the library looks here whether something was written around them.
  for (const OnCard& buffer : buffers) check(sdaaFree(buffer.pointer), name);

  if (cli.options().json) {
    cli.print({{"module", wish.module}, {"kernel", name}, {"ns", times}});
  } else {
    for (const uint64_t time : times) fmt::print("{}: done in {} ns\n", name, time);
  }
  return kDone;
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
  command->add_option("--dump", wish->dumps, "write buffer INDEX (from 0) to FILE at the end")
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
  command->add_flag("--list", wish->list, "list the module's kernels instead; needs no card");
}

}  // namespace swai::cli
