// SPDX-License-Identifier: Apache-2.0
#include "verif/host/transport/rig.hpp"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace swai::socket {

MemoryFile::MemoryFile(uint64_t bytes) : fd_(::memfd_create("swai-test", MFD_CLOEXEC)), bytes_(bytes) {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) std::abort();
  data_ = static_cast<uint8_t*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
}

MemoryFile::~MemoryFile() {
  ::munmap(data_, bytes_);
  ::close(fd_);
}

void MemoryFile::shrink(uint64_t bytes) const {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) std::abort();
}

EventFd::EventFd() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
EventFd::~EventFd() { ::close(fd_); }

uint64_t EventFd::take() const {
  uint64_t count = 0;
  return ::read(fd_, &count, sizeof count) == sizeof count ? count : 0;
}

Rig::Rig(unsigned number, ServerOptions options) {
  std::string name = (std::filesystem::temp_directory_path() / "swai-socket-XXXXXX").string();
  folder = ::mkdtemp(name.data());
  for (unsigned i = 0; i < number; ++i) cards.push_back(std::make_unique<FakeDevice>(clock, i, number));
  if (!options.log) options.log = [this](const std::string& line) { log.push_back(line); };
  server = std::make_unique<Server>(clock, options);
  for (const auto& card : cards) server->add(*card);
}

Rig::~Rig() {
  stop();
  server.reset();
  std::filesystem::remove_all(folder);
}

int Rig::connection(size_t number) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  server->connect(number, link::Fd(ends[0]));
  return ends[1];
}

std::function<void()> Rig::turner() {
  return [this] { server->turn(0); };
}

void Rig::listen() {
  for (size_t i = 0; i < cards.size(); ++i) server->listen({i}, path(i));
}

void Rig::start() {
  listen();
  thread = std::thread([this] { server->run(); });
}

void Rig::stop() {
  if (!thread.joinable()) return;
  server->stop();
  thread.join();
}

void Rig::settle() {
  for (int i = 0; i < 20; ++i) server->turn(0);
}

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

size_t mapped_files() {
  size_t count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    count += line.find("/memfd:") != std::string::npos ? 1 : 0;
  return count;
}

}  // namespace swai::socket
