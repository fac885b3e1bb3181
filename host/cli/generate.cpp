// swai generate: a language model continues a text, or talks.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>

#include "abi/argument_text.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/module_file.hpp"
#include "host/cli/places.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/started_card.hpp"
#include "host/cli/words.hpp"
#include "host/generate/answer.hpp"
#include "host/generate/batch.hpp"
#include "host/generate/chat.hpp"
#include "host/generate/judge.hpp"
#include "host/generate/speaker.hpp"
#include "host/models/utf8.hpp"

namespace swai::cli {
namespace {

using models::Token;

constexpr const char* kExamples =
    R"(MODEL: GGUF, llama2.c, or the folder of a Hugging Face model; `swai model info MODEL` shows what it is.
Without --chat the prompt and what follows are printed, with it answers alone.

Examples:
  swai --tier fast generate -m models/stories260K/stories260K.bin -p "Once upon a time" -n 100
  swai --tier fast generate -m models/stories260K/stories260K.bin -p "A cat" -p "A dog" -n 50
  swai --tier fast generate -m SmolLM2-135M-Instruct.Q4_1.gguf --precision w8a8 --chat
  echo "What is a card?" | swai generate -m MODEL --chat --system "Answer briefly." -p -)";

struct Wish {
  std::string model;
  std::string tokens;
  std::vector<std::string> prompts;
  std::string launch = "three-tier";
  std::string precision;  // empty: a packed file's, else fp32
  std::string system;
  generate::Sampling sampling;
  uint64_t most = 256;
  uint32_t context = 0;
  bool chat = false;
  bool score = false;
  bool stats = false;

  bool interactive() const { return chat && prompts.empty(); }
  // Of the only text.
  std::string prompt() const { return prompts.empty() ? "" : prompts.front(); }
};

std::string standard_input() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

void check_text(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const models::Character one = models::character_at(text, at);
    if (one.code == models::kNoCharacter) {
      throw Error(
          kBadInput,
          fmt::format("the prompt is no UTF-8: at byte {} no character begins (0x{:02x}); iconv converts it",
                      at, static_cast<uint8_t>(text[at])));
    }
    at += one.bytes;
  }
}

// What is asked of the model, as far as it needs no card.
class Question {
 public:
  explicit Question(const Wish& wish)
      : speaker(wish.model, wish.tokens, generate::precision_named(wish.precision)) {
    if (wish.context > speaker.context()) {
      throw Error(kBadInput, fmt::format("--context {}: the model was trained on texts of {} tokens at most",
                                         wish.context, speaker.context()));
    }
    if (wish.chat) chat.emplace(speaker.model().card.path, speaker.tokenizer(), wish.system);
  }

  std::vector<Token> tokens_of(const std::string& prompt) const {
    check_text(prompt);
    if (chat) return chat->first(prompt);
    std::vector<Token> tokens = speaker.tokens_of(prompt);
    if (tokens.empty()) throw Error(kBadInput, "this model needs a text to begin with: -p TEXT");
    return tokens;
  }

  // How long the text may become.
  uint32_t room_of(const Wish& wish, size_t prompt) const {
    uint64_t room = speaker.context();
    if (wish.context != 0) {
      room = wish.context;
    } else if (!wish.interactive()) {
      room = std::min<uint64_t>(room, prompt + wish.most);
    }
    if (prompt > room) {
      throw Error(kBadInput, fmt::format("the prompt has {} tokens; there is room for {} ({})", prompt, room,
                                         room < speaker.context() ? "--context" : "the model's context"));
    }
    return static_cast<uint32_t>(room);
  }

  generate::Speaker speaker;
  std::optional<generate::Chat> chat;
};

// The program with which the card goes on by itself, unless the host is to launch each step.
class OwnSteps {
 public:
  explicit OwnSteps(const Wish& wish) {
    if (wish.launch == "three-tier") image_ = swai::kernel_run::read_file(places().decode.string());
  }
  std::unique_ptr<walk::Decoder> on(const walk::Walker& walker) const {
    return image_ ? std::make_unique<walk::Decoder>(places().decode.string(), *image_, walker) : nullptr;
  }

 private:
  std::optional<std::vector<uint8_t>> image_;
};

