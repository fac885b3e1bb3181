#include "host/cli/module_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "abi/argument_text.hpp"
#include "host/cli/error.hpp"

namespace swai::cli {
namespace {

constexpr uint32_t kPointerBytes = 8;
constexpr uint32_t kWordBytes = 4;

constexpr size_t rounded(size_t at, uint32_t bytes) { return (at + bytes - 1) / bytes * bytes; }

}  // namespace

ModuleFile::ModuleFile(const std::string& path) : path_(path), bytes_(kernel_run::read_file(path)) {
  const module::Verdict verdict = module_.open(bytes_);
  if (verdict.ok()) return;
  std::string why = module::text(verdict.error);
  if (!verdict.name.empty()) why += fmt::format(": {}", verdict.name);
  throw Error(kBadInput, fmt::format("{}: {}; `swai cc` makes modules", path, why));
}

module::KernelView ModuleFile::kernel(const std::string& name) const {
  if (name.empty() && module_.kernel_count() == 1) return module_.kernel(0);
  if (const auto found = module_.find(name)) return *found;
  std::string names;
  for (uint32_t i = 0; i < module_.kernel_count(); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", module_.kernel(i).name);
  }
  throw Error(kBadInput, name.empty()
                             ? fmt::format("{}: --kernel is needed, one of: {}", path_, names)
                             : fmt::format("{}: has no kernel '{}'; it has: {}", path_, name, names));
}

std::vector<uint8_t> pack(const module::KernelView& kernel, std::span<const ArgumentValue> values) {
  const module::Parameters parameters(kernel.parameters);
  const bool known = parameters.count() != 0;
  if (known && parameters.count() != values.size()) {
    throw Error(kBadInput, fmt::format("kernel {} takes {} arguments, not {}: see --list", kernel.name,
                                       parameters.count(), values.size()));
  }
  std::vector<uint8_t> packed;
  uint32_t largest = 1;
  for (unsigned i = 0; i < values.size(); ++i) {
    const uint32_t bytes = known ? parameters.size(i) : values[i].pointer ? kPointerBytes : kWordBytes;
    if (values[i].pointer && bytes != kPointerBytes) {
      throw Error(kBadInput, fmt::format("kernel {}: argument {} is a number, not memory: see --list",
                                         kernel.name, i + 1));
    }
    const size_t at = rounded(packed.size(), bytes);
    packed.resize(at + bytes);
    std::memcpy(packed.data() + at, &values[i].bits, bytes);
    largest = std::max(largest, bytes);
  }
  packed.resize(rounded(packed.size(), largest));
  if (packed.size() != kernel.argument_bytes) {
    throw Error(
        kBadInput,
        fmt::format("kernel {} takes {} bytes of arguments, not {} (a number is {}, memory {}): see --list",
                    kernel.name, kernel.argument_bytes, packed.size(), kWordBytes, kPointerBytes));
  }
  return packed;
}

}  // namespace swai::cli
