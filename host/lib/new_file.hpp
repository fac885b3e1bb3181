// SPDX-License-Identifier: Apache-2.0
// A file that replaces another one, if there is one, when all is written; until then it has a name beside it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace swai::common {

class NewFile {
 public:
  // Throws InputError, as all of this does, with what the system says.
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(size_t at, std::span<const uint8_t> bytes);
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
};

// Writes a whole file. Pipes and devices are written directly, because they cannot be replaced.
void write_file(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace swai::common
