// SPDX-License-Identifier: Apache-2.0
// swai generate: a language model continues a text, or talks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>

#include "cpe-kernels/operators/logits/plan.hpp"
#include "host/daemon/shared/shared_text.hpp"
#include "host/lib/argument_text.hpp"
#include "host/models/text/answer.hpp"
#include "host/models/text/judge.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/generate/conversation.hpp"
#include "host/tools/swai/generate/shared.hpp"
#include "host/tools/swai/generate/stats.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {
namespace {

using models::Token;
using write::SharedModel;

constexpr const char* kExamples =
    R"(MODEL: GGUF, llama2.c, or the folder of a Hugging Face model; `swai model info MODEL` shows what it is.
Without --chat the prompt and what follows are printed, with it answers alone.

Examples:
  swai --tier fast generate -m models/stories260K/stories260K.bin -p "Once upon a time" -n 100
  swai --tier fast generate -m models/stories260K/stories260K.bin -p "A cat" -p "A dog" -n 50
  swai --tier fast generate -m SmolLM2-135M-Instruct.Q4_1.gguf --precision w8a8 --chat
  echo "What is a card?" | swai generate -m MODEL --chat --system "Answer briefly." -p -)";

std::string standard_input() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

// The program with which the card goes on by itself, unless the host is to launch each step.
class OwnSteps {
 public:
  explicit OwnSteps(const TextWish& wish) {
    if (wish.launch.by_card()) image_ = swai::kernel_run::read_file(places().decode.string());
  }
  std::unique_ptr<walk::Decoder> on(const walk::Walker& walker) const {
    if (!image_) return nullptr;
    return std::make_unique<walk::Decoder>(places().decode.string(), *image_, walker);
  }

 private:
  std::optional<std::vector<uint8_t>> image_;
};

// How well the model foretells the prompt.
int score(const Cli& cli, const TextWish& wish, const Question& question) {
  const std::vector<Token> text = question.tokens_of(wish.prompt());
  if (text.size() < 2)
    throw Error(kBadInput, "--score: the text has one token; there is nothing to foretell");
  const uint32_t length = wish.context != 0 ? wish.context : question.speaker.context();
  const generate::CardModel& model = question.speaker.model();
  const uint32_t room = length + generate::Judge::kChunk;
  const graph::Program program = models::decoder_program(model.card, {generate::Judge::kChunk, room, true});
  const ModuleFile operators(places().operators);

  const UsedCard card(cli.options());
  walk::Walker walker(places().operators, operators.bytes());
  auto progress = std::make_unique<Progress>(!cli.options().quiet, "the model goes to the card");
  const generate::LoadedModel loaded(model, program.pattern, room);
  generate::Judge judge(walker, loaded, program);
  progress = std::make_unique<Progress>(!cli.options().quiet, "the text is judged");
  // Parts of a text that is longer than what the model looks back to are judged by themselves.
  double sum = 0;
  uint64_t foretold = 0;
  for (std::span<const Token> rest = text; rest.size() > 1;) {
    const std::span<const Token> part = rest.first(std::min<size_t>(rest.size(), length));
    sum += judge.judge(part);
    foretold += part.size() - 1;
    rest = rest.subspan(part.size());
  }
  progress.reset();
  const double perplexity = std::exp(-sum / static_cast<double>(foretold));
  if (cli.options().json) {
    cli.print({{"model", wish.model},
               {"precision", generate::to_text(model.card.precision)},
               {"tokens", text.size()},
               {"foretold", foretold},
               {"log_probability", sum},
               {"perplexity", perplexity}});
  } else {
    fmt::print("perplexity {:.4f} of {} tokens, in parts of {} at most\n", perplexity, foretold, length);
  }
  return kDone;
}

Json answer_json(const std::vector<Token>& prompt, const generate::Answer& answer) {
  return {{"prompt_tokens", prompt},
          {"tokens", answer.tokens},
          {"text", answer.text},
          {"end", generate::to_text(answer.end)}};
}

// One text, or a conversation, of a model that this program or a daemon has.
void write_one(const Cli& cli, const TextWish& wish, const Question& question,
               const std::vector<Token>& prompt, Conversation& conversation, const TextStats& stats) {
  if (wish.interactive()) {
    conversation.talk();
  } else {
    const generate::Answer answer = conversation.answer(prompt);
    if (cli.options().json) {
      Json report = answer_json(prompt, answer);
      report["model"] = wish.model;
      report["precision"] = generate::to_text(question.speaker.model().card.precision);
      report["stats"] = stats.json();
      cli.print(report);
    }
  }
  if (wish.stats && !cli.options().json) stats.print();
}

