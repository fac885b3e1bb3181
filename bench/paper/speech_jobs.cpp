// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/speech_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/lib/argument_text.hpp"
#include "host/models/audio/mel.hpp"
#include "bench/paper/call_times.hpp"
#include "bench/paper/card_launches.hpp"
#include "bench/paper/random_speech.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/models/graph/demand.hpp"
#include "host/models/speech/card_listener.hpp"
#include "host/models/speech/transcriber.hpp"
#include "host/models/speech/whisper_file.hpp"

namespace swai::cli::bench {
namespace {

using transcribe::CardSpeech, transcribe::CardListener, transcribe::WhisperFile;

constexpr uint64_t kRate = 16'000;

std::vector<float> sound(unsigned seconds) {
  std::vector<float> samples(seconds * kRate);
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto at = static_cast<double>(i);
    samples[i] = static_cast<float>(0.2 * std::sin(at * at / kRate / 40) * std::sin(at / kRate));
  }
  return samples;
}

// A text ends when it has half as many tokens as the decoder knows.
models::WhisperShape shape_of(const SpeechJob& job) {
  models::WhisperShape shape = shape_named(job.shape);
  if (job.width != 0) shape = narrowed(shape, job.width);
  shape.text_context = 2 * job.tokens;
  return shape;
}

// A narrow one has the operators of the shape's own lists.
WhisperFile random_file(const SpeechJob& job) {
  transcribe::WhisperModel model =
      transcribe::whisper_model(random_speech("random weights", shape_of(job)), models::Precision::kW8A8);
  if (job.width != 0) {
    const uint32_t stands_for = std::max(shape_named(job.shape).width / job.width, 1U);
    model.programs = transcribe::whisper_programs(model.card, stands_for);
  }
  return WhisperFile(std::move(model));
}

using Nodes = std::vector<uint16_t>;
Nodes nodes_of(const graph::Program& program) {
  Nodes nodes;
  for (const node::Node& one : program.pattern.nodes) nodes.push_back(one.operation);
  return nodes;
}

// What a narrow model launches is what the shape itself does, if their lists have the same operators. The
// shape's.
transcribe::WhisperPrograms require_same_lists(const SpeechJob& job,
                                               const transcribe::WhisperPrograms& narrow) {
  SpeechJob whole = job;
  whole.width = 0;
  const models::WhisperShape shape = shape_of(whole);
  const transcribe::CardWhisper card =
      transcribe::make_card_whisper(job.shape, shape, models::Precision::kW8A8,
                                    transcribe::whisper_formats(models::Precision::kW8A8, {}), false);
  transcribe::WhisperPrograms full = transcribe::whisper_programs(card);
  if (nodes_of(full.encoder) != nodes_of(narrow.encoder) ||
      nodes_of(full.several) != nodes_of(narrow.several) || nodes_of(full.one) != nodes_of(narrow.one)) {
    throw Error(kBadInput, fmt::format("--width {}: lists of so narrow a model have other operators than "
                                       "those of the shape {}",
                                       job.width, job.shape));
  }
  return full;
}

// Of a window's passes: start, three more directions, then each token.
double least_cycles(const transcribe::WhisperPrograms& programs, uint64_t windows, uint64_t tokens) {
  constexpr int64_t kDirections = 4;
  sdaaDeviceProp_t properties = {};
  check(sdaaGetDeviceProperties(&properties, 0), "properties of the card");
  const graph::Limits limits = graph::limits_of(static_cast<unsigned>(properties.rows * properties.columns));
  const auto cycles = [&](const graph::Program& program, const std::map<std::string, int64_t>& sizes) {
    double sum = 0;
    for (const graph::NodeDemand& node : graph::demand_of(program.pattern, sizes)) sum += node.cycles(limits);
    return sum;
  };
  double window = cycles(programs.encoder, {}) + cycles(programs.one, {{"past", 0}, {"begun", 1}}) +
                  cycles(programs.several, {{"past", 1}, {"rows", kDirections - 1}, {"begun", 1}});
  for (uint64_t step = 0; step < tokens; ++step)
    window += cycles(programs.one, {{"past", kDirections + static_cast<int64_t>(step)}, {"begun", 1}});
  return static_cast<double>(windows) * window;
}

struct Seen {
  uint64_t windows = 0;
  uint64_t over_link = 0;
  uint64_t ended = 0;  // by the card's own count
};

Seen transcribe_once(CardSpeech& speech, CardListener* listener, const WhisperFile& file,
                     const audio::Mel& mel, uint64_t frames) {
  const auto launched = [&] {
    return speech.heard().launches + speech.decoded().launches +
           (listener != nullptr ? listener->work().launches : 0);
  };
  transcribe::Options options;
  // Windows of 30 seconds, each with a text of its own, whatever it is.
  options.temperatures = {0};
  options.no_speech = 1;
  options.timestamps = false;
  options.condition_on_previous = false;
  transcribe::Transcriber transcriber(speech, listener, *file.tokenizer, file.special,
                                      file.model.card.frames(), file.model.card.shape.text_context, options);
  const uint64_t ended = card_launches(), before = launched();
  transcriber.run(mel, frames, [](const transcribe::Said&) {});
  return {transcriber.windows(), launched() - before, card_launches() - ended};
}

}  // namespace

