// SPDX-License-Identifier: Apache-2.0
// Modules are loaded in steps: others have their turn between any two, and whatever becomes of file, queue or
// client meanwhile hurts nobody.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "abi/loaded_module.hpp"
#include "verif/abi/module_file.hpp"
#include "verif/firmware/runtime/guest.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

constexpr uint32_t kPart = 300 << 10;

// As many kernels and symbols as there can be, code in several pieces, and gaps that are to be zero.
std::vector<uint8_t> large_module() {
  constexpr uint32_t kBase = module::base(module::Space::kKernel);
  module::ModuleFile file;
  file.kernels.clear();
  for (unsigned i = 0; i < module::kMaxKernels; ++i)
    file.add_kernel("kernel_with_a_long_name_" + std::to_string(i * 7919 % 1000), kBase + 16 * i);
  for (unsigned i = 0; i < 3000; ++i) file.symbols.push_back({"symbol" + std::to_string(i)});
  file.segments[0].data.resize(kPart, 0x13);
  file.segments[0].memory_bytes = kPart;
  for (uint32_t i = 1; i < 4; ++i) {
    module::FileSegment segment;
    segment.address = kBase + 2 * i * kPart;
    segment.data.resize(kPart, static_cast<uint8_t>(i));
    segment.memory_bytes = kPart + 100;
    file.segments.push_back(segment);
  }
  return file.make();
}

// A client that loads one, and one that launches meanwhile; the firmware's turns are counted one by one.
struct Scene {
  Played played;
  verif::Random random{test_seed()};
  std::unique_ptr<Guest> loads, launches;
  std::vector<uint8_t> file = large_module();
  uint64_t at = 0;
  uint32_t before = 0;  // what the client has, with the file

  Scene() {
    for (unsigned i = 0; i < 2; ++i) {
      auto& guest = i == 0 ? loads : launches;
      guest = std::make_unique<Guest>(played, window_of(i));
      REQUIRE(guest->open(random));
      guest->load();
    }
    played.run(1000);
    const auto reply = loads->ask(Operation::kAllocate, {file.size(), kShared});
    REQUIRE(reply.ok());
    at = reply.values[0];
    std::ranges::copy(file, played.processor().at(reply.values[1], file.size()));
    before = usage().allocations;
  }
  static constexpr uint64_t kShared = protocol::AllocateFlags{protocol::Usage::kShared}.bits();
  Guest::Lane& lane() { return loads->lanes.front(); }
  protocol::ClientUsage usage() { return played.runtime().usage(loads->context % protocol::kContexts); }
  uint32_t load() {
    return loads->put(lane(), command::Type::kModuleLoad, command::ModuleLoad{{}, at, file.size()});
  }
  // One turn of the firmware, and what happens on the card until then. False: it rests.
  bool turn() {
    const uint64_t work = played.processor().take_work();
    const bool more = played.runtime().poll(work);
    if (played.processor().next_event()) played.processor().run_next();
    return more || work != 0;
  }
  // Whether it is still being loaded after so many turns.
  bool is_loading_after(unsigned turns) {
    for (unsigned i = 0; i < turns; ++i) turn();
    return !loads->complete(lane(), lane().next - 1);
  }
};

}  // namespace

TEST_CASE("a large module is loaded while another client's launches are served") {
  Scene scene;
  Guest::Lane& lane = scene.launches->lanes.front();
  const uint32_t last = scene.load();
  unsigned turns = 0, done = 0;
  uint32_t launch = scene.launches->launch(lane, Guest::kNothing);
  for (; !scene.loads->complete(scene.lane(), last) && turns < 100'000; ++turns) {
    scene.turn();
    if (!scene.launches->complete(lane, launch)) continue;
    ++done;
    launch = scene.launches->launch(lane, Guest::kNothing);
  }
  MESSAGE(scene.file.size(), " bytes in ", turns, " turns, with ", done, " launches of the other client");
  // 1 KiB of the file in a turn at most.
  CHECK(turns > scene.file.size() / 1024);
  CHECK(done * 40 > turns);
  CHECK(scene.loads->line(scene.lane()).status == Status::kOk);
  CHECK(scene.loads->line(scene.lane()).detail == 0);
  CHECK(scene.usage().modules == 2);
  const auto info = scene.loads->ask(
      Operation::kModuleInfo, {protocol::LoadedModule::decode(scene.loads->line(scene.lane()).value).handle});
  CHECK(info.values[1] == module::kMaxKernels);
  CHECK(info.values[0] == 7 * kPart + 100);
}

