// SPDX-License-Identifier: Apache-2.0
// swai serve: keeps cards and shares them.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <semaphore>
#include <thread>

#include "host/daemon/cards/card_server.hpp"
#include "host/daemon/cards/control.hpp"
#include "host/daemon/cards/jobs.hpp"
#include "host/lib/words.hpp"
#include "host/runtime/error.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/serve_models.hpp"
#include "host/transport/served.hpp"
#include "host/transport/server/server.hpp"
#include "host/transport/unix_socket.hpp"

extern char** environ;

namespace swai::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples =
    R"(Programs and `swai` find served cards by themselves, several at once; what a client leaves behind goes with it.
Ends with Ctrl-C or SIGTERM: jobs are ended, a card that was started is stopped. Exit code then: 0.

Examples:
  swai serve                           # starts a card (cg1) and shares it
  swai serve --detach                  # the same, in the background; returns when programs find the card
  swai serve --stop                    # ends that
  swai serve --cards 2                 # starts two, in one host
  swai --card a.sock,b.sock serve      # shares cards that run
  swai serve --http 8080 --model smollm2=SmolLM2-135M-Instruct.Q4_1.gguf   # http://127.0.0.1:8080/v1
  systemctl --user start swai          # the same, as a service (make install)

In another terminal:
  swai info
  swai job submit --folder build/examples/axpy ./axpy
  swai top)";

struct Wish {
  std::string folder;
  unsigned cards = 0;  // that are started; 0: nothing was said
  unsigned clients = 16;
  unsigned jobs = 4;
  bool group = false;
  ModelWish models;
  bool detach = false;
  bool stop = false;
};

// systemd's way to hear that a service has begun: a datagram to a socket that it names.
void notify_ready() {
  const char* name = std::getenv("NOTIFY_SOCKET");
  auto address = link::unix_address(name == nullptr ? "" : name);
  if (!address) return;
  const size_t length = std::strlen(name);
  if (name[0] == '@') address->sun_path[0] = '\0';  // one without a file
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  constexpr std::string_view kReady = "READY=1";
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  (void)!::sendto(fd, kReady.data(), kReady.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&*address),
                  bytes);
  ::close(fd);
}

Json describe_clients(const std::vector<std::unique_ptr<serve::CardServer>>& cards) {
  Json list = Json::array();
  for (size_t card = 0; card < cards.size(); ++card) {
    const auto add = [&](const std::vector<serve::Client>& clients, bool ended) {
      for (const serve::Client& one : clients) {
        list.push_back({{"card", card},
                        {"context", one.context},
                        {"process", one.peer.process},
                        {"program", one.program},
                        {"ended", ended}});
      }
    };
    // A context's number comes again: who has it now comes last.
    add(cards[card]->ended_clients(), true);
    add(cards[card]->clients(), false);
  }
  return list;
}

Json describe(const serve::Job& job) {
  return {{"job", job.number},          {"state", serve::text(job.state)},
          {"program", job.command},     {"folder", job.folder},
          {"output", job.output},       {"exit_code", job.exit_code},
          {"submitted", job.submitted}, {"started", job.started},
          {"ended", job.ended},         {"process", job.process},
          {"reason", job.reason}};
}

unsigned number_of_job(const Json& request) { return serve::number_in(request, "job"); }

// In a list of all there is room for the beginning.
serve::Job shortened(serve::Job job) {
  constexpr size_t kMostBytes = 256;
  size_t bytes = 0;
  for (size_t i = 0; i < job.command.size(); ++i) {
    bytes += job.command[i].size();
    if (bytes <= kMostBytes) continue;
    job.command.resize(i);
    job.command.emplace_back("...");
    break;
  }
  return job;
}

Json answer(const Json& request, serve::Jobs& jobs,
            const std::vector<std::unique_ptr<serve::CardServer>>& cards) {
  const auto command = request.value("command", std::string());
  if (command == "submit") {
    return {{"job", jobs.submit(request.at("program").get<std::vector<std::string>>(),
                                request.at("folder").get<std::string>())}};
  }
  if (command == "list") {
    Json list = Json::array();
    for (const serve::Job& job : jobs.list()) list.push_back(describe(shortened(job)));
    return {{"jobs", std::move(list)}};
  }
  if (command == "job") {
    const auto job = jobs.find(number_of_job(request));
    if (!job) throw std::runtime_error(fmt::format("there is no job {}", number_of_job(request)));
    return describe(*job);
  }
  if (command == "cancel") {
    if (!jobs.cancel(number_of_job(request)))
      throw std::runtime_error(fmt::format("there is no job {} that is not over", number_of_job(request)));
    return Json::object();
  }
  if (command == "clients") return {{"clients", describe_clients(cards)}};
  throw std::runtime_error(fmt::format("'{}' is nothing that the daemon does", command));
}

