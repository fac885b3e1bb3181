// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/lib/elf.hpp"
#include "host/lib/printable.hpp"

namespace swai::models {
namespace {

class Descriptor {
 public:
  // A pipe must not keep us waiting for somebody who writes.
  explicit Descriptor(const std::string& path, int folder = AT_FDCWD, int flags = 0)
      : fd_(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

// Names in it come from strangers' files: neither commands for a terminal, nor what JSON cannot hold, nor
// megabytes.
void refuse(const std::string& path, const std::string& what) {
  constexpr size_t kMaxBytes = 400;
  throw common::InputError(
      fmt::format("{}: {}", path, common::printable(std::string_view(what).substr(0, kMaxBytes))));
}

std::shared_ptr<const FileBytes> FileBytes::map(const std::string& path) {
  return map_opened(Descriptor(path).get(), path);
}

std::shared_ptr<const FileBytes> FileBytes::map_below(const std::string& folder, const std::string& name) {
  const std::filesystem::path relative(name);
  if (name.empty() || name.find('\0') != std::string::npos || relative.is_absolute() ||
      std::ranges::find(relative, "..") != relative.end())
    refuse(folder, fmt::format("'{}' does not name a file of this folder", name));
  Descriptor at(folder, AT_FDCWD, O_DIRECTORY);
  for (auto part = relative.begin(); part != relative.end() && at.get() >= 0; ++part) {
    const bool is_folder = std::next(part) != relative.end();
    at = Descriptor(part->native(), at.get(), O_NOFOLLOW | (is_folder ? O_DIRECTORY : 0));
  }
  if (at.get() < 0 && errno == ELOOP)
    refuse(folder, fmt::format("'{}' is a symbolic link; replace it by the file", name));
  return map_opened(at.get(), (std::filesystem::path(folder) / relative).string());
}

std::shared_ptr<const FileBytes> FileBytes::map_opened(int file, const std::string& path) {
  if (file < 0) refuse(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(file, &status) != 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) refuse(path, "is no ordinary file; give the file or folder of a model");
  if (status.st_size == 0) refuse(path, "is empty; fetch it again");
  const auto bytes = static_cast<size_t>(status.st_size);
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) refuse(path, fmt::format("cannot be mapped: {}", std::strerror(errno)));
  const std::shared_ptr<FileBytes> result(new FileBytes(path));
  result->bytes_ = {static_cast<const uint8_t*>(at), bytes};
  result->mapped_ = true;
  return result;
}

std::shared_ptr<const FileBytes> FileBytes::hold(std::string path, std::vector<uint8_t> bytes) {
  const std::shared_ptr<FileBytes> result(new FileBytes(std::move(path)));
  result->held_ = std::move(bytes);
  result->bytes_ = result->held_;
  return result;
}

FileBytes::~FileBytes() {
  if (mapped_) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace swai::models
