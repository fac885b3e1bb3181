// SPDX-License-Identifier: Apache-2.0
// Clients that are killed in the midst of everything.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "verif/kit/doctest_main.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

size_t open_descriptors(pid_t pid) {
  const std::filesystem::directory_iterator folder("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}

// Lines of the process's memory map that come from clients.
size_t shared_files(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("memfd:swai-pinned") != std::string::npos;
  return count;
}

uint64_t resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return 0;
}

// What a client does until it is killed; a byte into the pipe for each thing done.
[[noreturn]] void live(const std::string& path, uint64_t seed, int pipe) {
  try {
    verif::Random random(seed);
    link::VfioUserOptions options;
    options.deterministic = random.chance(50);
    const auto card = link::Card::open(path, options);
    const auto done = [&] {
      if (::write(pipe, "x", 1) != 1) ::_exit(2);
    };
    done();
    Traffic traffic(*card, random.next());
    for (;;) {
      done();
      switch (random.below(6)) {
        case 0: {
          std::vector<uint8_t> block(random.between(1, 100'000));
          card->post_block(kMemoryBar, random.below(1 << 20), block);
          break;
        }
        case 1: {
          std::vector<uint8_t> block(random.between(1, 3000));
          card->read_block(kMemoryBar, random.below(1 << 20), block);
          break;
        }
        case 2: {
          auto more = card->pin(0x6'0000'0000, 64 << 10, link::Access::kBoth, random.chance(50));
          traffic.dma.add(0, more.iova(), regs::kHbmRegion.base, 60'000, random.chance(50));
          traffic.dma.start();
          done();
          card->run_until(0, random.below(3000));
          traffic.dma.reset(0);
          break;
        }
        case 3:
          Halted(*card).read(regs::kLocalRegion.base);
          break;
        case 4:
          traffic.send();
          traffic.dma.start();
          done();
          card->run_until(0, random.below(20'000));
          traffic.dma.finish_or_stop(1'000'000);
          break;
        default:
          if (random.chance(30)) {
            card->reset();
            for (unsigned c = 0; c < dma::kChannels; ++c) traffic.dma.reset(c);
          }
      }
    }
  } catch (const std::exception& error) {
    ::dprintf(2, "client: %s\n", error.what());
    ::_exit(1);
  }
}

}  // namespace

TEST_CASE("kill: clients killed at 50 random points, in RTL at a quarter of them") {
  Rig rig;
  verif::Random random(test_seed());
  const pid_t server = rig.process().pid();
  size_t descriptors = 0;
  uint64_t resident = 0;
  uint64_t most_done = 0;
  for (unsigned round = 0; round < rounds(50); ++round) {
    int pipe[2];
    REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    if (child == 0) live(rig.socket(), random.next() ^ round, pipe[1]);
    ::close(pipe[1]);
    const uint64_t limit = random.below(12);
    uint64_t done = 0;
    for (char byte = 0; done < limit && ::read(pipe[0], &byte, 1) == 1;) ++done;
    most_done = std::max(most_done, done);
    ::usleep(static_cast<useconds_t>(random.below(10'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(pipe[0]);
    CHECK(WIFSIGNALED(status));

    {
      // While the server notices it may still call the socket busy.
      std::unique_ptr<link::Card> card;
      for (int tries = 0; card == nullptr; ++tries) {
        try {
          card = rig.open();
        } catch (const link::Error& error) {
          if (error.code() != EBUSY || tries == 1000) throw;
          ::usleep(10'000);
        }
      }
      CHECK(firmware_ready(*card));
      CHECK(card->read<uint64_t>(kRegisterBar, register_at(regs::debug::control::kAddr)) == 0);
      Traffic traffic(*card, random.next());
      traffic.prove(1u << random.below(dma::kChannels));
      if (round == 4) {
        descriptors = open_descriptors(server);
        resident = resident_kib(server);
      }
      if (round > 4) {
        CHECK(open_descriptors(server) == descriptors);
        CHECK(shared_files(server) == 2);  // this client's own
      }
    }
  }
  CHECK(most_done > 5);
  // The card's memory has grown by what clients have touched of it, some 2 MiB; nothing else grows.
  CHECK(resident_kib(server) < resident + (16 << 10));
}

}  // namespace swai::system
