#include "host/models/new_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/models/file_bytes.hpp"

namespace swai::models {

NewFile::NewFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".part") {
  file_ = std::fopen(temporary_.c_str(), "wbx");
  if (file_ == nullptr) fail();
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

void NewFile::fail() const { refuse(temporary_, fmt::format("cannot be written: {}", std::strerror(errno))); }

}  // namespace swai::models