// Several texts at once, each behind a prompt of its own.
class SeveralTexts {
 public:
  SeveralTexts(const Question& question, const std::vector<std::vector<Token>>& prompts)
      : question_(question), prompts_(prompts), said_(prompts.size()) {
    for (size_t text = 0; text < prompts.size(); ++text) {
      listeners_.emplace_back(question.speaker.tokenizer(), prompts[text], !question.chat,
                              [this, text](std::string_view words) {
                                said_[text] += words;
                                return true;
                              });
    }
  }
  SeveralTexts(const SeveralTexts&) = delete;
  SeveralTexts& operator=(const SeveralTexts&) = delete;

  // Starts the time of prefill.
  void begin() {
    size_t tokens = 0;
    for (const std::vector<Token>& prompt : prompts_) tokens += prompt.size();
    times_.begin(prompts_.size(), tokens);
  }
  bool hear(size_t text, Token token) {
    times_.got(text);
    return listeners_[text].hear(token);
  }
  const TokenTimes& times() const { return times_; }

  void print(const Cli& cli, const TextWish& wish, const TextStats& stats) {
    Json texts = Json::array();
    for (size_t text = 0; text < said_.size(); ++text) {
      const generate::Answer answer = listeners_[text].finish(wish.most);
      if (cli.options().json) {
        texts.push_back(answer_json(prompts_[text], answer));
      } else {
        write_words(fmt::format("[{}] {}\n", text + 1, said_[text]));
      }
    }
    if (cli.options().json) {
      cli.print({{"model", wish.model},
                 {"precision", generate::to_text(question_.speaker.model().card.precision)},
                 {"texts", texts},
                 {"stats", stats.json()}});
    } else if (wish.stats) {
      stats.print();
    }
  }

 private:
  const Question& question_;
  const std::vector<std::vector<Token>>& prompts_;
  std::vector<std::string> said_;
  std::vector<generate::Listener> listeners_;
  TokenTimes times_;
};

int run_several(const Cli& cli, const TextWish& wish, const Question& question) {
  if (wish.score) throw Error(kBadInput, "--score is for one text: give one -p");
  std::vector<std::vector<Token>> prompts;
  size_t longest = 0;
  for (const std::string& text : wish.prompts) {
    prompts.push_back(question.tokens_of(text));
    longest = std::max(longest, prompts.back().size());
  }
  const uint32_t room = question.room_of(wish, longest);
  SeveralTexts texts(question, prompts);
  const auto wishes = wishes_of(wish, question, prompts);
  if (const auto shared = shared_model(cli, wish, question, wishes)) {
    SharedModel::Taken taken;
    const SharedStats stats(*shared, texts.times(), [&] { return taken; });
    auto progress = std::make_unique<Progress>(!cli.options().quiet, "the texts are written");
    texts.begin();
    taken = shared->write(wishes, wish.sampling,
                          {.got = [&](size_t text, Token token) { return texts.hear(text, token); }});
    progress.reset();
    texts.print(cli, wish, stats);
    return kDone;
  }
  const generate::CardModel& model = question.speaker.model();
  const generate::BatchPrograms programs(model.card, static_cast<uint32_t>(prompts.size()), room,
                                         wish.sampling.penalises());
  const ModuleFile operators(places().operators);
  const OwnSteps own_steps(wish);

  const UsedCard card(cli.options());
  const size_t free_before = free_bytes_of_card();
  walk::Walker walker(places().operators, operators.bytes());
  walker.launch(wish.launch.launches(), wish.launch.host_us);
  auto progress = std::make_unique<Progress>(!cli.options().quiet, "the model goes to the card");
  const generate::LoadedModel loaded(model, programs.next.pattern, programs.positions());
  const auto decoder = own_steps.on(walker);
  generate::Batch batch(walker, decoder.get(), loaded, programs, programs.room);
  progress = std::make_unique<Progress>(!cli.options().quiet, "the texts are written");
  const OwnStats stats(loaded, free_before, texts.times(), [&] { return OwnStats::taken(batch); });
  texts.begin();
  for (const std::vector<Token>& prompt : prompts) batch.begin(prompt, wish.most, wish.sampling);
  batch.go_on(generate::controls_of(question.speaker.tokenizer().vocabulary()),
              {.got = [&](size_t text, Token token) { return texts.hear(text, token); }});
  progress.reset();
  texts.print(cli, wish, stats);
  return kDone;
}

