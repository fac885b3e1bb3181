// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/flash_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace swai::flash {
namespace {

using image::Refusal;
using image::Slot;

[[noreturn]] void fail(const std::string& path, const std::string& cause) {
  throw InputError(fmt::format("{}: {}", path, cause));
}

std::string errno_text() { return std::strerror(errno); }

std::span<const uint8_t> slot_of(std::span<const uint8_t> flash, Slot slot) {
  return flash.subspan(slot_offset(slot), image::kSlotBytes);
}

}  // namespace

Bytes read_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) fail(path, "is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, fmt::format("cannot open: {}", errno_text()));
  // Four times what the largest chip holds. /dev/zero, say, has no end.
  constexpr size_t kMostBytes = 64 << 20;
  Bytes bytes;
  std::array<char, 1 << 16> piece;
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + file.gcount());
    if (bytes.size() > kMostBytes)
      fail(path, fmt::format("is longer than {} bytes, which no image is", kMostBytes));
  }
  if (file.bad()) fail(path, fmt::format("cannot read: {}", errno_text()));
  return bytes;
}

std::optional<Slot> bootable_slot(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  const Slot first = image::preferred(read_header(a), read_header(b));
  for (const Slot slot : {first, first == Slot::kA ? Slot::kB : Slot::kA}) {
    if (check(slot == Slot::kA ? a : b) == Refusal::kNone) return slot;
  }
  return std::nullopt;
}

std::optional<Slot> bootable_slot(std::span<const uint8_t> flash) {
  return bootable_slot(slot_of(flash, Slot::kA), slot_of(flash, Slot::kB));
}

FlashFile::FlashFile(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) fail(path, fmt::format("cannot open for reading and writing: {}", errno_text()));
  const auto give_up = [&](const std::string& cause) {
    ::close(fd_);
    fail(path, cause);
  };
  // The simulated card holds the same lock while it runs.
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) give_up("in use by a running card or another tool");
  try {
    contents_ = read_file(path);
  } catch (const InputError&) {
    ::close(fd_);
    throw;
  }
  if (contents_.size() < image::kMinFlashBytes) {
    give_up(fmt::format("has {} bytes; flash contents with both slots have at least {}", contents_.size(),
                        image::kMinFlashBytes));
  }
}

FlashFile FlashFile::create(const std::string& path) {
  if (!std::filesystem::exists(path)) write_file(path, Bytes(kDefaultBytes, 0xFF));
  return FlashFile(path);
}

FlashFile::FlashFile(FlashFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      contents_(std::move(other.contents_)) {}

FlashFile::~FlashFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::span<const uint8_t> FlashFile::slot(Slot slot) const { return slot_of(contents_, slot); }

void FlashFile::store(size_t offset, std::span<const uint8_t> bytes) {
  std::ranges::copy(bytes, contents_.begin() + static_cast<ptrdiff_t>(offset));
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote =
        ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (wrote < 0) fail(path_, fmt::format("cannot write: {}", errno_text()));
    done += static_cast<size_t>(wrote);
  }
}

void FlashFile::erase(Slot slot) { store(slot_offset(slot), Bytes(image::kSlotBytes, 0xFF)); }

void FlashFile::write(Slot slot, std::span<const uint8_t> image) {
  if (const Refusal refusal = check(image); refusal != Refusal::kNone) {
    throw InputError(fmt::format("image refused: {}", text(refusal)));
  }
  erase(slot);
  store(slot_offset(slot), image.first(sizeof(image::Header) + read_header(image).length));
}

void FlashFile::mark(Slot slot, const image::State& state) {
  image::Header header = read_header(this->slot(slot));
  if (const Refusal refusal = image::check_header(header, boot::kImageMemory); refusal != Refusal::kNone) {
    fail(path_, fmt::format("slot {} holds no image: {}", letter(slot), text(refusal)));
  }
  header.state.attempts &= state.attempts;
  header.state.confirmed &= state.confirmed;
  header.state.revoked &= state.revoked;
  Bytes bytes(sizeof(header));
  write_header(bytes, header);
  store(slot_offset(slot), bytes);
}

}  // namespace swai::flash
