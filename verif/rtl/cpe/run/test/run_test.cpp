// SPDX-License-Identifier: Apache-2.0
// What tools that run kernels share, and iss-cpe-run as its users see it.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "abi/segment.hpp"
#include "host/lib/elf.hpp"
#include "host/lib/grid_text.hpp"
#include "sim/iss/cpe/port.hpp"
#include "sim/run/kernel/job.hpp"
#include "sim/run/kernel/report.hpp"
#include "verif/kit/process.hpp"

namespace swai::kernel_run {
namespace {

using common::InputError;

const std::string kModules = "build/cpe-kernels/";
const std::string kSamples = "build/examples/cuda/";

struct Outcome {
  int code;
  std::string output;
};

// A folder for one test.
class Scene {
 public:
  Scene() { REQUIRE(mkdtemp(folder_.data()) != nullptr); }
  ~Scene() { std::filesystem::remove_all(folder_); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::vector<uint8_t>& bytes) const {
    write_file(file(name), bytes);
    return file(name);
  }

  static Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "build/iss-cpe-run");
    common::Process process(arguments);
    const int code = process.wait();
    return {code, process.output()};
  }

 private:
  std::string folder_ = (std::filesystem::temp_directory_path() / "swai-test-XXXXXX").string();
};

std::vector<uint8_t> content(const std::string& text) {
  return std::get<Buffer>(parse_argument(text)).content;
}

