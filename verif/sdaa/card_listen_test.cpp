// The program `listen` on the simulated card: what it does not take. That it hears what is said, and as often
// as it should, is tested by transcribe.fast, for which the program is made.
#include <bit>

#include "abi/listen.hpp"
#include "host/sdaa/runtime.hpp"
#include "verif/sdaa/on_card.hpp"
#include "verif/sdaa/tested_program.hpp"
#include "verif/sdaa/tools.hpp"

namespace {

using namespace swai;
using swai::sdaa::bits;
using swai::sdaa::OnCard;
using swai::sdaa::TestedProgram;

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
  good.parameters = bits(words) + 2048;
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
  refused([](listen::Wish& wish) { wish.one.parameters = 1U << 31; });
  refused([](listen::Wish& wish) { wish.directions = 0; });
  refused([](listen::Wish& wish) { wish.directions = listen::kMostDirections + 1; });
  refused([](listen::Wish& wish) { wish.context = 1U << 30; });
  refused([](listen::Wish& wish) { wish.window_frames = 0; });
  refused([](listen::Wish& wish) { wish.words = 0; });
  refused([&](listen::Wish& wish) { wish.parameters = bits(cores); });
  program.start(uint32_t{0});
  CHECK(program.code() == listen::kRefused);

  listen::Wish nowhere = good;
  nowhere.frames = 1;
  program.start(nowhere);
  program.fails(sdaaErrorInvalidDevicePointer);
  REQUIRE_OK(sdaaFree(words));
  REQUIRE_OK(sdaaFree(cores));
}
