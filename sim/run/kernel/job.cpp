// SPDX-License-Identifier: Apache-2.0
#include "sim/run/kernel/job.hpp"

#include <fmt/format.h>

#include <cstring>

#include "abi/launch.hpp"
#include "abi/segment.hpp"
#include "host/lib/elf.hpp"
#include "sim/iss/cpe/daemon.hpp"

namespace swai::kernel_run {

using common::InputError;
using iss::cpe::kHbmBase;
using iss::cpe::kHbmBytes;

namespace {

constexpr uint64_t kTable = kHbmBase;
constexpr uint64_t kFirst = kHbmBase + 0x10'0000;  // behind the largest table
constexpr uint16_t kDaemon = 1;
constexpr uint16_t kCode = 2;
constexpr uint16_t kArguments = 3;
constexpr uint16_t kFirstBuffer = 4;
constexpr uint64_t kPointerBytes = 8;

constexpr uint64_t granules(uint64_t bytes) {
  return (bytes + segment::kGranuleBytes - 1) / segment::kGranuleBytes * segment::kGranuleBytes;
}

}  // namespace

Program::Program(const std::string& path, module::Space space) : path_(path) {
  const std::vector<uint8_t> file = read_file(path);
  module::Module module;
  const module::Verdict verdict = module.open(file, space);
  if (!verdict.ok()) {
    std::string message = fmt::format("{}: {}", path, module::text(verdict.error));
    if (!verdict.name.empty()) message += fmt::format(": {}", verdict.name);
    if (verdict.value != 0) message += fmt::format(" ({:#x})", verdict.value);
    throw InputError(message);
  }
  code_.resize(module.code_bytes());
  for (const module::Piece& piece : module.pieces()) {
    std::memcpy(&code_[piece.offset], piece.data.data(), piece.data.size());
  }
  const module::ArgumentTypes types(file);
  for (uint32_t i = 0; i < module.kernel_count(); ++i) {
    const module::KernelView kernel = module.kernel(i);
    kernels_.push_back({std::string(kernel.name), kernel.pc, kernel.argument_bytes,
                        module::Parameters(kernel.parameters), types.stacks_of(kernel.name)});
  }
  free_bytes_ = module::kLdmBytes - module.ldm_bytes();
  text_ = module::ModuleText(file);
  for (const auto kind : {module::VariableKind::kConstant, module::VariableKind::kDevice}) {
    module::Variables variables(kind, file, module);
    if (!variables.values().empty()) variables_.push_back(std::move(variables));
  }
}

void Program::point(uint32_t place, uint64_t pointer) {
  std::memcpy(&code_[place], &pointer, sizeof pointer);
}

Program Program::plain_daemon() {
  Program daemon;
  daemon.path_ = "plain daemon";
  daemon.code_.resize(sizeof iss::cpe::kPlainDaemon);
  std::memcpy(daemon.code_.data(), iss::cpe::kPlainDaemon.data(), daemon.code_.size());
  daemon.kernels_.push_back({"daemon", module::base(module::Space::kDaemon), 0});
  return daemon;
}

const Program::Kernel& Program::kernel(const std::string& name) const {
  std::string names;
  for (const Kernel& kernel : kernels_) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  throw InputError(fmt::format("{}: has no kernel '{}'; it has: {}", path_, name, names));
}

module::GridKernel Program::grid_kernel(const std::string& name) const {
  const Kernel& found = kernel(name);
  return {found.name, found.parameters, found.stacks, free_bytes_};
}

Job::Job(Program program, Program daemon, Setup setup)
    : program_(std::move(program)),
      daemon_(std::move(daemon)),
      setup_(std::move(setup)),
      table_{segment::kNoEntry},
      addresses_{0},
      next_(kFirst) {
  using segment::kExecute, segment::kRead, segment::kWrite;
  const Program::Kernel& kernel = program_.kernel(setup_.kernel);
  daemon_.kernel("daemon");
  add_segment(place(daemon_.code().size()), kRead | kExecute, segment::kShared);
  add_segment(place(program_.code().size()), kRead | kExecute, setup_.context);
  // Pointers in the arguments name the buffers' segments, which follow those of the arguments.
  build_arguments(kernel);
  add_segment(place(std::max<size_t>(arguments_.size(), 1)), kRead, setup_.context);
  for (const Argument& argument : setup_.arguments) {
    const Buffer* buffer = std::get_if<Buffer>(&argument);
    if (buffer == nullptr) continue;
    buffers_.push_back(place(buffer->content.size()));
    add_segment(buffers_.back(), kRead | kWrite, setup_.context);
  }
  if (program_.text().prints.any()) {
    prints_ = place(print::kBufferBytes);
    program_.print_to(segment::pointer(add_segment(prints_, kRead | kWrite, setup_.context), 0));
  }
  for (const module::Variables& variables : program_.variables()) {
    variables_.push_back(place(variables.values().size()));
    const uint16_t number = add_segment(variables_.back(), kRead | kWrite, setup_.context);
    program_.place_variables(variables, segment::pointer(number, 0));
  }
  launch_ = {.pc = kernel.pc,
             .argument = launch::kArgumentWindow,
             .mask = setup_.mask,
             .code_segment = kCode,
             .argument_segment = kArguments,
             .context = setup_.context};
}

Job::Placed Job::place(uint64_t bytes) {
  const Placed placed{next_, bytes};
  next_ += granules(bytes) + segment::kGranuleBytes;
  if (next_ > kHbmBase + kHbmBytes) throw InputError("the buffers do not fit into the memory of a group");
  return placed;
}

uint16_t Job::add_segment(const Placed& placed, uint8_t permissions, uint8_t owner) {
  if (table_.size() >= segment::kNone) throw InputError("more buffers than there are segments");
  table_.push_back(segment::encode({placed.address, granules(placed.bytes), permissions, owner}));
  addresses_.push_back(placed.address);
  return static_cast<uint16_t>(table_.size() - 1);
}

void Job::build_arguments(const Program::Kernel& kernel) {
  const auto append = [&](const auto& value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    arguments_.insert(arguments_.end(), bytes, bytes + sizeof value);
  };
  const auto align = [&] {
    arguments_.resize((arguments_.size() + kPointerBytes - 1) / kPointerBytes * kPointerBytes);
  };
  uint16_t next_buffer = kFirstBuffer;
  for (const Argument& argument : setup_.arguments) {
    if (const uint32_t* word = std::get_if<uint32_t>(&argument)) {
      append(*word);
    } else {
      align();  // as the compiler aligns pointers
      append(segment::pointer(next_buffer++, 0));
    }
  }
  const bool with_grid = kernel.parameters.has_grid();
  if (with_grid || next_buffer != kFirstBuffer) align();
  const uint32_t wanted =
      with_grid ? kernel.parameters.offset(kernel.parameters.values()) : kernel.argument_bytes;
  if (arguments_.size() != wanted) {
    throw InputError(fmt::format("{}: takes {} bytes of arguments (a word is 4, a buffer 8), not {}",
                                 setup_.kernel, wanted, arguments_.size()));
  }
  if (with_grid) {
    arguments_.resize(kernel.argument_bytes);
    module::place_grid(arguments_, kernel.parameters, setup_.grid);
  }
}

void Job::load(Device& device, uint64_t limit) const {
  // What lies behind the end of code in its segment is zero, whatever memory holds.
  const auto write = [&](uint64_t address, const std::vector<uint8_t>& bytes) {
    device.write(address, bytes);
    device.write(address + bytes.size(), std::vector<uint8_t>(granules(bytes.size()) - bytes.size()));
  };
  std::vector<uint8_t> table(table_.size() * sizeof table_[0]);
  std::memcpy(table.data(), table_.data(), table.size());
  device.write(kTable, table);
  write(addresses_[kDaemon], daemon_.code());
  write(addresses_[kCode], program_.code());
  write(addresses_[kArguments], arguments_);
  unsigned number = 0;
  for (const Argument& argument : setup_.arguments) {
    if (const Buffer* buffer = std::get_if<Buffer>(&argument))
      device.write(buffers_[number++].address, buffer->content);
  }
  for (size_t i = 0; i < variables_.size(); ++i)
    device.write(variables_[i].address, program_.variables()[i].values());
  if (prints_.bytes != 0) device.write(prints_.address, std::vector<uint8_t>(prints_.bytes));
  device.start(kTable, static_cast<uint32_t>(table_.size()),
               {.pc = daemon_.kernel("daemon").pc, .segment = kDaemon}, limit);
}

std::vector<uint8_t> Job::read_buffer(Device& device, unsigned number) const {
  std::vector<uint8_t> bytes(buffers_.at(number).bytes);
  device.read(buffers_[number].address, bytes);
  return bytes;
}

std::string Job::take_prints(Device& device) const {
  std::string text;
  if (prints_.bytes == 0) return text;
  const auto at = [&](uint32_t word) { return prints_.address + word * sizeof(uint32_t); };
  for (uint32_t core = 0; core < print::kCoresOfGroup; ++core) {
    print::Head head;
    device.read(at(print::head_word(core)), {reinterpret_cast<uint8_t*>(&head), sizeof head});
    if (head.written == head.read) continue;
    std::vector<uint32_t> ring(print::kRingWords);
    device.read(at(print::ring_word(core)),
                {reinterpret_cast<uint8_t*>(ring.data()), ring.size() * sizeof(uint32_t)});
    for (const std::string& line : program_.text().prints.lines(head, ring))
      text += fmt::format("CPE {}: {}\n", core, line);
    if (head.lost != 0)
      text += fmt::format("CPE {}: {} more lines are lost, for want of room\n", core, head.lost);
    head = {.written = head.written, .read = head.written, .lost = 0, .reserved = 0};
    device.write(at(print::head_word(core)), {reinterpret_cast<const uint8_t*>(&head), sizeof head});
  }
  return text;
}

}  // namespace swai::kernel_run
