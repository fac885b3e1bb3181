// SPDX-License-Identifier: Apache-2.0
#include "verif/attack/attacker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <stdexcept>

namespace swai::attack {
namespace {

std::vector<const Kind*> chosen(const AttackerProcess::Plan& plan) {
  std::vector<const Kind*> list;
  std::mt19937_64 random(plan.seed);
  for (const std::string& name : plan.which) {
    const size_t before = list.size();
    for (const Kind* kind : kinds()) {
      if (text(kind->boundary) == name || kind->name == name) list.insert(list.end(), plan.steps, kind);
    }
    if (list.size() == before)
      throw std::invalid_argument("no boundary and no kind of attack has the name " + name);
  }
  if (!plan.which.empty()) return list;
  while (list.size() < plan.steps) list.push_back(kinds()[random() % kinds().size()]);
  return list;
}

void say(int channel, const std::string& line) {
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t got = ::write(channel, line.data() + sent, line.size() - sent);
    if (got <= 0) ::_exit(3);
    sent += static_cast<size_t>(got);
  }
}

}  // namespace

AttackerProcess::AttackerProcess(const Means& means, const Known& known, const Plan& plan) {
  const std::vector<const Kind*> list = chosen(plan);
  steps_ = list.size();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("no socket pair");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process for an attacker");
  channel_ = ends[pid_ == 0 ? 1 : 0];
  ::close(ends[pid_ == 0 ? 0 : 1]);
  if (pid_ != 0) {
    ::fcntl(channel_, F_SETFL, O_NONBLOCK);
    return;
  }
  char go = 0;
  if (::read(channel_, &go, 1) != 1) ::_exit(3);
  Attacker attacker(means, known, plan.seed);
  unsigned step = 0;
  for (const Kind* kind : list) {
    fmt::print(stderr, "attack {} of {}: {}\n", ++step, list.size(), kind->name);
    if (!attacker.play(*kind) && !plan.which.empty())
      say(channel_, fmt::format("{}: thrown out: {}\n", kind->name, attacker.thrown_out()));
  }
  for (const std::string& leak : attacker.leaks()) say(channel_, leak + "\n");
  // What the other process has is not to be taken down here.
  ::_exit(0);
}

AttackerProcess::~AttackerProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(channel_);
}

void AttackerProcess::start() {
  if (::write(channel_, "s", 1) != 1) throw std::runtime_error("the attacker has gone");
}

bool AttackerProcess::is_over() {
  collect();
  int status = 0;
  if (pid_ < 0) return true;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return false;
  pid_ = -1;
  collect();
  if (status != 0) throw std::runtime_error(fmt::format("the attacker ended with status {:#x}", status));
  for (size_t at = 0, end = 0; (end = said_.find('\n', at)) != std::string::npos; at = end + 1)
    leaks_.push_back(said_.substr(at, end - at));
  return true;
}

void AttackerProcess::collect() {
  char bytes[4096];
  for (ssize_t got = 0; (got = ::read(channel_, bytes, sizeof bytes)) > 0;)
    said_.append(bytes, static_cast<size_t>(got));
}

}  // namespace swai::attack
