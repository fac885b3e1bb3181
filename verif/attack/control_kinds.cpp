// At the daemon's own socket, as its own user: it runs what it is told, and must go on whatever it is told.
#include <filesystem>

#include "host/link/unix_socket.hpp"
#include "host/serve/control.hpp"
#include "verif/attack/attacker.hpp"

namespace swai::attack {
namespace {

using serve::Json;

std::string control_of(const Attacker& attacker) {
  return std::filesystem::path(attacker.socket()).parent_path() / "control";
}

// What it answers is its business, but it must: this asks for something after each step.
std::function<void(Attacker&)> control(std::function<void(Attacker&, const std::string& path)> step) {
  return [step](Attacker& attacker) {
    const std::string path = control_of(attacker);
    step(attacker, path);
    bool answers = false;
    try {
      serve::ask(path, {{"command", "list"}});
      answers = true;
    } catch (const std::runtime_error&) {
    }
    attacker.expect(answers, "the daemon does not answer any more");
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
                   control([](Attacker&, const std::string& path) {
                     std::vector<link::Fd> many;
                     for (unsigned i = 0; i < 20; ++i) many.push_back(link::connect_unix(path));
                     try_to_ask(path, {{"command", "list"}});
                   }));

const Kind long_jobs(Boundary::kControl, "submits jobs with very long command lines",
                     control([](Attacker&, const std::string& path) {
                       for (unsigned i = 0; i < 10; ++i)
                         try_to_ask(path, {{"command", "submit"},
                                           {"program", {"true", std::string(120'000, 'x')}},
                                           {"folder", "/"}});
                     }));

const Kind many_jobs(Boundary::kControl, "submits jobs that cannot be started",
                     control([](Attacker&, const std::string& path) {
                       for (unsigned i = 0; i < 20; ++i)
                         try_to_ask(path, {{"command", "submit"},
                                           {"program", {"no-such-program"}},
                                           {"folder", i % 2 == 0 ? "/" : "/nowhere"}});
                     }));

const Kind jobs_with_children(Boundary::kControl, "submits jobs whose children leave them",
                              control([](Attacker& attacker, const std::string& path) {
                                const std::string mark =
                                    attacker.folder() + "/" + std::to_string(attacker.number());
                                const std::string script =
                                    "setsid sh -c 'sleep 600; touch " + mark + "' & yes | head -c 100000";
                                try_to_ask(path, {{"command", "submit"},
                                                  {"program", {"sh", "-c", script}},
                                                  {"folder", attacker.folder()}});
                              }));

}  // namespace
}  // namespace swai::attack
