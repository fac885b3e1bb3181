// SPDX-License-Identifier: Apache-2.0
#include "host/cli/bench/paper/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "abi/argument_text.hpp"
#include "host/audio/mel.hpp"
#include "host/audio/sound.hpp"
#include "host/cli/bench/paper/call_times.hpp"
#include "host/cli/bench/paper/eager.hpp"
#include "host/cli/bench/paper/published.hpp"
#include "host/cli/error.hpp"
#include "host/cli/measured.hpp"
#include "host/cli/module_file.hpp"
#include "host/cli/places.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/work_phases.hpp"
#include "host/transcribe/card_listener.hpp"
#include "host/transcribe/transcriber.hpp"
#include "host/transcribe/whisper_file.hpp"

namespace swai::cli::bench {
namespace {

using transcribe::CardListener, transcribe::CardSpeech;

struct Way {
  std::string name;
  building::Launches launches = building::Launches::kList;
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

// A model on a card, and a sound that it hears in one way after the other.
class Job {
 public:
  Job(const Options& options, const SpokenJob& job)
      : options_(options),
        job_(job),
        file_(transcribe::open_whisper(job.model, std::nullopt)),
        operators_(places().operators),
        image_(kernel_run::read_file(places().listen)),
        walker_(places().operators, operators_.bytes()),
        speech_(walker_, file_.model, file_.forbidden(), 0),
        listener_(places().listen, image_, speech_, file_.special) {
    const audio::Sound sound = audio::read_sound(job.sound);
    mel_ = audio::log_mel(sound.samples, file_.model.card.shape.mels);
    frames_ = (sound.samples.size() + audio::kHop - 1) / audio::kHop;
    how_.temperatures = {0};
    how_.timestamps = job.timestamps;
    how_.short_windows = file_.model.training.short_windows;
  }

  Ran run(const Way& way) {
    // What is needed for the first time is there then.
    if (!job_.once) hear(way);
    const uint64_t launches = launched(), graphs = listener_.building().graphs, nodes = speech_.nodes();
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
            speech_.nodes() - nodes,
            times.first({"sdaaLaunch", "sdaaProgramStart"}) - begin,
            phase.cycles,
            phase.work.any};
  }

  // Of PyTorch, whose first pass of the decoder takes all directions, which ours takes in two.
  uint64_t eager_launches(uint64_t passes) const {
    return eager::launches({file_.model.card.shape.audio_layers, windows_, passes / windows_ - 1});
  }
  const std::string& said() const { return said_; }

 private:
  uint64_t launched() const {
    return speech_.heard().launches + speech_.decoded().launches + listener_.work().launches;
  }

  void hear(const Way& way, const std::function<void(const transcribe::Progress&)>& reached = {}) {
    const Progress progress(!options_.quiet, way.name);
    walker_.launch(way.launches, way.host_us);
    transcribe::Transcriber transcriber(speech_, way.program ? &listener_ : nullptr, *file_.tokenizer,
                                        file_.special, file_.model.card.frames(),
                                        file_.model.card.shape.text_context, how_);
    std::string text;
    transcriber.run(
        mel_, frames_, [&](const transcribe::Said& one) { text += one.text; }, reached);
    windows_ = transcriber.windows();
    if (!said_.empty() && text != said_)
      throw Error(kFailed, fmt::format("{} hears '{}', not '{}'", way.name, text, said_));
    said_ = text;
  }

  const Options& options_;
  const SpokenJob& job_;
  const transcribe::WhisperFile file_;
  const ModuleFile operators_;
  const std::vector<uint8_t> image_;
  walk::Walker walker_;
  CardSpeech speech_;
  CardListener listener_;
  audio::Mel mel_;
  uint64_t frames_ = 0;
  transcribe::Options how_;
  uint64_t windows_ = 0;
  std::string said_;
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
      "PyTorch's operators, reckoned pacing: the same launches, but for each the host takes as long as for "
      "its share of the operators that eager PyTorch issues for this job. What those compute besides ours is "
      "not computed: it would be work, and hide some of the host's time.");
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
  const auto by_nodes = [&](std::string name, double us) {
    Ran ran = measured.run({.name = std::move(name), .launches = building::Launches::kNodes, .host_us = us});
    if (ran.launches != three_tier.nodes)
      throw Error(kFailed, fmt::format("{}: the host launched {} operators, but the program's lists have {}",
                                       ran.name, ran.launches, three_tier.nodes));
    return ran;
  };
  std::vector<Ran> all;
  if (!job.only_pytorch) {
    all.push_back(by_nodes("two-tier, operators", 0));
    if (!job.once) all.push_back(measured.run({.name = "two-tier, lists"}));
  }
  const double eager =
      static_cast<double>(measured.eager_launches(three_tier.passes)) / static_cast<double>(three_tier.nodes);
  for (const double us : job.host_us) {
    if (!job.only_pytorch) all.push_back(by_nodes(fmt::format("two-tier, operators, {:g} us each", us), us));
    all.push_back(by_nodes(fmt::format("two-tier, PyTorch's operators, {:g} us each", us), us * eager));
  }
  all.push_back(std::move(three_tier));
  return table_of(job, all, measured);
}

}  // namespace swai::cli::bench
