// The daemon's jobs, and the socket on which it is asked.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "host/link/server/server.hpp"
#include "host/serve/control.hpp"
#include "host/serve/jobs.hpp"

namespace swai::serve {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "swai-jobs-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

Job wait_for(const Jobs& jobs, unsigned number) {
  for (;;) {
    const auto job = jobs.find(number);
    REQUIRE(job);
    if (job->state == JobState::kDone || job->state == JobState::kCancelled) return *job;
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

TEST_CASE("the daemon's socket answers, and says what it does not understand") {
  const Folder folder;
  const std::string path = folder.path / "control";
  const Control control(path, 0600, [](const Json& request) -> Json {
    if (request.value("command", "") == "bad") throw std::runtime_error("not that");
    return {{"got", request.at("command")}};
  });
  CHECK((fs::status(path).permissions() & fs::perms::others_all) == fs::perms::none);
  CHECK(ask(path, {{"command", "x"}}).at("got") == "x");
  CHECK_THROWS_WITH(ask(path, {{"command", "bad"}}), "not that");
  CHECK_THROWS(ask(path, {{"nothing", 1}}));
  CHECK_THROWS(ask((folder.path / "nobody").string(), {{"command", "x"}}));
  CHECK_THROWS_AS(Control(path, 0600, [](const Json&) { return Json(); }), socket::SocketError);

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