// `texts` of models on the card; null: there are none.
serve::Control::Calls calls(serve::Jobs& jobs, const std::vector<std::unique_ptr<serve::CardServer>>& cards,
                            write::DaemonTexts* texts) {
  serve::Control::Calls calls = {.answer = [&jobs, &cards, texts](const Json& request) {
    if (texts != nullptr && request.value("command", std::string()) == "models") return texts->models();
    return answer(request, jobs, cards);
  }};
  if (texts != nullptr)
    calls.long_answers["write"] = [texts](const Json& request, const auto& to) { texts->write(request, to); };
  return calls;
}

std::vector<std::string> environment_of_jobs(const std::string& sockets) {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable = *one;
    if (!variable.starts_with("SWAI_CARD=") && !variable.starts_with("LD_LIBRARY_PATH="))
      variables.emplace_back(variable);
  }
  variables.push_back("LD_LIBRARY_PATH=" + library_path());
  variables.push_back("SWAI_CARD=" + sockets);
  return variables;
}

// Each client holds descriptors in two processes; the usual limit is a small one that may be raised.
void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  constexpr rlim_t kWanted = 65536;
  limit.rlim_cur = std::min(limit.rlim_max, std::max(limit.rlim_cur, kWanted));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// A daemon runs for long: its lines say when.
void tell(const std::string& line) {
  const std::time_t now = std::time(nullptr);
  tm here = {};
  ::localtime_r(&now, &here);
  char time[sizeof "2000-01-01 00:00:00"];
  std::strftime(time, sizeof time, "%F %T", &here);
  fmt::print(stderr, "{} swai: {}\n", time, line);
}

int serve_cards(const Cli& cli, const Wish& wish, const fs::path& folder) {
  const auto log = [&cli](const std::string& line) {
    if (!cli.options().quiet) tell(line);
  };
  raise_descriptor_limit();
  std::optional<ModelFiles> files;
  if (!wish.models.models.empty()) files.emplace(wish.models);
  // A signal or a lost card brings it.
  std::counting_semaphore<> end(0);
  std::unique_ptr<StartedCard> started;
  std::string real = cli.options().card;
  if (real.empty()) {
    started =
        std::make_unique<StartedCard>(cli.options(), std::vector<std::string>(), std::max(wish.cards, 1u));
    real = started->sockets();
  } else if (wish.cards != 0) {
    throw Error(kBadInput, "--cards starts cards: leave it out, or --card and SWAI_CARD");
  }
  const auto audience = wish.group ? socket::Audience::kGroup : socket::Audience::kOwner;
  const auto real_cards = CLI::detail::split(real, ',');
  std::vector<std::unique_ptr<serve::CardServer>> cards;
  std::string sockets;
  for (const std::string& card : real_cards) {
    const std::string socket = (folder / fmt::format("card{}", cards.size())).string();
    cards.push_back(std::make_unique<serve::CardServer>(
        link::Card::open(card),
        serve::CardServer::Options{.socket = socket,
                                   .clients = wish.clients,
                                   .cards = static_cast<unsigned>(real_cards.size()),
                                   .audience = audience,
                                   .log = log},
        [&end] { end.release(); }));
    sockets += (sockets.empty() ? "" : ",") + socket;
    log(fmt::format("card {} is at {}", cards.size() - 1, socket));
  }
  // It is a client of its own.
  std::optional<ServedModels> models;
  if (files) {
    ::setenv("SWAI_CARD", sockets.c_str(), 1);
    models.emplace(*files, cli.options().quiet, log);
  }
  // Until here one ends the program at once: nobody has to wait for cards to boot.
  StartedCard::call_on_signal([&end](int) { end.release(); });
  serve::Jobs jobs(folder / "jobs", wish.jobs, environment_of_jobs(sockets));
  const serve::Control control(folder / "control", calls(jobs, cards, models ? &models->texts() : nullptr));
  log("ready; programs find the card by themselves, Ctrl-C ends");
  notify_ready();
  end.acquire();
  for (size_t i = 0; i < cards.size(); ++i) {
    const std::string why = cards[i]->failure();
    if (why.empty()) continue;
    // The daemon ends by itself: a signal that arrives now must not wait for the cleanup.
    StartedCard::call_on_signal(nullptr);
    const std::string process = started ? started->stop_and_tell() : "";
    throw Error(kCardLost, fmt::format("card {} cannot be served any more, so the daemon ends: {}", i,
                                       process.empty() ? why : "its process " + process));
  }
  return kDone;
}

