// SPDX-License-Identifier: Apache-2.0
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
#include <new>
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

// In huge pages where there are any: thousands of small ones take longer than all else that a boot does.
uint8_t* new_cells(size_t bytes) {
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const cells = std::aligned_alloc(kHugePage, whole);
  if (cells == nullptr) throw std::bad_alloc();
  if (bytes >= kHugePage) ::madvise(cells, bytes, MADV_HUGEPAGE);
  return static_cast<uint8_t*>(cells);
}

}  // namespace

bool FlashStore::size_ok(size_t bytes) {
  return std::has_single_bit(bytes) && bytes >= kMinBytes && bytes <= kMaxBytes;
}

FlashStore FlashStore::open(const std::string& path, size_t bytes) {
  if (bytes != 0 && !size_ok(bytes)) fail(path, fmt::format("{} bytes asked for, but {}", bytes, kSizes));

  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool created = fd < 0 && errno == ENOENT;
  if (created) {
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
  store.unwritten_ = created;
  store.load_status();
  return store;
}

FlashStore FlashStore::in_memory(size_t bytes) {
  FlashStore store("(memory)", -1, bytes);
  std::ranges::fill(store.cells(), uint8_t{0xFF});
  return store;
}

FlashStore::FlashStore(std::string path, int fd, size_t bytes)
    : path_(std::move(path)), fd_(fd), size_(bytes), cells_(new_cells(bytes)) {
  for (size_t done = 0; fd_ >= 0 && done < bytes;) {
    const ssize_t got = ::pread(fd_, cells_.get() + done, bytes - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const std::string cause = got == 0 ? "it was cut meanwhile" : errno_text();
      ::close(fd_);
      fail(path_, fmt::format("cannot read it: {}", cause));
    }
    done += static_cast<size_t>(got);
  }
}

FlashStore::FlashStore(FlashStore&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      cells_(std::move(other.cells_)),
      unwritten_(other.unwritten_),
      status_(other.status_) {}

FlashStore::~FlashStore() {
  if (fd_ >= 0) ::close(fd_);
}

bool FlashStore::is_cut() const {
  struct stat info {};
  return ::fstat(fd_, &info) != 0 || info.st_size != static_cast<off_t>(size());
}

void FlashStore::write_back(size_t address, size_t bytes) {
  while (bytes != 0) {
    const ssize_t wrote = ::pwrite(fd_, cells_.get() + address, bytes, static_cast<off_t>(address));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) fail(path_, fmt::format("cannot write it: {}", errno_text()));
    address += static_cast<size_t>(wrote);
    bytes -= static_cast<size_t>(wrote);
  }
}

void FlashStore::wrote(size_t address, size_t bytes) {
  if (fd_ < 0) return;
  unwritten_ = true;
  if (is_cut()) {
    write_back(0, size());
  } else {
    write_back(address, bytes);
  }
}

void FlashStore::load_status() {
  std::FILE* file = std::fopen(status_path().c_str(), "r");
  if (file == nullptr) {
    if (errno != ENOENT) fail(status_path(), fmt::format("cannot read it: {}", errno_text()));
    return;
  }
  unsigned sr1 = 0, sr2 = 0, sr3 = 0;
  const int fields = std::fscanf(file, "sr1=%2x sr2=%2x sr3=%2x", &sr1, &sr2, &sr3);
  // One that was killed while it wrote the file, before there was a name for what is not whole yet.
  const bool empty = fields == EOF && std::feof(file) != 0 && std::ftell(file) == 0;
  std::fclose(file);
  if (empty) return;
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
  const std::string text = fmt::format("sr1={:02x} sr2={:02x} sr3={:02x}\n", bits.sr1, bits.sr2, bits.sr3);
  // In one step, so that nobody finds half of it.
  const std::string fresh = status_path() + ".new";
  std::FILE* file = std::fopen(fresh.c_str(), "w");
  if (file == nullptr) fail(status_path(), fmt::format("cannot write it: {}", errno_text()));
  const bool written = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !written || std::rename(fresh.c_str(), status_path().c_str()) != 0)
    fail(status_path(), fmt::format("cannot write it: {}", errno_text()));
}

void FlashStore::flush() {
  if (fd_ < 0) return;
  const bool cut = is_cut();  // by somebody, while the card ran
  if (!unwritten_ && !cut) return;
  if (cut) write_back(0, size());
  if (::fsync(fd_) != 0) fail(path_, fmt::format("cannot write it back: {}", errno_text()));
  unwritten_ = false;
}

}  // namespace swai::card
