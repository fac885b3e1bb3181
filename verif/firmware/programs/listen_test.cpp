// SPDX-License-Identifier: Apache-2.0
// The program `listen` on the host, with a fake kernel, cores and host. Its transcription is tested on the
// card; here events happen between any two of its steps.
#include "abi/listen.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "abi/list_template.hpp"
#include "host/models/graph/program.hpp"
#include "host/models/graph/template_file.hpp"
#include "verif/firmware/programs/played_kernel.hpp"
#include "verif/kit/doctest_main.hpp"

extern "C" int program_main(const swai::program::Start* start);

namespace swai::program {
namespace {

constexpr uint64_t kWindows = listen::kKept + 2;
constexpr uint64_t kWindowFrames = 3000;
constexpr uint32_t kContext = 64;
constexpr uint32_t kEnd = 100, kText = 7;

template <typename T>
uint64_t address(T* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

// A list with enough nodes to be run ahead in part, and the memory that it names.
class Source {
 public:
  explicit Source(const std::string& sizes, const std::string& rows) {
    std::string text = "graph g\n" + sizes + "input tokens: f32[" + rows + ", 16]\noutput logits: f32[" +
                       rows + ", 16]\nx0 = relu(tokens)\n";
    constexpr int kMiddle = 6;
    for (int i = 0; i < kMiddle; ++i)
      text += "x" + std::to_string(i + 1) + " = relu(x" + std::to_string(i) + ")\n";
    const graph::Template pattern = graph::program_of(text + "logits = relu(x6)\n").pattern;
    bytes_ = graph::template_bytes(pattern);
    addresses_.resize(pattern.nodes.size() * list_template::kMaxPointers);
    nodes_ = static_cast<uint32_t>(pattern.nodes.size());
  }
  building::Source source() const {
    return {address(bytes_.data()), address(addresses_.data()), static_cast<uint32_t>(bytes_.size()),
            building::Addresses::kPointers};
  }
  uint32_t nodes() const { return nodes_; }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<uint64_t> addresses_;
  uint32_t nodes_ = 0;
};

// A job of several windows with a few tokens each.
class Bed {
 public:
  explicit Bed(building::Memory memory = building::Memory::kZeroCopy) {
    wish_.words = address(&words_);
    wish_.sound = address(sound_.data());
    wish_.window = address(window_.data());
    wish_.placed = 0;
    wish_.kept = address(kept_.data());
    wish_.logits_bytes = 64;
    wish_.frame_bytes = 1;
    wish_.frames = kWindows * kWindowFrames;
    wish_.window_frames = kWindowFrames;
    wish_.encoder = encoder_.source();
    wish_.several = several_.source();
    wish_.one = one_.source();
    wish_.mode = {building::When::kAsync, building::Launches::kList, memory, 0};
    wish_.marks = {kEnd, 200, 1700};
    wish_.vocabulary = 2000;
    wish_.context = kContext;
    wish_.directions = 1;
    wish_.direction = {150};
    wish_.nodes = one_.nodes();
    kernel.runs = [this](command::Type type, const CommandWords& words) { return runs(type, words); };
    kernel.before_look = [this] {
      if (++looks != host_at) return;
      kernel.complete();
      host();
    };
    kernel.asleep = [this] { host(); };
  }

  listen::Code run() {
    const Start start = {.memory = kCode,
                         .arguments = address(&wish_),
                         .argument_bytes = sizeof wish_,
                         .heap = address(heap_.data()),
                         .heap_end = address(heap_.data() + heap_.size()),
                         .staging = address(staging_.data()),
                         .stream = 0};
    return static_cast<listen::Code>(program_main(&start));
  }

  PlayedKernel kernel;
  uint64_t looks = 0;
  // Number of the look before which everything completes and the host sends its notifications, as it does
  // when the program sleeps.
  uint64_t host_at = 0;
  bool cancels = false;
  // The command of this type and number fails.
  command::Type failing = command::Type::kNone;
  unsigned fails_at = 0;
  unsigned of_type = 0;

 private:
  // Sends each notification once.
  void host() {
    if (cancels && std::exchange(cancels, false)) kernel.tell(kCancel, 1);
    if (!std::exchange(sound_told_, true)) kernel.tell(listen::kSound, 1);
    if (read_ != told_) kernel.tell(listen::kRead, told_ = read_);
  }
  Status runs(command::Type type, const CommandWords& words) {
    // Each launch chooses something.
    constexpr unsigned kLaunchesOfText = 5;
    if (type == command::Type::kLaunch) words_.token = ++launches_ % kLaunchesOfText == 0 ? kEnd : kText;
    if (type == command::Type::kCopy) {
      listen::Message message;
      std::memcpy(&message, reinterpret_cast<const Record*>(words[2])->data.data(), sizeof message);
      if (message.given != 0) ++read_;
    }
    return type == failing && of_type++ == fails_at ? Status::kBadPointer : Status::kOk;
  }

  const Source encoder_{"", "4"};
  const Source several_{"size past in 0 .. 64\nsize begun in 0 .. 1\nsize rows in 1 .. 32\n", "rows"};
  const Source one_{"size past in 0 .. 64\nsize begun in 0 .. 1\n", "past + 1"};
  listen::Words words_ = {};
  std::vector<std::byte> sound_ = std::vector<std::byte>((kWindows + 1) * kWindowFrames);
  std::vector<std::byte> window_ = std::vector<std::byte>(kWindowFrames);
  std::vector<std::byte> kept_ = std::vector<std::byte>(listen::kKept * 64);
  std::vector<std::byte> heap_ = std::vector<std::byte>(1 << 20);
  std::vector<Record> staging_ = std::vector<Record>(kRecords);
  listen::Wish wish_ = {};
  unsigned launches_ = 0;
  bool sound_told_ = false;
  uint64_t read_ = 0, told_ = 0;  // windows that the host has received, and those that it has acknowledged
};

// How often a job reads the host's notifications, if these arrive while it sleeps.
uint64_t looks_of_job() {
  Bed bed;
  REQUIRE(bed.run() == listen::kAll);
  REQUIRE(bed.looks > kWindows);
  return bed.looks;
}

}  // namespace

TEST_CASE("listen: continues whenever the host acknowledges windows, and loses no acknowledgement") {
  const uint64_t looks = looks_of_job();
  for (uint64_t at = 1; at <= looks; ++at) {
    CAPTURE(at);
    Bed bed;
    bed.host_at = at;
    listen::Code code = listen::kRefused;
    CHECK_NOTHROW(code = bed.run());
    CHECK(code == listen::kAll);
  }
}

TEST_CASE("listen: ends whenever the host cancels, and then nothing is under way") {
  const uint64_t looks = looks_of_job();
  for (uint64_t at = 1; at <= looks; ++at) {
    CAPTURE(at);
    Bed bed;
    bed.host_at = at;
    bed.cancels = true;
    listen::Code code = listen::kRefused;
    CHECK_NOTHROW(code = bed.run());
    CHECK((code == listen::kCancelled || code == listen::kAll));
    CHECK(bed.kernel.completed() == bed.kernel.given());
  }
}

TEST_CASE("listen: a copy that fails ends the job, and nothing follows it") {
  const auto fail = [](Bed& bed, unsigned at) {
    bed.failing = command::Type::kCopyDevice;
    bed.fails_at = at;
  };
  Bed good(building::Memory::kCopy);
  fail(good, ~0U);
  REQUIRE(good.run() == listen::kAll);
  const unsigned copies = good.of_type;
  REQUIRE(copies > 3 * kWindows);
  for (unsigned at = 0; at < copies; ++at) {
    CAPTURE(at);
    Bed bed(building::Memory::kCopy);
    fail(bed, at);
    CHECK(bed.run() == listen::kFailed);
    CHECK(bed.kernel.given_in_vain() == 0);
  }
}

}  // namespace swai::program
