// SPDX-License-Identifier: Apache-2.0
// build/iss-run as its users see it: exit codes, messages, devices, files.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "verif/kit/process.hpp"
#include "verif/sim/iss/random/encode.hpp"
#include "verif/sim/iss/random/random_program.hpp"

namespace swai::iss {
namespace {

namespace enc = random_program::enc;

constexpr uint64_t kBase = 0x8000'0000;
constexpr uint64_t kTohost = kBase + 0x1000;
constexpr unsigned kA = 10;
constexpr unsigned kB = 11;

struct Outcome {
  int code;
  std::string output;
};

// A folder for one test, with a program in it.
class Scene {
 public:
  Scene() { REQUIRE(mkdtemp(folder_.data()) != nullptr); }
  ~Scene() { std::filesystem::remove_all(folder_); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string read(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string program(const std::vector<uint32_t>& code, uint64_t tohost = kTohost) {
    random_program::Program program;
    program.base = kBase;
    program.entry = kBase;
    program.tohost = tohost;
    program.begin_signature = kBase;
    program.end_signature = kBase + 8;
    program.image.resize(0x2000);
    for (size_t i = 0; i < 4 * code.size(); ++i) {
      program.image[i] = static_cast<uint8_t>(code[i / 4] >> (8 * (i % 4)));
    }
    const auto bytes = random_program::to_elf(program);
    std::ofstream(file("program"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    return file("program");
  }

  static Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "build/iss-run");
    common::Process process(arguments);
    const int code = process.wait();
    return {code, process.output()};
  }

 private:
  std::string folder_ = (std::filesystem::temp_directory_path() / "swai-test-XXXXXX").string();
};

// Code that ends with a value in tohost.
std::vector<uint32_t> ending(std::vector<uint32_t> code, int value) {
  code.insert(code.end(), {enc::lui(kA, kTohost >> 12), enc::slli(kA, kA, 32), enc::srli(kA, kA, 32),
                           enc::addi(kB, 0, value), enc::sw(kB, kA, 0), enc::branch(enc::kBeq, 0, 0)});
  return code;
}

TEST_CASE("exit codes: pass, fail with the test's number") {
  Scene scene;
  CHECK(scene.run({scene.program(ending({}, 1))}).code == 0);
  const Outcome failed = scene.run({scene.program(ending({}, 2 * 42 + 1))});
  CHECK(failed.code == 1);
  CHECK(failed.output.find("FAILED: test 42") != std::string::npos);
}

TEST_CASE("bad usage and bad input: one line, exit code 2") {
  Scene scene;
  std::ofstream(scene.file("text")) << "this is no program\n";
  const std::string good = scene.program(ending({}, 1));
  for (const std::vector<std::string>& arguments : std::initializer_list<std::vector<std::string>>{
           {scene.file("missing")},
           {scene.file("text")},
           {scene.file("")},
           {"build/iss-run"},  // for this machine, not for that one
           {good, "--signature", "/nonexistent/file"},
           {good, "--trace", "/nonexistent/file"},
           {good, "--json", "/nonexistent/file"},
       }) {
    const Outcome outcome = scene.run(arguments);
    CAPTURE(outcome.output);
    CHECK(outcome.code == 2);
    CHECK(outcome.output.starts_with("iss-run: "));
    CHECK(outcome.output.find('\n') == outcome.output.size() - 1);
  }
  CHECK(scene.run({}).code == 2);
  CHECK(scene.run({good, "--nonsense"}).code == 2);
  CHECK(scene.run({good, "--signature-granularity", "5"}).code == 2);
  CHECK(scene.run({good, "--ram", "0"}).code == 2);
  CHECK(scene.run({"--help"}).code == 0);
}

TEST_CASE("programs that do not end") {
  Scene scene;
  const std::string loop = scene.program({enc::branch(enc::kBeq, 0, 0)});
  Outcome outcome = scene.run({loop, "--max-cycles", "1000"});
  CHECK(outcome.code == 1);
  CHECK(outcome.output.find("no end after 1000 instructions") != std::string::npos);
  outcome = scene.run({scene.program({enc::kWfi})});
  CHECK(outcome.code == 1);
  CHECK(outcome.output.find("waits at 0x80000004 for an interrupt and none can come") != std::string::npos);
  outcome = scene.run({scene.program({0})});
  CHECK(outcome.code == 1);
  CHECK(outcome.output.find("the trap handler at 0x0 cannot be executed: instruction access fault") !=
        std::string::npos);
}

TEST_CASE("console, and its line status") {
  Scene scene;
  const std::vector<uint32_t> code = {enc::lui(kA, 0x10000), enc::lbu(kB, kA, 5),
                                      enc::sb(kB, kA, 0),  // 0x60 is `
                                      enc::addi(kB, 0, 'k'), enc::sb(kB, kA, 0)};
  const Outcome outcome = scene.run({scene.program(ending(code, 1))});
  CHECK(outcome.code == 0);
  CHECK(outcome.output == "`k");
}

// mtime counts instructions. The handler ends the program with what it finds in mcause.
std::vector<uint32_t> timer_program(uint32_t wait) {
  std::vector<uint32_t> code = {enc::auipc(kA, 0),
                                enc::addi(kA, kA, 4 * 11),
                                enc::csrw(0x305, kA),  // mtvec
                                enc::addi(kB, 0, 0x80),
                                enc::csrw(0x304, kB),
                                enc::csrrsi(0, 0x300, 8),  // mie, mstatus
                                enc::lui(kA, 0x2004),
                                enc::addi(kB, 0, 1000),
                                enc::sd(kB, kA, 0),  // mtimecmp
                                wait,
                                enc::branch(enc::kBeq, 0, 0)};
  code.insert(code.end(),
              {enc::csrr(kB, 0x342), enc::slli(kB, kB, 1), enc::ori(kB, kB, 1), enc::lui(kA, kTohost >> 12),
               enc::slli(kA, kA, 32), enc::srli(kA, kA, 32), enc::sw(kB, kA, 0)});
  return code;
}

TEST_CASE("the timer interrupts when it is due") {
  Scene scene;
  Outcome outcome = scene.run({scene.program(timer_program(enc::kNop)), "--stats", "--max-cycles", "5000"});
  CHECK(outcome.output.find("FAILED: test 7\n") != std::string::npos);  // the low word of mcause
  CHECK(outcome.output.find("instructions            1008\n") != std::string::npos);
  outcome = scene.run({scene.program(timer_program(enc::kWfi)), "--stats", "--max-cycles", "5000"});
  CHECK(outcome.output.find("FAILED: test 7\n") != std::string::npos);
  CHECK(outcome.output.find("instructions              18\n") != std::string::npos);
}

TEST_CASE("signature, trace, statistics") {
  Scene scene;
  const std::string program = scene.program(ending({enc::addi(kB, 0, 5)}, 1));
  const Outcome outcome = scene.run(
      {program, "--signature", scene.file("signature"), "--trace", scene.file("trace"), "--json", "-"});
  CHECK(outcome.code == 0);
  CHECK(scene.read("signature") == "00500593\n80001537\n");
  CHECK(scene.read("trace").starts_with(
      "M 0000000080000000 00500593 addi a1, zero, 5                 a1=0000000000000005\n"));
  const auto json = nlohmann::json::parse(outcome.output);
  CHECK(json["version"] == 1);
  CHECK(json["passed"] == true);
  CHECK(json["instructions"] == 6);
}

}  // namespace
}  // namespace swai::iss
