// SPDX-License-Identifier: Apache-2.0
// The daemon's jobs, and the socket on which it is asked.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "host/daemon/cards/control.hpp"
#include "host/daemon/cards/jobs.hpp"
#include "host/transport/served.hpp"
#include "host/transport/server/server.hpp"
#include "host/transport/unix_socket.hpp"
#include "verif/kit/folder.hpp"

namespace swai::serve {
namespace {

namespace fs = std::filesystem;

using common::Folder;

Job wait_for(const Jobs& jobs, unsigned number) {
  for (;;) {
    const auto job = jobs.find(number);
    REQUIRE(job);
    if (job->state != JobState::kWaiting && job->state != JobState::kRunning) return *job;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("jobs run in their order, with their folder and environment, and say how they ended") {
  const Folder folder;
  Jobs jobs(folder.path / "jobs", 1, {"PATH=/usr/bin:/bin", "SWAI_CARD=here"});
  const unsigned first = jobs.submit({"sh", "-c", "pwd; echo $SWAI_CARD; echo bad >&2; exit 3"}, "/");
  const unsigned second = jobs.submit({"sh", "-c", "kill -9 $$"}, "/");
  const unsigned third = jobs.submit({"no-such-program"}, "/");
  const Job one = wait_for(jobs, first);
  CHECK(one.state == JobState::kDone);
  CHECK(one.exit_code == 3);
  CHECK(text_of(one.output) == "/\nhere\nbad\n");
  const Job two = wait_for(jobs, second);
  CHECK(two.exit_code == 128 + 9);
  CHECK(two.started >= one.ended);
  const Job three = wait_for(jobs, third);
  CHECK(three.exit_code == 127);
  CHECK(three.state == JobState::kFailed);
  CHECK(three.reason == "no-such-program: No such file or directory");
  CHECK(text_of(three.output).find("no-such-program: No such file") != std::string::npos);
  CHECK(jobs.list().size() == 3);
}

TEST_CASE("a job is cancelled while it waits, while it runs, and not when it is over") {
  const Folder folder;
  Jobs jobs(folder.path, 1, {"PATH=/usr/bin:/bin"});
  const unsigned runs = jobs.submit({"sleep", "1000"}, "/");
  const unsigned waits = jobs.submit({"sleep", "1000"}, "/");
  CHECK(jobs.cancel(waits));
  CHECK(wait_for(jobs, waits).process == 0);
  while (jobs.find(runs)->process == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(jobs.cancel(runs));
  CHECK(wait_for(jobs, runs).exit_code == 128 + 15);
  CHECK(jobs.find(runs)->state == JobState::kCancelled);
  CHECK_FALSE(jobs.cancel(runs));
  CHECK_FALSE(jobs.cancel(77));
}

TEST_CASE("what runs ends with the daemon") {
  const Folder folder;
  pid_t process = 0;
  {
    Jobs jobs(folder.path, 2, {"PATH=/usr/bin:/bin"});
    const unsigned number = jobs.submit({"sleep", "1000"}, "/");
    while ((process = jobs.find(number)->process) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(::kill(process, 0) != 0);
}

bool lives(pid_t process) {
  if (::kill(process, 0) != 0) return false;
  // Who waits to be fetched has ended.
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  return text.find(") Z") == std::string::npos;
}

TEST_CASE("whom a job leaves behind ends with it, also in a session of its own") {
  const Folder folder;
  Jobs jobs(folder.path / "jobs", 1, {"PATH=/usr/bin:/bin"});
  const std::string script = "setsid sleep 1000 & echo $!; sleep 1000 & echo $!; (sleep 1000 & echo $!) ; ";
  const auto left_by = [&](const Job& job) {
    std::istringstream numbers(text_of(job.output));
    unsigned count = 0;
    unsigned left = 0;
    for (pid_t process = 0; numbers >> process; ++count) left += lives(process) ? 1 : 0;
    CHECK(count == 3);
    return left;
  };
  CHECK(left_by(wait_for(jobs, jobs.submit({"sh", "-c", script + "exit 0"}, "/"))) == 0);
  const unsigned cancelled = jobs.submit({"sh", "-c", script + "wait"}, "/");
  const auto lines = [&] { return std::ranges::count(text_of(jobs.find(cancelled)->output), '\n'); };
  while (lines() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(jobs.cancel(cancelled));
  CHECK(left_by(wait_for(jobs, cancelled)) == 0);
}

TEST_CASE("jobs and their children end when the daemon is killed") {
  const Folder folder;
  const fs::path number = folder.path / "number";
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    Jobs jobs(folder.path / "jobs", 1, {"PATH=/usr/bin:/bin"});
    jobs.submit(
        {"sh", "-c", "setsid sleep 1000 & echo $! >$0.new; mv $0.new $0; sleep 1000", number.string()}, "/");
    for (;;) ::pause();
  }
  while (!fs::exists(number)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const pid_t left = std::stoi(text_of(number));
  CHECK(lives(left));
  ::kill(daemon, SIGKILL);
  ::waitpid(daemon, nullptr, 0);
  unsigned looks = 0;
  while (lives(left) && ++looks < 2000) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(lives(left));
}

TEST_CASE("a job that kills its keeper ends no other job, and leaves no process") {
  const Folder folder;
  Jobs jobs(folder.path / "jobs", 2, {"PATH=/usr/bin:/bin"});
  const unsigned other = jobs.submit({"sleep", "1000"}, "/");
  // At once, perhaps before the keeper has reported anything, and with other processes in sessions of their
  // own.
  for (const char* first : {"", "setsid sleep 1000 & echo $!; (sleep 1000 & echo $!); "}) {
    const Job job =
        wait_for(jobs, jobs.submit({"sh", "-c", std::string(first) + "kill -9 $PPID; exec sleep 1000"}, "/"));
    CHECK(job.state == JobState::kDone);
    CHECK(job.exit_code == 128 + SIGKILL);
    CHECK(job.reason.find("was killed") != std::string::npos);
    std::istringstream numbers(text_of(job.output));
    for (pid_t process = 0; numbers >> process;) CHECK_FALSE(lives(process));
  }
  CHECK(jobs.find(other)->state == JobState::kRunning);
  CHECK(lives(jobs.find(other)->process));
}

// Limits the size of this process's files, like a full disk.
struct FullDisk {
  explicit FullDisk(rlim_t bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    set({bytes, before.rlim_max});
  }
  ~FullDisk() { set(before); }
  static void set(const rlimit& limit) { REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0); }
  rlimit before = {};
};

TEST_CASE("a job whose output does not fit on the disk reports that, and how much of it was kept") {
  const Folder folder;
  ::signal(SIGXFSZ, SIG_IGN);
  Jobs jobs(folder.path / "jobs", 1, {"PATH=/usr/bin:/bin"});
  const auto run = [&] {
    return wait_for(jobs, jobs.submit({"sh", "-c", "yes | head -c 100000; exit 3"}, "/"));
  };
  {
    const FullDisk full(5000);
    const Job job = run();
    CHECK(job.state == JobState::kDone);
    CHECK(job.exit_code == 3);
    CHECK(job.reason == "its output is cut off after 5000 bytes: File too large");
    CHECK(fs::file_size(job.output) == 5000);
  }
  {
    const FullDisk full(0);
    CHECK(run().reason == "its output is cut off after 0 bytes: File too large");
  }
  CHECK(run().reason.empty());
}

TEST_CASE("jobs, their words and their output have limits") {
  const Folder folder;
  Jobs::Limits limits;
  limits.waiting = 3;
  limits.over = 4;
  limits.command_bytes = 200;
  limits.output_bytes = 1000;
  limits.all_output_bytes = 2500;
  Jobs jobs(folder.path / "jobs", 1, {"PATH=/usr/bin:/bin"}, limits);
  CHECK_THROWS(jobs.submit({"echo", std::string(200, 'x')}, "/"));
  CHECK_THROWS(jobs.submit(std::vector<std::string>(60, "x"), "/"));
  CHECK_THROWS(jobs.submit({}, "/"));
  CHECK_THROWS(jobs.submit({std::string("a\0b", 3)}, "/"));
  CHECK_THROWS(jobs.submit({"true"}, std::string(5000, 'x')));
  CHECK(wait_for(jobs, jobs.submit({"true"}, "/no-such-folder")).reason == "true: No such file or directory");

  const Job much = wait_for(jobs, jobs.submit({"sh", "-c", "yes | head -c 100000"}, "/"));
  CHECK(much.exit_code == 0);
  CHECK(text_of(much.output).starts_with("y\ny\n"));
  CHECK(text_of(much.output).size() < 1100);
  CHECK(text_of(much.output).find("only the first 1000 bytes") != std::string::npos);
  for (int i = 0; i < 2; ++i) wait_for(jobs, jobs.submit({"sh", "-c", "yes | head -c 1000"}, "/"));
  CHECK_FALSE(fs::exists(much.output));  // the oldest, as all together are too much

  const unsigned runs = jobs.submit({"sleep", "1000"}, "/");
  while (jobs.find(runs)->state == JobState::kWaiting)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int i = 0; i < 3; ++i) jobs.submit({"true"}, "/");
  CHECK_THROWS(jobs.submit({"true"}, "/"));
  CHECK(jobs.list().size() <= 3 + 4 + 1);
}

TEST_CASE("a job's output goes to a file of its own, not where a link leads") {
  const Folder folder;
  const fs::path victim = folder.path / "victim";
  std::ofstream(victim) << "precious";
  Jobs jobs(folder.path / "jobs", 1, {"PATH=/usr/bin:/bin"});
  CHECK((fs::status(folder.path / "jobs").permissions() & fs::perms::all) == fs::perms::owner_all);
  fs::create_symlink(victim, folder.path / "jobs" / "1.output");
  CHECK_THROWS(jobs.submit({"echo", "gone"}, "/"));
  const unsigned second = jobs.submit({"sh", "-c", "rm $0; ln -s $1 $0; echo gone",
                                       (folder.path / "jobs" / "2.output").string(), victim.string()},
                                      "/");
  wait_for(jobs, second);
  CHECK(text_of(victim) == "precious");
}

link::Fd connect_to(const std::string& path) {
  link::Fd fd = link::connect_unix(path);
  REQUIRE(fd);
  return fd;
}

TEST_CASE("who is silent or slow keeps nobody from the daemon's socket, and does not stay") {
  const Folder folder;
  const std::string path = folder.path / "control";
  Control::Limits limits;
  limits.connections = 8;
  limits.time = std::chrono::seconds(3);
  const std::string large(4 << 20, 'x');
  const Control control(path, {.answer = [&](const Json& request) -> Json {
                          return {{"got", request.value("large", false) ? large : "x"}};
                        }},
                        limits);
  std::vector<link::Fd> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(connect_to(path));
  CHECK(ask(path, {{"command", "x"}}).at("got") == "x");
  // One that says a byte now and then has no more time than the others, and one that does not read its answer
  // neither.
  const link::Fd slow = connect_to(path);
  const link::Fd deaf = connect_to(path);
  const std::string request = "{\"version\": 1, \"large\": true}\n";
  CHECK(::send(deaf.get(), request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()));
  unsigned sent = 0;
  while (sent < 10'000 && ::send(slow.get(), "{", 1, MSG_NOSIGNAL) == 1) {
    ++sent;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(sent < 10'000);
  CHECK(ask(path, {{"command", "x"}}).at("got") == "x");
  // Longer than any request may be.
  const link::Fd endless = connect_to(path);
  const std::string much(2 * kMostRequestBytes, '[');
  CHECK(::send(endless.get(), much.data(), much.size(), MSG_NOSIGNAL) < static_cast<ssize_t>(much.size()));
  CHECK(ask(path, {{"command", "x"}}).at("got") == "x");
}

TEST_CASE("what is to be a number is one") {
  for (const char* text : {"1e99", "-1", "4294967296", "1.5", "\"1\"", "null", "[]"})
    CHECK_THROWS(number_in({{"job", Json::parse(text)}}, "job"));
  CHECK_THROWS(number_in(Json::object(), "job"));
  CHECK(number_in({{"job", 4294967295u}}, "job") == 4294967295u);
}

TEST_CASE("the folder of the sockets is this user's, and nobody else writes to it") {
  const Folder folder;
  const fs::path fresh = folder.path / "a" / "b";
  CHECK(link::claim_folder(fresh, false).empty());
  CHECK((fs::status(fresh).permissions() & fs::perms::all) == fs::perms::owner_all);
  CHECK(link::claim_folder(fresh, false).empty());
  const fs::path shared = folder.path / "shared";
  CHECK(link::claim_folder(shared, true).empty());
  CHECK((fs::status(shared).permissions() & fs::perms::others_all) == fs::perms::none);
  fs::permissions(fresh, fs::perms::all);
  CHECK(link::claim_folder(fresh, false).find("others may write") != std::string::npos);
  fs::create_directory_symlink(shared, folder.path / "link");
  CHECK_FALSE(link::claim_folder(folder.path / "link", false).empty());
  std::ofstream(folder.path / "file") << "x";
  CHECK_FALSE(link::claim_folder(folder.path / "file", false).empty());
  if (::geteuid() == 0) {
    const fs::path other = folder.path / "other";
    CHECK(link::claim_folder(other, false).empty());
    REQUIRE(::chown(other.c_str(), 65534, 65534) == 0);
    CHECK(link::claim_folder(other, false).find("another user's") != std::string::npos);
  }
}

TEST_CASE("the daemon's socket answers, and says what it does not understand") {
  const Folder folder;
  const std::string path = folder.path / "control";
  const Control control(path, {.answer = [](const Json& request) -> Json {
                          if (request.value("command", "") == "bad") throw std::runtime_error("not that");
                          return {{"got", request.at("command")}};
                        }});
  CHECK((fs::status(path).permissions() & fs::perms::others_all) == fs::perms::none);
  CHECK(ask(path, {{"command", "x"}}).at("got") == "x");
  CHECK_THROWS_WITH(ask(path, {{"command", "bad"}}), "not that");
  CHECK_THROWS(ask(path, {{"nothing", 1}}));
  CHECK_THROWS(ask((folder.path / "nobody").string(), {{"command", "x"}}));
  CHECK_THROWS_AS(Control(path, {.answer = [](const Json&) { return Json(); }}), socket::SocketError);

  // Garbage, half a line, nothing at all: none of them keeps the next one from being served.
  for (const std::string text : {"garbage\n", "{\"version\": 1", "", "[]\n", "{\"version\": 99}\n"}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    const link::Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    CHECK(::send(fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }
  CHECK(ask(path, {{"command", "x"}}).at("got") == "x");
}

}  // namespace
}  // namespace swai::serve
