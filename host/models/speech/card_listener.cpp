// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/card_listener.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

namespace swai::transcribe {
namespace {

// The program is told of windows that were read when there are so many.
constexpr uint64_t kTell = listen::kKept / 2;
// Sound memory allocated from the beginning, in windows of the model, including the silence after the sound.
constexpr uint64_t kWindows = 3;

constexpr const char* kSoundMemory = "spectrogram of the sound";

}  // namespace

CardListener::CardListener(std::string name, std::span<const uint8_t> program, CardSpeech& speech,
                           const SpecialTokens& special)
    : speech_(speech),
      special_(special),
      kept_("logits of windows", listen::kKept * speech.logits_bytes()),
      sound_(walk::CardMemory(kSoundMemory, kWindows * speech.window_bytes())),
      job_(std::move(name), program) {
  speech_.expect_early_windows();
}

void CardListener::take(std::span<const float> mel, uint64_t frames) {
  speech_.place_window(mel);
  frames_ = frames;
  mel_.assign(mel.begin(), mel.end());
  if (sound_->bytes() >= mel.size_bytes()) return;
  sound_.reset();
  sound_.emplace(kSoundMemory, mel.size_bytes());
}

void CardListener::place_sound() {
  if (!mel_.empty()) sound_->put(walk::bytes_of(mel_));
  mel_.clear();
  job_.tell(listen::kSound, 1);
}

std::vector<uint8_t> CardListener::arguments_of(const Wish& wish) {
  listen::Wish told = speech_.places();
  told.mode = mode_;
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
  walk::add_bytes(bytes, before);
  return bytes;
}

void CardListener::listen(const Wish& wish, const std::function<bool(const Heard&)>& heard) {
  speech_.choose_likeliest();
  const size_t logits_bytes = speech_.logits_bytes();
  std::vector<float> logits(logits_bytes / sizeof(float));
  const std::vector<uint8_t> arguments = arguments_of(wish);
  speech_.wait_for_window();
  job_.start(arguments);
  // The first window needs no sound if it has been placed. Before the first token the processor must begin a
  // program; after it the card proceeds alone.
  bool later = speech_.has_window();
  if (!later) place_sound();
  speech_.forget_window();
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
    if (std::exchange(later, false)) place_sound();
    if (window.choices.empty()) {
      // While the card goes on.
      kept_.get({reinterpret_cast<uint8_t*>(logits.data()), logits_bytes},
                windows % listen::kKept * logits_bytes);
      window.no_speech = probability(logits, special_.no_speech);
    }
    window.choices.push_back(
        {message->token, static_cast<double>(std::bit_cast<float>(message->log_probability))});
    if (message->given == 0) continue;
    speech_.count_window(message->given, wish.directions.size() - 1, window.choices.size() - 1);
    speech_.count_attempt();
    wanted = heard(std::exchange(window, {}));
    ++work_.items;
    // A request, which the last window of a short sound needs not.
    if (++windows % kTell == 0) job_.tell(listen::kRead, windows);
    if (!wanted) job_.cancel();
  }
  const uint32_t code = job_.wait();
  if (code != listen::kAll && (wanted || code != listen::kCancelled)) job_.fail(code);
  work_.nanoseconds += job_.nanoseconds();
  count(speech_.program_work());
}

void CardListener::count(const building::Work& more) {
  building_.nodes += more.nodes;
  building_.build += more.build;
  building_.hidden += more.hidden;
  building_.graphs += more.graphs;
  building_.graph_nodes += more.graph_nodes;
  building_.patch += more.patch;
  building_.handing_over += more.handing_over;
  building_.longest_handover = std::max(building_.longest_handover, more.longest_handover);
  building_.copying += more.copying;
}

}  // namespace swai::transcribe
