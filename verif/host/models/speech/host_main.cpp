// SPDX-License-Identifier: Apache-2.0
// What a Whisper model says in sounds on the card, computed on the host: HostSpeech. Prints JSON for each
// sound.
#include <CLI/CLI.hpp>

#include "verif/host/models/speech/heard.hpp"
#include "verif/host/models/speech/host_speech.hpp"

using namespace swai;

int main(int count, char** words) {
  CLI::App app("a Whisper model bit by bit as the card computes it, without a card");
  std::string path, precision = "w8a8";
  std::vector<std::string> sounds;
  uint64_t seed = 0;
  app.add_option("-m", path, "any Whisper model, or a packed one")->required();
  app.add_option("--precision", precision, "how weights are stored")
      ->check(CLI::IsMember({"fp32", "w8a8", "w4a8"}));
  app.add_option("--seed", seed, "of second attempts");
  app.add_option("SOUND", sounds, "sounds")->required();
  CLI11_PARSE(app, count, words);
  const transcribe::WhisperFile file(transcribe::open_whisper(path, models::precision_named(precision)));
  transcribe::HostSpeech speech(file.model, file.forbidden(), seed);
  transcribe::Options options;
  options.short_windows = file.model.training.short_windows;
  transcribe::print_heard(speech, file, options, sounds);
  return 0;
}
