// SPDX-License-Identifier: Apache-2.0
// Model programs.
#include <cstring>

#include "host/runtime/call.hpp"
#include "host/runtime/files.hpp"
#include "host/runtime/in_use.hpp"
#include "host/runtime/launch.hpp"
#include "host/runtime/program.hpp"

using namespace swai::sdaa;

namespace {

void load(sdaaProgram_t* program, std::span<const uint8_t> file) {
  auto fresh = std::make_shared<Program>(read_program(file));
  fresh->device = Runtime::get().current();
  Device::Lock lock = fresh->device->enter();
  fresh->load(lock);
  fresh->device->adopt(fresh);
  *program = reinterpret_cast<sdaaProgram_t>(Runtime::get().programs.add(std::move(fresh)));
}

// Calls `use` with the program and the lock of its device.
template <typename Use>
void with(sdaaProgram_t handle, Use use) {
  auto program = use_object(Runtime::get().programs.get(handle, "no such program"),
                            "the program went with a reset of the device");
  use(*program.object, program.lock);
}

}  // namespace

sdaaError_t sdaaProgramLoad(sdaaProgram_t* program, const char* path) {
  return call("sdaaProgramLoad", [&] {
    require(program != nullptr && path != nullptr, "a null pointer");
    load(program, read_file("program", path));
  });
}

sdaaError_t sdaaProgramLoadBytes(sdaaProgram_t* program, const void* image, size_t bytes) {
  return call("sdaaProgramLoadBytes", [&] {
    require(program != nullptr && image != nullptr && bytes != 0, "no image");
    load(program, {static_cast<const uint8_t*>(image), bytes});
  });
}

sdaaError_t sdaaProgramDestroy(sdaaProgram_t program) {
  return call("sdaaProgramDestroy", [&] {
    with(program, [&](Program& found, Device::Lock&) {
      found.alive = false;
      found.destroy();
    });
    Runtime::get().programs.remove(program);
  });
}

sdaaError_t sdaaProgramStart(sdaaProgram_t program, const void* args, size_t argumentBytes) {
  return call("sdaaProgramStart", [&] {
    require(args != nullptr || argumentBytes == 0, "a null pointer");
    with(program, [&](Program& found, Device::Lock& lock) {
      found.start(lock, {static_cast<const uint8_t*>(args), argumentBytes});
    });
  });
}

sdaaError_t sdaaProgramRead(sdaaProgram_t program, void* message, size_t* bytes) {
  return call("sdaaProgramRead", [&] {
    require(bytes != nullptr && (message != nullptr || *bytes == 0), "a null pointer");
    with(program, [&](Program& found, Device::Lock& lock) {
      const auto* next = found.next_message(lock);
      require(next != nullptr, "the program has ended, and all its messages were read", sdaaErrorNotFound);
      const size_t room = std::exchange(*bytes, next->size());
      require(next->size() <= room, "the message has more bytes than there is room for");
      if (!next->empty()) std::memcpy(message, next->data(), next->size());
      found.drop_message();
    });
  });
}

sdaaError_t sdaaProgramWait(sdaaProgram_t program, uint32_t* code) {
  return call("sdaaProgramWait", [&] {
    with(program, [&](Program& found, Device::Lock& lock) {
      const uint32_t result = found.wait(lock);
      if (code != nullptr) *code = result;
    });
  });
}

sdaaError_t sdaaProgramTell(sdaaProgram_t program, unsigned int number, uint64_t word) {
  return call("sdaaProgramTell", [&] {
    require(number >= swai::program::kInput && number < swai::program::kWords,
            "not a word of the program's own");
    with(program, [&](Program& found, Device::Lock&) { found.tell(number, word); });
  });
}

sdaaError_t sdaaProgramCancel(sdaaProgram_t program) {
  return call("sdaaProgramCancel", [&] {
    with(program, [](Program& found, Device::Lock&) { found.tell(swai::program::kCancel, 1); });
  });
}

sdaaError_t sdaaProgramGetKernel(sdaaProgramKernel_t* kernel, sdaaFunction_t function,
                                 const sdaaLaunchConfig_t* config) {
  return call("sdaaProgramGetKernel", [&] {
    require(kernel != nullptr, "a null pointer");
    const auto found = Runtime::get().functions.find(function);
    require(found != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
    const LaunchWish wish = wish_of(config);
    const Device::Lock lock = found->device->enter();
    const swai::command::Launch command = launch_of(*found->device, *found, wish);
    static_assert(sizeof *kernel == sizeof command - sizeof command.header);
    std::memcpy(kernel, reinterpret_cast<const uint8_t*>(&command) + sizeof command.header, sizeof *kernel);
  });
}
