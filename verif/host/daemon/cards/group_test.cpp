// SPDX-License-Identifier: Apache-2.0
// A daemon with --group: members of the group have the card, and nothing else of the daemon's user.
#include <doctest/doctest.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "host/daemon/cards/control.hpp"
#include "host/transport/unix_socket.hpp"
#include "verif/attack/hostile_client.hpp"
#include "verif/host/daemon/cards/rig.hpp"

namespace swai::serve {
namespace {

using attack::HostileClient;
using socket::Audience;

constexpr uid_t kNobody = 65534;

enum Outcome { kRefused = 0, kWorked = 1, kNotPlayed = 2 };

// What becomes of this in a process of another user with that group.
int as_another_user(gid_t group, const std::function<bool()>& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(kNobody) != 0) ::_exit(kNotPlayed);
    bool worked = false;
    try {
      worked = what();
    } catch (const std::exception&) {
    }
    ::_exit(worked ? kWorked : kRefused);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// Whether it gets memory on the card, and its own bytes back.
bool uses_card(const std::string& socket) {
  HostileClient client(socket);
  client.fill(0x5a);
  const bool there = client.copy(client.pointer, client.iova, false) == protocol::Status::kOk;
  client.fill(0);
  return there && client.copy(client.pointer, client.iova, true) == protocol::Status::kOk &&
         client.holds(0x5a);
}

TEST_CASE("members of the group use the card, and run no programs as the daemon's user") {
  if (::geteuid() != 0) {
    MESSAGE("not root: nobody else can be played");
    return;
  }
  for (const Audience audience : {Audience::kOwner, Audience::kGroup}) {
    Rig rig(16, 0, audience);
    unsigned asked = 0;
    const std::string path = rig.folder / "control";
    const Control control(path, {.answer = [&](const Json&) -> Json {
                            ++asked;
                            return {{"job", 1}};
                          }});
    ::chmod(rig.folder.c_str(), 0755);
    const auto uses = [&] { return uses_card(rig.socket()); };
    const auto submits = [&] {
      return ask(path, {{"command", "submit"}, {"program", {"id"}}, {"folder", "/"}}).contains("job");
    };
    // The daemon's own user has taken what one user may have.
    std::vector<std::unique_ptr<HostileClient>> clients;
    for (unsigned i = 0; i < protocol::kContexts / 2; ++i)
      clients.push_back(std::make_unique<HostileClient>(rig.socket()));
    const bool members_may = audience == Audience::kGroup;
    CHECK(as_another_user(::getegid(), uses) == (members_may ? kWorked : kRefused));
    CHECK(as_another_user(kNobody, uses) == kRefused);
    for (const gid_t group : {::getegid(), gid_t{kNobody}}) {
      CHECK(as_another_user(group, submits) == kRefused);
      // Not when somebody opens the file's mode either.
      ::chmod(path.c_str(), 0777);
      CHECK(as_another_user(group, submits) == kRefused);
      ::chmod(path.c_str(), 0600);
    }
    CHECK(asked == 0);
    CHECK(submits());
    CHECK(asked == 1);
  }
}

}  // namespace
}  // namespace swai::serve
