// SPDX-License-Identifier: Apache-2.0
// Fuzzes the server: whatever a client sends, in whatever pieces and with whatever descriptors, the server
// neither crashes nor leaks nor hangs, what it answers is well formed, and the next client finds a card in
// order.
//
// Input: records of two bytes and data. The first byte's low bits choose descriptors to go with the data, the
// next bits how often the server may work afterwards, and whether the fuzzer makes the length in the header
// right (fuzzers do not find lengths on their own). The second is the number of bytes, in units of four.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "verif/host/transport/rig.hpp"
#include "verif/host/transport/samples.hpp"

namespace swai::socket {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr uint8_t kWithFile = 1;
constexpr uint8_t kWithEvent = 2;
constexpr uint8_t kWithMany = 4;
constexpr uint8_t kTurnsShift = 3;  // two bits
constexpr uint8_t kRightLength = 32;
constexpr uint8_t kNoHello = 64;  // in the first record

RawBytes hello() { return Pack().u16(1).u16(1).u32(16 + 4).u32(0).u32(0).u16(0).u16(1); }

// Reads what has come; replies that make no sense are the server's fault.
void drain(RawClient& client) {
  try {
    for (;;) {
      pollfd ready{client.fd(), POLLIN, 0};
      if (::poll(&ready, 1, 0) == 0) return;
      const RawMessage reply = client.receive();
      require((reply.flags & ~0x21U) == 0);
      require(!reply.is_error() || reply.payload.empty());
      require((reply.flags & 1) != 0 || reply.command == 11 || reply.command == 12);
    }
  } catch (const std::runtime_error&) {
    // The server has closed the connection.
  }
}

// How many of the first descriptors are open; much faster than looking through /proc.
unsigned low_descriptors() {
  unsigned count = 0;
  for (int fd = 0; fd < 128; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

void run(std::span<const uint8_t> input) {
  static Rig rig;
  static const MemoryFile file(0x4000);
  static const EventFd event;
  // Not once for all: the fuzzer itself opens files. Mappings are slow to count.
  const unsigned descriptors = low_descriptors();
  static unsigned runs = 0;
  const bool count_maps = runs++ % 256 == 0;
  const size_t maps = count_maps ? mapped_files() : 0;
  rig.log.clear();
  // What stays allocated after a run makes the fuzzer search for leaks, which takes long.
  rig.card().set_tracing(false);
  {
    RawClient client(rig.connection(), rig.turner());
    bool first = true;
    while (input.size() > 2) {
      const uint8_t how = input[0];
      const size_t bytes = std::min<size_t>(4 * size_t{input[1]}, input.size() - 2);
      RawBytes data(input.begin() + 2, input.begin() + 2 + static_cast<ptrdiff_t>(bytes));
      input = input.subspan(2 + bytes);
      if (std::exchange(first, false) && (how & kNoHello) == 0) client.send_raw(hello());
      if ((how & kRightLength) != 0 && data.size() >= 8) {
        for (unsigned i = 0; i < 4; ++i) data[4 + i] = static_cast<uint8_t>(data.size() >> 8 * i);
      }
      std::vector<int> fds;
      if ((how & kWithFile) != 0) fds.push_back(file.fd());
      if ((how & kWithEvent) != 0) fds.push_back(event.fd());
      if ((how & kWithMany) != 0) fds.resize(70, event.fd());
      try {
        if (!data.empty()) client.send_raw(data, fds);
      } catch (const std::runtime_error&) {
        break;
      }
      for (unsigned turns = how >> kTurnsShift & 3; turns > 0; --turns) rig.server->turn(0);
    }
    for (unsigned turns = 0; turns < 4; ++turns) rig.server->turn(0);
    drain(client);
  }
  for (unsigned turns = 0; turns < 3; ++turns) rig.server->turn(0);
  require(!rig.server->has_client(0));
  require(rig.card().mappings() == 0);
  require(!count_maps || mapped_files() == maps);
  require(low_descriptors() == descriptors);
  event.take();
}

void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  unsigned number = 0;
  RawBytes all;
  const auto write = [&](const RawBytes& bytes) {
    std::ofstream out(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  for (const Sample& sample : sample_messages()) {
    RawBytes bytes = sample.bytes;
    bytes.resize((bytes.size() + 3) / 4 * 4);
    if (bytes.size() > 4 * 255) continue;
    const unsigned fds = sample.descriptors == Sample::kFile    ? kWithFile
                         : sample.descriptors == Sample::kEvent ? kWithEvent
                                                                : 0;
    RawBytes record = Pack().u8(fds | 2U << kTurnsShift | kRightLength).u8(bytes.size() / 4).raw(bytes);
    write(record);
    all.insert(all.end(), record.begin(), record.end());
  }
  write(all);
}

}  // namespace
}  // namespace swai::socket

// The last argument is the corpus.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1 && (*argv)[*argc - 1][0] != '-' && !std::filesystem::is_regular_file((*argv)[*argc - 1])) {
    swai::socket::write_seeds((*argv)[*argc - 1]);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  swai::socket::run({data, size});
  return 0;
}
