#include "host/cli/bench/paper/shares.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "abi/argument_text.hpp"
#include "host/audio/mel.hpp"
#include "host/audio/sound.hpp"
#include "host/cli/bench/paper/published.hpp"
#include "host/cli/error.hpp"
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
  const char* name;
  building::Launches launches;
  bool program;
};
constexpr Way kWays[] = {{"two-tier, operators", building::Launches::kNodes, false},
                         {"two-tier, lists", building::Launches::kList, false},
                         {"three-tier", building::Launches::kList, true}};

PaperTable titled() {
  return {"shares", "Time of a job in which nothing computes: Fig. 10", "cycles", "cycles", {}, {}, {}};
}

void add(PaperTable& table, std::string what, Source source, std::vector<std::optional<double>> values,
         bool share = false) {
  PaperRow row{std::move(what), source, std::move(values)};
  row.share = share;
  table.rows.push_back(std::move(row));
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
  const transcribe::WhisperFile file(transcribe::open_whisper(job.model, std::nullopt));
  const audio::Sound sound = audio::read_sound(job.sound);
  const ModuleFile operators(places().operators);
  const std::vector<uint8_t> image = kernel_run::read_file(places().listen);
  walk::Walker walker(places().operators, operators.bytes());
  CardSpeech speech(walker, file.model, file.forbidden(), 0);
  CardListener listener(places().listen, image, speech, file.special);
  const audio::Mel mel = audio::log_mel(sound.samples, file.model.card.shape.mels);
  const uint64_t frames = (sound.samples.size() + audio::kHop - 1) / audio::kHop;
  transcribe::Options how;
  how.temperatures = {0};
  how.short_windows = file.model.training.short_windows;

  std::string said;
  const auto run = [&](const Way& way) {
    const Progress progress(!options.quiet, way.name);
    walker.launch(way.launches);
    transcribe::Transcriber transcriber(speech, way.program ? &listener : nullptr, *file.tokenizer,
                                        file.special, file.model.card.frames(),
                                        file.model.card.shape.text_context, how);
    std::string text;
    transcriber.run(mel, frames, [&](const transcribe::Said& one) { text += one.text; });
    if (!said.empty() && text != said)
      throw Error(kFailed, fmt::format("{} hears '{}', not '{}'", way.name, text, said));
    said = text;
  };
  WorkPhases phases;
  for (const Way& way : kWays) {
    run(way);  // what is needed for the first time is there then
    phases.end("");
    run(way);
    phases.end(way.name);
  }

  PaperTable table = titled();
  std::vector<std::optional<double>> cycles, busy, overhead, share, ratio;
  for (const WorkPhases::Phase& phase : phases.all()) {
    if (phase.name.empty()) continue;
    table.columns.push_back(phase.name);
    const auto all = static_cast<double>(phase.cycles), any = static_cast<double>(phase.work.any);
    cycles.emplace_back(all);
    busy.emplace_back(any);
    overhead.emplace_back(all - any);
    share.emplace_back((all - any) / all);
    ratio.emplace_back(*overhead.back() / *overhead.front());
  }
  if (table.columns.empty()) throw Error(kBadInput, "no engine's work is counted on this card: it takes RTL");
  add(table, "the job", Source::kMeasured, cycles);
  add(table, "an engine works", Source::kMeasured, busy);
  add(table, "overhead: none does", Source::kMeasured, overhead);
  add(table, "overhead over the job", Source::kFormula, share, true);
  add(table, "overhead over that of two-tier, operators", Source::kFormula, ratio, true);
  std::vector<std::optional<double>> paper(table.columns.size());
  paper.back() = published::kBestOverheadRatio;
  add(table, "the paper's over PyTorch's, at best", Source::kPublished, paper, true);
  if (*ratio.back() > published::kBestOverheadRatio) {
    table.rows[4].worse = fmt::format(
        "between operators of a list cores run code that is not in their caches, whoever launches; the "
        "paper's is {:g} at best, for large's shape and a long sound, and less than {:g} typically",
        published::kBestOverheadRatio, published::kTypicalOverheadRatio);
  }
  table.notes.push_back(
      fmt::format("{} hears '{}' in {}. Of each way the second run counts. Loading is no part of it. DMA "
                  "that fetches nodes ahead counts as work, unless its core waits at a barrier.",
                  job.model, said, job.sound));
  table.notes.emplace_back("Base's and large's shapes are not measured in all these ways.");
  return table;
}

}  // namespace swai::cli::bench
