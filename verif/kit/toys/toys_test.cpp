// SPDX-License-Identifier: Apache-2.0
// Three small models, an encoder, a decoder, and both together, from graph text to what they choose: launched
// by the host, and by programs of the management processor, in all modes. All that they choose and leave
// behind is the same, bit for bit, and double precision chooses the same.
#include "verif/kit/toys/toys.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "bench/paper/card_launches.hpp"
#include "host/models/exec/job.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/kit/toys/model.hpp"

namespace swai::toys {
namespace {

using building::Launches, building::Memory, building::When;
using Tokens = std::vector<uint32_t>;
using Choices = std::vector<Choice>;

// A program on the card, and what building its lists took.
class Program {
 public:
  explicit Program(const std::string& name) : job_(name, contents("build/programs/" + name + ".elf")) {}

  template <typename Wish, typename... Behind>
  Choices run(size_t count, const Wish& wish, const Behind&... behind) {
    std::vector<uint8_t> arguments;
    walk::add_bytes(arguments, std::array{wish});
    (walk::add_bytes(arguments, behind), ...);
    job_.start(arguments);
    Choices choices;
    while (choices.size() < count) {
      const auto choice = job_.read<Choice>();
      if (!choice) break;
      choices.push_back(*choice);
    }
    const auto work = job_.read<building::Work>();
    CHECK(job_.wait() == kAll);
    REQUIRE(work);
    work_ = *work;
    return choices;
  }
  const building::Work& work() const { return work_; }

 private:
  walk::Job job_;
  building::Work work_ = {};
};

class Toy {
 public:
  Toy(const std::vector<std::string>& graphs, const std::string& program)
      : model_(graphs, test_seed()), random_(test_seed() + 1), program_(program) {}
  virtual ~Toy() = default;

  virtual Choices by_host() = 0;
  virtual Choices by_program(building::Mode mode, building::Addresses addresses) = 0;
  // In double precision: a number, and the logarithm of its probability, for each.
  virtual std::vector<std::pair<double, double>> exact() = 0;
  // Lists that are run, their nodes, and the nodes of different ones.
  virtual uint64_t runs() const = 0;
  virtual uint64_t nodes() const = 0;
  virtual uint64_t different_nodes() const = 0;
  bool has_two_lists() const { return different_nodes() != model_.nodes(0); }

  Model& model() { return model_; }
  const Program& program() const { return program_; }

 protected:
  Tokens random_tokens(size_t count) {
    Tokens tokens(count);
    for (uint32_t& token : tokens) token = static_cast<uint32_t>(random_() % 128);
    return tokens;
  }
  Choice choice(const std::string& number) const { return {model_.get(number), model_.get("likely")}; }
  static std::pair<double, double> choice(const std::map<std::string, std::vector<double>>& outputs,
                                          const std::string& number) {
    return {outputs.at(number).front(), outputs.at("likely").front()};
  }
  Places places(const std::string& number) const {
    return {model_.address("tokens"), model_.address(number), model_.address("likely")};
  }
  static std::vector<double> exactly(const Tokens& tokens) { return {tokens.begin(), tokens.end()}; }

  Model model_;
  std::mt19937_64 random_;
  Program program_;
};

// Labels of texts of different lengths.
class Labels : public Toy {
 public:
  Labels() : Toy({"verif/kit/toys/encoder.graph"}, "toy-encode") {
    for (const size_t rows : {5, 16, 1, 7}) texts_.push_back(random_tokens(rows));
  }

  Choices by_host() override {
    Choices choices;
    for (const Tokens& text : texts_) {
      model_.put("tokens", text);
      model_.list(0).walk(model_.walker(), sizes_of(text));
      choices.push_back(choice("label"));
    }
    return choices;
  }
  Choices by_program(building::Mode mode, building::Addresses addresses) override {
    std::vector<Text> texts;
    for (const Tokens& text : texts_) {
      std::ranges::copy(text, texts.emplace_back().tokens.begin());
      texts.back().rows = static_cast<uint32_t>(text.size());
    }
    return program_.run(texts.size(),
                        EncodeWish{model_.walker().kernel(), mode, model_.source(0, addresses),
                                   places("label"), texts.size()},
                        texts);
  }
  std::vector<std::pair<double, double>> exact() override {
    std::vector<std::pair<double, double>> choices;
    for (const Tokens& text : texts_) {
      model_.exact().kept["tokens"] = exactly(text);
      choices.push_back(choice(model_.exact(0, sizes_of(text)), "label"));
    }
    return choices;
  }
  uint64_t runs() const override { return texts_.size(); }
  uint64_t nodes() const override { return runs() * different_nodes(); }
  uint64_t different_nodes() const override { return model_.nodes(0); }

