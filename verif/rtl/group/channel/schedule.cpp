// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/channel/schedule.hpp"

#include <algorithm>

namespace swai::channel {

using verif::Random;

namespace {

using cpe::isa::kLdmBase;

// The part of a CPE in messages that follow each other.
struct Part {
  Step::Kind kind = Step::kSend;
  unsigned peer = 0;
  unsigned words = 0;
};

unsigned random_words(Random& random) {
  const unsigned dice = static_cast<unsigned>(random.below(20));
  if (dice < 10) return static_cast<unsigned>(random.between(1, 4));
  if (dice < 19) return static_cast<unsigned>(random.between(1, 40));
  return static_cast<unsigned>(random.between(100, 600));
}

void add(Random& random, std::vector<Part>& parts, Step::Kind kind, unsigned peer, unsigned words) {
  if (!parts.empty() && parts.back().kind == kind && parts.back().peer == peer && random.chance(50) &&
      parts.back().words + words <= kHalf) {
    parts.back().words += words;
  } else {
    parts.push_back({kind, peer, words});
  }
}

Program program(Random& random, const std::vector<Part>& parts, unsigned send_base, unsigned receive_base) {
  Program steps;
  uint32_t sends = 0;
  uint32_t receives = 0;
  unsigned needed = 0;
  for (const Part& part : parts) needed += part.kind == Step::kReceive ? part.words : 0;
  unsigned spare = kHalf - needed;
  unsigned at = receive_base;
  for (const Part& part : parts) {
    for (unsigned left = part.words; left != 0;) {
      const unsigned words = random.chance(50) ? left : static_cast<unsigned>(random.between(1, left));
      left -= words;
      if (part.kind == Step::kSend) {
        const unsigned from = send_base + static_cast<unsigned>(random.below(kHalf - words + 1));
        steps.push_back({Step::kSend, from, words, part.peer, 0});
        ++sends;
      } else {
        const unsigned gap = std::min(spare, static_cast<unsigned>(random.below(4)));
        spare -= gap;
        at += gap;
        steps.push_back({Step::kReceive, at, words, part.peer, 0});
        at += words;
        ++receives;
      }
      if (random.chance(15)) {
        const bool send = random.chance(50);
        const uint32_t begun = send ? sends : receives;
        const auto ago = static_cast<uint32_t>(random.below(3));
        steps.push_back({send ? Step::kWaitSend : Step::kWaitReceive, 0, 0, 0, begun - ago});
      }
    }
  }
  return steps;
}

}  // namespace

uint32_t Step::rs1() const { return kind == kSend || kind == kReceive ? kLdmBase + 32 * at : ticket; }
uint32_t Step::rs2() const { return peer << 24 | 32 * words; }

Memory random_memory(Random& random) {
  Memory memory(kWords);
  for (Word& word : memory) {
    for (uint64_t& lane : word) lane = random.next();
  }
  return memory;
}

Schedule random_schedule(Random& random, unsigned positions, unsigned messages) {
  Schedule schedule;
  const unsigned all = (1U << positions) - 1;
  do {
    schedule.participants = static_cast<uint8_t>(random.chance(70) ? all : random.below(all + 1));
  } while ((schedule.participants & (schedule.participants - 1)) == 0);
  std::vector<unsigned> who;
  for (unsigned i = 0; i < positions; ++i) {
    if (schedule.participants >> i & 1) who.push_back(i);
  }
  std::array<std::vector<Part>, kPositions> parts;
  std::array<unsigned, kPositions> room;
  room.fill(kHalf);
  unsigned sender = who[0];
  unsigned mask = 0;
  for (unsigned m = 0; m < messages; ++m) {
    // Often the same sender again, to the same receivers.
    if (mask == 0 || random.chance(70)) sender = who[random.below(who.size())];
    if ((mask & 1U << sender) != 0 || random.chance(70)) mask = 0;
    const unsigned others = schedule.participants & ~(1U << sender);
    while (mask == 0) mask = static_cast<unsigned>(random.chance(30) ? others : random.next() & others);
    const unsigned words = random_words(random);
    bool fits = true;
    for (unsigned i = 0; i < positions; ++i) fits = fits && ((mask >> i & 1) == 0 || room[i] >= words);
    if (!fits) continue;
    add(random, parts[sender], Step::kSend, mask, words);
    for (unsigned i = 0; i < positions; ++i) {
      if ((mask >> i & 1) == 0) continue;
      add(random, parts[i], Step::kReceive, sender, words);
      room[i] -= words;
    }
  }
  for (unsigned i : who) {
    const unsigned low = random.chance(50) ? 0 : kHalf;
    schedule.programs[i] = program(random, parts[i], low, kHalf - low);
  }
  return schedule;
}

void spoil(Random& random, Schedule& schedule) {
  std::vector<unsigned> who;
  for (unsigned i = 0; i < kPositions; ++i) {
    if (!schedule.programs[i].empty()) who.push_back(i);
  }
  for (unsigned tries = 0; tries < 100; ++tries) {
    const unsigned victim = who[random.below(who.size())];
    Program& steps = schedule.programs[victim];
    Step& step = steps[random.below(steps.size())];
    if (step.kind != Step::kSend && step.kind != Step::kReceive) continue;
    const unsigned others = schedule.participants & ~(1U << victim);
    switch (random.below(3)) {
      case 0:  // tickets shift, so that waits may wait for ever: that is a deadlock, too
        steps.erase(steps.begin() + (&step - steps.data()));
        return;
      case 1:
        if (step.words == 1) continue;
        step.words -= 1;
        return;
      default: {
        const unsigned peer = step.kind == Step::kSend ? static_cast<unsigned>(random.next() & others)
                                                       : who[random.below(who.size())];
        if (peer == step.peer || peer == 0 || (step.kind == Step::kReceive && peer == victim)) continue;
        step.peer = peer;
        return;
      }
    }
  }
}

Outcome outcome(const Schedule& schedule, const std::array<Memory, kPositions>& memories) {
  Outcome result;
  std::array<std::deque<Step>, kPositions> sends;
  std::array<std::deque<Step>, kPositions> receives;
  for (unsigned i = 0; i < kPositions; ++i) {
    for (const Step& step : schedule.programs[i]) {
      if (step.kind == Step::kSend) sends[i].push_back(step);
      if (step.kind == Step::kReceive) receives[i].push_back(step);
    }
  }
  const auto move = [&](unsigned s) {  // one word
    if (sends[s].empty()) return false;
    Step& send = sends[s].front();
    for (unsigned r = 0; r < kPositions; ++r) {
      if ((send.peer >> r & 1) != 0 && (receives[r].empty() || receives[r].front().peer != s)) return false;
    }
    for (unsigned r = 0; r < kPositions; ++r) {
      if ((send.peer >> r & 1) == 0) continue;
      Step& receive = receives[r].front();
      result.writes[r].push_back({receive.at++, memories[s][send.at]});
      if (--receive.words == 0) receives[r].pop_front();
    }
    ++send.at;
    if (--send.words == 0) sends[s].pop_front();
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned s = 0; s < kPositions; ++s) {
      while (move(s)) moved = true;
    }
  }
  for (unsigned i = 0; i < kPositions; ++i) {
    result.complete = result.complete && sends[i].empty() && receives[i].empty();
  }
  return result;
}

}  // namespace swai::channel
