// SPDX-License-Identifier: Apache-2.0
// How long a client has to wait because the card does something for another one: everything that takes the
// kernel long, while a second client sees how soon a command that needs nothing is complete.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/common/random.hpp"
#include "verif/abi/module_file.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

using protocol::Operation;
using protocol::Status;
using protocol::Usage;

constexpr uint64_t kMostHold = 20'000;
constexpr uint32_t kKernelSpace = module::base(module::Space::kKernel);

// Code in pieces with gaps, all kernels that there can be, and symbols.
module::Bytes large_module() {
  constexpr uint32_t kPart = 40 << 10;
  module::ModuleFile file;
  file.kernels.clear();
  for (unsigned i = 0; i < module::kMaxKernels; ++i)
    file.add_kernel("a_kernel_with_a_name_that_is_quite_long_" + std::to_string(i * 7919 % 1000),
                    kKernelSpace + 16 * i);
  for (unsigned i = 0; i < 500; ++i) file.symbols.push_back({"symbol" + std::to_string(i)});
  file.segments[0].data.resize(kPart, 0x13);
  file.segments[0].memory_bytes = kPart;
  for (uint32_t i = 1; i < 4; ++i) {
    file.segments.push_back({.address = kKernelSpace + 2 * i * kPart,
                             .data = module::Bytes(kPart, 1),
                             .memory_bytes = kPart + 100});
  }
  return file.make();
}

