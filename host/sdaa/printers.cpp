// SPDX-License-Identifier: Apache-2.0
#include "host/sdaa/printers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "host/sdaa/copy.hpp"
#include "host/sdaa/device.hpp"
#include "host/sdaa/recorder.hpp"

namespace swai::sdaa {

namespace {

// Standard output may be wanted for something else.
std::FILE* output() {
  const char* const wanted = std::getenv("SWAI_PRINT");
  return wanted != nullptr && std::string_view(wanted) == "stderr" ? stderr : stdout;
}

}  // namespace

void Printers::add(unsigned module, std::shared_ptr<const module::ModuleText> text, uint64_t buffer) {
  all_.push_back(std::make_shared<Printer>(
      Printer{module, std::move(text), buffer, std::vector<uint32_t>(print::kMaxCores)}));
}

uint64_t Printers::drop(unsigned module) {
  const auto found = std::ranges::find(all_, module, [](const auto& one) { return one->module; });
  if (found == all_.end()) return 0;
  const uint64_t buffer = (*found)->buffer;
  all_.erase(found);
  return buffer;
}

std::string Printers::take(Device& device, Waiting::Lock& lock, Printer& printer) {
  Queue& queue = device.service_queue();
  const auto at = [&](uint32_t word) { return printer.buffer + word * sizeof(uint32_t); };
  const uint32_t groups = device.info().groups;
  std::vector<print::Head> heads(std::min(groups * print::kCoresOfGroup, print::kMaxCores));
  copy_to_host(device, lock, queue, heads.data(), printer.buffer, heads.size() * sizeof heads[0]);
  std::string text;
  for (uint32_t core = 0; core < heads.size(); ++core) {
    const print::Head& head = heads[core];
    const uint32_t number = core % print::kCoresOfGroup;
    const std::string who = groups == 1
                                ? fmt::format("core {}", number)
                                : fmt::format("core {} of group {}", number, core / print::kCoresOfGroup);
    if (head.written != head.read) {
      std::vector<uint32_t> ring(print::kRingWords);
      copy_to_host(device, lock, queue, ring.data(), at(print::ring_word(core)),
                   ring.size() * sizeof(uint32_t));
      for (const std::string& line : printer.text->prints.lines(head, ring)) {
        text += fmt::format("{}: {}\n", who, line);
        if (Recorder* recorder = Recorder::get()) recorder->printed(device.number(), who, line);
      }
      copy_to_card(device, lock, queue, at(print::head_word(core)) + offsetof(print::Head, read),
                   &head.written, sizeof head.written);
    }
    const uint32_t lost = head.lost - std::exchange(printer.lost[core], head.lost);
    if (lost != 0) text += fmt::format("{}: {} more lines are lost, for want of room\n", who, lost);
  }
  return text;
}

void Printers::drain(Device& device, Waiting::Lock& lock) {
  if (all_.empty() || draining_) return;
  draining_ = true;
  std::string text;
  try {
    for (const auto& printer : std::vector(all_)) text += take(device, lock, *printer);
  } catch (...) {
    draining_ = false;
    throw;
  }
  draining_ = false;
  std::FILE* const to = output();
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

void Printers::drain_quietly(Device& device, Waiting::Lock& lock) noexcept {
  try {
    drain(device, lock);
  } catch (...) {
    // The card is lost, or was reset meanwhile: nothing is there to be read.
  }
}

}  // namespace swai::sdaa
