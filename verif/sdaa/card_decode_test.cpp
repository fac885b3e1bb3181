// The program `decode` on the simulated card, with lists whose result is known: each step copies the next
// word of a table to where the token is.
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "abi/decode.hpp"
#include "abi/node.hpp"
#include "operators.hpp"
#include "verif/sdaa/on_card.hpp"
#include "verif/sdaa/tested_program.hpp"
#include "verif/sdaa/tools.hpp"

namespace {

using namespace swai;
using swai::sdaa::bits;
using swai::sdaa::OnCard;
using swai::sdaa::TestedProgram;

constexpr uint32_t kTokens = 64;
constexpr uint32_t token_at(uint32_t position) { return 1000 + 7 * position; }

void* on_card(const void* data, size_t bytes) {
  void* pointer = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&pointer, bytes, sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMemcpy(pointer, data, bytes, sdaaMemcpyHostToDevice));
  return pointer;
}

class Decoding {
 public:
  Decoding() {
    sdaaModule_t module = nullptr;
    REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/operators.elf"));
    sdaaProgramKernel_t kernel;
    REQUIRE_OK(sdaaProgramGetKernel(&kernel, swai::sdaa::kernel(module, "walk"), nullptr));
    wish_.walk = std::bit_cast<program::Kernel>(kernel);
    std::vector<uint32_t> table(kTokens);
    for (uint32_t i = 0; i < kTokens; ++i) table[i] = token_at(i);
    const uint32_t none = 0;
    wish_.token = bits(on_card(&none, sizeof none));
    const operators::CopyArgs copy = {
        .to = cpe::GlobalPtr<void>(wish_.token),
        .from = cpe::GlobalPtr<const void>(bits(on_card(table.data(), kTokens * 4))),
        .rows = 1,
        .row_bytes = 4,
        .to_stride = 4,
        .from_stride = 4};
    node::Node node =
        node::make(static_cast<uint16_t>(operators::Operator::kCopy), node::Barrier::kAll, copy);
    node.patches[0] = {node::Patch::kPointer | 2, 1};
    list_ = bits(on_card(&node, sizeof node));
    parameters_ = on_card(std::array<uint64_t, 2>{}.data(), 16);
    wish_.parameters = bits(parameters_);
    wish_.parameter_count = 2;
  }
  // So many steps behind `before` ones of a phase whose tokens are no text.
  std::vector<uint8_t> arguments(uint32_t before, uint32_t steps, const std::vector<uint32_t>& ends,
                                 uint64_t offset = 0) {
    const std::array<uint64_t, 2> words = {0, offset};
    REQUIRE_OK(sdaaMemcpy(parameters_, words.data(), sizeof words, sdaaMemcpyHostToDevice));
    wish_.phases = 2;
    wish_.increments = 2;
    wish_.ends = static_cast<uint32_t>(ends.size());
    const std::array<decode::Phase, 2> phases = {{{list_, 1, before, decode::Token::kProgress, 0, 2, 0},
                                                  {list_, 1, steps, decode::Token::kText, 1, 1, 0}}};
    const std::array<decode::Increment, 2> increments = {{{1, 0, 0}, {4, 1, 0}}};
    std::vector<uint8_t> bytes;
    const auto add = [&](const void* data, size_t count) {
      const auto* first = static_cast<const uint8_t*>(data);
      bytes.insert(bytes.end(), first, first + count);
    };
    add(&wish_, sizeof wish_);
    add(phases.data(), sizeof phases);
    add(increments.data(), sizeof increments);
    add(ends.data(), ends.size() * sizeof(uint32_t));
    return bytes;
  }
  std::array<uint64_t, 2> parameters() const {
    std::array<uint64_t, 2> words;
    REQUIRE_OK(sdaaMemcpy(words.data(), parameters_, sizeof words, sdaaMemcpyDeviceToHost));
    return words;
  }

 private:
  decode::Wish wish_ = {};
  uint64_t list_ = 0;
  void* parameters_ = nullptr;
};

}  // namespace

TEST_CASE("on the card: decode goes through its lists, changes the parameters, sends tokens, and ends") {
  const OnCard card;
  Decoding decoding;
  TestedProgram program("build/programs/decode.elf");
  SUBCASE("all steps") {
    program.start(decoding.arguments(3, 10, {}));
    for (uint32_t i = 0; i < 13; ++i) REQUIRE(program.read<uint32_t>() == token_at(i));
    program.read_end();
    CHECK(program.code() == decode::kAll);
    CHECK(decoding.parameters() == std::array<uint64_t, 2>{3, 4 * 13});
  }
  SUBCASE("until a token that ends it") {
    program.start(decoding.arguments(0, kTokens, {1, token_at(4)}));
    for (uint32_t i = 0; i < 5; ++i) REQUIRE(program.read<uint32_t>() == token_at(i));
    program.read_end();
    CHECK(program.code() == decode::kEnd);
  }
  SUBCASE("a token that is no text ends nothing") {
    program.start(decoding.arguments(3, 2, {token_at(1)}));
    for (uint32_t i = 0; i < 5; ++i) REQUIRE(program.read<uint32_t>() == token_at(i));
    program.read_end();
    CHECK(program.code() == decode::kAll);
  }
  SUBCASE("until it is cancelled") {
    program.start(decoding.arguments(0, kTokens, {}));
    CHECK(program.read<uint32_t>() == token_at(0));
    REQUIRE_OK(sdaaProgramCancel(program));
    CHECK(program.code() == decode::kCancelled);
  }
  SUBCASE("a step that fails says why") {
    constexpr uint64_t kBeyond = 4 << 20;  // the block that the table lies in
    program.start(decoding.arguments(0, kTokens, {}, kBeyond));
    program.fails(sdaaErrorIllegalAddress);
  }
  SUBCASE("arguments that make no sense") {
    auto cut = decoding.arguments(1, 1, {5});
    cut.pop_back();
    program.start(cut);
    CHECK(program.code() == decode::kRefused);
    auto far = decoding.arguments(1, 1, {});
    const uint32_t parameter = 2;  // of two
    std::memcpy(far.data() + sizeof(decode::Wish) + 2 * sizeof(decode::Phase) +
                    offsetof(decode::Increment, parameter),
                &parameter, sizeof parameter);
    program.start(far);
    CHECK(program.code() == decode::kRefused);
  }
}