// Headers without end: of a kind that nobody needs.
module::Bytes many_headers() {
  constexpr unsigned kHeaders = 2'000;
  module::ModuleFile file;
  for (unsigned i = 0; i < kHeaders; ++i)
    file.segments.push_back({.type = 0x6000'0000, .data = {}, .memory_bytes = 0});
  return file.make();
}

class Watch {
 public:
  Watch(RuntimeClient& watcher, link::Card& card) : watcher_(watcher), card_(card) {
    queue_ = watcher_.open_queue();
  }
  // Until `done` says so.
  template <typename Done>
  void during(const char* what, Done done) {
    uint64_t most = 0;
    do {
      const uint64_t begin = card_.cycle();
      const uint32_t marker = watcher_.put(queue_, command::Type::kMarker, command::Header{});
      while (static_cast<int32_t>(watcher_.line(queue_).completed - marker) < 0) card_.run_until(0, 200);
      most = std::max(most, card_.cycle() - begin);
    } while (!done());
    note(what, most);
  }
  // A command of another one.
  void command(const char* what, RuntimeClient& client, unsigned queue, uint32_t sequence) {
    during(what, [&] { return static_cast<int32_t>(client.line(queue).completed - sequence) >= 0; });
  }
  // A request: who asks next waits as long as it took.
  void request(const char* what, const RuntimeClient& client) { note(what, client.last_latency); }
  uint64_t longest() const { return longest_; }

 private:
  void note(const char* what, uint64_t cycles) {
    MESSAGE(std::string(what), ": ", cycles, " cycles");
    CHECK(cycles <= kMostHold);
    longest_ = std::max(longest_, cycles);
  }
  RuntimeClient& watcher_;
  link::Card& card_;
  unsigned queue_;
  uint64_t longest_ = 0;
};

// The file is on the card then.
uint64_t bring(RuntimeClient& client, unsigned queue, const module::Bytes& file) {
  REQUIRE(file.size() <= RuntimeClient::kHostBytes);
  const uint64_t at = client.allocate(file.size());
  std::ranges::copy(file, client.host());
  client.finish(queue, client.copy(queue, at, 0, file.size(), false));
  return at;
}

// Launches of this kernel, which does nothing, and fills of a line. A graph can have more; they come in
// turns.
constexpr uint32_t kGraphBytes = 64 << 10;
uint64_t bring_graph(RuntimeClient& client, unsigned queue, const RuntimeClient::Loaded& empty,
                     uint64_t memory) {
  constexpr uint32_t kCommands = kGraphBytes / protocol::kSlotBytes;
  module::Bytes graph(kGraphBytes);
  for (uint32_t i = 0; i < kCommands; ++i) {
    uint8_t* const slot = graph.data() + i * protocol::kSlotBytes;
    if (i % 2 == 0) {
      const command::Launch launch = {{i, command::Type::kLaunch, 1, 0},
                                      static_cast<uint16_t>(empty.handle),
                                      static_cast<uint16_t>(empty.kernel("empty")),
                                      0,
                                      protocol::kAnyGroup,
                                      0,
                                      ~0u,
                                      0};
      std::memcpy(slot, &launch, sizeof launch);
    } else {
      command::Fill fill = {};
      fill.header = {i, command::Type::kFill, 1, 0};
      fill.to = memory;
      fill.bytes = 64;
      fill.rows = 1;
      std::memcpy(slot, &fill, sizeof fill);
    }
  }
  return bring(client, queue, graph);
}

// So many pages of the client's host memory, one and the same again and again.
void bring_pages(RuntimeClient& client, uint64_t pages) {
  std::vector<uint64_t> list(pages, RuntimeClient::kHostAt);
  std::memcpy(client.host() + (512 << 10), list.data(), pages * sizeof(uint64_t));
}

}  // namespace

TEST_CASE("runtime: nothing that a client asks for keeps another one waiting for long") {
  const Rig rig;
  const auto card = rig.open();
  uint64_t longest = 0;
  {
    RuntimeClient busy(*card, 0x10'0000'0000), other(*card, 0x20'0000'0000);
    busy.attach();
    other.attach();
    const unsigned queue = busy.open_queue();
    Watch watch(other, *card);
    int rest = 20;
    watch.during("nothing", [&] { return --rest == 0; });

    for (const bool large : {true, false}) {
      const module::Bytes file = large ? large_module() : many_headers();
      const uint64_t at = bring(busy, queue, file);
      const uint32_t load =
          busy.put(queue, command::Type::kModuleLoad, command::ModuleLoad{{}, at, file.size()});
      watch.command(large ? "a large module" : "a module of headers", busy, queue, load);
      CHECK(busy.line(queue).status == Status::kOk);
      if (!large) continue;
      const auto handle = static_cast<uint32_t>(busy.line(queue).value);
      watch.command("a module goes", busy, queue,
                    busy.put(queue, command::Type::kModuleUnload, command::ModuleUnload{{}, handle, 0}));
    }

    for (const Usage usage : {Usage::kCpe, Usage::kShared}) {
      const uint64_t large = busy.allocate(uint64_t{1} << 30, usage);
      watch.request("1 GiB", busy);
      busy.ask(Operation::kPointerInfo, {busy.context, large + (uint64_t{1} << 29)});
      watch.request("what a pointer names", busy);
      CHECK(busy.release(large) == Status::kOk);
      watch.request("1 GiB freed", busy);
    }
    busy.ask(Operation::kMemoryInfo, {busy.context, 0});
    watch.request("what memory there is", busy);
    const unsigned second = busy.open_queue();
    watch.request("a queue", busy);

    const uint64_t memory = busy.allocate(4 << 20);
    watch.command(
        "a copy by the processor", busy, second,
        busy.put(second, command::Type::kCopyDevice,
                 command::CopyDevice{
                     {}, memory, memory + (2 << 20), 64 << 10, 1, command::Engine::kProcessor, 0, 0}));
    watch.command("a copy of many rows", busy, second,
                  busy.put(second, command::Type::kCopy,
                           command::Copy{{}, RuntimeClient::kHostAt, memory, 64, 4000, 0, 128, 256}));
    uint32_t last = 0;
    for (unsigned i = 0; i < protocol::kSlots / 2; ++i)
      last = busy.put(second, command::Type::kEventRecord, command::Event{{}, i, 0, 0});
    watch.command("events", busy, second, last);

    const auto empty = busy.load(second, "empty");
    const uint64_t graph = bring_graph(busy, second, empty, memory);
    for (const char* what : {"a graph", "the same graph again"}) {
      watch.command(what, busy, second,
                    busy.put(second, command::Type::kGraph, command::Graph{{}, graph, kGraphBytes}));
      CHECK(busy.line(second).status == Status::kOk);
    }

    // A queue that refuses all that is left of it, its reset, and one that is closed while it is full.
    for (unsigned i = 0; i < protocol::kSlots / 2; ++i)
      last = busy.put(second, i == 0 ? static_cast<command::Type>(99) : command::Type::kMarker,
                      command::Header{});
    watch.command("commands behind a failure", busy, second, last);
    busy.reset_queue(second);
    watch.request("a reset of a queue", busy);
    for (unsigned i = 0; i < protocol::kSlots / 2; ++i)
      last = busy.launch(second, empty.handle, empty.kernel("empty"), {});
    CHECK(busy.ask(Operation::kQueueClose, {busy.context, second}).ok());
    watch.request("a queue is closed", busy);
    rest = 20;
    watch.during("what it had begun ends", [&] { return --rest == 0; });

    for (unsigned i = 0; i < 40; ++i) busy.allocate(2 << 20);
    Status status = busy.detach().status;
    watch.request("a client goes", busy);
    watch.during("what it had is given back", [&] {
      if (status == Status::kAgain) status = busy.detach().status;
      return status == Status::kOk;
    });
    rest = 50;
    watch.during("what it had is cleared", [&] { return --rest == 0; });
    longest = watch.longest();
  }
  // Routes are for who is alone; what it asks meanwhile waits as others would.
  RuntimeClient alone(*card);
  alone.attach();
  uint64_t slowest = 0;
  Status status = Status::kAgain;
  unsigned looks = 0;
  for (; status == Status::kAgain; ++looks) {
    status =
        alone.ask(Operation::kRoutes, {alone.context, RuntimeClient::kHostAt, protocol::kRouteBytes}).status;
    slowest = std::max(slowest, alone.last_latency);
  }
  MESSAGE("routes are measured: ", slowest, " cycles, in ", looks, " looks");
  CHECK(status == Status::kOk);
  CHECK(looks > 1);
  CHECK(slowest <= kMostHold);
  longest = std::max(longest, slowest);

  // So are copies by a list of pages, beside which its other queues wait.
  Watch watch(alone, *card);
  const unsigned queue = alone.open_queue();
  const uint64_t memory = alone.allocate(4 << 20);
  bring_pages(alone, command::kMaxListedPages);
  const auto list =
      alone.put(queue, command::Type::kPageList,
                command::PageList{{}, RuntimeClient::kHostAt + (512 << 10), command::kMaxListedPages});
  watch.command("a list of pages", alone, queue, list);
  watch.command("a copy by the list", alone, queue,
                alone.put(queue, command::Type::kCopy, command::Copy{{}, 0, memory, 4 << 20, 1, 0, 0, 0}, {},
                          command::kPaged));
  CHECK(alone.line(queue).status == Status::kOk);
  MESSAGE("longest hold: ", std::max(longest, watch.longest()), " cycles");
}

}  // namespace swai::system