SpeechLaunches count_launches(const Options& options, const SpeechJob& job) {
  const WhisperFile file = random_file(job);
  const transcribe::WhisperPrograms whole =
      job.width != 0 ? require_same_lists(job, file.model.programs) : file.model.programs;
  const ModuleFile operators(places().operators);
  const std::vector<uint8_t> image = kernel_run::read_file(places().listen);
  walk::Walker walker(places().operators, operators.bytes());
  transcribe::Forbidden forbidden = file.forbidden();
  forbidden.always.push_back(file.special.end);
  CardSpeech speech(walker, file.model, forbidden, 0);
  CardListener listener(places().listen, image, speech, file.special);
  const audio::Mel mel = audio::log_mel(sound(job.seconds), file.model.card.shape.mels);
  const uint64_t frames = job.seconds * kRate / audio::kHop;
  const auto seen = [&](const char* how, building::Launches launches, CardListener* by) {
    const Progress progress(!options.quiet, fmt::format("{}, {} s, {}", job.shape, job.seconds, how));
    walker.launch(launches);
    return transcribe_once(speech, by, file, mel, frames);
  };
  std::optional<CallTimes> times(std::in_place);
  const Seen program = seen("by the card", building::Launches::kList, &listener);
  const uint64_t host_copying = times->of("sdaaMemcpy").nanoseconds;
  times.reset();
  const building::Work async = listener.building();
  building::Mode mode = {building::When::kSync, building::Launches::kList, building::Memory::kZeroCopy, 0};
  listener.build(mode);
  const Seen in_order = seen("by the card, lists built in order", building::Launches::kList, &listener);
  building::Work sync = listener.building();
  sync.nodes -= async.nodes;
  sync.build -= async.build;
  mode.memory = building::Memory::kCopy;
  listener.build(mode);
  const Seen copied =
      seen("by the card, what processor and cores use copied", building::Launches::kList, &listener);
  const Seen lists = seen("list by list", building::Launches::kList, nullptr);
  const Seen each = seen("operator by operator", building::Launches::kNodes, nullptr);
  for (const Seen& two_tier : {lists, each}) {
    if (two_tier.ended != two_tier.over_link) {
      throw Error(kFailed, fmt::format("the host has launched {} times, and the card has ended {} launches",
                                       two_tier.over_link, two_tier.ended));
    }
  }
  if (program.windows != lists.windows || program.windows != each.windows ||
      program.windows != in_order.windows || program.windows != copied.windows)
    throw Error(kFailed, "the ways to launch do not hear the same windows");
  return {file.model.card.shape.audio_layers,
          program.windows,
          each.over_link,
          lists.over_link,
          program.over_link,
          program.ended,
          async,
          sync,
          host_copying,
          least_cycles(whole, program.windows, job.tokens),
          listener.building().copying};
}

}  // namespace swai::cli::bench
