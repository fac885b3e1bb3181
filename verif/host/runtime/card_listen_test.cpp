// SPDX-License-Identifier: Apache-2.0
// The program `listen` on the simulated card: what it does not take. That it hears what is said, and as often
// as it should, is tested by transcribe.fast, for which the program is made.
#include <string>
#include <vector>

#include "abi/listen.hpp"
#include "host/models/graph/program.hpp"
#include "host/models/graph/template_file.hpp"
#include "host/runtime/runtime.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/tested_program.hpp"
#include "verif/host/runtime/tools.hpp"

namespace {

using namespace swai;
using swai::sdaa::bits;
using swai::sdaa::OnCard;
using swai::sdaa::TestedProgram;

// A list of one node with sizes that are open, in memory that the processor reaches; its memory is nowhere.
building::Source source_of(const std::string& sizes, const std::string& input = "tokens") {
  const auto bytes =
      graph::template_bytes(graph::program_of("graph g\n" + sizes + "input " + input +
                                              ": f32[1, 16]\noutput y: f32[1, 16]\ny = relu(" + input + ")\n")
                                .pattern);
  void* memory = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&memory, 64 + bytes.size(), sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMemset(memory, 0, 64));
  REQUIRE_OK(sdaaMemcpy(static_cast<char*>(memory) + 64, bytes.data(), bytes.size(), sdaaMemcpyHostToDevice));
  return {bits(memory) + 64, bits(memory), static_cast<uint32_t>(bytes.size()), {}};
}

}  // namespace

TEST_CASE("on the card: listen refuses arguments that make no sense, and says why a copy fails") {
  const OnCard card;
  TestedProgram program("build/programs/listen.elf");
  void* words = nullptr;
  void* cores = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&words, 4096, sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMallocWithFlags(&cores, 4096, sdaaMallocCores, sdaaAnyGroup));
  listen::Wish good = {};
  good.words = bits(words);
  good.encoder = source_of("");
  const std::string sizes = "size past in 0 .. 9\nsize begun in 0 .. 1\n";
  good.several = source_of(sizes + "size rows in 1 .. 32\n");
  good.one = source_of(sizes);
  const building::Source no_tokens = source_of(sizes, "words");
  good.nodes = 8;
  good.context = 64;
  good.window_frames = 3000;
  good.frame_bytes = 320;
  good.directions = 1;
  const auto code_of = [&](const listen::Wish& wish) {
    program.start(wish);
    return program.code();
  };
  // No sound, no windows.
  CHECK(code_of(good) == listen::kAll);
  program.read_end();

  const auto refused = [&](auto change) {
    listen::Wish wish = good;
    change(wish);
    CHECK(code_of(wish) == listen::kRefused);
  };
  refused([](listen::Wish& wish) { wish.before = 1; });  // which are not there
  refused([](listen::Wish& wish) { wish.one.bytes -= 8; });
  refused([](listen::Wish& wish) { wish.one.pattern += 8; });
  refused([](listen::Wish& wish) { wish.one = wish.encoder; });  // which knows no sizes
  refused([](listen::Wish& wish) { wish.encoder = wish.one; });
  refused([&](listen::Wish& wish) { wish.one = no_tokens; });
  refused([&](listen::Wish& wish) { wish.several.pattern = bits(cores); });
  refused([&](listen::Wish& wish) { wish.several.addresses = 0; });
  refused([](listen::Wish& wish) { wish.directions = 0; });
  refused([](listen::Wish& wish) { wish.directions = listen::kMostDirections + 1; });
  refused([](listen::Wish& wish) { wish.context = 1U << 30; });
  refused([](listen::Wish& wish) { wish.window_frames = 0; });
  refused([](listen::Wish& wish) { wish.words = 0; });
  program.start(uint32_t{0});
  CHECK(program.code() == listen::kRefused);

  listen::Wish nowhere = good;
  nowhere.frames = 1;
  nowhere.placed = listen::kNone;
  program.start(nowhere);
  REQUIRE_OK(sdaaProgramTell(program, listen::kSound, 1));
  program.fails(sdaaErrorInvalidDevicePointer);
  for (const building::Source& one : {good.encoder, good.several, good.one, no_tokens})
    REQUIRE_OK(sdaaFree(reinterpret_cast<void*>(one.addresses)));
  REQUIRE_OK(sdaaFree(words));
  REQUIRE_OK(sdaaFree(cores));
}
