#include "host/transcribe/card_listener.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

namespace swai::transcribe {
namespace {

// Parameters of a list as the program works them out. It adds and multiplies; the graph's sizes may be more
// than that, so all that it will need are compared.
std::vector<listen::Formula> formulas_of(const graph::Template& pattern, uint32_t most_rows) {
  const uint64_t most_past = static_cast<uint64_t>(pattern.symbols.at("past").most);
  const uint64_t least_rows = most_rows == 1 ? 1 : 2;
  const auto at = [&](uint64_t past, uint64_t rows, uint64_t begun) {
    std::map<std::string, int64_t> sizes = {{"past", static_cast<int64_t>(past)},
                                            {"begun", static_cast<int64_t>(begun)}};
    if (most_rows != 1) sizes["rows"] = static_cast<int64_t>(rows);
    return graph::parameters_of(pattern, sizes);
  };
  const auto base = at(0, least_rows, 0);
  const auto past = at(1, least_rows, 0), begun = at(0, least_rows, 1);
  const auto rows = at(0, std::min<uint64_t>(least_rows + 1, most_rows), 0);
  std::vector<listen::Formula> formulas;
  for (size_t i = 0; i < base.size(); ++i) {
    listen::Formula one = {0, past[i] - base[i], rows[i] - base[i], begun[i] - base[i]};
    one.constant = base[i] - one.rows * least_rows;
    formulas.push_back(one);
  }
  for (uint64_t row = least_rows; row <= most_rows; ++row) {
    for (const uint64_t before : {uint64_t{0}, uint64_t{1}, most_past / 2, most_past}) {
      for (const uint64_t text : {0, 1}) {
        const auto true_ones = at(before, row, text);
        for (size_t i = 0; i < formulas.size(); ++i)
          if (formulas[i].at(before, row, text) != true_ones[i])
            throw std::logic_error("a parameter of the decoder's list is no sum of its sizes");
      }
    }
  }
  return formulas;
}

}  // namespace

CardListener::CardListener(std::string name, std::span<const uint8_t> program, CardSpeech& speech,
                           const SpecialTokens& special)
    : speech_(speech),
      special_(special),
      parameters_("parameters", node::kMaxParameters * sizeof(uint64_t), walk::CardMemory::kShared),
      kept_("logits of windows", listen::kKept * speech.places().logits_bytes),
      job_(std::move(name), program) {}

void CardListener::take(std::span<const float> mel, uint64_t frames) {
  sound_.reset();
  sound_.emplace("spectrogram of the sound", walk::bytes_of(mel));
  frames_ = frames;
  several_ = formulas_of(speech_.several().pattern(), kChunk);
  one_ = formulas_of(speech_.one().pattern(), 1);
}

std::vector<uint8_t> CardListener::arguments_of(const Wish& wish) const {
  listen::Wish told = speech_.places();
  told.parameters = parameters_.address().bits();
  told.sound = sound_.value().address().bits();
  told.kept = kept_.address().bits();
  told.frame = wish.frame;
  told.frames = frames_;
  told.marks = special_;
  told.previous = special_.previous;
  told.timestamps = wish.timestamps ? 1 : 0;
  told.goes_on = wish.condition_on_previous ? 1 : 0;
  told.directions = static_cast<uint32_t>(wish.directions.size());
  if (wish.directions.size() > told.direction.size()) throw std::logic_error("too many directions");
  std::ranges::copy(wish.directions, told.direction.begin());
  const auto before =
      wish.before.last(std::min<size_t>(wish.before.size(), speech::most_before(told.context)));
  told.before = static_cast<uint32_t>(before.size());
  std::vector<uint8_t> bytes;
  walk::add_bytes(bytes, std::array{told});
  walk::add_bytes(bytes, several_);
  walk::add_bytes(bytes, one_);
  walk::add_bytes(bytes, before);
  return bytes;
}

void CardListener::listen(const Wish& wish, const std::function<bool(const Heard&)>& heard) {
  speech_.obey({});
  const size_t logits_bytes = speech_.places().logits_bytes;
  std::vector<float> logits(logits_bytes / sizeof(float));
  job_.start(arguments_of(wish));
  ++work_.launches;
  Heard window;
  uint64_t windows = 0;
  bool wanted = true;
  while (const auto message = job_.read<listen::Message>()) {
    if (!wanted) continue;
    if (wish.go_on && !wish.go_on()) {
      wanted = false;
      job_.cancel();
      continue;
    }
    if (message->kind == listen::Message::kChosen) {
      window.choices.push_back(
          {message->token, static_cast<double>(std::bit_cast<float>(message->log_probability))});
      continue;
    }
    kept_.get({reinterpret_cast<uint8_t*>(logits.data()), logits_bytes},
              windows % listen::kKept * logits_bytes);
    window.no_speech = probability(logits, special_.no_speech);
    speech_.count_attempt();
    wanted = heard(std::exchange(window, {}));
    ++work_.items;
    job_.tell(listen::kRead, ++windows);
    if (!wanted) job_.cancel();
  }
  const uint32_t code = job_.wait();
  if (code != listen::kAll && (wanted || code != listen::kCancelled)) job_.fail(code);
  work_.nanoseconds += job_.nanoseconds();
}

}  // namespace swai::transcribe
