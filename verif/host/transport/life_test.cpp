// SPDX-License-Identifier: Apache-2.0
// Clients that come and go, and socket files.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/transport/card.hpp"
#include "sim/common/random.hpp"
#include "verif/host/transport/rig.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::socket {
namespace {

// What a client does until it is killed: all that can be under way.
[[noreturn]] void live(const std::string& path, uint64_t seed) {
  try {
    verif::Random random(seed);
    link::VfioUserOptions options;
    options.deterministic = random.chance(50);
    const auto card = link::Card::open(path, options);
    card->interrupts();
    for (;;) {
      auto file = card->pin(0x10000, 0x4000);
      auto plain = card->pin(0x20000, 0x4000, link::Access::kBoth, false);
      for (unsigned i = 0; i < 20; ++i) {
        std::vector<uint8_t> block(random.between(1, 0x4000));
        card->post_block(0, 0, block);
        card->post<uint64_t>(4, kFakeIova, random.chance(50) ? 0x10000 : 0x20000);
        card->post<uint64_t>(4, kFakeBytes, random.below(0x3000));
        card->post<uint64_t>(4, kFakeTimer, random.below(2000));
        card->post<uint64_t>(4, kFakeGo, random.between(1, 2));
        card->run_until(random.next(), random.below(20'000));
        card->read_block(0, 0, block);
        if (random.chance(10)) card->reset();
      }
    }
  } catch (const std::exception&) {
    ::_exit(1);
  }
}

}  // namespace

TEST_CASE("killed at 50 random points, each time the next client finds a card in order") {
  Rig rig;
  rig.listen();
  rig.settle();
  verif::Random random(test_seed());
  const size_t descriptors = open_descriptors();
  const size_t maps = mapped_files();
  for (unsigned round = 0; round < 50; ++round) {
    const pid_t child = ::fork();
    if (child == 0) live(rig.path(), random.next());
    // Until it is there, and then for a while.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!rig.server->has_client(0) && std::chrono::steady_clock::now() < patience) rig.server->turn(10);
    CHECK(rig.server->has_client(0));
    for (uint64_t turns = random.below(random.chance(20) ? 1000 : 100); turns > 0; --turns)
      rig.server->turn(1);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    while (rig.server->has_client(0) && std::chrono::steady_clock::now() < patience) rig.server->turn(10);
    CHECK(rig.card().departures() == 2 * round + 1);
    CHECK(rig.card().mappings() == 0);
    CHECK(open_descriptors() == descriptors);
    CHECK(mapped_files() == maps);
    RawClient next(RawClient::connect_to(rig.path()), rig.turner());
    CHECK(!next.hello().is_error());
    CHECK(next.read(0, 0, 0x4000) == RawBytes(0x4000));
    CHECK(next.read64(9, 0x40) == 0);
    CHECK(next.read64(9, 0x50) == 0);
    CHECK(next.read64(9, 0x70) == 0);
    next.close();
    while (rig.server->has_client(0)) rig.server->turn(10);
  }
}

TEST_CASE("a client that leaves in the middle of an endless wait") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(9, 0x40, 1);
  client.write64(4, kFakeRepeat, ~uint64_t{0});
  client.write64(4, kFakeTimer, 100);
  client.write(9, 0x80, Pack().u64(0).u64(~uint64_t{0}).u64(0));
  client.send(9, region_access(0xa0, 9, 24));
  rig.settle();
  CHECK(rig.server->time_may_pass());
  client.close();
  rig.settle();
  CHECK(rig.card().departures() == 1);
  CHECK(!rig.server->time_may_pass());
}

TEST_CASE("a timer beyond the last cycle never fires") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(9, 0x40, 1);
  client.write64(4, kFakeRepeat, ~uint64_t{0});
  client.write64(4, kFakeTimer, ~uint64_t{0});
  client.write(9, 0x80, Pack().u64(0).u64(1'000'000).u64(0));
  client.send(9, region_access(0xa0, 9, 24));
  rig.settle();
  CHECK(rig.clock.cycle() == 1'000'000);
}

