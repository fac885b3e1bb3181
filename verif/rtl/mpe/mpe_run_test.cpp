// SPDX-License-Identifier: Apache-2.0
// mpe-run as its users see it: options, exit codes, messages, files.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "verif/kit/doctest_main.hpp"
#include "verif/kit/process.hpp"

namespace swai::mpe {
namespace {

const std::string kTool = "build/mpe-run";
const std::string kUnoptimised = "build/unopt/mpe-run";
const std::string kPrograms = "build/mpe-programs/";

struct Result {
  int code;
  std::string output;
};

Result run(std::vector<std::string> arguments, const std::string& tool = kTool) {
  arguments.insert(arguments.begin(), tool);
  common::Process process(arguments);
  process.close_input();
  const int code = process.wait();
  return {code, process.output()};
}

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fmt::format("build/mpe-run-test.{}.{}", getpid(), ++count_)) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  static inline unsigned count_ = 0;
  std::string path_;
};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

nlohmann::json run_json(const std::string& program, std::vector<std::string> arguments,
                        const std::string& tool = kTool) {
  const TemporaryFolder folder;
  arguments.insert(arguments.begin(), {program, "--json", folder.file("result.json")});
  const auto result = run(arguments, tool);
  INFO(result.output);
  REQUIRE(result.code == 0);
  return nlohmann::json::parse(contents(folder.file("result.json")));
}

bool one_line(const std::string& text) { return std::count(text.begin(), text.end(), '\n') == 1; }

TEST_CASE("mpe-run: a program that passes") {
  const auto result = run({kPrograms + "report"});
  CHECK(result.code == 0);
  CHECK(result.output == "console\ncall\nword\n");
}

TEST_CASE("mpe-run: a program that fails names its test") {
  const auto result = run({kPrograms + "failing"});
  CHECK(result.code == 1);
  CHECK(result.output.find("test 7") != std::string::npos);
}

TEST_CASE("mpe-run: the same in lockstep, with stalls and without") {
  CHECK(run({kPrograms + "report", "--lockstep", "on"}).code == 0);
  for (unsigned n = 0; n < 4; ++n) {
    const auto result = run({kPrograms + "report", "--lockstep", "on", "--seed",
                             std::to_string(test_seed() + n), "--latency", "3"});
    CHECK(result.code == 0);
    CHECK(result.output == "console\ncall\nword\n");
  }
}

TEST_CASE("mpe-run: the signature, though it may still lie in the cache") {
  const TemporaryFolder folder;
  for (const char* seed : {"", "5"}) {
    std::vector<std::string> arguments = {kPrograms + "report", "--signature", folder.file("signature")};
    if (*seed != 0) arguments.insert(arguments.end(), {"--seed", seed});
    CHECK(run(arguments).code == 0);
    CHECK(contents(folder.file("signature")) ==
          "00000000\n11111111\n22222222\n33333333\n44444444\n55555555\n66666666\n77777777\n");
  }
  CHECK(
      run({kPrograms + "report", "--signature", folder.file("wide"), "--signature-granularity", "8"}).code ==
      0);
  CHECK(contents(folder.file("wide")) ==
        "1111111100000000\n3333333322222222\n5555555544444444\n7777777766666666\n");
}

TEST_CASE("mpe-run: statistics and trace") {
  const auto json = run_json(kPrograms + "report", {});
  CHECK(json["version"] == 1);
  CHECK(json["passed"] == true);
  const uint64_t cycles = json["cycles"];
  const uint64_t instructions = json["instructions"];
  CHECK(instructions > 100);
  CHECK(cycles > instructions);
  CHECK(json["events"]["load"] > 10);
  CHECK(json["events"]["store"] > 10);
  CHECK(json["events"]["icache_miss"] > 0);
  CHECK(json["events"]["uncached"] > 10);
  const auto text = run({kPrograms + "report", "--stats"});
  CHECK(text.output.find(fmt::format("{:<14}{:>14}\n", "cycles", cycles)) != std::string::npos);

  const TemporaryFolder folder;
  CHECK(run({kPrograms + "report", "--trace", folder.file("trace")}).code == 0);
  const std::string trace = contents(folder.file("trace"));
  CHECK(static_cast<uint64_t>(std::count(trace.begin(), trace.end(), '\n')) >= instructions);
  CHECK(trace.find("0000000080000000") != std::string::npos);
  CHECK(trace.find("mtvec") != std::string::npos);
}

