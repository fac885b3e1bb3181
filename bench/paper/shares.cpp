// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "host/lib/argument_text.hpp"
#include "host/models/audio/mel.hpp"
#include "host/models/audio/sound.hpp"
#include "bench/paper/call_times.hpp"
#include "bench/paper/eager.hpp"
#include "bench/paper/published.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/measured.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/work_phases.hpp"
#include "host/models/speech/card_listener.hpp"
#include "host/models/speech/transcriber.hpp"
#include "host/models/speech/whisper_file.hpp"

namespace swai::cli::bench {
namespace {

using transcribe::CardListener, transcribe::CardSpeech;

// Whose operators a way launches.
enum class Operators { kOurs, kPyTorch };

struct Way {
  std::string name;
  building::Launches launches = building::Launches::kList;
  Operators operators = Operators::kOurs;
  bool program = false;
  double host_us = 0;  // that the host's software takes for each launch
};

// From the first byte of sound that leaves the host to the last token's arrival.
struct Ran {
  std::string name;
  double host_us = 0;
  uint64_t launches = 0;  // of the host
  uint64_t passes = 0;    // of the decoder; by the program
  uint64_t nodes = 0;     // of all lists
  uint64_t before = 0;    // cycles until the first launch
  uint64_t cycles = 0;
  uint64_t busy = 0;  // an engine works
  double overhead() const { return static_cast<double>(cycles - busy); }
};

// A model on the card, and what was said by it.
struct Loaded {
  Loaded(transcribe::WhisperModel model, walk::Walker& walker)
      : file(std::move(model)), speech(walker, file.model, file.forbidden(), 0) {}

  const transcribe::WhisperFile file;
  CardSpeech speech;
  std::string said;
};

// Two graphs of a model on a card, and a sound that it hears in one way after the other.
class Job {
 public:
  Job(const Options& options, const SpokenJob& job)
      : options_(options),
        job_(job),
        operators_(places().operators),
        image_(kernel_run::read_file(places().listen)),
        walker_(places().operators, operators_.bytes()),
        ours_(transcribe::open_whisper(job.model, std::nullopt), walker_),
        listener_(places().listen, image_, ours_.speech, ours_.file.special) {
    const audio::Sound sound = audio::read_sound(job.sound);
    const transcribe::CardWhisper& card = ours_.file.model.card;
    mel_ = audio::log_mel(sound.samples, card.shape.mels);
    frames_ = (sound.samples.size() + audio::kHop - 1) / audio::kHop;
    how_.temperatures = {0};
    how_.timestamps = false;
    how_.condition_on_previous = false;
    how_.short_windows = ours_.file.model.training.short_windows;
  }

  Ran run(const Way& way) {
    Loaded& model = model_of(way);
    // What is needed for the first time is there then.
    if (!job_.once) hear(way);
    const auto launched = [&] {
      return model.speech.heard().launches + model.speech.decoded().launches +
             (way.program ? listener_.work().launches : 0);
    };
    const uint64_t launches = launched(), graphs = listener_.building().graphs, nodes = model.speech.nodes();
    WorkPhases phases;
    const CallTimes times;
    uint64_t begin = 0;
    hear(way, [&](const transcribe::Progress& now) {
      phases.end(now.done == 0 ? "preparing" : way.name);
      if (now.done == 0) begin = card_time();
    });
    if (phases.all().empty())
      throw Error(kBadInput, "no engine's work is counted on this card: it takes RTL");
    const WorkPhases::Phase& phase = phases.at(way.name);
    return {way.name,
            way.host_us,
            launched() - launches,
            way.program ? listener_.building().graphs - graphs - windows_ : 0,
            model.speech.nodes() - nodes,
            times.first({"sdaaLaunch", "sdaaProgramStart"}) - begin,
            phase.cycles,
            phase.work.any};
  }

  // Of PyTorch, whose first pass of the decoder takes all directions, which ours takes in two.
  uint64_t eager_launches(uint64_t passes) const {
    const models::WhisperShape& shape = ours_.file.model.card.shape;
    return eager::launches({shape.audio_layers, shape.text_layers, windows_, passes / windows_ - 1});
  }
  const std::string& said() const { return ours_.said; }

 private:
  Loaded& model_of(const Way& way) {
    if (way.operators == Operators::kOurs) return ours_;
    if (!eager_) eager_.emplace(transcribe::open_eager_whisper(job_.model), walker_);
    return *eager_;
  }

  void hear(const Way& way, const std::function<void(const transcribe::Progress&)>& reached = {}) {
    const Progress progress(!options_.quiet, way.name);
    Loaded& model = model_of(way);
    const transcribe::CardWhisper& card = model.file.model.card;
    walker_.launch(way.launches, way.host_us);
    transcribe::Options how = how_;
    how.detect_silence = way.operators == Operators::kOurs;
    transcribe::Transcriber transcriber(model.speech, way.program ? &listener_ : nullptr,
                                        *model.file.tokenizer, model.file.special, card.frames(),
                                        card.shape.text_context, how);
    std::string text;
    transcriber.run(
        mel_, frames_, [&](const transcribe::Said& one) { text += one.text; }, reached);
    windows_ = transcriber.windows();
    if (!model.said.empty() && text != model.said)
      throw Error(kFailed, fmt::format("{} hears '{}', not '{}'", way.name, text, model.said));
    model.said = text;
  }

