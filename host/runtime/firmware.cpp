// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/firmware.hpp"

#include <fmt/format.h>

#include <cstring>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/error.hpp"
#include "host/runtime/journal.hpp"

namespace swai::sdaa {

using std::chrono::steady_clock;

namespace {

// A pause between looks at what only the firmware's own pace decides.
constexpr uint64_t kPause = 10'000;

void pause(link::Card& card) {
  if (card.describe().deterministic) {
    card.run_until(0, kPause);
  } else {
    card.wait_interrupt(uint64_t{1} << protocol::kStatusVector, std::chrono::milliseconds(1));
  }
}

uint64_t stage_of(link::Card& card) {
  return regs::system::status::kStage.get(card.read<uint64_t>(kControlBar, regs::pcie::boot_status::kOffset));
}

}  // namespace

Firmware find_firmware(link::Card& card, const Limits& limits, Restart restart) {
  namespace status = regs::system::status;
  const uint64_t begin = card.cycle();
  const auto deadline = steady_clock::now() + limits.real;
  std::array<uint64_t, 3> words;
  for (;;) {
    // The words outlive the kernel that wrote them.
    const uint64_t stage = stage_of(card);
    const bool stopped = stage == status::kStageFailed;
    if (restart == Restart::kYes || (restart == Restart::kIfStopped && stopped)) {
      restart = Restart::kNo;
      restart_firmware(card);
      pause(card);
      continue;
    }
    if (stopped) fail_stopped(card);
    card.read_block(kControlBar, shared_word(protocol::word::kMagic),
                    {reinterpret_cast<uint8_t*>(words.data()), sizeof words});
    if (stage == status::kStageReady && words[protocol::word::kMagic] == protocol::kMagic) break;
    if (card.cycle() - begin > limits.boot_cycles || steady_clock::now() > deadline) {
      fail(sdaaErrorTimedOut,
           fmt::format("the firmware of the card at {} does not serve programs; look at its console",
                       card.describe().address));
    }
    pause(card);
  }
  Firmware firmware;
  protocol::Info& info = firmware.info;
  protocol::Versions versions;
  std::memcpy(&versions, &words[protocol::word::kVersions], sizeof versions);
  firmware.life = words[protocol::word::kLife];
  if (versions.current < protocol::kMinimumVersion || versions.minimum > protocol::kVersion) {
    fail(
        sdaaErrorInsufficientDriver,
        fmt::format(
            "the card's firmware speaks versions {} to {} of the protocol, this library {} to {}; update the "
            "older one",
            versions.minimum, versions.current, protocol::kMinimumVersion, protocol::kVersion));
  }
  card.read_block(kMemoryBar, kSram + versions.info, {reinterpret_cast<uint8_t*>(&info), sizeof info});
  // A newer firmware may have more of everything; less the library does not know how to use.
  if (info.bytes < sizeof info || info.queues == 0 || info.queues > protocol::kQueues ||
      info.slots != protocol::kSlots || info.slot_bytes != protocol::kSlotBytes || info.groups == 0 ||
      info.events < protocol::kEvents) {
    fail(sdaaErrorInsufficientDriver,
         "the card's firmware describes itself in a way that this library does not know");
  }
  return firmware;
}

void restart_firmware(link::Card& card) {
  namespace request = regs::pcie::reset_request;
  card.post<uint64_t>(
      kControlBar, request::kOffset,
      request::kKey.put(request::kKeyGo) | request::kProcessor.put(1) | request::kGroups.mask());
}

bool lives(link::Card& card, const Firmware& firmware) {
  const auto life = card.read<uint64_t>(kControlBar, shared_word(protocol::word::kLife));
  return stage_of(card) == regs::system::status::kStageReady && life == firmware.life;
}

void fail_stopped(link::Card& card) {
  const auto record = read_panic(card);
  fail(sdaaErrorDeviceLost, fmt::format("the card's firmware has ended{}; what was on the card is lost; "
                                        "sdaaDeviceReset or `swai reset` starts it anew",
                                        record ? ": " + describe(*record) : ""));
}

}  // namespace swai::sdaa
