// SPDX-License-Identifier: Apache-2.0
// The program `decode` on the simulated card, with lists whose result is known: each step copies the next
// row of a table, a word for each text, to where the tokens are.
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "abi/decode.hpp"
#include "abi/node.hpp"
#include "bench/paper/card_launches.hpp"
#include "operators.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/tested_program.hpp"
#include "verif/host/runtime/tools.hpp"

namespace {

using namespace swai;
using swai::sdaa::bits;
using swai::sdaa::OnCard;
using swai::sdaa::TestedProgram;

constexpr uint32_t kTokens = 64;
constexpr uint32_t kNodes = 2;
constexpr uint32_t token_at(uint32_t position, uint32_t text = 0) {
  return 1000 + 7 * position + 100'000 * text;
}

void* on_card(const void* data, size_t bytes) {
  void* pointer = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&pointer, bytes, sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMemcpy(pointer, data, bytes, sdaaMemcpyHostToDevice));
  return pointer;
}

class Decoding {
 public:
  explicit Decoding(uint32_t texts = 1) : texts_(texts) {
    sdaaModule_t module = nullptr;
    REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/operators.elf"));
    sdaaProgramKernel_t kernel;
    REQUIRE_OK(sdaaProgramGetKernel(&kernel, swai::sdaa::kernel(module, "walk"), nullptr));
    wish_.walk = std::bit_cast<program::Kernel>(kernel);
    std::vector<uint32_t> table(size_t{kTokens} * texts);
    for (uint32_t i = 0; i < table.size(); ++i) table[i] = token_at(i / texts, i % texts);
    const std::vector<uint32_t> none(texts);
    const uint32_t row_bytes = texts * 4;
    wish_.tokens = bits(on_card(none.data(), row_bytes));
    if (texts > 1) wish_.positions = bits(positions_ = on_card(none.data(), row_bytes));
    const operators::CopyArgs copy = {
        .to = cpe::GlobalPtr<void>(wish_.tokens),
        .from = cpe::GlobalPtr<const void>(bits(on_card(table.data(), table.size() * 4))),
        .rows = 1,
        .row_bytes = row_bytes,
        .to_stride = row_bytes,
        .from_stride = row_bytes};
    node::Node node =
        node::make(static_cast<uint16_t>(operators::Operator::kCopy), node::Barrier::kAll, copy);
    node.patches[0] = {node::Patch::kPointer | 2, 1};
    const std::vector<node::Node> list(kNodes, node);  // of which the last would do
    list_ = bits(on_card(list.data(), list.size() * sizeof node));
    parameters_ = on_card(std::array<uint64_t, 2>{}.data(), 16);
    wish_.parameters = bits(parameters_);
    wish_.parameter_count = 2;
  }
  void launch(building::Launches launches) { wish_.launches = launches; }
  // So many words of each text are there for what is chosen.
  void keep(uint32_t tokens) {
    said_.resize(size_t{texts_} * tokens);
    wish_.said = bits(said_on_card_ = on_card(said_.data(), said_.size() * 4));
    wish_.said_tokens = tokens;
  }
  const std::vector<uint32_t>& said() {
    REQUIRE_OK(sdaaMemcpy(said_.data(), said_on_card_, said_.size() * 4, sdaaMemcpyDeviceToHost));
    return said_;
  }
  // So many steps for all texts behind `before` ones of a phase whose tokens are no text. Without `limits`
  // texts end with the steps.
  std::vector<uint8_t> arguments(uint32_t before, uint32_t steps, const std::vector<uint32_t>& ends,
                                 uint64_t offset = 0, std::vector<decode::Text> limits = {}) {
    if (limits.empty()) limits.assign(texts_, {before, before + steps});
    const std::array<uint64_t, 2> words = {0, offset};
    REQUIRE_OK(sdaaMemcpy(parameters_, words.data(), sizeof words, sdaaMemcpyHostToDevice));
    wish_.phases = 2;
    wish_.increments = 2;
    wish_.texts = texts_;
    wish_.ends = static_cast<uint32_t>(ends.size());
    const std::array<decode::Phase, 2> phases = {
        {{list_, kNodes, before, decode::Token::kProgress, 0, 2, 0},
         {list_, kNodes, steps, decode::Token::kText, 1, 1, decode::kAllTexts}}};
    const std::array<decode::Increment, 2> increments = {{{1, 0, 0}, {4 * texts_, 1, 0}}};
    std::vector<uint8_t> bytes;
    const auto add = [&](const void* data, size_t count) {
      const auto* first = static_cast<const uint8_t*>(data);
      bytes.insert(bytes.end(), first, first + count);
    };
    add(&wish_, sizeof wish_);
    add(phases.data(), sizeof phases);
    add(increments.data(), sizeof increments);
    add(limits.data(), limits.size() * sizeof(decode::Text));
    add(ends.data(), ends.size() * sizeof(uint32_t));
    return bytes;
  }
  std::array<uint64_t, 2> parameters() const {
    std::array<uint64_t, 2> words;
    REQUIRE_OK(sdaaMemcpy(words.data(), parameters_, sizeof words, sdaaMemcpyDeviceToHost));
    return words;
  }