TEST_CASE("arguments: words and buffers") {
  Scene scene;
  const std::string file = scene.write("file", {1, 2, 3});
  CHECK(std::get<uint32_t>(parse_argument("0")) == 0);
  CHECK(std::get<uint32_t>(parse_argument("4294967295")) == 0xffff'ffff);
  CHECK(std::get<uint32_t>(parse_argument("0xAbc")) == 0xabc);
  CHECK(std::get<uint32_t>(parse_argument("1.5")) == 0x3fc0'0000);
  CHECK(std::get<uint32_t>(parse_argument("-1e-3")) == 0xba83'126f);
  CHECK(content("buf:3") == std::vector<uint8_t>{0, 0, 0});
  CHECK(content("buf:0x3:0xff") == std::vector<uint8_t>{255, 255, 255});
  CHECK(content("buf:2K").size() == 2048);
  CHECK(content("buf:1M:7").back() == 7);
  CHECK(content("buf:9:index") == std::vector<uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 2});
  CHECK(content("buf:1028:index")[1025] == 1);
  CHECK(content("buf:1000:random") == content("buf:1000:random"));
  CHECK(content("buf:1000:random") != content("buf:1000"));
  CHECK(content("buf:=" + file) == std::vector<uint8_t>{1, 2, 3});
  CHECK(content("buf:5=" + file) == std::vector<uint8_t>{1, 2, 3, 0, 0});
  for (const std::string wrong : {"",
                                  "x",
                                  "-1",
                                  "4294967296",
                                  "0x",
                                  "0x100000000",
                                  "12 ",
                                  " 12",
                                  "1.5.",
                                  "1e99",
                                  ".",
                                  "buf",
                                  "buf:",
                                  "buf:0",
                                  "buf:x",
                                  "buf:-1",
                                  "buf:4:",
                                  "buf:4:256",
                                  "buf:4:what",
                                  "buf:4:1:2",
                                  "buf:5000000000",
                                  "buf:5G",
                                  "buf:K",
                                  "buf:1k",
                                  "buf:-1K",
                                  "buf:=/nonexistent",
                                  "buf:="}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_argument(wrong), InputError);
  }
  CHECK_THROWS_AS(parse_argument("buf:2=" + file), InputError);
  CHECK(parse_dump("3:a:b").buffer == 3);
  CHECK(parse_dump("3:a:b").file == "a:b");
  for (const std::string wrong : {"", "3", "3:", ":a", "x:a", "-1:a"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_dump(wrong), InputError);
  }
}

// Keeps what it is given.
class FakeDevice : public Device {
 public:
  std::map<uint64_t, uint8_t> memory;
  uint64_t table = 0;
  uint32_t entries = 0;
  Daemon daemon;
  uint64_t limit = 0;

  unsigned rows() const override { return 2; }
  unsigned columns() const override { return 2; }
  void read(uint64_t address, std::span<uint8_t> bytes) override {
    for (uint8_t& byte : bytes) byte = memory.at(address++);
  }
  void write(uint64_t address, std::span<const uint8_t> bytes) override {
    for (const uint8_t byte : bytes) memory[address++] = byte;
  }
  void start(uint64_t base, uint32_t count, const Daemon& with, uint64_t most) override {
    table = base;
    entries = count;
    daemon = with;
    limit = most;
  }
  kernel_run::Outcome launch(const Launch&) override { return {}; }

  template <typename T>
  T at(uint64_t address) {
    T value;
    read(address, {reinterpret_cast<uint8_t*>(&value), sizeof value});
    return value;
  }
  segment::Entry entry(uint16_t number) {
    REQUIRE(number < entries);
    const auto word = at<uint64_t>(table + 8 * number);
    REQUIRE(segment::is_valid(word));
    return segment::decode(word);
  }
};

TEST_CASE("a job: everything in memory, in segments of its own, arguments as the compiler aligns them") {
  FakeDevice device;
  const Job job(Program(kModules + "copy.elf"), Program(kModules + "daemon.elf", module::Space::kDaemon),
                {.kernel = "copy",
                 .arguments = {parse_argument("buf:5000:index"), parse_argument("buf:4096:7"),
                               parse_argument("17"), parse_argument("18")},
                 .mask = 5,
                 .context = 9});
  job.load(device, 1234);
  CHECK(device.limit == 1234);
  CHECK(job.launch().mask == 5);
  CHECK(job.launch().context == 9);
  CHECK(job.launch().argument == 0xc000'0000);
  CHECK(job.launch().pc == job.program().kernel("copy").pc);
  CHECK(device.at<uint64_t>(device.table) == segment::kNoEntry);
  REQUIRE(device.entries == 6);

  std::vector<segment::Entry> entries;
  for (uint16_t i = 1; i < 6; ++i) entries.push_back(device.entry(i));
  for (const segment::Entry& a : entries) {
    CHECK(segment::representable(a));
    CHECK(a.base >= device.table + 8 * device.entries);
    for (const segment::Entry& b : entries) {
      if (a.base < b.base) CHECK(a.base + a.size < b.base);  // not even neighbours
    }
  }
  const segment::Entry daemon = device.entry(device.daemon.segment);
  CHECK(daemon.owner == segment::kShared);
  CHECK(daemon.permissions == (segment::kRead | segment::kExecute));
  const segment::Entry code = device.entry(job.launch().code_segment);
  CHECK(code.owner == 9);
  CHECK(code.permissions == (segment::kRead | segment::kExecute));
  for (size_t i = 0; i < job.program().code().size(); ++i) {
    REQUIRE(device.memory.at(code.base + i) == job.program().code()[i]);
  }
  CHECK(device.memory.at(code.base + code.size - 1) == 0);
  const segment::Entry arguments = device.entry(job.launch().argument_segment);
  CHECK(arguments.permissions == segment::kRead);
  const auto first = device.at<uint64_t>(arguments.base);
  const auto second = device.at<uint64_t>(arguments.base + 8);
  CHECK(device.at<uint32_t>(arguments.base + 16) == 17);
  CHECK(device.at<uint32_t>(arguments.base + 20) == 18);
  CHECK(segment::offset(first) == 0);
  CHECK(device.entry(segment::number(first)).size == 8192);
  CHECK(device.entry(segment::number(second)).size == 4096);
  CHECK(device.at<uint32_t>(device.entry(segment::number(first)).base + 4000) == 1000);
  CHECK(device.entry(segment::number(second)).permissions == (segment::kRead | segment::kWrite));
  CHECK(job.read_buffer(device, 1) == std::vector<uint8_t>(4096, 7));
}

TEST_CASE("a pointer behind a single word is aligned; what does not fit the kernel is refused") {
  const auto make = [](std::vector<std::string> arguments) {
    Job::Setup setup{.kernel = "fill"};
    for (const std::string& text : arguments) setup.arguments.push_back(parse_argument(text));
    return Job(Program(kModules + "memset.elf"), Program::plain_daemon(), std::move(setup));
  };
  FakeDevice device;
  const Job job = make({"1", "buf:64"});  // 4 and 4 of nothing and 8
  job.load(device, 0);
  const segment::Entry arguments = device.entry(job.launch().argument_segment);
  CHECK(device.at<uint64_t>(arguments.base) == 1);
  CHECK(segment::number(device.at<uint64_t>(arguments.base + 8)) == 4);
  CHECK_NOTHROW(make({"buf:64", "1"}));  // padded at the end, as structures are
  CHECK_THROWS_AS(make({}), InputError);
  CHECK_THROWS_AS(make({"buf:64"}), InputError);
  CHECK_THROWS_AS(make({"1", "2", "3", "4", "5"}), InputError);
}

TEST_CASE("grids: three sizes, of which the last ones may be left out") {
  const auto sizes = [](const std::string& text) {
    const cpe::Extent extent = parse_extent(text, "--grid");
    return std::vector<uint32_t>{extent.x, extent.y, extent.z};
  };
  CHECK(sizes("7") == std::vector<uint32_t>{7, 1, 1});
  CHECK(sizes("7,2") == std::vector<uint32_t>{7, 2, 1});
  CHECK(sizes("4294967295,0x10,3") == std::vector<uint32_t>{0xffff'ffff, 16, 3});
  for (const std::string wrong : {"", ",", "1,", ",1", "1,2,3,4", "1,2,3,", "1 2", "4294967296", "-1", "x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_extent(wrong, "--grid"), InputError);
  }
}

TEST_CASE("grids: what a kernel cannot run is refused, in words") {
  module::GridKernel kernel{.name = "meet", .parameters = module::Parameters().with(4).with(32)};
  const auto refusal = [&](const GridText& text) -> std::string {
    try {
      parse_grid(text, kernel);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const cpe::Grid grid = parse_grid({"2,3", "4,5,6", "1K"}, kernel);
  CHECK(grid.blocks.product() == 6);
  CHECK(grid.threads.product() == 120);
  CHECK(grid.shared_bytes == 1024);
  CHECK(refusal({}).find("give --grid (blocks) and --block") != std::string::npos);
  CHECK(refusal({"1", "", ""}).find("give --grid") != std::string::npos);
  CHECK(refusal({"", "1", ""}).find("give --grid") != std::string::npos);
  CHECK(refusal({"0", "1", ""}) == "kernel meet: a grid or a block of size 0");
  CHECK(refusal({"65536,65536", "1", ""}) == "kernel meet: more than 4294967295 blocks");
  CHECK(refusal({"1", "33,32", ""}) == "kernel meet: a block of 33 x 32 x 1 threads; 1024 are the most");
  CHECK(refusal({"1", "1", "x"}).starts_with("--shared: 'x' is not a number"));
  CHECK(refusal({"1", "1", "128K"}) == "");
  CHECK(refusal({"1", "1", "131073"}).find("131073 bytes of local memory are to be shared") !=
        std::string::npos);
  kernel.stacks = {.bytes = 160, .room = 64'000};
  CHECK(refusal({"1", "400", ""}) == "");
  CHECK(refusal({"1", "401", ""}).find("at most 400 threads") != std::string::npos);
  CHECK(refusal({"1", "400", "65"}).find("at most 399 threads") != std::string::npos);
  kernel.parameters = module::Parameters().with(4);
  CHECK(refusal({}) == "");
  for (const GridText& text : {GridText{"1", "1", ""}, GridText{"", "", "1"}}) {
    CHECK(refusal(text).starts_with("kernel meet: it has no threads"));
    CHECK(refusal(text).ends_with("Leave --grid, --block and --shared out"));
  }
}

TEST_CASE("a job with a grid: behind the values, at a multiple of 8") {
  const auto make = [](std::vector<std::string> arguments) {
    Job::Setup setup{.kernel = "vectorAdd", .grid = {{4, 1, 1}, {64, 2, 1}, 512, 0}};
    for (const std::string& text : arguments) setup.arguments.push_back(parse_argument(text));
    return Job(Program(kSamples + "vectorAdd.elf"), Program::plain_daemon(), std::move(setup));
  };
  FakeDevice device;
  const Job job = make({"buf:64", "buf:64", "buf:64", "16"});
  job.load(device, 0);
  const segment::Entry arguments = device.entry(job.launch().argument_segment);
  CHECK(device.at<uint32_t>(arguments.base + 24) == 16);
  const auto grid = device.at<cpe::Grid>(arguments.base + 32);
  CHECK(grid.blocks.x == 4);
  CHECK(grid.threads.y == 2);
  CHECK(grid.shared_bytes == 512);
  CHECK_THROWS_WITH_AS(make({"buf:64", "buf:64"}),
                       "vectorAdd: takes 32 bytes of arguments (a word is 4, a buffer 8), not 16",
                       InputError);
}

TEST_CASE("kernels in threads on the model: each block and thread, shared memory of a launch") {
  Scene scene;
  const Outcome added =
      Scene::run({kSamples + "vectorAdd.elf", "--grid", "4", "--block", "64", "--args", "buf:1000:0x40",
                  "buf:1000:0x40", "buf:1000", "249", "--dump", "2:" + scene.file("sums")});
  CAPTURE(added.output);
  CHECK(added.code == 0);
  std::vector<float> sums(250);
  const std::vector<uint8_t> bytes = read_file(scene.file("sums"));
  REQUIRE(bytes.size() == 1000);
  std::memcpy(sums.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < 249; ++i) REQUIRE(sums[i] == 2 * 3.00392150878906250f);
  CHECK(sums[249] == 0);

  const std::vector<std::string> reduce = {kSamples + "reduction.elf", "--grid", "2", "--block", "128"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), reduce.begin(), reduce.end());
    return Scene::run(more);
  };
  const Outcome reduced = with(
      {"--shared", "512", "--args", "buf:2K:index", "buf:8", "512", "--dump", "1:" + scene.file("sums")});
  CAPTURE(reduced.output);
  CHECK(reduced.code == 0);
  const std::vector<uint8_t> both = read_file(scene.file("sums"));
  uint32_t blocks[2];
  REQUIRE(both.size() == sizeof blocks);
  std::memcpy(blocks, both.data(), sizeof blocks);
  CHECK(blocks[0] == 255 * 256 / 2);
  CHECK(blocks[1] == 511 * 512 / 2 - blocks[0]);

  const Outcome without = Scene::run({kSamples + "vectorAdd.elf", "--args", "buf:8", "buf:8", "buf:8", "2"});
  CHECK(without.code == 2);
  CHECK(without.output.find("iss-cpe-run: kernel vectorAdd runs once for each thread of a grid") == 0);
  CHECK(Scene::run({kSamples + "vectorAdd.elf", "--list"})
            .output.ends_with(", blocks of up to 1024 threads\n"));
}

TEST_CASE("reports name cause, place, and what a CPE waits for") {
  const Job job(Program(kModules + "empty.elf"), Program::plain_daemon(), {.kernel = "empty", .mask = 3});
  kernel_run::Outcome outcome;
  outcome.cycles = 77;
  outcome.counters = {{"things", {3, 4, 1000, 1000}}};
  outcome.figures = {{"unit busy", 12.5, "%"}};
  CHECK(report(job, outcome, false) == "empty: done, 77 cycles\n");
  const std::string table = report(job, outcome, true);
  CHECK(table.find("unit busy") != std::string::npos);
  CHECK(table.find("2007             3             4") != std::string::npos);
  CHECK(kernel_run::table(outcome, 2) == "  things\n          3          4\n       1000       1000\n");
  outcome.ok = false;
  outcome.ending = "deadlock";
  outcome.faults.resize(4);
  outcome.faults[0] = {.cause = iss::cpe::Cause::kLimit,
                       .access = iss::cpe::Access::kRead,
                       .dma = true,
                       .pc = job.launch().pc + 2,
                       .segment = 4,
                       .offset = 0x1000};
  outcome.faults[1] = {.cause = iss::cpe::Cause::kWatchdog, .pc = job.launch().pc};
  outcome.states = {"a", "waits for something", "c", "d"};
  const std::string text = report(job, outcome, false);
  CHECK(text.find("CPE 0: DMA read at 0x1000 of segment 4: beyond the end of the segment, pc 0x50000002 "
                  "(empty)\n") != std::string::npos);
  CHECK(text.find("CPE 1: waits for something (empty, cpe-kernels/samples/empty.cpp:5)\n") !=
        std::string::npos);
  const auto json = report_json(job, {kernel_run::Outcome{}, outcome});
  CHECK(json["launches"].size() == 2);
  CHECK(json["passed"] == false);
  CHECK(json["faults"].size() == 2);
  CHECK(json["faults"][0]["offset"] == 0x1000);
  CHECK(json["faults"][1]["line"] == "cpe-kernels/samples/empty.cpp:5");
  CHECK(json["counters"]["things"][2] == 1000);
}

TEST_CASE("kernels do what they say on the model, with either daemon") {
  Scene scene;
  std::vector<uint8_t> input(30000);
  std::iota(input.begin(), input.end(), uint8_t{3});
  const std::string in = scene.write("in", input);
  for (const std::vector<std::string>& daemon :
       std::initializer_list<std::vector<std::string>>{{}, {"--daemon", kModules + "daemon.elf"}}) {
    const auto run = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), daemon.begin(), daemon.end());
      const Outcome outcome = Scene::run(arguments);
      CAPTURE(outcome.output);
      CHECK(outcome.code == 0);
      return outcome.output;
    };
    run({kModules + "empty.elf", "--launches", "100"});
    run({kModules + "copy.elf", "--args", "buf:30000:1", "buf:=" + in, "29999", "0", "--dump",
         "0:" + scene.file("out"), "--dump", "1:" + scene.file("same")});
    std::vector<uint8_t> expected = input;
    expected.back() = 1;
    CHECK(read_file(scene.file("out")) == expected);
    CHECK(read_file(scene.file("same")) == input);
    run({kModules + "memset.elf", "--args", "buf:1000", "999", "0x15a", "--mask", "0x70000000", "--dump",
         "0:" + scene.file("out")});
    std::vector<uint8_t> filled(1000, 0x5a);
    filled.back() = 0;
    CHECK(read_file(scene.file("out")) == filled);
    // 4 rows of 8 get what their row's sender had.
    run({kModules + "broadcast.elf", "--args", "buf:32768", "buf:4096:random", "1024", "5", "3", "0",
         "--dump", "0:" + scene.file("out"), "--dump", "1:" + scene.file("from")});
    const std::vector<uint8_t> to = read_file(scene.file("out"));
    const std::vector<uint8_t> from = read_file(scene.file("from"));
    for (unsigned cpe = 0; cpe < 32; ++cpe)
      CHECK(std::memcmp(&to[cpe * 1024], &from[cpe / 8 * 1024], 1024) == 0);
    run({kModules + "sync.elf", "--args", "20", "2", "--rows", "3", "--columns", "5"});
    const std::string stats = run({kModules + "stream.elf", "--args", "buf:8192:random", "2048", "100", "0",
                                   "2", "--rows", "2", "--columns", "2", "--stats"});
    CHECK(stats.find("DMA bytes loaded                     16384          4096          4096") !=
          std::string::npos);
  }
}

TEST_CASE("kernels that fail: exit code 1, who and why") {
  struct Case {
    std::string kernel;
    std::string ending;
    std::string text;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"illegal_instruction", "failed", "illegal instruction, pc 0x5000"},
           {"assertion", "failed", "assertion failed: value != 0 (assertion, verif/kit/faulty/faults.cpp:"},
           {"jump_nowhere", "failed", "fetch at 0x20000000: address that names nothing"},
           {"endless_loop", "instruction limit", "runs at 0x5000"},
           {"deadlock_channel", "deadlock", "on its row channel, receive 1 from "},
           {"deadlock_sync", "deadlock", "to synchronise with all CPEs; missing: 0-2"},
           {"store_to_code", "failed", "of segment 2: segment does not permit the access"},
       }) {
    const std::string& kernel = one.kernel;
    CAPTURE(kernel);
    const Outcome outcome =
        Scene::run({kModules + "faults.elf", "--kernel", kernel, "--args", "buf:64", "3", "0", "--rows", "2",
                    "--columns", "2", "--limit", "10000", "--json", "-"});
    CAPTURE(outcome.output);
    CHECK(outcome.code == 1);
    CHECK(outcome.output.find(kernel + ": " + one.ending + "\n  CPE 3: ") != std::string::npos);
    CHECK(outcome.output.find(one.text) != std::string::npos);
    const auto json =
        nlohmann::json::parse(outcome.output.substr(outcome.output.find("{\n")), nullptr, false);
    REQUIRE(!json.is_discarded());
    CHECK(json["ending"] == one.ending);
  }
}

TEST_CASE("bad usage and bad input: one line, exit code 2") {
  Scene scene;
  const std::string text = scene.write("text", {'h', 'i'});
  const std::string copy = kModules + "copy.elf";
  const std::string empty = kModules + "empty.elf";
  for (const std::vector<std::string>& arguments : std::initializer_list<std::vector<std::string>>{
           {scene.file("missing")},
           {text},
           {"build/iss-cpe-run"},
           {kModules + "daemon.elf"},  // linked for another place
           {empty, "--daemon", copy},
           {empty, "--daemon", text},
           {copy},
           {empty, "--args", "1"},
           {empty, "--kernel", "nonsense"},
           {kModules + "faults.elf"},
           {empty, "--mask", "0x100000000"},
           {empty, "--mask", "16", "--rows", "2", "--columns", "2"},
           {empty, "--mask", "all"},
           {empty, "--dump", "0:" + scene.file("x")},
           {copy, "--args", "buf:64", "buf:64", "64", "0", "--dump", "1:/nonexistent/file"},
           {empty, "--json", "/nonexistent/file"},
           {empty, "--trace", "/nonexistent/file"},
       }) {
    const Outcome outcome = Scene::run(arguments);
    CAPTURE(outcome.output);
    CHECK(outcome.code == 2);
    CHECK(outcome.output.find("iss-cpe-run: ") != std::string::npos);
    CHECK(outcome.output.back() == '\n');
  }
  CHECK(Scene::run({}).code == 2);
  CHECK(Scene::run({empty, "--nonsense"}).code == 2);
  CHECK(Scene::run({empty, "--rows", "5"}).code == 2);
  CHECK(Scene::run({"--help"}).code == 0);
  const Outcome undefined = Scene::run({kModules + "undefined.elf"});
  CHECK(undefined.code == 2);
  CHECK(undefined.output.ends_with("undefined symbol: function_that_is_nowhere\n"));
  const Outcome list = Scene::run({copy, "--list"});
  CHECK(list.code == 0);
  CHECK(list.output == "copy 0x50000000 24\n");
}

TEST_CASE("trace: a line per instruction") {
  Scene scene;
  const Outcome outcome =
      Scene::run({kModules + "empty.elf", "--mask", "2", "--trace", scene.file("trace"), "--stats"});
  CHECK(outcome.code == 0);
  const std::vector<uint8_t> bytes = read_file(scene.file("trace"));
  const std::string trace(bytes.begin(), bytes.end());
  CHECK(trace.find(" 1 50000000     8082\n") != std::string::npos);
  CHECK(outcome.output.find("instructions") != std::string::npos);
}

}  // namespace
}  // namespace swai::kernel_run
