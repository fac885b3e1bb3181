// SPDX-License-Identifier: Apache-2.0
// What CPEs do, in a trace: launches on each of them, what their cores wait for, and when their engines work.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "host/transport/trace_command.hpp"
#include "sim/card/events.hpp"

namespace swai::card {

using namespace activity;

namespace {

// Clients say these names.
constexpr size_t kMostKernels = 1 << 16;
constexpr size_t kMostNameBytes = 256;

// Names of arguments live as long as the program.
struct Names {
  std::array<std::string, kStates> core, waits;
  std::array<std::string, kEngines> busy;
  std::array<std::array<std::string, kStates>, kEngines> idle;
  Names() {
    for (unsigned s = 0; s < kStates; ++s) {
      core[s] = in_state(s);
      waits[s] = s == kStopped ? kStateNames[s] : fmt::format("waits: {}", kStateNames[s]);
      for (unsigned e = 0; e < kEngines; ++e) idle[e][s] = activity::idle(e, s);
    }
    for (unsigned e = 0; e < kEngines; ++e) busy[e] = activity::busy(e);
  }
};

const Names& names() {
  static const Names kNames;
  return kNames;
}

}  // namespace

std::string cpe_track_name(unsigned track) {
  const unsigned unit = (track - kCpes) % kCpeTracks;
  const unsigned cpe = (track - kCpes) / kCpeTracks;
  if (unit == kCpeLaunch) return fmt::format("group {} core {}", cpe / kCpesOfGroup, cpe % kCpesOfGroup);
  return unit == kCpeScalar ? "scalar" : kEngineNames[unit - kCpeEngine];
}

void CardEvents::tell_activity(unsigned cpe, unsigned word, const uint32_t* counts) {
  if (current_ != nullptr && current_->recording_)
    current_->cpe_activity(cpe, {word}, std::span<const uint32_t, kCounts>(counts, kCounts));
}

void CardEvents::cpe_activity(unsigned cpe, Activity now, std::span<const uint32_t, kCounts> counts) {
  Cpe& own = cpes_.at(cpe);
  const Activity before = own.activity;
  const uint64_t time = this->now();
  if (!before.idle()) {
    const uint64_t passed = time - own.since;
    own.states[before.state()] += passed;
    for (unsigned e = 0; e < kEngines; ++e)
      (before.works(e) ? own.busy[e] : own.idle[e][before.state()]) += passed;
  }
  own.since = time;
  own.activity = now;

  const unsigned tracks = kCpes + kCpeTracks * cpe;
  const unsigned group = cpe / kCpesOfGroup;
  if (!now.idle() && before.idle()) {
    own = {.activity = now, .since = time};
    std::ranges::copy(counts, own.counts.begin());
    begin(tracks + kCpeLaunch, launches_[group].name, {{"launch", launches_[group].number}});
  }
  const auto shown = [](Activity what) { return what.idle() ? unsigned{kRuns} : what.state(); };
  if (shown(now) != shown(before)) {
    end(tracks + kCpeScalar, {});
    if (shown(now) != kRuns) begin(tracks + kCpeScalar, names().waits[now.state()], {});
  }
  for (unsigned e = 0; e < kEngines; ++e) {
    if (now.works(e) == before.works(e)) continue;
    if (now.works(e)) {
      begin(tracks + kCpeEngine + e, "busy", {});
    } else {
      end(tracks + kCpeEngine + e, {});
    }
  }
  // A reset takes them away.
  const bool reset = !std::ranges::equal(
      counts, own.last, [](uint32_t count, uint32_t was) { return static_cast<int32_t>(count - was) >= 0; });
  if (!reset || before.idle()) std::ranges::copy(counts, own.last.begin());
  if (now.idle() && !before.idle()) cpe_ends(tracks + kCpeLaunch, own);
}

// All that is not 0.
void CardEvents::cpe_ends(unsigned track, const Cpe& own) {
  Arguments arguments;
  const auto add = [&](const char* name, uint64_t value) {
    if (value != 0) arguments.push_back({name, value});
  };
  for (unsigned s = 0; s < kStates; ++s) add(names().core[s].c_str(), own.states[s]);
  for (unsigned i = 0; i < kCounts; ++i) add(kCountNames[i], own.last[i] - own.counts[i]);
  for (unsigned e = 0; e < kEngines; ++e) {
    add(names().busy[e].c_str(), own.busy[e]);
    for (unsigned s = 0; s < kStates; ++s) add(names().idle[e][s].c_str(), own.idle[e][s]);
  }
  end(track, arguments);
}

void CardEvents::name_kernel(uint64_t key, std::string_view part, bool first) {
  if (first && (kernels_.size() < kMostKernels || kernels_.contains(key))) kernels_[key].clear();
  const auto known = kernels_.find(key);
  if (known != kernels_.end() && known->second.size() < kMostNameBytes) known->second += part;
}

std::string CardEvents::kernel_name(uint64_t segment, uint64_t pc) const {
  for (const uint64_t key : {kernel_key(segment, pc), kernel_key(segment, link::vendor::kAnyPc)}) {
    if (const auto named = kernels_.find(key); named != kernels_.end()) return named->second;
  }
  return "launch";
}

}  // namespace swai::card

extern "C" void swai_card_activity(unsigned cpe, unsigned activity, const uint32_t* counts) {
  swai::card::CardEvents::tell_activity(cpe, activity, counts);
}
