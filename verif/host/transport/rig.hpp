// SPDX-License-Identifier: Apache-2.0
// A server with fake cards, for tests: worked by the test itself, or by a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/transport/server/server.hpp"
#include "host/transport/vfio_user_backend.hpp"
#include "verif/host/transport/fake_device.hpp"
#include "verif/host/transport/raw_client.hpp"

namespace swai::socket {

// A file of memory, as a client shares it.
class MemoryFile {
 public:
  explicit MemoryFile(uint64_t bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int fd() const { return fd_; }
  uint8_t* data() const { return data_; }
  void shrink(uint64_t bytes) const;

 private:
  int fd_;
  uint64_t bytes_;
  uint8_t* data_;
};

class EventFd {
 public:
  EventFd();
  ~EventFd();
  EventFd(const EventFd&) = delete;
  EventFd& operator=(const EventFd&) = delete;
  int fd() const { return fd_; }
  // How often it was signalled since the last look.
  uint64_t take() const;

 private:
  int fd_;
};

struct Rig {
  explicit Rig(unsigned cards = 1, ServerOptions options = {});
  ~Rig();

  FakeDevice& card(size_t number = 0) { return *cards[number]; }
  std::string path(size_t number = 0) const { return folder + "/card" + std::to_string(number); }
  // Connections without a socket file.
  int connection(size_t number = 0);
  RawClient raw(size_t number = 0) { return RawClient(connection(number), turner()); }
  link::InProcess in_process(size_t number = 0) { return {link::Fd(connection(number)), turner()}; }
  std::function<void()> turner();

  void listen();
  // The server works in a thread until stop().
  void start();
  void stop();
  // So many turns that nothing is left to do.
  void settle();

  std::string folder;
  FakeClock clock;
  std::vector<std::unique_ptr<FakeDevice>> cards;
  std::vector<std::string> log;
  std::unique_ptr<Server> server;
  std::thread thread;
};

// Open descriptors of this process, and mappings of memory files.
size_t open_descriptors();
size_t mapped_files();

}  // namespace swai::socket