 private:
  static std::map<std::string, int64_t> sizes_of(const Tokens& text) {
    return {{"rows", static_cast<int64_t>(text.size())}};
  }

  std::vector<Tokens> texts_;
};

// A text that follows a few tokens, and perhaps another text, which an encoder has seen.
class Writing : public Toy {
 public:
  static constexpr uint32_t kSteps = 8;

  explicit Writing(const std::vector<std::string>& graphs)
      : Toy(graphs, "toy-write"), has_encoder_(graphs.size() == 2) {
    prompt_ = random_tokens(5);
    if (has_encoder_) text_ = random_tokens(11);
  }

  Choices by_host() override {
    if (has_encoder_) {
      model_.put("text", text_);
      model_.list(0).walk(model_.walker(), {{"rows", rows()}});
    }
    Choices choices;
    write([&](const Tokens& given, const std::map<std::string, int64_t>& sizes) {
      model_.put("tokens", given);
      model_.list(decoder()).walk(model_.walker(), sizes);
      choices.push_back(choice("token"));
      return choices.back().number;
    });
    return choices;
  }
  Choices by_program(building::Mode mode, building::Addresses addresses) override {
    const WriteWish wish = {.walk = model_.walker().kernel(),
                            .mode = mode,
                            .encoder = has_encoder_ ? model_.source(0, addresses) : building::Source{},
                            .step = model_.source(decoder(), addresses),
                            .text = has_encoder_ ? model_.address("text") : 0,
                            .places = places("token"),
                            .rows = static_cast<uint32_t>(text_.size()),
                            .prompt = static_cast<uint32_t>(prompt_.size()),
                            .steps = kSteps,
                            .reserved = 0};
    return program_.run(kSteps, wish, text_, prompt_);
  }
  std::vector<std::pair<double, double>> exact() override {
    if (has_encoder_) {
      model_.exact().kept["text"] = exactly(text_);
      model_.exact().kept.merge(model_.exact(0, {{"rows", rows()}}));
    }
    std::vector<std::pair<double, double>> choices;
    write([&](const Tokens& given, const std::map<std::string, int64_t>& sizes) {
      model_.exact().kept["tokens"] = exactly(given);
      choices.push_back(choice(model_.exact(decoder(), sizes), "token"));
      return static_cast<uint32_t>(choices.back().first);
    });
    return choices;
  }
  uint64_t runs() const override { return decoder() + kSteps; }
  uint64_t nodes() const override {
    return (has_encoder_ ? model_.nodes(0) : 0) + kSteps * model_.nodes(decoder());
  }
  uint64_t different_nodes() const override {
    return (has_encoder_ ? model_.nodes(0) : 0) + model_.nodes(decoder());
  }

 private:
  size_t decoder() const { return has_encoder_ ? 1 : 0; }
  int64_t rows() const { return static_cast<int64_t>(text_.size()); }
  // `step`: the token that follows.
  template <typename Step>
  void write(const Step& step) const {
    Tokens given = prompt_;
    int64_t past = 0;
    for (uint32_t i = 0; i < kSteps; ++i) {
      const auto count = static_cast<int64_t>(given.size());
      std::map<std::string, int64_t> sizes = {{"new", count}, {"past", past}};
      if (has_encoder_) sizes["rows"] = rows();
      given = {step(given, sizes)};
      past += count;
    }
  }