// The simulator's optimiser is not to be trusted: both builds must agree on every cycle.
TEST_CASE("mpe-run: fast and unoptimised builds take the same number of cycles") {
  const TemporaryFolder folder;
  const std::string random = folder.file("random.elf");
  REQUIRE(
      run({"--elf", random, "--seed", std::to_string(test_seed()), "--kinds", "-interrupt"}, "build/tb-mpe")
          .code == 0);
  for (const auto& program : {kPrograms + "report", random}) {
    for (const bool stalls : {false, true}) {
      std::vector<std::string> arguments;
      if (stalls) arguments = {"--seed", std::to_string(test_seed())};
      auto fast = run_json(program, arguments);
      auto slow = run_json(program, arguments, kUnoptimised);
      fast.erase("khz");
      slow.erase("khz");
      CHECK(fast["cycles"] > 1000);
      CHECK(fast == slow);
    }
  }
}

TEST_CASE("mpe-run: programs that do not end") {
  const auto limit = run({kPrograms + "debuggee", "--max-cycles", "20000"});
  CHECK(limit.code == 1);
  CHECK(limit.output.find("no end after 20000 cycles") != std::string::npos);
  const auto sleep = run({kPrograms + "sleep"});
  CHECK(sleep.code == 1);
  CHECK(sleep.output.find("waits for an interrupt") != std::string::npos);
  const auto lost = run({kPrograms + "lost"});
  CHECK(lost.code == 1);
  CHECK(lost.output.find("trap handler at 0x0 cannot be executed") != std::string::npos);
}

TEST_CASE("mpe-run: bad input is refused with one clear line") {
  const TemporaryFolder folder;
  const auto refused = [](std::vector<std::string> arguments, const std::string& part) {
    const auto result = run(std::move(arguments));
    INFO(result.output);
    CHECK(result.code == 2);
    CHECK(one_line(result.output));
    CHECK(result.output.find(part) != std::string::npos);
  };
  refused({"/nonexistent/program"}, "/nonexistent/program");
  refused({"Makefile"}, "Makefile");
  refused({"build"}, "build");
  refused({kTool}, kTool);  // an ELF for another machine
  std::ofstream(folder.file("cut"), std::ios::binary) << contents(kPrograms + "report").substr(0, 3000);
  refused({folder.file("cut")}, "cut");
  refused({kPrograms + "report", "--trace", "/nonexistent/trace"}, "/nonexistent/trace");
  refused({kPrograms + "report", "--signature", "/nonexistent/signature"}, "/nonexistent/signature");
  refused({kPrograms + "debuggee", "--signature", folder.file("s"), "--max-cycles", "100"},
          "begin_signature");
  refused({kPrograms + "endless"}, "--max-cycles");
  CHECK(run({kPrograms + "endless", "--max-cycles", "1000"}).code == 1);
  refused({kPrograms + "report", "--wave", folder.file("w")}, "build/wave/mpe-run");
  refused({kPrograms + "report", "--gdb", "0", "--lockstep", "on"}, "--lockstep");
  CHECK(run({kPrograms + "report", "--no-such-option"}).code == 2);
  CHECK(run({kPrograms + "report", "--lockstep", "maybe"}).code == 2);
  CHECK(run({}).code == 2);
  CHECK(run({"--help"}).code == 0);
}

}  // namespace
}  // namespace swai::mpe
