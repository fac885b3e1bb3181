// SPDX-License-Identifier: Apache-2.0
// Variables of modules.
#include <fmt/format.h>

#include <optional>

#include "host/runtime/call.hpp"
#include "host/runtime/copy.hpp"

using namespace swai::sdaa;

namespace {

constexpr const char* kDeclared = "__constant__ or __device__";

struct Variable {
  void* pointer = nullptr;
  size_t bytes = 0;
};

std::optional<Variable> find_variable(const Module& module, const char* name) {
  for (const VariablesOnCard* one : {&module.constants, &module.device_variables}) {
    if (const auto found = one->table.find(name))
      return Variable{reinterpret_cast<void*>(one->at + found->offset), found->bytes};
  }
  return std::nullopt;
}

void get_global(void** pointer, size_t* bytes, sdaaModule_t module, const char* name) {
  require(name != nullptr, "a null pointer");
  const auto found = Runtime::get().modules.get(module, "no such module");
  const auto variable = find_variable(*found, name);
  if (!variable) {
    fail(sdaaErrorNotFound,
         fmt::format("module {} has no variable {}: kernels declare it as {}", found->name, name, kDeclared));
  }
  if (pointer != nullptr) *pointer = variable->pointer;
  if (bytes != nullptr) *bytes = variable->bytes;
}

// Of the one module of the device that has it.
Variable find_symbol(const Device& device, const char* name) {
  require(name != nullptr, "a null pointer", sdaaErrorInvalidSymbol);
  std::vector<Variable> all;
  for (const auto& module : Runtime::get().modules.all()) {
    if (module->device.get() != &device || !module->alive) continue;
    if (const auto variable = find_variable(*module, name)) all.push_back(*variable);
  }
  if (all.size() == 1) return all.front();
  if (all.empty()) {
    fail(sdaaErrorInvalidSymbol,
         fmt::format("no module on device {} has a variable {}: kernels declare it as {}", device.number(),
                     name, kDeclared));
  }
  fail(sdaaErrorInvalidSymbol,
       fmt::format("{} modules on device {} have a variable {}: sdaaModuleGetGlobal says which is meant",
                   all.size(), device.number(), name));
}

Variable find_symbol(const char* name) { return find_symbol(*Runtime::get().current(), name); }

// Some of its bytes.
void* part_of(const Variable& variable, const char* name, size_t offset, size_t bytes) {
  if (offset > variable.bytes || bytes > variable.bytes - offset) {
    fail(sdaaErrorInvalidValue, fmt::format("{} bytes from byte {} of variable {}, which has {}", bytes,
                                            offset, name, variable.bytes));
  }
  return static_cast<uint8_t*>(variable.pointer) + offset;
}

void copy_to(const char* symbol, const void* from, size_t bytes, size_t offset, sdaaMemcpyKind kind,
             sdaaStream_t stream, Mode mode) {
  auto use = Runtime::get().use_stream(stream);
  void* const to = part_of(find_symbol(*use.device, symbol), symbol, offset, bytes);
  copy(use.writer(), to, from, {bytes, 1, 0, 0}, kind, mode);
}

void copy_from(void* to, const char* symbol, size_t bytes, size_t offset, sdaaMemcpyKind kind,
               sdaaStream_t stream, Mode mode) {
  auto use = Runtime::get().use_stream(stream);
  const void* const from = part_of(find_symbol(*use.device, symbol), symbol, offset, bytes);
  copy(use.writer(), to, from, {bytes, 1, 0, 0}, kind, mode);
}

}  // namespace

sdaaError_t sdaaModuleGetGlobal(void** pointer, size_t* bytes, sdaaModule_t module, const char* name) {
  return call("sdaaModuleGetGlobal", [&] { get_global(pointer, bytes, module, name); });
}

sdaaError_t sdaaLibraryGetGlobal(void** pointer, size_t* bytes, sdaaLibrary_t library, const char* name) {
  return call("sdaaLibraryGetGlobal", [&] { get_global(pointer, bytes, library, name); });
}

sdaaError_t sdaaGetSymbolAddress(void** pointer, const char* symbol) {
  return call("sdaaGetSymbolAddress", [&] {
    require(pointer != nullptr, "a null pointer");
    *pointer = find_symbol(symbol).pointer;
  });
}

sdaaError_t sdaaGetSymbolSize(size_t* bytes, const char* symbol) {
  return call("sdaaGetSymbolSize", [&] {
    require(bytes != nullptr, "a null pointer");
    *bytes = find_symbol(symbol).bytes;
  });
}

sdaaError_t sdaaMemcpyToSymbol(const char* symbol, const void* from, size_t bytes, size_t offset,
                               sdaaMemcpyKind kind) {
  return call("sdaaMemcpyToSymbol",
              [&] { copy_to(symbol, from, bytes, offset, kind, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemcpyToSymbolAsync(const char* symbol, const void* from, size_t bytes, size_t offset,
                                    sdaaMemcpyKind kind, sdaaStream_t stream) {
  return call("sdaaMemcpyToSymbolAsync",
              [&] { copy_to(symbol, from, bytes, offset, kind, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemcpyFromSymbol(void* to, const char* symbol, size_t bytes, size_t offset,
                                 sdaaMemcpyKind kind) {
  return call("sdaaMemcpyFromSymbol",
              [&] { copy_from(to, symbol, bytes, offset, kind, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemcpyFromSymbolAsync(void* to, const char* symbol, size_t bytes, size_t offset,
                                      sdaaMemcpyKind kind, sdaaStream_t stream) {
  return call("sdaaMemcpyFromSymbolAsync",
              [&] { copy_from(to, symbol, bytes, offset, kind, stream, Mode::kAsync); });
}
