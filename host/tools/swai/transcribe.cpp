// SPDX-License-Identifier: Apache-2.0
// swai transcribe: what is said in a sound.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>

#include "host/lib/argument_text.hpp"
#include "host/lib/printable.hpp"
#include "host/models/audio/sound.hpp"
#include "host/models/speech/card_listener.hpp"
#include "host/models/speech/transcriber.hpp"
#include "host/models/speech/whisper_file.hpp"
#include "host/runtime/runtime.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/cli/work_phases.hpp"
#include "host/tools/swai/any_model.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/launch_wish.hpp"
#include "host/tools/swai/transcripts.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {
namespace {

using transcribe::Said;

constexpr const char* kExamples =
    R"(MODEL: a Whisper model as a folder of Hugging Face or faster-whisper, or a file of whisper.cpp.
`swai model info MODEL` shows what it is; `scripts/get-model whisper-tiny.en` fetches one.

Examples:
  swai --tier fast transcribe -m build/models/whisper-tiny.en speech.wav
  swai --tier fast transcribe -m MODEL --format srt talk.mp3 > talk.srt
  swai --tier fast transcribe -m MODEL --format vtt --output-dir subtitles *.mp3
  arecord -d 5 -r 16000 -f S16_LE | swai transcribe -m MODEL -)";

struct Wish {
  std::string model;
  std::vector<std::string> files;
  std::string format = "text";
  std::string output_folder;  // empty: standard output
  std::string precision;      // empty: the file's, or w8a8
  std::vector<std::string> four_bits;
  LaunchWish launch;
  std::string build = "async";
  std::string memory = "zero-copy";
  bool fallback = true;
  bool short_windows = true;
  transcribe::Options options;
  uint64_t seed = 0;
  bool stats = false;

  // Beams are led by the host.
  bool by_card() const { return launch.by_card() && options.beams == 1; }
};

transcribe::WhisperModel model_of(const Wish& wish) {
  const auto precision = models::precision_named(wish.precision);
  if (!wish.launch.is_eager()) return transcribe::open_whisper(wish.model, precision, wish.four_bits);
  if (precision && precision != models::Precision::kFp32)
    throw Error(kBadInput, "--graph eager: takes --precision fp32; weights become fp16 where they are used");
  return transcribe::open_eager_whisper(wish.model);
}

audio::Sound sound_of(const std::string& file) {
  if (file != "-") return audio::read_sound(file);
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  return audio::sound_in(bytes, "standard input");
}

void check(const Wish& wish, const transcribe::WhisperFile& ready) {
  check(wish.launch);
  if (wish.launch.is_eager() && (wish.by_card() || wish.options.beams > 1 || wish.options.timestamps))
    throw Error(kBadInput, "--graph eager: takes --launch two-tier, --no-timestamps, and one beam");
  if (wish.build == "sync" && !wish.by_card()) {
    throw Error(
        kBadInput,
        "--build sync: with --launch two-tier or --beams the host builds all lists before the first run; "
        "the card builds them with --launch three-tier and one beam");
  }
  if (wish.memory == "copy" && !wish.by_card()) {
    throw Error(kBadInput,
                "--memory copy: with --launch two-tier or --beams the host copies across PCIe; processor and "
                "cores of the card have something to copy with --launch three-tier and one beam");
  }
  const auto& options = wish.options;
  const std::optional<uint32_t> language = transcribe::language_number(options.language);
  if (options.language != "auto" && !language) {
    throw Error(kBadInput, fmt::format("--language {}: no such code; en, de and fr are some, auto finds out",
                                       options.language));
  }
  if (!ready.special.multilingual &&
      (options.task == "translate" || (options.language != "en" && options.language != "auto"))) {
    throw Error(kBadInput,
                fmt::format("{} knows English only: it takes no --language {}, and does not translate",
                            wish.model, options.language));
  }
  if (language >= ready.special.languages) {
    throw Error(kBadInput, fmt::format("--language {}: {} does not support the language {}", options.language,
                                       wish.model, options.language));
  }
}

Json work_json(const transcribe::CardSpeech::Work& work, const char* items) {
  return {{items, work.items}, {"launches", work.launches}, {"ns", work.nanoseconds}};
}

