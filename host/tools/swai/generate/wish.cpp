// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/generate/wish.hpp"

#include "host/models/text/card_model.hpp"

namespace swai::cli {

void add_text_options(CLI::App& command, TextWish& wish) {
  command.add_option("-m,--model", wish.model, "file or folder of a model")->required();
  command
      .add_option("--tokenizer", wish.tokens,
                  "llama2.c's file of tokens (default: tokenizer.bin beside the model)")
      ->type_name("FILE");
  command
      .add_option("-p,--prompt", wish.prompts,
                  "the text to go on with (- for standard input); several are written at once, and each is "
                  "printed when all are there")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  command.add_option("-n", wish.most, "tokens of an answer at most (default 256)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command
      .add_option(
          "--temp", wish.sampling.temperature,
          "temperature: 0 (the default) takes the likeliest token, 1 those that the model believes in, more "
          "is bolder")
      ->type_name("T");
  command.add_option("--top-k", wish.sampling.top_k, "only the K likeliest tokens (default: all)")
      ->type_name("K");
  command
      .add_option("--top-p", wish.sampling.top_p,
                  "only the likeliest tokens that have this probability together (default 1)")
      ->type_name("P");
  command.add_option("--seed", wish.sampling.seed, "another one chooses other tokens (default 0)")
      ->type_name("N");
  command
      .add_option("--repeat-penalty", wish.sampling.repetition,
                  "tokens that the text has already become less probable by this factor (default 1: they do "
                  "not; 1.1 is usual)")
      ->type_name("F");
  command
      .add_option("--frequency-penalty", wish.sampling.frequency,
                  "the same, by so much for each time that they are in it (default 0)")
      ->type_name("X");
  command
      .add_option("--presence-penalty", wish.sampling.presence,
                  "the same, by so much for being in it (default 0)")
      ->type_name("X");
  command.add_flag("--chat", wish.chat,
                   "the prompt is a message, in the form that the model was trained to answer; without -p, a "
                   "conversation: a message on each line of standard input");
  command.add_option("--system", wish.system, "what the model is told before the conversation; means --chat")
      ->type_name("TEXT");
  add_launch_options(command, wish.launch);
  command
      .add_option("--precision", wish.precision,
                  "how weights are stored: fp32 (when there is none, and the file is not packed), w8a8, w4a8")
      ->check(CLI::IsMember(generate::precision_names()))
      ->type_name("NAME");
  command
      .add_option(
          "--context", wish.context,
          "tokens that prompts and answers may have together and for which memory is taken at once (default: "
          "what the model was trained on; memory grows with a conversation)")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  command.add_flag("--score", wish.score,
                   "no answer: how well the model foretells the prompt, as perplexity; --context says in "
                   "parts of how many tokens");
  command.add_flag("--stats", wish.stats, "what it took, on standard error");
  command.add_flag("--own", wish.own,
                   "load the model even where `swai serve` has it on its card already, for all programs");
}

}  // namespace swai::cli
