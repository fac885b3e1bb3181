// SPDX-License-Identifier: Apache-2.0
// What one client may take of the process that serves it, and who may come in: each limit is exceeded.
#include <doctest/doctest.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "verif/host/transport/rig.hpp"

namespace swai::socket {
namespace {

constexpr uint64_t kPage = 4096;

ServerOptions with(const Limits& limits) {
  ServerOptions options;
  options.limits = limits;
  return options;
}

void map(RawClient& client, uint64_t iova, uint64_t bytes, const MemoryFile& file, int error) {
  const RawBytes request = Pack().u32(32).u32(3).u64(0).u64(iova).u64(bytes);
  if (error == 0) {
    client.done(2, request, {file.fd()});
  } else {
    client.refuse(2, request, error, {file.fd()});
  }
}

RawBytes unmap(uint64_t iova, uint64_t bytes) { return Pack().u32(24).u32(0).u64(iova).u64(bytes); }

}  // namespace

TEST_CASE("ranges and bytes of memory have a limit, and come back") {
  Limits limits;
  limits.maps = 4;
  limits.mapped_bytes = 8 * kPage;
  Rig rig(1, with(limits));
  const MemoryFile file(16 * kPage);
  RawClient client(rig.connection(), rig.turner());
  client.hello(R"({"capabilities":{"max_dma_maps":100,"max_msg_fds":8}})");
  for (uint64_t i = 0; i < 4; ++i) map(client, i * kPage, kPage, file, 0);
  map(client, 4 * kPage, kPage, file, ENOSPC);
  for (uint64_t i = 1; i < 4; ++i) client.done(3, unmap(i * kPage, kPage));
  map(client, 16 * kPage, 8 * kPage, file, ENOSPC);
  map(client, 16 * kPage, 7 * kPage, file, 0);
  map(client, 32 * kPage, kPage, file, ENOSPC);
  client.done(3, unmap(16 * kPage, 7 * kPage));
  map(client, 16 * kPage, 7 * kPage, file, 0);
}

TEST_CASE("all ranges of a process leave it half of what Linux lets it map") {
  Limits limits;
  limits.maps = 2 * kProcessMaps;
  Rig rig(1, with(limits));
  const MemoryFile file(kPage);
  RawClient client(rig.connection(), rig.turner());
  client.hello(R"({"capabilities":{"max_dma_maps":65535,"max_msg_fds":8}})");
  unsigned made = 0;
  while (made < 2 * kProcessMaps &&
         !client.call(2, Pack().u32(32).u32(3).u64(0).u64(made * kPage).u64(kPage), {file.fd()}).is_error())
    ++made;
  CHECK(made == kProcessMaps);
  // It goes on serving, and gets all back.
  CHECK(client.read64(0, 0) == 0);
  client.close();
  rig.settle();
  CHECK(mapped_files() == 1);
}

TEST_CASE("descriptors for interrupts have a limit") {
  Limits limits;
  limits.eventfds = 3;
  Rig rig(1, with(limits));
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  const EventFd event;
  const auto set = [](unsigned start, unsigned count) {
    return Pack().u32(20).u32(36).u32(2).u32(start).u32(count);
  };
  client.done(8, set(0, 3), {event.fd(), event.fd(), event.fd()});
  client.refuse(8, set(3, 1), ENOSPC, {event.fd()});
  client.done(8, set(2, 1), {event.fd()});  // in place of another one
  client.done(8, set(0, 1));
  client.done(8, set(3, 1), {event.fd()});
}

TEST_CASE("a read is no longer than agreed") {
  Limits limits;
  limits.access_bytes = 4096;
  Rig rig(1, with(limits));
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  CHECK(client.read(0, 0, 4096).size() == 4096);
  client.refuse(9, region_access(0, 0, 4097), EINVAL);
}

TEST_CASE("one process and one user have some connections, not all") {
  for (const bool by_process : {true, false}) {
    Limits limits;
    (by_process ? limits.per_process : limits.per_user) = 2;
    Rig rig(4, with(limits));
    rig.server->listen({0, 1, 2, 3}, rig.path());
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(std::make_unique<RawClient>(RawClient::connect_to(rig.path()), rig.turner()));
      const RawMessage reply = clients.back()->hello();
      CHECK(reply.is_error() == (i == 2));
      if (i == 2) CHECK(reply.error == EUSERS);
    }
    clients.erase(clients.begin());
    rig.settle();
    clients.push_back(std::make_unique<RawClient>(RawClient::connect_to(rig.path()), rig.turner()));
    CHECK_FALSE(clients.back()->hello().is_error());
  }
}