TEST_CASE("one client at a time") {
  Rig rig(2);
  rig.start();
  RawClient first(RawClient::connect_to(rig.path(0)), {});
  CHECK(!first.hello().is_error());
  first.write64(0, 0, 1);
  for (unsigned i = 0; i < 20; ++i) {
    RawClient second(RawClient::connect_to(rig.path(0)), {});
    const RawMessage reply = second.hello();
    CHECK(reply.is_error());
    CHECK(reply.error == EBUSY);
    CHECK(second.closed_by_server());
  }
  RawClient other_card(RawClient::connect_to(rig.path(1)), {});
  CHECK(!other_card.hello().is_error());
  CHECK(first.read64(0, 0) == 1);
  CHECK(other_card.read64(0, 0) == 0);
  first.close();
  RawClient second(RawClient::connect_to(rig.path(0)), {});
  CHECK(!second.hello().is_error());  // at once
  CHECK(second.read64(0, 0) == 0);
}

TEST_CASE("a long row of commands is worked off in portions, without waiting in between") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  client.write64(9, 0x40, 1);  // time stands still, and writes stay on their way
  const uint64_t room = rig.card().write_room();
  Pack row;
  for (unsigned i = 0; i < 2000; ++i) {
    row.u16(i).u16(10).u32(16 + 16 + 8).u32(0x10).u32(0).raw(region_access(8 * i, 0, 8)).u64(i);
  }
  client.send_raw(row);
  rig.server->turn(0);
  CHECK(room - rig.card().write_room() > 0);
  CHECK(room - rig.card().write_room() < 8 * 2000);
  const auto begin = std::chrono::steady_clock::now();
  while (room - rig.card().write_room() < 8 * 2000) rig.server->turn(600'000);
  // A turn that waits for its time has not seen what there is to do.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(300));
}

TEST_CASE("the server tells its client that it ends") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  EventFd release;
  client.done(8, Pack().u32(20).u32(36).u32(4).u32(0).u32(1), {release.fd()});
  rig.server.reset();
  CHECK(release.take() == 1);
  char byte;
  CHECK(::recv(client.fd(), &byte, 1, 0) == 0);
}

namespace {

std::string refusal(Rig& rig, const std::string& path) {
  try {
    rig.server->listen({0}, path);
  } catch (const SocketError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("socket files: permissions, remains of the dead, and what is in the way") {
  namespace fs = std::filesystem;
  Rig rig;
  const std::string path = rig.path();
  rig.listen();
  CHECK((fs::status(path).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  {
    Rig other;
    CHECK(contains(refusal(other, path), "another program listens"));
    CHECK(contains(refusal(other, rig.folder + "/no/such/folder"), "is there such a folder"));
    CHECK(contains(refusal(other, rig.folder + "/" + std::string(120, 'x')), "length"));
    CHECK(contains(refusal(other, ""), "length"));
    std::ofstream(rig.folder + "/file") << "kept";
    CHECK(contains(refusal(other, rig.folder + "/file"), "not a socket"));
    CHECK(fs::file_size(rig.folder + "/file") == 4);
  }
  CHECK(fs::exists(path));
  rig.server.reset();
  CHECK(!fs::exists(path));

  // A dead server's file: bound, but nobody listens.
  const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(dead);
  CHECK(fs::exists(path));
  ServerOptions options;
  options.audience = Audience::kGroup;
  Rig next(1, options);
  CHECK(refusal(next, path).empty());
  CHECK((fs::status(path).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::group_write));
  RawClient client(RawClient::connect_to(path), next.turner());
  CHECK(!client.hello().is_error());
  {
    // A socket that another server has since made in our place stays.
    fs::remove(path);
    Rig third;
    CHECK(refusal(third, path).empty());
    next.server.reset();
    CHECK(fs::exists(path));
    next.server = std::make_unique<Server>(next.clock);
    next.server->add(next.card());
  }
  CHECK(refusal(next, path).empty());
  // So does a file of another kind.
  fs::remove(path);
  std::ofstream(path) << "other";
  next.server.reset();
  CHECK(fs::exists(path));
}

}  // namespace swai::socket