  bool has_encoder_;
  Tokens text_, prompt_;
};

struct Mode {
  bool is_two_tier;  // else three
  building::Mode building;
  building::Addresses addresses = building::Addresses::kPointers;
};
// The two that differ most come first.
std::vector<Mode> modes() {
  std::vector<Mode> all = {{true, {.launches = Launches::kNodes}}};
  for (const Memory memory : {Memory::kZeroCopy, Memory::kCopy})
    for (const Launches launches : {Launches::kList, Launches::kNodes})
      for (const When when : {When::kAsync, When::kSync}) all.push_back({false, {when, launches, memory, 0}});
  all.push_back({false, {.when = When::kAsync}, building::Addresses::kBases});
  all.push_back({true, {.launches = Launches::kList}});
  return all;
}

// What a run has chosen, and all that it has left behind.
struct Run {
  Choices choices;
  std::vector<uint8_t> memory;
};

Run run(Toy& toy, const Mode& mode) {
  toy.model().forget();
  toy.model().walker().launch(mode.building.launches);
  const Choices choices = mode.is_two_tier ? toy.by_host() : toy.by_program(mode.building, mode.addresses);
  return {choices, toy.model().left_behind()};
}

void compare(const Run& run, const Run& first) {
  REQUIRE(run.choices.size() == first.choices.size());
  for (size_t i = 0; i < run.choices.size(); ++i) {
    CAPTURE(i);
    CHECK(run.choices[i].number == first.choices[i].number);
    CHECK(run.choices[i].likely == first.choices[i].likely);
  }
  CHECK(run.memory == first.memory);
}

void compare(const Run& run, const std::vector<std::pair<double, double>>& exact) {
  REQUIRE(run.choices.size() == exact.size());
  for (size_t i = 0; i < run.choices.size(); ++i) {
    CAPTURE(i);
    CHECK(run.choices[i].number == exact[i].first);
    CHECK(std::bit_cast<float>(run.choices[i].likely) == doctest::Approx(exact[i].second).epsilon(1e-4));
  }
}

// Each mode does what its name says.
void check(const Toy& toy, const Mode& mode, uint64_t launches) {
  const bool each = mode.building.launches == Launches::kNodes;
  const bool is_async = mode.building.when == When::kAsync;
  // The first list is built while its first node runs, which is launched by itself.
  const uint64_t begun = is_async && !each ? 1 : 0;
  const uint64_t expected = (each ? toy.nodes() : toy.runs()) + begun;
  // The cores copy what is small.
  if (mode.building.memory == Memory::kCopy) CHECK(launches > expected);
  if (mode.building.memory == Memory::kZeroCopy) CHECK(launches == expected);
  if (mode.is_two_tier) return;
  const building::Work& work = toy.program().work();
  CHECK(work.graphs == toy.runs());
  CHECK(work.nodes == toy.different_nodes());
  CHECK((work.copying != 0) == (mode.building.memory == Memory::kCopy));
  // A node may end before the rest is built; what is built behind a whole list is hidden.
  if (!is_async) CHECK(work.hidden == 0);
  if (is_async && toy.has_two_lists()) CHECK(work.hidden != 0);
}

// The functional model of the card runs it by the host's lists. All modes do the same on the card that is
// tested.
template <typename MakeToy>
void check_all(const MakeToy& make) {
  Run first;
  {
    const system::Rig model({.functional = true});
    sdaa::Runtime::get().use({[&] { return model.open(); }});
    const std::unique_ptr<Toy> toy = make();
    first = run(*toy, modes().back());
    compare(first, toy->exact());
    sdaa::Runtime::get().use({});
  }
  const sdaa::OnCard card;
  const std::unique_ptr<Toy> toy = make();
  const std::vector<Mode> all = modes();
  for (const Mode& mode : std::span(all).first(system::rounds(static_cast<unsigned>(all.size()), 2))) {
    CAPTURE(mode.is_two_tier);
    CAPTURE(mode.building.launches);
    CAPTURE(mode.building.when);
    CAPTURE(mode.building.memory);
    CAPTURE(mode.addresses);
    const uint64_t before = cli::bench::card_launches();
    compare(run(*toy, mode), first);
    check(*toy, mode, cli::bench::card_launches() - before);
  }
}

}  // namespace

TEST_CASE("toys: an encoder labels texts of several lengths") {
  check_all([] { return std::make_unique<Labels>(); });
}

TEST_CASE("toys: a decoder writes") {
  check_all(
      [] { return std::make_unique<Writing>(std::vector<std::string>{"verif/kit/toys/decoder.graph"}); });
}

TEST_CASE("toys: an encoder sees a text, and a decoder writes another") {
  check_all([] {
    return std::make_unique<Writing>(
        std::vector<std::string>{"verif/kit/toys/source.graph", "verif/kit/toys/target.graph"});
  });
}

}  // namespace swai::toys
