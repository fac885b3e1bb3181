// SPDX-License-Identifier: Apache-2.0
// What the program `listen` (firmware/programs/listen.cpp) is told by its host: where a sound lies, and
// templates of the lists of a speech model. It goes from window to window, and sends what each token of a
// window is.
#pragma once

#include <array>
#include <cstdint>

#include "abi/building.hpp"
#include "abi/program.hpp"
#include "abi/speech_rules.hpp"

namespace swai::listen {

// Of a launch.
inline constexpr uint32_t kMostTokens = 32;
inline constexpr uint32_t kMostDirections = 4;
// Logits of so many windows are kept; the program waits until the host has read them.
inline constexpr uint32_t kKept = 4;

// Memory that processor and cores reach, and what each of them writes is in lines of its own.
struct Words {
  alignas(64) speech::RuledOut ranges;
  alignas(64) std::array<uint32_t, kMostTokens> tokens;
  alignas(64) uint32_t token;  // that was chosen
  uint32_t end;                // the one that ends a text; the program writes it before any is chosen
  uint32_t log_probability;    // its bits
  building::Work work;         // when the program has ended
};
static_assert(sizeof(Words) == 384);

// The arguments: this, then `before` tokens, without gaps.
struct Wish {
  program::Kernel walk;
  uint64_t words;   // device pointers: Words
  uint64_t sound;   // rows of frames, with a window of silence behind the last one
  uint64_t window;  // where the encoder reads
  uint64_t placed;  // the window that lies there already begins at this frame; kNone: none does
  uint64_t kept;    // logits behind the first direction, of kKept windows
  uint64_t logits_bytes;
  uint64_t frame_bytes;
  uint64_t frame;   // the first window begins there
  uint64_t frames;  // of sound
  uint64_t window_frames;
  building::Source encoder;  // has no sizes that are open
  // The decoder's: `past` tokens are there, `begun`: the text is not empty; takes up to kMostTokens, `rows`.
  building::Source several;
  building::Source one;
  building::Mode mode;
  speech::Marks marks;
  uint32_t vocabulary;
  uint32_t previous;  // the token that stands before what was said before
  uint32_t context;   // tokens that the decoder knows
  uint32_t timestamps;
  uint32_t goes_on;  // a window is told what was said before it; else only the first one
  uint32_t directions;
  std::array<uint32_t, kMostDirections> direction;
  uint32_t before;
  uint32_t nodes;  // of a list, at most
};
static_assert(sizeof(Wish) == 248);
inline constexpr uint64_t kNone = ~uint64_t{0};

// A token that was chosen. From the first one of a window on its logits behind the first direction are kept.
struct Message {
  uint32_t token;
  uint32_t log_probability;  // its bits
  // 0; or the window ends with it, and this is how many tokens the decoder was given up to the first
  // direction.
  uint32_t given;
};
static_assert(sizeof(Message) == 12);

// Words from the host: the number of windows that it has read; and 1 once the sound lies where Wish states.
// The window that is placed does not wait for that.
inline constexpr unsigned kRead = program::kInput, kSound = program::kInput + 1;

// The program's code.
enum Code : uint32_t {
  kAll = 0,
  kCancelled = 1,
  kRefused = 2,  // the arguments make no sense, or name memory that is not there
  kFailed = 3,   // a launch or copy: the queue's first failure says why
};

}  // namespace swai::listen