int run_one(const Cli& cli, const TextWish& wish, const Question& question) {
  const generate::CardModel& model = question.speaker.model();
  std::vector<std::vector<Token>> prompts;
  if (!wish.interactive()) prompts.push_back(question.tokens_of(wish.prompt()));
  const std::vector<Token> prompt = prompts.empty() ? std::vector<Token>() : prompts.front();
  const uint32_t room = question.room_of(wish, prompt.size());
  TokenTimes times;
  if (const auto shared = shared_model(cli, wish, question, wishes_of(wish, question, prompts))) {
    std::unique_ptr<Progress> waiting;
    write::SharedText text(*shared, wish.sampling, std::min(room, shared->is().room), [&](bool waits) {
      waiting.reset();
      if (waits) waiting = std::make_unique<Progress>(!cli.options().quiet, "the text waits for its turn");
    });
    const SharedStats stats(*shared, times, [&] { return text.taken(); });
    TimedText timed(text, times);
    Conversation conversation(cli, wish, question, timed,
                              shared->is().room < room            ? "--context of `swai serve`"
                              : room < question.speaker.context() ? "--context"
                                                                  : "");
    write_one(cli, wish, question, prompt, conversation, stats);
    return kDone;
  }
  const generate::Programs programs(model.card, room, wish.sampling.penalises());
  const std::string module = places().operators;
  const ModuleFile operators(module);
  const OwnSteps own_steps(wish);

  const UsedCard card(cli.options());
  const size_t free_before = free_bytes_of_card();
  walk::Walker walker(module, operators.bytes());
  walker.launch(wish.launch.launches(), wish.launch.host_us);
  auto progress = std::make_unique<Progress>(!cli.options().quiet, "the model goes to the card");
  const auto decoder = own_steps.on(walker);
  const generate::LoadedModel loaded(model, programs.one.pattern, programs.positions());
  // Nobody knows how long a conversation becomes.
  const uint32_t taken_at_once = wish.interactive() ? wish.context : room;
  generate::Session session(walker, decoder.get(), loaded, programs, wish.sampling, taken_at_once);
  progress.reset();
  const OwnStats stats(loaded, free_before, times, [&] { return OwnStats::taken(session); });
  TimedText timed(session, times);
  Conversation conversation(cli, wish, question, timed, room < question.speaker.context() ? "--context" : "");
  write_one(cli, wish, question, prompt, conversation, stats);
  return kDone;
}

int run(const Cli& cli, TextWish wish) {
  if (!wish.system.empty()) wish.chat = true;
  if (wish.interactive() && cli.options().json)
    throw Error(kBadInput, "--json is for one answer: give the message with -p");
  if (std::ranges::count(wish.prompts, "-") > 1)
    throw Error(kBadInput, "standard input is one text: give -p - once");
  for (std::string& prompt : wish.prompts)
    if (prompt == "-") prompt = standard_input();
  // Everything that may be wrong with what was given is found before there is a card.
  check(wish.launch);
  if (!operators::can_sample(generate::settings_of(wish.sampling)))
    throw Error(kBadInput, "--temp is 0, or from 0.001 to 1024; --top-p from 0.000001 to 1");
  if (!operators::can_penalise(generate::settings_of(wish.sampling))) {
    throw Error(kBadInput, "--repeat-penalty is from 0.001 to 1024; the other penalties from -1024 to 1024");
  }
  const Question question(wish);
  if (wish.prompts.size() > 1) return run_several(cli, wish, question);
  return wish.score ? score(cli, wish, question) : run_one(cli, wish, question);
}

}  // namespace

void add_generate(Cli& cli) {
  const auto wish = std::make_shared<TextWish>();
  add_text_options(*cli.add(
                       "generate", "a language model continues a text, or talks",
                       [&cli, wish] { return run(cli, *wish); }, kExamples),
                   *wish);
}

}  // namespace swai::cli