  const Options& options_;
  const SpokenJob& job_;
  const ModuleFile operators_;
  const std::vector<uint8_t> image_;
  walk::Walker walker_;
  Loaded ours_;
  std::optional<Loaded> eager_;  // once it is needed
  CardListener listener_;
  audio::Mel mel_;
  uint64_t frames_ = 0;
  transcribe::Options how_;
  uint64_t windows_ = 0;
};

PaperTable titled() {
  return {"shares", "Time of a job in which nothing computes: Fig. 10", "cycles", "cycles", {}, {}, {}};
}

PaperRow& add(PaperTable& table, std::string what, Source source, std::vector<std::optional<double>> values,
              bool share = false) {
  PaperRow row{std::move(what), source, std::move(values)};
  row.share = share;
  return table.rows.emplace_back(std::move(row));
}

PaperTable table_of(const SpokenJob& job, const std::vector<Ran>& all, const Job& measured) {
  PaperTable table = titled();
  const auto values = [&](auto value) {
    std::vector<std::optional<double>> row;
    for (const Ran& one : all) row.emplace_back(static_cast<double>(value(one)));
    return row;
  };
  for (const Ran& one : all) table.columns.push_back(one.name);
  add(table, "the job", Source::kMeasured, values([](const Ran& one) { return one.cycles; }));
  add(table, "an engine works", Source::kMeasured, values([](const Ran& one) { return one.busy; }));
  add(table, "overhead: none does", Source::kMeasured, values([](const Ran& one) { return one.overhead(); }));
  add(table, "of it, before the first launch: the sound goes to the card", Source::kMeasured,
      values([](const Ran& one) { return one.before; }));
  add(table, "overhead over the job", Source::kFormula,
      values([](const Ran& one) { return one.overhead() / static_cast<double>(one.cycles); }), true);
  add(table, "launches by the host", Source::kMeasured, values([](const Ran& one) { return one.launches; }),
      true);
  add(table, "the host's time for a launch, us", Source::kFormula,
      values([](const Ran& one) { return one.host_us; }), true);
  const double three_tier = all.back().overhead();
  auto ratio = values([&](const Ran& one) { return three_tier / one.overhead(); });
  ratio.back() = std::nullopt;
  PaperRow& ours = add(table, "three-tier's overhead over it", Source::kFormula, ratio, true);
  const auto best = std::ranges::min_element(ratio.begin(), ratio.end() - 1);
  if (**best > published::kBestOverheadRatio) {
    ours.worse = fmt::format(
        "between operators of a list cores run code that is not in their caches, whoever launches; the "
        "paper's is {:g} at best, for large's shape and a long sound, and less than {:g} typically",
        published::kBestOverheadRatio, published::kTypicalOverheadRatio);
  }
  add(table, "the paper's over PyTorch's, at best", Source::kPublished,
      values([](const Ran&) { return published::kBestOverheadRatio; }), true)
      .values.back() = std::nullopt;
  table.notes.push_back(fmt::format(
      "{} hears '{}' in {}. Of each way the {} run counts, from the first byte of sound that leaves "
      "the host to the last token's arrival. Loading is no part of it. Work is a systolic or a vector "
      "unit, or a transfer of an operator's operands: lists, arguments and weights that are fetched "
      "ahead are none.",
      job.model, measured.said(), job.sound, job.once ? "first" : "second"));
  table.notes.emplace_back(
      "Operators: the host launches ours, in which several of PyTorch's are one, one by one, streamed; "
      "without another word its software takes no time.");
  table.notes.emplace_back(
      "PyTorch's operators: those that eager PyTorch issues, with weights in fp32 that are cast where they "
      "are "
      "used, launched one by one, streamed, and waited for once for each token.");
  return table;
}

}  // namespace

PaperTable empty_share_table() {
  PaperTable table = titled();
  table.columns = {"three-tier over two-tier"};
  add(table, "overhead, the paper's, at best", Source::kPublished, {published::kBestOverheadRatio}, true);
  add(table, "overhead, the paper's, typically less than", Source::kPublished,
      {published::kTypicalOverheadRatio}, true);
  PaperRow row{"overhead, ours", Source::kMeasured, {std::nullopt}};
  row.missing = "it takes a run on RTL: --model build/models/digits --sound FILE";
  table.rows.push_back(std::move(row));
  return table;
}

PaperTable share_table(const Options& options, const SpokenJob& job) {
  Job measured(options, job);
  // The program first: it tells how many passes the decoder takes, and so how many operators PyTorch issues.
  Ran three_tier = measured.run({.name = "three-tier", .program = true});
  const auto by_host = [&](const char* what, Operators operators, double us, uint64_t launches) {
    Ran ran = measured.run(
        {.name = fmt::format("two-tier, {}{}", what, us == 0 ? "" : fmt::format(", {:g} us each", us)),
         .launches = building::Launches::kNodes,
         .operators = operators,
         .host_us = us});
    if (ran.launches != launches) {
      throw Error(kFailed, fmt::format("{}: the host launched {} operators, but a text of as many tokens as "
                                       "three-tier says has {}",
                                       ran.name, ran.launches, launches));
    }
    return ran;
  };
  std::vector<Ran> all;
  if (!job.only_pytorch && !job.once) all.push_back(measured.run({.name = "two-tier, lists"}));
  for (const double us : job.host_us) {
    if (!job.only_pytorch) all.push_back(by_host("operators", Operators::kOurs, us, three_tier.nodes));
    all.push_back(
        by_host("PyTorch's operators", Operators::kPyTorch, us, measured.eager_launches(three_tier.passes)));
  }
  all.push_back(std::move(three_tier));
  return table_of(job, all, measured);
}

}  // namespace swai::cli::bench