Json building_json(const building::Work& work) {
  return {{"nodes", work.nodes},
          {"cycles", work.build},
          {"hidden_cycles", work.hidden},
          {"graphs", work.graphs},
          {"graph_nodes", work.graph_nodes},
          {"patch_cycles", work.patch},
          {"handover_cycles", work.handing_over},
          {"handover_max_cycles", work.longest_handover},
          {"copy_cycles", work.copying}};
}

// Whether a model that knows little was given something else: nothing comes of it, or something whose words
// are none too certain.
class Doubts {
 public:
  void add(const Said& said) {
    ++segments_;
    doubtful_ = doubtful_ || said.words_log_probability < kDoubtful;
  }
  bool any() const { return segments_ == 0 || doubtful_; }

 private:
  // Between the digits of the test clips and what else was tried: speech, music, noise
  // (docs/use/digits-model.md).
  static constexpr double kDoubtful = -0.12;
  size_t segments_ = 0;
  bool doubtful_ = false;
};

unsigned cores_of_card() {
  sdaaDeviceProp_t card = {};
  walk::check(sdaaGetDeviceProperties(&card, 0), "properties of the card");
  return static_cast<unsigned>(card.rows * card.columns);
}

// The part of what takes so many cycles from now on.
std::function<double()> by_time_of_card(double cycles) {
  const auto device = sdaa::Runtime::get().current();
  return [device, begin = device->waiting().heard_cycle(), cycles] {
    return static_cast<double>(device->waiting().heard_cycle() - begin) / cycles;
  };
}

// Phases of each sound: until its first byte leaves the host, from then to the last token's arrival, and
// afterwards.
constexpr const char *kPreparing = "preparing", *kListening = "listening", *kEnding = "ending";

struct Shares {
  double overhead = 0;  // share of listening in which no engine works for an operator
  // Shares of the launches' time:
  double barriers = 0;  // in which a core waits for others, the mean of all
  double least = 0;     // that the operators would take at the card's limits, one after the other
};

// Nothing if the card does not count work.
std::optional<Shares> shares_of(const WorkPhases& phases, const transcribe::CardSpeech& speech,
                                const transcribe::CardListener* listener, unsigned cores) {
  const auto cycles = static_cast<double>(speech.heard().nanoseconds + speech.decoded().nanoseconds +
                                          (listener != nullptr ? listener->work().nanoseconds : 0));
  if (phases.all().empty() || cycles == 0) return std::nullopt;
  const WorkPhases::Phase& listening = phases.at(kListening);
  return Shares{1 - static_cast<double>(listening.work.any) / static_cast<double>(listening.cycles),
                static_cast<double>(listening.work.barrier) / cores / cycles,
                speech.least_cycles(cores) / cycles};
}

void print_stats(const transcribe::CardSpeech& speech, const transcribe::CardListener* listener,
                 const WorkPhases& phases, const std::optional<Shares>& shares, double wall, double sound) {
  // What has not happened is not shown.
  const auto line = [](const char* what, const char* item, const transcribe::CardSpeech::Work& work) {
    if (work.launches == 0) return;
    fmt::print(stderr, "{}: {} in {}, {:.3f} ms of the card\n", what, counted(work.items, item),
               counted(work.launches, "launch"), static_cast<double>(work.nanoseconds) / 1e6);
  };
  if (listener != nullptr) line("encoder and decoder by the card", "window", listener->work());
  if (listener != nullptr && listener->building().nodes != 0) {
    const building::Work& work = listener->building();
    const auto each = [](uint64_t cycles, uint64_t count) {
      return static_cast<double>(cycles) / static_cast<double>(std::max<uint64_t>(count, 1));
    };
    fmt::print(stderr,
               "lists: {} built, {:.0f} cycles each, {:.1f} % of it while a list ran; {}, {:.0f} cycles "
               "to hand over each ({} at most at once), {:.0f} to copy\n",
               counted(work.nodes, "node"), each(work.build, work.nodes), 100 * each(work.hidden, work.build),
               counted(work.graphs, "run"), each(work.handing_over, work.graphs), work.longest_handover,
               each(work.copying, work.graphs));
  }
  line("encoder", "window", speech.heard());
  line("decoder", "token", speech.decoded());
  fmt::print(stderr, "memory: {:.1f} MB of weights\n", static_cast<double>(speech.weight_bytes()) / 1e6);
  if (shares) {
    fmt::print(
        stderr,
        "{}overhead: no engine works for an operator in {:.1f} % of listening; in the launches cores wait at "
        "barriers for {:.1f} %, and operators would take {:.1f} % at the card's limits\n",
        phases.text(), 100 * shares->overhead, 100 * shares->barriers, 100 * shares->least);
  }
  fmt::print(stderr, "wall time: {:.1f} s for {:.1f} s of sound\n", wall, sound);
}

