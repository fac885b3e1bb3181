// SPDX-License-Identifier: Apache-2.0
#include "host/transport/card.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace swai::link {

using std::chrono::steady_clock;

namespace {
// Sets of vectors are 64 bits. Devices that are not ours may have thousands.
constexpr uint32_t kMaxInterrupts = 64;
}  // namespace

const char* name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadArgument:
      return "bad argument";
    case ErrorKind::kNoConnection:
      return "no connection";
    case ErrorKind::kRefused:
      return "refused";
    case ErrorKind::kTimedOut:
      return "timed out";
    case ErrorKind::kIncomplete:
      return "incomplete";
    case ErrorKind::kLost:
      return "card lost";
  }
  return "?";
}

PinnedMemory::PinnedMemory(Backend& backend, uint64_t iova, uint64_t bytes, Access access, bool shared)
    : backend_(&backend), iova_(iova), file_(::memfd_create("swai-pinned", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  const auto fail = [&](const char* what) {
    throw Error(ErrorKind::kBadArgument,
                fmt::format("{} bytes for the card: {}: {}", bytes, what, std::strerror(errno)), errno);
  };
  if (bytes == 0 || (bytes | iova) % 4096 != 0) {
    throw Error(ErrorKind::kBadArgument,
                fmt::format("{} bytes at bus address {:#x} are not whole pages of 4096 bytes", bytes, iova));
  }
  if (!file_) fail("memfd_create");
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (at == MAP_FAILED) fail("mmap");
  bytes_ = {static_cast<uint8_t*>(at), bytes};
  DmaMapping mapping;
  mapping.iova = iova;
  mapping.memory = bytes_;
  mapping.readable = access != Access::kWrite;
  mapping.writable = access != Access::kRead;
  if (shared) mapping.fd = file_.get();
  try {
    backend.map(mapping);
  } catch (...) {
    ::munmap(at, bytes);
    throw;
  }
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : backend_(std::exchange(other.backend_, nullptr)),
      iova_(other.iova_),
      bytes_(std::exchange(other.bytes_, {})),
      file_(std::move(other.file_)) {}

void PinnedMemory::release() {
  Backend* backend = std::exchange(backend_, nullptr);
  const Buffer bytes = std::exchange(bytes_, {});
  if (backend == nullptr) return;
  // The server forgets it first; what happens when that fails is that the connection is gone, and the mapping
  // with it.
  try {
    backend->unmap(iova_, bytes.size());
  } catch (...) {
    ::munmap(bytes.data(), bytes.size());
    throw;
  }
  ::munmap(bytes.data(), bytes.size());
}

PinnedMemory::~PinnedMemory() {
  try {
    release();
  } catch (const Error&) {
    // A card that is lost has no mappings.
  }
}

Interrupts::Interrupts(uint32_t vectors) {
  for (uint32_t i = 0; i < vectors; ++i) {
    fds_.emplace_back(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!fds_.back()) {
      throw Error(ErrorKind::kBadArgument,
                  fmt::format("no eventfd for vector {}: {}", i, std::strerror(errno)), errno);
    }
  }
}

std::vector<int> Interrupts::all() const {
  std::vector<int> result;
  for (const Fd& fd : fds_) result.push_back(fd.get());
  return result;
}

uint64_t Interrupts::take(uint64_t vectors) const {
  uint64_t fired = 0;
  for (uint32_t i = 0; i < fds_.size(); ++i) {
    uint64_t count;
    if ((vectors >> i & 1) != 0 && ::read(fds_[i].get(), &count, sizeof count) == sizeof count)
      fired |= uint64_t{1} << i;
  }
  return fired;
}

Card::Card(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {
  // In free time an interrupt may come before anybody has thought of waiting for it.
  if (!describe().deterministic) interrupts();
}
Card::~Card() = default;

std::unique_ptr<Card> Card::open(const std::string& socket_path, const VfioUserOptions& options) {
  return std::make_unique<Card>(open_vfio_user(socket_path, options));
}

void Card::write_block(unsigned region, uint64_t offset, Bytes from) {
  backend_->write(region, offset, from);
}

void Card::post_block(unsigned region, uint64_t offset, Bytes from) { backend_->post(region, offset, from); }

void Card::check_posted() {
  // The server works in order: when this read is answered, all posts before it are done.
  std::array<uint64_t, 4> words{};
  static_assert(vendor::kFirstErrorAt - vendor::kWritesAt == 24);
  backend_->read(vendor::kRegion, vendor::kWritesAt,
                 {reinterpret_cast<uint8_t*>(words.data()), sizeof words});
  const auto [writes, refused, first, error] = words;
  if (refused == refused_) return;
  const uint64_t fresh = refused - std::exchange(refused_, refused);
  throw Error(ErrorKind::kRefused,
              fmt::format("{} of {} writes to {} were refused; the first ever was number {}: {}", fresh,
                          writes, describe().address, first, std::strerror(static_cast<int>(error))),
              static_cast<int>(error));
}

PinnedMemory Card::pin(uint64_t iova, uint64_t bytes, Access access, bool shared) {
  return PinnedMemory(*backend_, iova, bytes, access, shared);
}

Interrupts& Card::interrupts() {
  if (!interrupts_) {
    auto fresh = std::make_unique<Interrupts>(std::min(describe().vectors, kMaxInterrupts));
    backend_->set_interrupts(fresh->all());
    interrupts_ = std::move(fresh);
  }
  return *interrupts_;
}

uint64_t Card::wait_interrupt(uint64_t vectors, Milliseconds timeout, uint64_t cycles) {
  if (describe().deterministic) {
    const uint64_t fired = run_until(vectors, cycles).vectors;
    if (interrupts_) interrupts_->take(fired);
    return fired;
  }
  Interrupts& lines = interrupts();
  const auto deadline = steady_clock::now() + timeout;
  std::vector<pollfd> fds;
  for (uint32_t i = 0; i < lines.count() && i < 64; ++i) {
    if ((vectors >> i & 1) != 0) fds.push_back({lines.fd(i), POLLIN, 0});
  }
  for (;;) {
    if (const uint64_t fired = lines.take(vectors); fired != 0) return fired;
    const auto left = std::chrono::ceil<Milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0 || !backend_->wait(fds, left)) return lines.take(vectors);
  }
}

vendor::RunResult Card::run_until(uint64_t vectors, uint64_t cycles) {
  return backend_->run_until({vectors, cycles, vendor::kLimitIsRelative});
}

vendor::RunResult Card::run_until_cycle(uint64_t vectors, uint64_t cycle) {
  return backend_->run_until({vectors, cycle, 0});
}

uint64_t Card::command(vendor::Command command, std::array<uint64_t, 4> arguments) {
  std::array<uint64_t, 5> words{arguments[0], arguments[1], arguments[2], arguments[3],
                                static_cast<uint64_t>(command)};
  static_assert(vendor::kCommandAt - vendor::kArgumentsAt == 32);
  backend_->write(vendor::kRegion, vendor::kArgumentsAt,
                  {reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
  return read<uint64_t>(vendor::kRegion, vendor::kCommandValueAt);
}

}  // namespace swai::link