// Ours, without the option that has brought us here.
std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    if (word != "--detach") words.push_back(word);
  }
  return words;
}

// The same daemon in a process of its own, until it is ready or has ended.
int serve_detached(const Cli& cli, const fs::path& folder) {
  const std::string log = folder / "log";
  const common::Words words(own_command());
  // Executed by its own name: as /proc/self/exe it would be called "exe" in logs and in `swai top`.
  const std::string program = fs::read_symlink("/proc/self/exe");
  const pid_t process = ::fork();
  if (process < 0) throw Error(kNoCard, fmt::format("no process can be made: {}", std::strerror(errno)));
  if (process == 0) {
    ::setsid();
    StartedCard::take_signals();
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execv(program.c_str(), words.data());
    ::_exit(127);
  }
  const Progress progress(!cli.options().quiet, "the daemon's cards boot");
  while (!link::has_daemon(folder)) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == process) {
      std::ifstream said(log);
      const std::string text((std::istreambuf_iterator<char>(said)), std::istreambuf_iterator<char>());
      throw Error(WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : kNoCard,
                  "the daemon has ended:\n" + text);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!cli.options().quiet) {
    fmt::print(stderr, "swai: the daemon is ready: process {}, log {}; `swai serve --stop` ends it\n",
               process, log);
  }
  return kDone;
}

int stop_daemon(const fs::path& folder) {
  const pid_t process = link::daemon_of(folder);
  if (process == 0) throw Error(kNoCard, fmt::format("no daemon of yours runs in {}", folder.string()));
  if (::kill(process, SIGTERM) != 0)
    throw Error(kNoCard, fmt::format("the daemon, process {}: {}", process, std::strerror(errno)));
  while (link::daemon_of(folder) == process) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return kDone;
}

// The folder, while a daemon of this process is in it.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& folder) : folder_(folder), hold_(link::hold_folder(folder)) {
    if (!hold_)
      throw Error(kBadInput, fmt::format("{} cannot be locked: {}", folder.string(), std::strerror(errno)));
  }
  ~HeldFolder() {
    link::forget_hold(folder_);
    std::error_code ignored;
    fs::remove(folder_, ignored);  // fails if other files are there
  }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

 private:
  const fs::path folder_;
  const link::Fd hold_;
};

int serve_in_folder(const Cli& cli, const Wish& wish) {
  const fs::path folder = wish.folder.empty() ? link::folder_to_serve_in() : fs::absolute(wish.folder);
  if (wish.stop) return stop_daemon(folder);
  if (const std::string why = link::claim_folder(folder, wish.group); !why.empty())
    throw Error(kBadInput, fmt::format("no sockets can be made in {}: {}; --folder names another",
                                       folder.string(), why));
  if (const pid_t other = link::daemon_of(folder); other != 0) {
    throw Error(kBadInput,
                fmt::format("a daemon runs already, process {}: `swai top` shows what it does, `swai "
                            "serve --stop` ends it",
                            other));
  }
  if (wish.detach) return serve_detached(cli, folder);
  const HeldFolder held(folder);
  try {
    return serve_cards(cli, wish, folder);
  } catch (const socket::SocketError& error) {
    throw Error(kBadInput, error.what());
  } catch (const sdaa::Failure& failure) {
    throw Error(kNoCard, failure.what());
  } catch (const link::Error& error) {
    throw Error(error.kind() == link::ErrorKind::kLost ? kCardLost : kNoCard, error.what());
  }
}

}  // namespace

void add_serve(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "serve", "keep cards and share them among programs",
      [&cli, wish] { return serve_in_folder(cli, *wish); }, kExamples);
  command->add_option("--folder", wish->folder, "where the sockets are")->type_name("FOLDER");
  command->add_option("--cards", wish->cards, "start so many cards (default: 1)")
      ->check(CLI::Range(1, 8))
      ->type_name("N");
  command->add_option("--clients", wish->clients, "programs that may look at a card at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--jobs", wish->jobs, "jobs that run at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_flag("--detach", wish->detach, "in the background; return when programs find the cards");
  command->add_flag("--stop", wish->stop, "end the daemon, and wait until it has ended");
  command->add_flag("--group", wish->group,
                    "members of this program's group may use the cards, too (but run no jobs)");
  add_model_options(*command, wish->models);
}

}  // namespace swai::cli