int run(const Cli& cli, Wish wish) {
  const auto begin = std::chrono::steady_clock::now();
  if (!wish.fallback) wish.options.temperatures = {0};
  // Everything that may be wrong with what was given is found before there is a card.
  const transcribe::WhisperFile ready(model_of(wish));
  const transcribe::CardWhisper& model = ready.model.card;
  check(wish, ready);
  wish.options.detect_silence = !wish.launch.is_eager();
  wish.options.short_windows = wish.short_windows && ready.model.training.short_windows;
  std::vector<audio::Sound> sounds;
  for (const std::string& file : wish.files) {
    sounds.push_back(sound_of(file));
    if (sounds.back().cut_short && !cli.options().quiet)
      fmt::print(stderr, "swai: {} is cut short: it states more sound than it has\n",
                 common::printable(file));
  }
  Transcripts transcripts(cli, *transcribe::format_of(wish.format), wish.output_folder, wish.files);
  const std::string module = places().operators;
  const ModuleFile operators(module);
  const std::string program = places().listen;
  std::vector<uint8_t> image;
  if (wish.by_card()) image = kernel_run::read_file(program);

  const UsedCard card(cli.options());
  WorkPhases phases;
  walk::Walker walker(module, operators.bytes());
  walker.launch(wish.launch.launches(), wish.launch.host_us);
  auto progress = std::make_unique<Progress>(!cli.options().quiet, "the model goes to the card");
  transcribe::CardSpeech speech(walker, ready.model, ready.forbidden(), wish.seed, wish.options.beams);
  std::optional<transcribe::CardListener> listener;
  if (!image.empty()) {
    listener.emplace(program, image, speech, ready.special);
    listener->build({wish.build == "sync" ? building::When::kSync : building::When::kAsync,
                     wish.launch.launches(),
                     wish.memory == "copy" ? building::Memory::kCopy : building::Memory::kZeroCopy, 0});
  }
  progress.reset();
  phases.end("loading");

  double seconds = 0;
  for (size_t i = 0; i < sounds.size(); ++i) {
    const audio::Sound& sound = sounds[i];
    seconds += sound.seconds();
    const audio::Mel mel = audio::log_mel(sound.samples, model.shape.mels);
    transcribe::Transcriber transcriber(speech, listener ? &*listener : nullptr, *ready.tokenizer,
                                        ready.special, model.frames(), model.shape.text_context,
                                        wish.options);
    transcripts.begin(wish.files[i]);
    Doubts doubts;
    {
      Progress listening(!cli.options().quiet, wish.files[i]);
      transcriber.run(
          mel, (sound.samples.size() + audio::kHop - 1) / audio::kHop,
          [&](const Said& said) {
            listening.make_room([&] { transcripts.say(said); });
            doubts.add(said);
          },
          [&](const transcribe::Progress& now) {
            if (now.done == 0)
              listening.guess(by_time_of_card(speech.usual_cycles(now.all, cores_of_card())));
            else
              listening.reached(static_cast<double>(now.done) / static_cast<double>(now.all));
            phases.end(now.done == 0 ? kPreparing : kListening);
          });
    }
    phases.end(kEnding);
    transcripts.end({{"model", wish.model},
                     {"precision", models::to_text(model.precision)},
                     {"language", transcriber.language()},
                     {"duration", sound.seconds()},
                     {"cut_short", sound.cut_short},
                     {"windows", transcriber.windows()}});
    if (!ready.model.training.only.empty() && doubts.any() && !cli.options().quiet) {
      fmt::print(stderr, "swai: {} knows {} only: something else seems to be in {}\n", wish.model,
                 common::printable(ready.model.training.only), common::printable(wish.files[i]));
    }
  }
  if (wish.stats) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const unsigned cores = cores_of_card();
    const auto shares = shares_of(phases, speech, listener ? &*listener : nullptr, cores);
    if (transcripts.json()) {
      Json stats = {
          {"jobs", work_json(listener ? listener->work() : transcribe::CardSpeech::Work(), "windows")},
          {"encoder", work_json(speech.heard(), "windows")},
          {"decoder", work_json(speech.decoded(), "tokens")},
          {"building", building_json(listener ? listener->building() : building::Work())},
          {"least_cycles", std::llround(speech.least_cycles(cores))},
          {"weight_bytes", speech.weight_bytes()},
          {"wall_seconds", wall.count()}};
      if (shares) {
        stats["phases"] = phases.json();
        stats["overhead_share"] = shares->overhead;
        stats["barrier_share"] = shares->barriers;
        stats["least_share"] = shares->least;
      }
      cli.print(stats);
    } else {
      print_stats(speech, listener ? &*listener : nullptr, phases, shares, wall.count(), seconds);
    }
  }
  return kDone;
}

}  // namespace

