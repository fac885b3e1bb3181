#include "sim/card/flash_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace swai::card {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& cause) {
  throw FlashStoreError(fmt::format("flash image {}: {}", path, cause));
}

std::string errno_text() { return std::strerror(errno); }

constexpr const char* kSizes = "a chip has 1, 2, 4, 8 or 16 MiB";

// Fills a new file with erased cells; takes it away again when the disk has no room for it.
void create_erased(const std::string& path, int fd, size_t bytes) {
  const std::vector<uint8_t> erased(size_t{1} << 20, 0xFF);
  for (size_t done = 0; done < bytes;) {
    const ssize_t wrote = ::write(fd, erased.data(), std::min(erased.size(), bytes - done));
    if (wrote < 0) {
      const std::string cause = errno_text();
      ::unlink(path.c_str());
      ::close(fd);
      fail(path, fmt::format("cannot create it with {} bytes: {}", bytes, cause));
    }
    done += static_cast<size_t>(wrote);
  }
}

}  // namespace

bool FlashStore::size_ok(size_t bytes) {
  return std::has_single_bit(bytes) && bytes >= kMinBytes && bytes <= kMaxBytes;
}

FlashStore FlashStore::open(const std::string& path, size_t bytes) {
  if (bytes != 0 && !size_ok(bytes)) fail(path, fmt::format("{} bytes asked for, but {}", bytes, kSizes));

  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) fail(path, fmt::format("cannot create it: {}", errno_text()));
    create_erased(path, fd, bytes != 0 ? bytes : kMaxBytes);
  }
  if (fd < 0) fail(path, fmt::format("cannot open it for reading and writing: {}", errno_text()));

  auto give_up = [&](const std::string& cause) {
    ::close(fd);
    fail(path, cause);
  };
  struct stat info {};
  if (::fstat(fd, &info) != 0) give_up(errno_text());
  if (!S_ISREG(info.st_mode)) give_up("not a plain file");
  const auto actual = static_cast<size_t>(info.st_size);
  if (bytes != 0 && actual != bytes) {
    give_up(fmt::format("has {} bytes, but {} were asked for; leave --flash-size out or name another file",
                        actual, bytes));
  }
  if (!size_ok(actual))
    give_up(fmt::format("has {} bytes, but {}; is this the flash image?", actual, kSizes));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    give_up("in use by another card; end that one or name another file");

  FlashStore store(path, fd, actual);
  store.load_status();
  return store;
}

FlashStore FlashStore::in_memory(size_t bytes) {
  FlashStore store("(memory)", -1, bytes);
  std::ranges::fill(store.cells(), uint8_t{0xFF});
  return store;
}

FlashStore::FlashStore(std::string path, int fd, size_t bytes)
    : path_(std::move(path)), fd_(fd), bytes_(bytes) {
  void* map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    const std::string cause = errno_text();
    if (fd >= 0) ::close(fd);
    fail(path_, fmt::format("cannot map it into memory: {}", cause));
  }
  cells_ = static_cast<uint8_t*>(map);
}

FlashStore::FlashStore(FlashStore&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      cells_(std::exchange(other.cells_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      status_(other.status_) {}

FlashStore::~FlashStore() {
  if (cells_ != nullptr) ::munmap(cells_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

void FlashStore::load_status() {
  std::FILE* file = std::fopen(status_path().c_str(), "r");
  if (file == nullptr) {
    if (errno != ENOENT) fail(status_path(), fmt::format("cannot read it: {}", errno_text()));
    return;
  }
  unsigned sr1 = 0, sr2 = 0, sr3 = 0;
  const int fields = std::fscanf(file, "sr1=%2x sr2=%2x sr3=%2x", &sr1, &sr2, &sr3);
  std::fclose(file);
  if (fields != 3) fail(status_path(), "not the status registers of a chip; remove it for the factory's");
  status_ = {static_cast<uint8_t>(sr1), static_cast<uint8_t>(sr2), static_cast<uint8_t>(sr3)};
}

void FlashStore::set_status(const FlashStatusBits& bits) {
  if (bits == status_) return;
  status_ = bits;
  if (fd_ < 0) return;
  if (bits == FlashStatusBits{}) {
    if (::unlink(status_path().c_str()) != 0 && errno != ENOENT) fail(status_path(), errno_text());
    return;
  }
  std::FILE* file = std::fopen(status_path().c_str(), "w");
  if (file == nullptr) fail(status_path(), fmt::format("cannot write it: {}", errno_text()));
  const std::string text = fmt::format("sr1={:02x} sr2={:02x} sr3={:02x}\n", bits.sr1, bits.sr2, bits.sr3);
  const bool written = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !written)
    fail(status_path(), fmt::format("cannot write it: {}", errno_text()));
}

void FlashStore::flush() {
  if (fd_ < 0) return;
  if (::msync(cells_, bytes_, MS_SYNC) != 0)
    fail(path_, fmt::format("cannot write it back: {}", errno_text()));
}

}  // namespace swai::card