  // As the last run has found them.
  std::vector<uint32_t> positions() const {
    std::vector<uint32_t> positions(texts_);
    REQUIRE_OK(sdaaMemcpy(positions.data(), positions_, texts_ * 4, sdaaMemcpyDeviceToHost));
    return positions;
  }

 private:
  const uint32_t texts_;
  decode::Wish wish_ = {};
  uint64_t list_ = 0;
  void* parameters_ = nullptr;
  void* positions_ = nullptr;
  void* said_on_card_ = nullptr;
  std::vector<uint32_t> said_;
};

// The next token is the text's.
void check_message(TestedProgram& program, uint32_t text, uint32_t token) {
  const auto message = program.read<decode::Message>();
  REQUIRE(message.text == text);
  REQUIRE(message.token == token);
}

// With another word so far behind the arguments' begin.
std::vector<uint8_t> changed(std::vector<uint8_t> arguments, size_t at, uint32_t word) {
  std::memcpy(arguments.data() + at, &word, sizeof word);
  return arguments;
}

}  // namespace

TEST_CASE("on the card: decode goes through its lists, changes the parameters, sends tokens, and ends") {
  const OnCard card;
  Decoding decoding;
  TestedProgram program("build/programs/decode.elf");
  SUBCASE("all steps") {
    program.start(decoding.arguments(3, 10, {}));
    for (uint32_t i = 0; i < 13; ++i) check_message(program, 0, token_at(i));
    program.read_end();
    CHECK(program.code() == decode::kAll);
    // As the last run has found them.
    CHECK(decoding.parameters() == std::array<uint64_t, 2>{3, 4 * 12});
  }
  SUBCASE("operator by operator") {
    for (const auto launches : {building::Launches::kList, building::Launches::kNodes}) {
      const uint64_t before = cli::bench::card_launches();
      decoding.launch(launches);
      program.start(decoding.arguments(3, 10, {}));
      for (uint32_t i = 0; i < 13; ++i) check_message(program, 0, token_at(i));
      program.read_end();
      CHECK(program.code() == decode::kAll);
      CHECK(cli::bench::card_launches() - before ==
            13 * (launches == building::Launches::kList ? 1 : kNodes));
    }
  }
  SUBCASE("until a token that ends it") {
    program.start(decoding.arguments(0, kTokens, {1, token_at(4)}));
    for (uint32_t i = 0; i < 5; ++i) check_message(program, 0, token_at(i));
    program.read_end();
    CHECK(program.code() == decode::kEnd);
  }
  SUBCASE("a token that is no text ends nothing") {
    program.start(decoding.arguments(3, 2, {token_at(1)}));
    for (uint32_t i = 0; i < 5; ++i) check_message(program, 0, token_at(i));
    program.read_end();
    CHECK(program.code() == decode::kAll);
  }
  SUBCASE("until it is cancelled") {
    program.start(decoding.arguments(0, kTokens, {}));
    check_message(program, 0, token_at(0));
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
    const size_t increments = sizeof(decode::Wish) + 2 * sizeof(decode::Phase);
    program.start(changed(decoding.arguments(1, 1, {}), increments + offsetof(decode::Increment, parameter),
                          2));  // of two
    CHECK(program.code() == decode::kRefused);
    program.start(changed(decoding.arguments(1, 1, {}), sizeof(decode::Wish) + offsetof(decode::Phase, text),
                          1));  // of one
    CHECK(program.code() == decode::kRefused);
  }
}