TEST_CASE(
    "a module whose file, queue or client goes while it is loaded is not loaded, and nothing is left of it") {
  // Behind so many turns it happens: from the first look at the file to the last kernel.
  for (unsigned turns = 1;; turns += 230) {
    Scene scene;
    scene.load();
    if (!scene.is_loading_after(turns)) break;
    const uint64_t what = scene.random.below(3);
    CAPTURE(turns);
    CAPTURE(what);
    if (what == 0) {
      const auto reply = scene.loads->ask(Operation::kFree, {scene.at});
      CHECK(reply.ok());
      scene.loads->fails(scene.lane(), scene.lane().next - 1, Status::kBadPointer);
    } else if (what == 1) {
      CHECK(scene.loads->ask(Operation::kQueueClose, {scene.lane().number}).ok());
      scene.played.run(1000);
      CHECK(scene.loads->ask(Operation::kFree, {scene.at}).ok());
    } else {
      while (scene.loads->ask(Operation::kDetach, {}).status == Status::kAgain) scene.played.run(1);
      scene.played.run(100'000);
      CHECK(scene.usage().allocations == 0);
      CHECK(scene.usage().modules == 0);
      continue;
    }
    CHECK(scene.usage().modules == 1);
    CHECK(scene.usage().allocations == scene.before - 1);
  }
}

TEST_CASE("the memory for the code is taken away while it is written: the load fails, nobody else notices") {
  // Where the code will lie: its client can guess that.
  uint64_t code = 0;
  {
    Scene scene;
    scene.loads->finish(scene.lane(), scene.load());
    for (uint16_t number = 32; number < 128; ++number) {
      const auto found = scene.loads->ask(Operation::kPointerInfo, {segment::pointer(number, 0)});
      if (found.ok() && found.values[1] > 7 * kPart) code = segment::pointer(number, 0);
    }
    REQUIRE(code != 0);
  }
  unsigned failed = 0;
  for (unsigned turns = 1;; turns += 110) {
    Scene scene;
    const uint32_t last = scene.load();
    if (!scene.is_loading_after(turns)) break;
    scene.loads->ask(Operation::kFree, {code});
    REQUIRE(scene.loads->wait(scene.lane(), last));
    if (scene.loads->line(scene.lane()).status == Status::kOk) continue;
    CHECK(scene.loads->line(scene.lane()).status == Status::kBadPointer);
    ++failed;
  }
  CHECK(failed > 0);
}

// Memory that gets another owner is forgotten by the caches only if something of clients was read since.
TEST_CASE("each step of loading a module says that the caches have some of it") {
  Scene scene;
  const uint32_t last = scene.load();
  scene.turn();
  unsigned steps = 0;
  for (; steps < 100'000; ++steps) {
    scene.played.processor().touched = false;
    scene.turn();
    if (scene.loads->complete(scene.lane(), last)) break;
    REQUIRE(scene.played.processor().touched);
  }
  CHECK(steps > module::kMaxKernels / 4);
}

TEST_CASE("two modules at once: one waits for the other") {
  Scene scene;
  const auto reply = scene.launches->ask(Operation::kAllocate, {scene.file.size(), Scene::kShared});
  std::ranges::copy(scene.file, scene.played.processor().at(reply.values[1], scene.file.size()));
  Guest::Lane& lane = scene.launches->lanes.front();
  scene.load();
  const uint32_t second = scene.launches->put(lane, command::Type::kModuleLoad,
                                              command::ModuleLoad{{}, reply.values[0], scene.file.size()});
  scene.launches->finish(lane, second);
  scene.loads->finish(scene.lane(), scene.lane().next - 1);
}

}  // namespace swai::runtime
