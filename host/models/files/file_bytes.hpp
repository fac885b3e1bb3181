// SPDX-License-Identifier: Apache-2.0
// The bytes of a file: mapped, so that a model of gigabytes costs nothing until its weights are read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace swai::models {

class FileBytes {
 public:
  // Throws InputError for what is no file that can be read, and for an empty one.
  static std::shared_ptr<const FileBytes> map(const std::string& path);
  // The file `name` below a folder, for names from outside: neither absolute, nor through "..", nor by way of
  // a symbolic link, so that it is below that folder even if somebody changes it meanwhile.
  static std::shared_ptr<const FileBytes> map_below(const std::string& folder, const std::string& name);
  // Bytes that are in memory already; `path` is what messages call them.
  static std::shared_ptr<const FileBytes> hold(std::string path, std::vector<uint8_t> bytes);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& path() const { return path_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  explicit FileBytes(std::string path) : path_(std::move(path)) {}
  static std::shared_ptr<const FileBytes> map_opened(int file, const std::string& path);

  std::string path_;
  std::vector<uint8_t> held_;
  std::span<const uint8_t> bytes_;
  bool mapped_ = false;
};

using SharedBytes = std::shared_ptr<const FileBytes>;

// The file of this name beside the others of a model; null when there is none.
using Siblings = std::function<SharedBytes(const std::string& name)>;

// Throws InputError: the file, what is wrong with it and what to do.
[[noreturn]] void refuse(const std::string& path, const std::string& what);

}  // namespace swai::models
