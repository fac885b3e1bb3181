// SPDX-License-Identifier: Apache-2.0
// A Whisper model on the host, bit by bit as the card is to compute it: the lists that the host compiles,
// node by node by their goldens (verif/cpe-kernels/operators/golden), on the weights that are packed for the
// card. No kernel, no walker and no simulator is part of it; what it shares with the card's model is
// arithmetic on single numbers (docs/hardware/floating-point.md). It follows one text.
#pragma once

#include <array>
#include <map>

#include "host/models/speech/card_speech.hpp"
#include "verif/cpe-kernels/operators/golden/memory.hpp"

namespace swai::transcribe {

class HostSpeech : public Speech {
 public:
  HostSpeech(const WhisperModel& model, const Forbidden& forbidden, uint64_t seed);

  void begin_sound(uint32_t window) override;
  void hear(std::span<const float> mel) override;
  void begin() override { length_ = 0; }
  Choice append(std::span<const Token> tokens, const Rules& rules) override;
  double probability_of(Token token) override;
  // Throw std::logic_error.
  std::vector<Choice> split(const Rules& rules) override;
  std::vector<std::vector<Choice>> go_on(std::span<const Branch> branches) override;

 private:
  struct List {
    graph::Template pattern;
    std::vector<node::Node> nodes;
  };
  // Lists for windows of a length, with memory of their own.
  struct Window {
    List encoder, several, one;
    std::map<std::string, std::vector<uint8_t>> values;
    operators::golden::Memory memory;
  };

  Window make_window(uint32_t frames);
  void put(const std::string& name, std::span<const uint8_t> contents, size_t at = 0);
  template <typename T>
  std::vector<T> get(const std::string& name) const;
  void run(const List& list, const std::map<std::string, int64_t>& sizes);
  void obey(const Rules& rules);

  const CardWhisper card_;
  const Forbidden forbidden_;
  const uint64_t seed_;
  uint32_t length_ = 0;
  uint32_t stream_ = 0;                                  // of random numbers: another one for each attempt
  std::map<std::string, std::vector<uint8_t>> weights_;  // "encoder." or "decoder.", and their name
  std::map<uint32_t, Window> windows_;                   // by their frames
  Window* window_ = nullptr;
};

}  // namespace swai::transcribe
