// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/decoder.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace swai::walk {
namespace {

// What turns one block of parameters into another. Sums wrap, so anything can become anything.
std::vector<decode::Increment> difference(std::vector<uint64_t> from, std::vector<uint64_t> to) {
  const size_t count = std::max(from.size(), to.size());
  from.resize(count);
  to.resize(count);
  std::vector<decode::Increment> changes;
  for (size_t i = 0; i < count; ++i)
    if (from[i] != to[i]) changes.push_back({to[i] - from[i], static_cast<uint32_t>(i), 0});
  return changes;
}

}  // namespace

Decoder::Decoder(std::string name, std::span<const uint8_t> program, const Walker& walker)
    : walker_(walker),
      parameters_("parameters", node::kMaxParameters * sizeof(uint64_t), CardMemory::kShared),
      job_(std::move(name), program) {}

void Decoder::run(std::span<const Reading> readings, const Writing& writing, const Texts& texts,
                  std::span<const uint32_t> ends, const Got& got, const Pause& pause) {
  if (readings.empty() && writing.runs == 0) throw std::logic_error("nothing to read, nothing to write");
  std::vector<decode::Phase> phases;
  std::vector<decode::Increment> changes;
  size_t parameters = writing.parameters.size();
  // `here`: what changes behind a run, or with a position.
  const auto add = [&](const List& list, uint32_t steps, bool writes, uint32_t text,
                       const std::vector<decode::Increment>& here) {
    phases.push_back({list.address().bits(), static_cast<uint32_t>(list.count()), steps,
                      writes ? decode::Token::kText : decode::Token::kProgress,
                      static_cast<uint32_t>(changes.size()), static_cast<uint32_t>(here.size()), text});
    changes.insert(changes.end(), here.begin(), here.end());
  };
  for (size_t i = 0; i < readings.size(); ++i) {
    const Reading& one = readings[i];
    const std::vector<uint64_t>& next = i + 1 < readings.size() ? readings[i + 1].parameters
                                        : writing.runs != 0     ? writing.parameters
                                                                : one.parameters;
    add(*one.list, 1, one.writes, one.text, difference(one.parameters, next));
    parameters = std::max(parameters, one.parameters.size());
  }
  if (writing.runs != 0)
    add(*writing.list, writing.runs, true, decode::kAllTexts, difference(writing.parameters, writing.next));
  if (parameters > node::kMaxParameters) throw std::logic_error("parameters that no list has");
  std::vector<uint64_t> words = readings.empty() ? writing.parameters : readings.front().parameters;
  words.resize(node::kMaxParameters);
  parameters_.put(bytes_of(words));

  std::vector<uint8_t> arguments;
  add_bytes(arguments, std::array{decode::Wish{.walk = walker_.kernel(),
                                               .parameters = parameters_.address().bits(),
                                               .tokens = texts.tokens.bits(),
                                               .positions = texts.positions.bits(),
                                               .said = texts.said.bits(),
                                               .parameter_count = static_cast<uint32_t>(parameters),
                                               .phases = static_cast<uint32_t>(phases.size()),
                                               .increments = static_cast<uint32_t>(changes.size()),
                                               .texts = static_cast<uint32_t>(texts.texts.size()),
                                               .ends = static_cast<uint32_t>(ends.size()),
                                               .said_tokens = texts.said_tokens,
                                               .launches = walker_.launches(),
                                               .reserved = 0}});
  add_bytes(arguments, phases);
  add_bytes(arguments, changes);
  add_bytes(arguments, texts.texts);
  add_bytes(arguments, ends);
  job_.start(arguments);
  try {
    hear(got, pause);
  } catch (...) {
    // Nobody reads its stream any more.
    job_.cancel();
    throw;
  }
  const uint32_t code = job_.wait();
  if (code != decode::kAll && code != decode::kEnd) job_.fail(code);
}

void Decoder::hear(const Got& got, const Pause& pause) {
  uint64_t unwanted = 0;
  bool paused = false;
  const auto tell = [&] { job_.tell(decode::kUnwanted, paused ? ~uint64_t{0} : unwanted); };
  while (const auto message = job_.read<decode::Message>()) {
    const uint64_t text = uint64_t{1} << message->text;
    if ((unwanted & text) == 0 && !got(message->text, message->token)) {
      unwanted |= text;
      if (!paused) tell();
    }
    if (!paused && pause()) {
      paused = true;
      tell();
    }
  }
}

}  // namespace swai::walk