TEST_CASE("no descriptor is left: the server waits instead of spinning, and lets in later") {
  Rig rig;
  rig.listen();
  const int first = RawClient::connect_to(rig.path());
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  int lowest = ::dup(first);
  ::close(lowest);
  const rlimit none = {static_cast<rlim_t>(lowest), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  rig.server->turn(0);
  // There is a connection to accept, and nothing that can be done: it must wait. (Never shorter on a slow
  // machine.)
  const auto begin = std::chrono::steady_clock::now();
  rig.server->turn(30);
  const auto waited = std::chrono::steady_clock::now() - begin;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(waited >= std::chrono::milliseconds(25));
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  RawClient client(first, rig.turner());
  CHECK_FALSE(client.hello().is_error());
}

TEST_CASE("no memory for what a client asks: the client goes, the server stays") {
  Rig rig;
  RawClient client(rig.connection(), rig.turner());
  client.hello();
  rig.card().run_out_of_memory();
  client.send(9, region_access(0, 0, 8));
  CHECK(client.closed_by_server());
  RawClient next(rig.connection(), rig.turner());
  next.hello();
  CHECK(next.read64(0, 0) == 0);
}

TEST_CASE("who asks for much and leaves without reading is not served on") {
  Rig rig;
  rig.card().answer_at_once();
  const unsigned before = rig.card().reads();
  {
    RawClient client(rig.connection(), rig.turner());
    client.hello();
    for (unsigned i = 0; i < 100; ++i) client.send(9, region_access(0, 0, 0x10000));
  }
  rig.settle();
  CHECK_FALSE(rig.server->has_client(0));
  CHECK(rig.card().reads() - before < 20);
}

// Another user: only root can become one.
TEST_CASE("who is another user is not let in, whatever the socket's mode") {
  if (::geteuid() != 0) {
    MESSAGE("not root: nobody else can be played");
    return;
  }
  constexpr uid_t kNobody = 65534;
  const auto connects = [](const std::string& path, gid_t group, const std::vector<gid_t>& more) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool other =
          ::setgroups(more.size(), more.data()) == 0 && ::setgid(group) == 0 && ::setuid(kNobody) == 0;
      bool good = false;
      try {
        RawClient client(RawClient::connect_to(path), {});
        good = !client.hello().is_error();
      } catch (const std::exception&) {
      }
      ::_exit(!other ? 2 : good ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  for (const Audience audience : {Audience::kOwner, Audience::kGroup}) {
    ServerOptions options;
    options.audience = audience;
    Rig rig(1, options);
    rig.start();
    ::chmod(rig.folder.c_str(), 0755);
    struct stat file;
    REQUIRE(::stat(rig.path().c_str(), &file) == 0);
    CHECK((file.st_mode & 0777) == (audience == Audience::kOwner ? 0600 : 0660));
    CHECK(connects(rig.path(), kNobody, {}) == 0);
    ::chmod(rig.path().c_str(), 0777);
    CHECK(connects(rig.path(), kNobody, {}) == 0);
    const bool members_may = audience == Audience::kGroup;
    CHECK(connects(rig.path(), ::getegid(), {}) == (members_may ? 1 : 0));
    CHECK(connects(rig.path(), kNobody, {::getegid()}) == (members_may ? 1 : 0));
  }
}

}  // namespace swai::socket
