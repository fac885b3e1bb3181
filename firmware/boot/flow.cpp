// SPDX-License-Identifier: Apache-2.0
#include "firmware/boot/flow.hpp"

#include <algorithm>

namespace swai::boot {
namespace {

using image::Header;
using image::Refusal;
using image::Slot;

// Words taken from flash between two looks at the console.
constexpr size_t kChunkWords = 32;

class Search {
 public:
  explicit Search(Platform& platform) : platform_(platform), out_(platform.console()) {}

  std::optional<Loaded> run() {
    platform_.set_stage(Stage::kRom, std::nullopt, 0);
    platform_.set_progress(Progress::kRomFlash);
    const Refusal flash = platform_.open_flash();
    if (flash != Refusal::kNone) {
      platform_.introduce();
      fw::print(out_, "flash: ", text(flash), '\n');
      refusals_.fill(flash);
      return give_up();
    }

    // Whatever needs the processor is done while flash data is under way: the time to the kernel is the time
    // on the wires.
    platform_.set_progress(Progress::kRomHeaders);
    begin_header(Slot::kA);
    platform_.introduce();
    take_header(Slot::kA);
    begin_header(Slot::kB);
    examine(Slot::kA);
    take_header(Slot::kB);
    examine(Slot::kB);

    const Slot first = image::preferred(header(Slot::kA), header(Slot::kB));
    const Slot second = first == Slot::kA ? Slot::kB : Slot::kA;
    for (const Slot slot : {first, second}) {
      if (refusals_[index(slot)] != Refusal::kNone) continue;
      refusals_[index(slot)] = load(slot);
      if (refusals_[index(slot)] == Refusal::kNone) {
        return Loaded{slot, header(slot).entry, image::is_confirmed(header(slot).state)};
      }
      fw::print(out_, "slot ", letter(slot), ": refused: ", text(refusals_[index(slot)]), '\n');
    }
    return give_up();
  }

 private:
  Header& header(Slot slot) { return headers_[index(slot)]; }

  void begin_header(Slot slot) { platform_.begin_read(slot_offset(slot), sizeof(Header), false); }
  void take_header(Slot slot) {
    std::array<uint64_t, sizeof(Header) / sizeof(uint64_t)> words;
    platform_.take(words);
    header(slot) = std::bit_cast<Header>(words);
  }

  void examine(Slot slot) {
    const Header& found = header(slot);
    const Refusal refusal = image::check(found, kImageMemory);
    refusals_[index(slot)] = refusal;
    if (refusal != Refusal::kNone) {
      fw::print(out_, "slot ", letter(slot), ": refused: ", text(refusal), '\n');
      return;
    }
    const image::Identity& identity = found.identity;
    fw::print(out_, "slot ", letter(slot), ": ", fw::field(identity.name), ' ', fw::field(identity.version),
              " (", fw::field(identity.git_hash), "), ", found.length, " bytes, ");
    if (image::is_confirmed(found.state)) {
      fw::print(out_, "confirmed\n");
    } else {
      fw::print(out_, "unconfirmed, attempt ", image::attempts_made(found.state) + 1, " of ",
                image::kMaxAttempts, '\n');
    }
  }

  Refusal load(Slot slot) {
    const Header& wanted = header(slot);
    platform_.set_progress(Progress::kRomLoading);
    platform_.set_stage(Stage::kLoading, slot, 0);
    platform_.begin_read(slot_offset(slot) + image::kHeaderBytes, static_cast<uint32_t>(wanted.length), true);
    fw::print(out_, "booting slot ", letter(slot), '\n');
    auto rest = platform_.memory(wanted.load_address, wanted.length);
    while (!rest.empty()) {
      const auto chunk = rest.first(std::min(rest.size(), kChunkWords));
      platform_.take(chunk);
      rest = rest.subspan(chunk.size());
    }
    if (platform_.finish_hash() != wanted.sha256) return Refusal::kDigestMismatch;
    return image::is_confirmed(wanted.state) ? Refusal::kNone : record_attempt(slot);
  }

  // An image that cannot be counted could fail for ever, so it must be seen in flash that this attempt was.
  Refusal record_attempt(Slot slot) {
    platform_.set_progress(Progress::kRomAttempt);
    const uint64_t before = header(slot).state.attempts;
    const uint64_t after = image::count_attempt(before);
    // All bits that are ever cleared here are in the first byte.
    static_assert(image::kMaxAttempts <= 8);
    const auto value = static_cast<uint8_t>(after);
    const auto offset = static_cast<uint32_t>(slot_offset(slot) + offsetof(Header, state.attempts));
    const bool taken = platform_.program(offset, {&value, 1});
    uint64_t stored = 0;
    platform_.begin_read(offset, sizeof(stored), false);
    platform_.take({&stored, 1});
    return taken && stored == after ? Refusal::kNone : Refusal::kAttemptNotRecorded;
  }

  std::nullopt_t give_up() {
    platform_.set_progress(Progress::kRomRecovery);
    platform_.set_stage(Stage::kRecovery, std::nullopt, recovery_detail(refusals_[0], refusals_[1]));
    fw::print(out_, "recovery: no bootable image; flash one, then reset the card or send r\n");
    return std::nullopt;
  }

  Platform& platform_;
  fw::Out& out_;
  std::array<Header, 2> headers_ = {};
  std::array<Refusal, 2> refusals_ = {};
};

}  // namespace

std::optional<Loaded> find_and_load(Platform& platform) { return Search(platform).run(); }

}  // namespace swai::boot
