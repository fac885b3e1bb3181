// SPDX-License-Identifier: Apache-2.0
// A Whisper model on a card.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "abi/listen.hpp"
#include "host/models/exec/early_copy.hpp"
#include "host/models/exec/list.hpp"
#include "host/models/exec/named_memory.hpp"
#include "host/models/exec/pattern_memory.hpp"
#include "host/models/speech/beam_chunks.hpp"
#include "host/models/speech/speech.hpp"
#include "host/models/speech/whisper_graph.hpp"
#include "host/models/speech/whisper_model.hpp"

namespace swai::transcribe {

// Tokens that are never chosen, and those that are not chosen first.
struct Forbidden {
  std::vector<Token> always;
  std::vector<Token> first;
};

class CardSpeech : public Speech {
 public:
  // `beams`: texts that go on at once, at most. Throws walk::CardError when the card has not so much memory.
  CardSpeech(walk::Walker& walker, const WhisperModel& model, const Forbidden& forbidden, uint64_t seed,
             uint32_t beams = 1);

  void begin_sound(uint32_t window) override;
  void hear(std::span<const float> mel) override;
  void begin() override { length_ = 0; }
  Choice append(std::span<const Token> tokens, const Rules& rules) override;
  double probability_of(Token token) override;
  std::vector<Choice> split(const Rules& rules) override;
  std::vector<std::vector<Choice>> go_on(std::span<const Branch> branches) override;

  // For programs that build and launch its lists themselves: where everything lies (addresses of a sound
  // apart), and that the likeliest token is chosen. Lists are those of the sound that has begun.
  listen::Wish places();
  void choose_likeliest() { set_temperature(0); }
  // Opens a stream for first windows and copies zeros on it, so that it is ready when a window comes. To be
  // called after a program was loaded: a program needs a queue of its own, streams can share one.
  void expect_early_windows();
  // A sound's first window, of rows of frames, lies where the encoder reads, from the end of
  // wait_for_window() until something else does.
  void place_window(std::span<const float> mel);
  void wait_for_window() { window_copy_.value().wait(); }
  bool has_window() const { return is_placed_; }
  void forget_window() { is_placed_ = false; }
  // What the last such program has done.
  building::Work program_work() const;
  const CardWhisper& card() const { return card_; }
  size_t logits_bytes() const { return logits_.bytes(); }
  // Size of the longest window.
  size_t window_bytes() const;
  // They have made an attempt, which has random numbers of its own.
  void count_attempt() { ++stream_; }

  struct Work {
    uint64_t launches = 0;
    uint64_t nanoseconds = 0;  // of the card
    uint64_t items = 0;        // windows, or tokens
  };
  const Work& heard() const { return heard_; }
  const Work& decoded() const { return decoded_; }
  // A program has heard a window: it gave the decoder tokens up to the first direction, then the other
  // directions, then so many tokens one by one.
  void count_window(uint64_t given, uint64_t others, uint64_t steps);
  // What all passes so far take at least on a card with so many cores: each operator by itself, at the card's
  // limits (graph/demand.hpp).
  double least_cycles(unsigned cpes) const;
  // What a sound of so many frames takes, about: for who waits.
  double usual_cycles(uint64_t frames, unsigned cpes) const;
  // Of the lists of all passes so far, whoever launched them.
  uint64_t nodes() const;
  size_t weight_bytes() const { return encoder_weights_.bytes() + decoder_weights_.bytes(); }

 private:
  struct Lists {
    walk::List encoder, several, one;
  };
  // For windows of a length; what their lists work with lies in the same places for all. Lists are built
  // here, or by the card from their templates.
  struct Window {
    uint32_t frames;
    WhisperPrograms programs;
    std::optional<graph::Program> beams;
    std::optional<Lists> lists;
    std::optional<walk::List> beams_list;
    std::optional<walk::PatternMemory> patterns;
  };

  // Where there are several.
  struct Beams {
    Beams(const CardWhisper& card, uint32_t most);

    uint32_t count;
    graph::Program program;  // of the longest window
    BeamChunks chunks;
    walk::NamedMemory inputs, outputs;
  };

  Lists& lists();
  walk::List& beams_list();
  cpe::GlobalPtr<void> encoder_address(const graph::Template::Base& base) const;
  cpe::GlobalPtr<void> decoder_address(const graph::Template::Base& base) const;
  cpe::GlobalPtr<void> beams_address(const graph::Template::Base& base) const;
  void place(const WhisperModel& model);
  enum class Of { kEncoder, kText, kBeams };
  struct Pass {
    uint32_t window;
    Of of;
    uint64_t rows;
    uint64_t past;
    auto operator<=>(const Pass&) const = default;
  };
  static std::map<std::string, int64_t> sizes_of(const Pass& pass, bool begun);
  static const graph::Program& program_of(const Pass& pass, const Window& window);
  double least_cycles_of(const Pass& pass, unsigned cpes) const;
  std::vector<std::vector<Choice>> choices_of_beams(size_t count) const;

  void obey(const Rules& rules);
  void set_temperature(double temperature);
  void drop_window();
  void run(walk::List& list, const std::map<std::string, int64_t>& sizes, Work& work, uint64_t items);

  walk::Walker& walker_;
  const CardWhisper card_;
  const uint64_t seed_;
  uint32_t length_ = 0;
  Token last_ = 0;
  uint32_t stream_ = 0;  // of random numbers: another one for each attempt
  std::vector<uint8_t> settings_there_;
  std::optional<Beams> beams_;
  walk::NamedMemory encoder_weights_, decoder_weights_, states_, cross_;
  walk::CardMemory padded_, mel_;
  std::optional<walk::EarlyCopy> window_copy_;
  walk::CardMemory forbidden_, settings_, words_, logits_, between_;
  std::optional<walk::CardMemory> causal_, unmasked_;  // of eager graphs
  std::map<uint32_t, Window> windows_;                 // by their frames
  Window* window_ = nullptr;
  bool is_placed_ = false;
  Work heard_, decoded_;
  std::map<Pass, uint64_t> passes_;  // how often each was made
};

}  // namespace swai::transcribe