void add_transcribe(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "transcribe", "what is said in a sound", [&cli, wish] { return run(cli, *wish); }, kExamples);
  command->add_option("FILE", wish->files, "sounds: WAV, FLAC, OGG, MP3 (- for standard input)")->required();
  command->add_option("-m,--model", wish->model, "file or folder of a Whisper model, or a packed one")
      ->required();
  command->add_option("--format", wish->format, "of the text: text, srt, vtt, json, csv (default text)")
      ->check(CLI::IsMember(transcribe::format_names()))
      ->type_name("NAME");
  command
      ->add_option("--output-dir", wish->output_folder,
                   "writes a file for each sound, named after it, such as FOLDER/talk.srt")
      ->check([](const std::string& folder) { return folder.empty() ? "a folder without a name" : ""; })
      ->type_name("FOLDER");
  command
      ->add_option("--language", wish->options.language, "code of the spoken language; auto detects it [en]")
      ->type_name("CODE");
  command->add_option("--task", wish->options.task, "transcribe (default), or translate into English")
      ->check(CLI::IsMember({"transcribe", "translate"}))
      ->type_name("NAME");
  command
      ->add_option("--initial-prompt", wish->options.initial_prompt,
                   "a text that may have come before: names, style")
      ->type_name("TEXT");
  command->add_flag_callback(
      "--no-timestamps", [wish] { wish->options.timestamps = false; },
      "text without times: a window is one segment");
  command
      ->add_option(
          "--beams", wish->options.beams,
          "texts that are followed at once, of which the likeliest is said: slower, a little better; the "
          "host leads them (default 1)")
      ->check(CLI::Range(1, 16))
      ->type_name("N");
  command->add_flag_callback(
      "--no-fallback", [wish] { wish->fallback = false; },
      "the likeliest text as it is: no second attempts where it is no good");
  command->add_flag_callback(
      "--full-windows", [wish] { wish->short_windows = false; },
      "windows of 30 seconds for short sounds, too, where the model knows shorter ones");
  add_launch_options(*command, wish->launch, true);
  command
      ->add_option(
          "--build", wish->build,
          "async (default): the card builds the next list while one runs; sync: before it runs, while "
          "nothing does")
      ->check(CLI::IsMember({"async", "sync"}))
      ->type_name("MODE");
  command
      ->add_option("--memory", wish->memory,
                   "zero-copy (default): the card's processor and its cores share memory; copy: each has its "
                   "own, and what both use is copied on the card")
      ->check(CLI::IsMember({"zero-copy", "copy"}))
      ->type_name("MODE");
  command
      ->add_option("--precision", wish->precision,
                   "how weights are stored: w8a8 (default), fp32, w4a8: four bits where that costs little")
      ->check(CLI::IsMember(models::precision_names()))
      ->type_name("NAME");
  add_four_bits(*command, wish->four_bits);
  command
      ->add_option("--seed", wish->seed,
                   "of random numbers, for texts that have to be tried again (default 0)")
      ->type_name("N");
  command->add_flag("--stats", wish->stats, "what it took, on standard error");
}

}  // namespace swai::cli