double per_second(uint64_t tokens, double seconds) {
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

Json work_json(const generate::Work& work) {
  return {{"tokens", work.tokens}, {"launches", work.launches}, {"ns", work.nanoseconds}};
}

// What has been done for texts, and what they take.
struct Taken {
  generate::Work prefill, decode, jobs;
  size_t kv_bytes;
  uint32_t room;
};
Taken taken(const generate::Session& session) {
  return {session.appended(), session.continued(), session.decoded(), session.state_bytes(), session.taken()};
}
Taken taken(const generate::Batch& batch) {
  return {batch.appended(), batch.continued(), batch.decoded(), batch.state_bytes(), batch.room()};
}

size_t free_bytes() {
  size_t free = 0, all = 0;
  walk::check(sdaaMemGetInfo(&free, &all), "the card's memory");
  return free;
}

// What it took, with the wall time since this was made. `free_before`: memory of the card before the model
// came.
class Stats {
 public:
  Stats(const generate::LoadedModel& model, size_t free_before)
      : model_(model), card_bytes_(free_before - free_bytes()) {}

  Json json(const Taken& all) const {
    return {{"prefill", work_json(all.prefill)},
            {"decode", work_json(all.decode)},
            {"jobs", work_json(all.jobs)},
            {"weight_bytes", model_.weight_bytes()},
            {"kv_bytes", all.kv_bytes},
            {"card_bytes", card_bytes_},
            {"room", all.room},
            {"wall_seconds", seconds()}};
  }

  void print(const Taken& all) const {
    const auto line = [](const char* name, const generate::Work& work) {
      const double card_seconds = static_cast<double>(work.nanoseconds) / 1e9;
      fmt::print(stderr,
                 "{}: {} tokens in {} launches, {:.3f} ms of the card, {:.1f} tokens per card-second\n", name,
                 work.tokens, work.launches, card_seconds * 1e3, per_second(work.tokens, card_seconds));
    };
    // What has not happened is not shown.
    for (const auto& [name, work] : {std::pair("prefill", all.prefill), std::pair("decode", all.decode),
                                     std::pair("prefill and decode by the card", all.jobs)})
      if (work.launches != 0) line(name, work);
    fmt::print(stderr, "memory: {:.1f} MB of weights, {:.1f} MB of keys and values for {} tokens\n",
               static_cast<double>(model_.weight_bytes()) / 1e6, static_cast<double>(all.kv_bytes) / 1e6,
               all.room);
    const uint64_t tokens = all.prefill.tokens + all.decode.tokens + all.jobs.tokens;
    fmt::print(stderr, "wall time: {:.1f} s, {:.1f} tokens per second\n", seconds(),
               per_second(tokens, seconds()));
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  const generate::LoadedModel& model_;
  const size_t card_bytes_;
  const Clock::time_point begin_ = Clock::now();
};

class Conversation {
 public:
  Conversation(const Cli& cli, const Wish& wish, const Question& question, generate::Session& session)
      : cli_(cli), wish_(wish), question_(question), session_(session) {}

  // One answer, or, without machines in mind, what is printed of it.
  generate::Answer answer(const std::vector<Token>& prompt) {
    const bool json = cli_.options().json;
    const generate::Say say = [&](std::string_view text) {
      if (!json) write_words(text);
      return true;
    };
    generate::Answer answer =
        generate::answer(session_, question_.speaker.tokenizer(), prompt, wish_.most, !question_.chat, say);
    say("\n");
    if (answer.end == generate::End::kRoom && !cli_.options().quiet) {
      fmt::print(stderr, "swai: the text has {} tokens; there is room for no more{}\n", session_.length(),
                 session_.room() < question_.speaker.context() ? " (--context)" : "");
    }
    return answer;
  }

  // Messages from standard input, a line each.
  void talk() {
    const bool terminal = ::isatty(STDIN_FILENO) == 1;
    bool first = true;
    std::string message;
    while (true) {
      if (terminal) fmt::print(stderr, "> ");
      if (!std::getline(std::cin, message)) break;
      if (message.empty()) continue;
      check_text(message);
      const std::vector<Token> prompt =
          first ? question_.chat->first(message) : question_.chat->next(message);
      if (session_.length() + prompt.size() > session_.room()) {
        throw Error(
            kFailed,
            fmt::format("the conversation has {} tokens, this message {} more; there is room for "
                        "{}: begin a new one{}",
                        session_.length(), prompt.size(), session_.room(),
                        session_.room() < question_.speaker.context() ? ", or give a larger --context" : ""));
      }
      answer(prompt);
      first = false;
    }
  }

 private:
  const Cli& cli_;
  const Wish& wish_;
  const Question& question_;
  generate::Session& session_;
};

// How well the model foretells the prompt.
int score(const Cli& cli, const Wish& wish, const Question& question) {
  const std::vector<Token> text = question.tokens_of(wish.prompt());
  if (text.size() < 2)
    throw Error(kBadInput, "--score: the text has one token; there is nothing to foretell");
  const uint32_t length = wish.context != 0 ? wish.context : question.speaker.context();
  const generate::CardModel& model = question.speaker.model();
  const uint32_t room = length + generate::Judge::kChunk;
  const graph::Program program = generate::llama_program(model.card, {generate::Judge::kChunk, room, true});
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

// Several texts at once, each behind a prompt of its own.
int run_several(const Cli& cli, const Wish& wish, const Question& question) {
  if (wish.score) throw Error(kBadInput, "--score is for one text: give one -p");
  std::vector<std::vector<Token>> prompts;
  size_t longest = 0;
  for (const std::string& text : wish.prompts) {
    prompts.push_back(question.tokens_of(text));
    longest = std::max(longest, prompts.back().size());
  }
  const generate::CardModel& model = question.speaker.model();
  const generate::BatchPrograms programs(model.card, static_cast<uint32_t>(prompts.size()),
                                         question.room_of(wish, longest), wish.sampling.penalises());
  const ModuleFile operators(places().operators);
  const OwnSteps own_steps(wish);

  const UsedCard card(cli.options());
  const size_t free_before = free_bytes();
  walk::Walker walker(places().operators, operators.bytes());
  auto progress = std::make_unique<Progress>(!cli.options().quiet, "the model goes to the card");
  const generate::LoadedModel loaded(model, programs.next.pattern, programs.positions());
  const auto decoder = own_steps.on(walker);
  generate::Batch batch(walker, decoder.get(), loaded, programs, programs.room);
  progress = std::make_unique<Progress>(!cli.options().quiet, "the texts are written");
  const Stats stats(loaded, free_before);
  const models::Tokenizer& tokenizer = question.speaker.tokenizer();
  std::vector<std::string> said(prompts.size());
  std::vector<generate::Listener> listeners;
  for (size_t text = 0; text < prompts.size(); ++text) {
    batch.begin(prompts[text], wish.most, wish.sampling);
    listeners.emplace_back(tokenizer, prompts[text], !question.chat, [&said, text](std::string_view words) {
      said[text] += words;
      return true;
    });
  }
  batch.go_on(generate::controls_of(tokenizer.vocabulary()),
              {.got = [&](size_t text, Token token) { return listeners[text].hear(token); }});
  progress.reset();
  Json texts = Json::array();
  for (size_t text = 0; text < prompts.size(); ++text) {
    const generate::Answer answer = listeners[text].finish(wish.most);
    if (cli.options().json) {
      texts.push_back(answer_json(prompts[text], answer));
    } else {
      write_words(fmt::format("[{}] {}\n", text + 1, said[text]));
    }
  }
  if (cli.options().json) {
    cli.print({{"model", wish.model},
               {"precision", generate::to_text(model.card.precision)},
               {"texts", texts},
               {"stats", stats.json(taken(batch))}});
  } else if (wish.stats) {
    stats.print(taken(batch));
  }
  return kDone;
}

int run(const Cli& cli, Wish wish) {
  if (!wish.system.empty()) wish.chat = true;
  if (wish.interactive() && cli.options().json)
    throw Error(kBadInput, "--json is for one answer: give the message with -p");
  if (std::ranges::count(wish.prompts, "-") > 1)
    throw Error(kBadInput, "standard input is one text: give -p - once");
  for (std::string& prompt : wish.prompts)
    if (prompt == "-") prompt = standard_input();
  // Everything that may be wrong with what was given is found before there is a card.
  if (!operators::can_sample(generate::settings_of(wish.sampling)))
    throw Error(kBadInput, "--temp is 0, or from 0.001 to 1000; --top-p from 0.000001 to 1");
  if (!operators::can_penalise(generate::settings_of(wish.sampling))) {
    throw Error(kBadInput, "--repeat-penalty is from 0.001 to 1000; the other penalties from -1000 to 1000");
  }
  const Question question(wish);
  if (wish.prompts.size() > 1) return run_several(cli, wish, question);
  if (wish.score) return score(cli, wish, question);
  const generate::CardModel& model = question.speaker.model();
  std::vector<Token> prompt;
  if (!wish.interactive()) prompt = question.tokens_of(wish.prompt());
  const uint32_t room = question.room_of(wish, prompt.size());
  const generate::Programs programs(model.card, room, wish.sampling.penalises());
  const std::string module = places().operators;
  const ModuleFile operators(module);
  const OwnSteps own_steps(wish);

  const UsedCard card(cli.options());
  const size_t free_before = free_bytes();
  walk::Walker walker(module, operators.bytes());
  auto progress = std::make_unique<Progress>(!cli.options().quiet, "the model goes to the card");
  const auto decoder = own_steps.on(walker);
  const generate::LoadedModel loaded(model, programs.one.pattern, programs.positions());
  // Nobody knows how long a conversation becomes.
  const uint32_t taken_at_once = wish.interactive() ? wish.context : room;
  generate::Session session(walker, decoder.get(), loaded, programs, wish.sampling, taken_at_once);
  progress.reset();
  const Stats stats(loaded, free_before);
  Conversation conversation(cli, wish, question, session);
  if (wish.interactive()) {
    conversation.talk();
  } else {
    const generate::Answer answer = conversation.answer(prompt);
    if (cli.options().json) {
      Json report = answer_json(prompt, answer);
      report["model"] = wish.model;
      report["precision"] = generate::to_text(model.card.precision);
      report["stats"] = stats.json(taken(session));
      cli.print(report);
    }
  }
  if (wish.stats && !cli.options().json) stats.print(taken(session));
  return kDone;
}

}  // namespace

void add_generate(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "generate", "a language model continues a text, or talks", [&cli, wish] { return run(cli, *wish); },
      kExamples);
  command->add_option("-m,--model", wish->model, "file or folder of a model")->required();
  command
      ->add_option("--tokenizer", wish->tokens,
                   "llama2.c's file of tokens (default: tokenizer.bin beside the model)")
      ->type_name("FILE");
  command
      ->add_option("-p,--prompt", wish->prompts,
                   "the text to go on with (- for standard input); several are written at once, and each is "
                   "printed when all are there")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  command->add_option("-n", wish->most, "tokens of an answer at most (default 256)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command
      ->add_option(
          "--temp", wish->sampling.temperature,
          "temperature: 0 (the default) takes the likeliest token, 1 those that the model believes in, more "
          "is bolder")
      ->type_name("T");
  command->add_option("--top-k", wish->sampling.top_k, "only the K likeliest tokens (default: all)")
      ->type_name("K");
  command
      ->add_option("--top-p", wish->sampling.top_p,
                   "only the likeliest tokens that have this probability together (default 1)")
      ->type_name("P");
  command->add_option("--seed", wish->sampling.seed, "another one chooses other tokens (default 0)")
      ->type_name("N");
  command
      ->add_option("--repeat-penalty", wish->sampling.repetition,
                   "tokens that the text has already become less probable by this factor (default 1: they do "
                   "not; 1.1 is usual)")
      ->type_name("F");
  command
      ->add_option("--frequency-penalty", wish->sampling.frequency,
                   "the same, by so much for each time that they are in it (default 0)")
      ->type_name("X");
  command
      ->add_option("--presence-penalty", wish->sampling.presence,
                   "the same, by so much for being in it (default 0)")
      ->type_name("X");
  command->add_flag(
      "--chat", wish->chat,
      "the prompt is a message, in the form that the model was trained to answer; without -p, a "
      "conversation: a message on each line of standard input");
  command
      ->add_option("--system", wish->system, "what the model is told before the conversation; means --chat")
      ->type_name("TEXT");
  command
      ->add_option(
          "--launch", wish->launch,
          "who launches each step: the card itself, asked once (three-tier, the default), or the host "
          "(two-tier)")
      ->check(CLI::IsMember({"three-tier", "two-tier"}))
      ->type_name("NAME");
  command
      ->add_option(
          "--precision", wish->precision,
          "how weights are stored: fp32 (when there is none, and the file is not packed), w8a8, w4a8")
      ->check(CLI::IsMember(generate::precision_names()))
      ->type_name("NAME");
  command
      ->add_option(
          "--context", wish->context,
          "tokens that prompts and answers may have together and for which memory is taken at once (default: "
          "what the model was trained on; memory grows with a conversation)")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  command->add_flag("--score", wish->score,
                    "no answer: how well the model foretells the prompt, as perplexity; --context says in "
                    "parts of how many tokens");
  command->add_flag("--stats", wish->stats, "what it took, on standard error");
}

}  // namespace swai::cli