TEST_CASE("on the card: decode goes on with several texts until each has ended") {
  const OnCard card;
  TestedProgram program("build/programs/decode.elf");
  constexpr uint32_t kNone = decode::kNoText;
  SUBCASE("by its limit, or by a token") {
    Decoding decoding(4);
    // The first is read alone and is the longest; the second ends by a token, the last has no room.
    program.start(decoding.arguments(1, kTokens, {token_at(2, 1)}, 0, {{9, 11}, {2, 30}, {3, 8}, {5, 5}}));
    check_message(program, 0, token_at(0));
    check_message(program, 0, token_at(1));
    check_message(program, 1, token_at(1, 1));
    check_message(program, 2, token_at(1, 2));
    check_message(program, 0, token_at(2));
    check_message(program, 1, token_at(2, 1));
    check_message(program, 2, token_at(2, 2));
    // The largest position is the third text's now, 5: five less than the first one's last, 10.
    for (uint32_t i = 0; i < 3; ++i) {
      const auto message = program.read<decode::Message>();
      CHECK(message.text == 2);
    }
    program.read_end();
    CHECK(program.code() == decode::kAll);
    CHECK(decoding.positions() == std::vector<uint32_t>(4, kNone));
    CHECK(decoding.parameters() == std::array<uint64_t, 2>{1, uint64_t{16} * (1 + 7 - 9)});
  }
  SUBCASE("because the host wants no more of it") {
    constexpr uint32_t kTexts = decode::kMostTexts, kKept = 5, kSteps = 8;
    // The steps of all texts are more than the stream holds: the program waits for its host.
    static_assert(kTexts * kSteps > program::kRecords + kTexts);
    Decoding decoding(kTexts);
    program.start(decoding.arguments(0, kSteps, {}));
    std::vector<uint32_t> heard(kTexts);
    check_message(program, 0, token_at(0));
    ++heard[0];
    REQUIRE_OK(sdaaProgramTell(program, decode::kUnwanted, ~(uint64_t{1} << kKept)));
    for (;;) {
      decode::Message message;
      size_t bytes = sizeof message;
      const sdaaError_t error = sdaaProgramRead(program, &message, &bytes);
      if (error == sdaaErrorNotFound) break;
      REQUIRE_OK(error);
      REQUIRE(message.text < kTexts);
      CHECK(message.token == token_at(heard[message.text]++, message.text));
    }
    CHECK(program.code() == decode::kAll);
    for (uint32_t text = 0; text < kTexts; ++text)
      CHECK((text == kKept ? heard[text] == kSteps : heard[text] < kSteps));
    std::vector<uint32_t> positions(kTexts, kNone);
    positions[kKept] = kSteps - 1;
    CHECK(decoding.positions() == positions);
  }
  SUBCASE("and puts what was chosen at its place in the text") {
    constexpr uint32_t kWords = 13;
    Decoding decoding(3);
    decoding.keep(kWords);
    const std::vector<decode::Text> texts = {{9, kWords - 1}, {2, 5}, {4, 4}};
    program.start(decoding.arguments(0, 3, {}, 0, texts));
    for (int i = 0; i < 6; ++i) program.read<decode::Message>();
    program.read_end();
    CHECK(program.code() == decode::kAll);
    std::vector<uint32_t> said(size_t{3} * kWords);
    for (uint32_t i = 0; i < 3; ++i) {
      said[9 + 1 + i] = token_at(i, 0);
      said[kWords + 2 + 1 + i] = token_at(i, 1);
    }
    CHECK(decoding.said() == said);
    decoding.keep(kWords - 1);
    program.start(decoding.arguments(0, 3, {}, 0, texts));
    CHECK(program.code() == decode::kRefused);
  }
  SUBCASE("numbers of texts that make no sense") {
    Decoding decoding(2);
    const auto refused = [&](const std::vector<uint8_t>& arguments) {
      program.start(arguments);
      CHECK(program.code() == decode::kRefused);
    };
    const auto good = decoding.arguments(1, 1, {});
    refused(changed(good, sizeof(decode::Wish) + offsetof(decode::Phase, text), 2));
    for (const uint32_t half : {0, 4}) {
      auto nowhere = changed(good, offsetof(decode::Wish, positions) + half, half == 0 ? 0 : ~0U);
      if (half == 0) nowhere = changed(nowhere, offsetof(decode::Wish, positions) + 4, 0);
      refused(nowhere);
    }
    Decoding many(decode::kMostTexts + 1);
    refused(many.arguments(1, 1, {}));
    Decoding none(1);
    auto without = none.arguments(1, 1, {});
    without.resize(without.size() - sizeof(decode::Text));
    refused(changed(without, offsetof(decode::Wish, texts), 0));
  }
}
