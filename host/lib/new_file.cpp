// SPDX-License-Identifier: Apache-2.0
#include "host/lib/new_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "host/lib/elf.hpp"

namespace swai::common {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  // Another process may write the same file, or have been killed while it did.
  constexpr int kAttempts = 100;
  for (int attempt = 0; file_ == nullptr; ++attempt) {
    temporary_ = fmt::format("{}.{}-{}.part", path_, ::getpid(), attempt);
    file_ = std::fopen(temporary_.c_str(), "wbx");
    if (file_ == nullptr && (errno != EEXIST || attempt == kAttempts)) fail();
  }
  struct stat replaced = {};
  if (::stat(path_.c_str(), &replaced) == 0) ::fchmod(::fileno(file_), replaced.st_mode & 07777);
}

NewFile::~NewFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

void NewFile::write(size_t at, std::span<const uint8_t> bytes) {
  if (std::fseek(file_, static_cast<long>(at), SEEK_SET) != 0 ||
      std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail();
  }
}

void NewFile::finish() {
  const bool good = std::fflush(file_) == 0 && ::fsync(::fileno(file_)) == 0 &&
                    std::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!good) fail();
  std::fclose(std::exchange(file_, nullptr));
}

void NewFile::fail() const { refuse(path_, errno); }

void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::file_status is = fs::status(path, none);
  if (fs::exists(is) && !fs::is_regular_file(is)) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    if (!out) refuse(path, errno);
    return;
  }
  // A link stays one.
  NewFile file(fs::exists(is) ? fs::canonical(path).string() : path);
  file.write(0, bytes);
  file.finish();
}

}  // namespace swai::common
