// SPDX-License-Identifier: Apache-2.0
// At the daemon's own socket, as its own user: it runs what it is told, and must go on whatever it is told.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/daemon/cards/control.hpp"
#include "host/transport/unix_socket.hpp"
#include "verif/attack/attacker.hpp"

namespace swai::attack {
namespace {

using serve::Json;

std::string control_of(const Attacker& attacker) {
  return std::filesystem::path(attacker.socket()).parent_path() / "control";
}

bool answers(const std::string& path) {
  try {
    serve::ask(path, {{"command", "list"}});
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

// What it answers is its business, but it must: this asks for something after each step.
std::function<void(Attacker&)> control(std::function<void(Attacker&, const std::string& path)> step) {
  return [step](Attacker& attacker) {
    const std::string path = control_of(attacker);
    step(attacker, path);
    attacker.expect(answers(path), "the daemon does not answer any more");
  };
}

void try_to_ask(const std::string& path, const Json& request) {
  try {
    serve::ask(path, request);
  } catch (const std::runtime_error&) {
  }
}

void say(const link::Fd& to, const std::string& text) {
  (void)!::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

const Kind garbage(Boundary::kControl, "asks the daemon what makes no sense",
                   control([](Attacker& attacker, const std::string& path) {
                     std::string text(1 + attacker.below(4096), ' ');
                     for (char& one : text) one = static_cast<char>(attacker.number());
                     say(link::connect_unix(path), text + "\n");
                     say(link::connect_unix(path), std::string(100'000, '[') + "\n");
                     for (const char* number : {"1e99", "-1", "0.5", "4294967296"})
                       try_to_ask(path, {{"command", "job"}, {"job", Json::parse(number)}});
                   }));

const Kind silence(Boundary::kControl, "connects to the daemon and says nothing",
                   control([](Attacker& attacker, const std::string& path) {
                     std::vector<link::Fd> many;
                     for (unsigned i = 0; i < 80; ++i) many.push_back(link::connect_unix(path));
                     attacker.expect(answers(path), "those that are silent keep all others out");
                   }));

const Kind long_jobs(Boundary::kControl, "submits jobs with very long command lines",
                     control([](Attacker&, const std::string& path) {
                       for (unsigned i = 0; i < 10; ++i)
                         try_to_ask(path, {{"command", "submit"},
                                           {"program", {"true", std::string(120'000, 'x')}},
                                           {"folder", "/"}});
                     }));

// What becomes of a job, in words; empty: it is not taken, or is not over in time.
std::string outcome(const std::string& path, const std::vector<std::string>& program,
                    const std::string& folder) {
  constexpr std::chrono::milliseconds kPause{10};
  constexpr unsigned kLooks = 1000;
  try {
    const Json job = serve::ask(path, {{"command", "submit"}, {"program", program}, {"folder", folder}});
    for (unsigned looks = 0; looks < kLooks; ++looks) {
      const Json now = serve::ask(path, {{"command", "job"}, {"job", job.at("job")}});
      auto state = now.at("state").get<std::string>();
      if (state != "waiting" && state != "running") return state;
      std::this_thread::sleep_for(kPause);
    }
  } catch (const std::runtime_error&) {
  }
  return "";
}

const Kind many_jobs(Boundary::kControl, "submits jobs that cannot be started",
                     control([](Attacker& attacker, const std::string& path) {
                       for (unsigned i = 0; i < 20; ++i)
                         try_to_ask(path, {{"command", "submit"},
                                           {"program", {"no-such-program"}},
                                           {"folder", i % 2 == 0 ? "/" : "/nowhere"}});
                       attacker.expect(outcome(path, {"no-such-program"}, "/") != "done",
                                       "a program that is not there was run to its end");
                     }));

// A child with a session of its own says which process it is, and the job ends before it does.
const Kind jobs_with_children(
    Boundary::kControl, "submits jobs whose children leave them",
    control([](Attacker& attacker, const std::string& path) {
      std::filesystem::create_directories(attacker.folder());
      const std::string mark = attacker.folder() + "/" + std::to_string(attacker.number());
      const std::string script = "setsid sh -c 'echo $$ > " + mark + "; exec sleep 600' & while [ ! -s " +
                                 mark + " ]; do sleep 0.01; done; yes | head -c 100000";
      const std::string state = outcome(path, {"sh", "-c", script}, attacker.folder());
      pid_t child = 0;
      std::ifstream(mark) >> child;
      if (state != "done" || child <= 0) return;
      const bool lives = ::kill(child, 0) == 0;
      if (lives) ::kill(child, SIGKILL);
      attacker.expect(!lives, "a child lives on when its job is over");
    }));

}  // namespace
}  // namespace swai::attack
