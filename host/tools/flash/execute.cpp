// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/execute.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::flash {
namespace {

class Execution {
 public:
  Execution(const Plan& plan, Programmer& programmer, const Watcher& watcher)
      : plan_(plan),
        programmer_(programmer),
        watcher_(watcher),
        all_(plan.erase_bytes + plan.program_bytes) {}

  Outcome run() {
    Outcome outcome;
    for (const Step& step : plan_.steps) {
      if (watcher_.wants_stop()) {
        outcome.end = Outcome::End::kStopped;
        outcome.why = fmt::format("stopped at {:#x}, after {} of {} steps", step.offset, outcome.steps_done,
                                  plan_.steps.size());
        return outcome;
      }
      const size_t before = done_;
      try {
        try {
          take(step, step.erase);
        } catch (const BoardError& error) {
          if (error.trouble() == Trouble::kGone) throw;
          ++outcome.retries;
          done_ = before;
          programmer_.recover();
          take(step, step.kind != Step::Kind::kMark);
        }
      } catch (const BoardError& error) {
        outcome.end = Outcome::End::kFailed;
        outcome.trouble = error.trouble();
        outcome.why = error.what();
        return outcome;
      }
      ++outcome.steps_done;
    }
    return outcome;
  }

 private:
  void take(const Step& step, bool erase) {
    if (erase) erase_all(step);
    switch (step.kind) {
      case Step::Kind::kInvalidate:
        compare(step.offset, Bytes(step.bytes, 0xFF));
        return;
      case Step::Kind::kWrite:
      case Step::Kind::kMark:
        program(step.offset, step.wanted);
        return;
      case Step::Kind::kSeal: {
        const std::span<const uint8_t> wanted(step.wanted);
        program(step.offset + image::kHeaderBytes, wanted.subspan(image::kHeaderBytes));
        program(step.offset, wanted.first(image::kHeaderBytes));
        return;
      }
    }
  }

  // A retry erases what was not planned to be, sector by sector.
  void erase_all(const Step& step) {
    const bool planned = std::ranges::any_of(programmer_.geometry().erases,
                                             [&](const EraseKind& kind) { return kind.bytes == step.bytes; });
    const uint32_t piece = planned ? step.bytes : programmer_.geometry().sector_bytes();
    for (uint32_t at = 0; at < step.bytes; at += piece) {
      programmer_.erase(step.offset + at, piece);
      advance(piece);
    }
  }

  // Pages that stay erased are not programmed, but they are compared.
  void program(uint32_t offset, std::span<const uint8_t> wanted) {
    const uint32_t page = programmer_.geometry().page_bytes;
    // Often enough for the progress, enough at once for the programmer to be fast, and not more than one
    // transfer.
    constexpr size_t most = 4096;
    const auto end_of_page = [&](size_t at) {
      return std::min(wanted.size(), at + page - (offset + at) % page);
    };
    for (size_t at = 0; at < wanted.size();) {
      size_t end = end_of_page(at);
      const bool erased = all_erased(wanted.subspan(at, end - at));
      while (end < wanted.size() && end - at < most) {
        const size_t next = end_of_page(end);
        if (all_erased(wanted.subspan(end, next - end)) != erased) break;
        end = next;
      }
      if (!erased) programmer_.program(offset + static_cast<uint32_t>(at), wanted.subspan(at, end - at));
      advance(end - at);
      at = end;
    }
    compare(offset, wanted);
  }

  void compare(uint32_t offset, std::span<const uint8_t> wanted) {
    Bytes stored(wanted.size());
    programmer_.read(offset, stored);
    const auto [bad, unused] = std::ranges::mismatch(stored, wanted);
    if (bad == stored.end()) return;
    const auto at = static_cast<size_t>(bad - stored.begin());
    throw BoardError(
        Trouble::kFailed,
        fmt::format("the chip does not keep what is written: at {:#x} it holds {:#04x} instead of {:#04x}; "
                    "its blocks are protected, or it is worn out",
                    offset + at, *bad, wanted[at]));
  }

  static bool all_erased(std::span<const uint8_t> bytes) {
    return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0xFF; });
  }

  void advance(size_t bytes) {
    done_ = std::min(done_ + bytes, all_);
    watcher_.progress(done_, all_);
  }

  const Plan& plan_;
  Programmer& programmer_;
  const Watcher& watcher_;
  const size_t all_;
  size_t done_ = 0;
};

}  // namespace

Outcome execute(const Plan& plan, Programmer& programmer, const Watcher& watcher) {
  return Execution(plan, programmer, watcher).run();
}

}  // namespace swai::flash
