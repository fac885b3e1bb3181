// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/printing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "host/runtime/service_copies.hpp"

namespace swai::sdaa {
namespace {

// Standard output may be wanted for something else.
std::FILE* output() {
  const char* const wanted = std::getenv("SWAI_PRINT");
  return wanted != nullptr && std::string_view(wanted) == "stderr" ? stderr : stdout;
}

std::string take(Device& device, Device::Lock& lock, Printer& printer) {
  const auto at = [&](uint32_t word) { return printer.buffer + word * sizeof(uint32_t); };
  const uint32_t groups = device.info().groups;
  std::vector<print::Head> heads(std::min(groups * print::kCoresOfGroup, print::kMaxCores));
  copy_to_host(device, lock, heads.data(), printer.buffer, heads.size() * sizeof heads[0]);
  std::string text;
  for (uint32_t core = 0; core < heads.size(); ++core) {
    const print::Head& head = heads[core];
    const uint32_t number = core % print::kCoresOfGroup;
    const std::string who = groups == 1
                                ? fmt::format("core {}", number)
                                : fmt::format("core {} of group {}", number, core / print::kCoresOfGroup);
    if (head.written != head.read) {
      std::vector<uint32_t> ring(print::kRingWords);
      copy_to_host(device, lock, ring.data(), at(print::ring_word(core)), ring.size() * sizeof(uint32_t));
      for (const std::string& line : printer.text->prints.lines(head, ring)) {
        text += fmt::format("{}: {}\n", who, line);
        if (Recorder* recorder = Recorder::get()) recorder->printed(device.number(), who, line);
      }
      copy_to_card(device, lock, at(print::head_word(core)) + offsetof(print::Head, read), &head.written,
                   sizeof head.written);
    }
    const uint32_t lost = head.lost - std::exchange(printer.lost[core], head.lost);
    if (lost != 0) text += fmt::format("{}: {} more lines are lost, for want of room\n", who, lost);
  }
  return text;
}

}  // namespace

void drain_prints(Device& device, Device::Lock& lock) {
  Printers& printers = device.printers();
  if (printers.all.empty() || printers.draining) return;
  printers.draining = true;
  std::string text;
  try {
    for (const auto& printer : std::vector(printers.all)) text += take(device, lock, *printer);
  } catch (...) {
    printers.draining = false;
    throw;
  }
  printers.draining = false;
  std::FILE* const to = output();
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

void drain_prints_quietly(Device& device, Device::Lock& lock) noexcept {
  try {
    drain_prints(device, lock);
  } catch (...) {
    // The card is lost, or was reset meanwhile: nothing is there to be read.
  }
}

}  // namespace swai::sdaa
