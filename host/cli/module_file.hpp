// A file with kernels, as it describes itself: no card is needed for that.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "abi/module_reader.hpp"
#include "abi/source_lines.hpp"

namespace swai::cli {

class ModuleFile {
 public:
  // Throws Error, or common::InputError.
  explicit ModuleFile(const std::string& path);

  // An empty name: the only one.
  module::KernelView kernel(const std::string& name) const;
  const module::Module& module() const { return module_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  module::SourceLines lines() const { return module::SourceLines(bytes_); }

 private:
  std::string path_;
  std::vector<uint8_t> bytes_;
  module::Module module_;
};

struct ArgumentValue {
  uint64_t bits = 0;
  bool pointer = false;
};
// Each at its place: as the kernel's parameters lie, or as the members of a structure of words and pointers.
// Throws Error when they do not fit.
std::vector<uint8_t> pack(const module::KernelView& kernel, std::span<const ArgumentValue> values);

}  // namespace swai::cli
