// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/lib/elf.hpp"
#include "host/lib/printable.hpp"

namespace swai::models {
namespace {

class Descriptor {
 public:
  // A pipe must not keep us waiting for somebody who writes.
  explicit Descriptor(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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
  const Descriptor file(path);
  if (file.get() < 0) refuse(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) refuse(path, "is no ordinary file; give the file or folder of a model");
  if (status.st_size == 0) refuse(path, "is empty; fetch it again");
  const auto bytes = static_cast<size_t>(status.st_size);
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
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
