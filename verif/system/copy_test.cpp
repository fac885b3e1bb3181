// SPDX-License-Identifier: Apache-2.0
// A host program that knows nothing but host/transport opens the card and moves data with it.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/dma.hpp"
#include "verif/system/rig.hpp"

namespace swai::system {
namespace {

constexpr uint64_t kGuard = 4096;

// Pieces of a range, of all lengths, in random order.
struct Piece {
  uint64_t offset = 0;
  uint32_t bytes = 0;
};

std::vector<Piece> cut(verif::Random& random, uint64_t bytes) {
  std::vector<Piece> pieces;
  for (uint64_t at = 0; at < bytes;) {
    const uint64_t wish = random.chance(20) ? 1 + random.below(200) : 1 + random.below(512 << 10);
    const uint64_t length = std::min(wish, bytes - at);
    pieces.push_back({at, static_cast<uint32_t>(length)});
    at += length;
  }
  for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.below(i)]);
  return pieces;
}

class Copies {
 public:
  Copies(link::Card& card, uint64_t bytes, uint64_t seed)
      : random_(seed),
        bytes_(bytes),
        records_(card.pin(kRecordsAt, 64 << 10)),
        buffer_(card.pin(kBufferAt, (bytes + 5 * kGuard) / kGuard * kGuard)),
        dma_(card, records_) {}

  // There and back again, at random places; cycles of each way.
  void round_trip() {
    const uint64_t card_at = regs::kHbmRegion.base + (uint64_t{1} << 30) + random_.below(1 << 20);
    const auto fill = [&](uint8_t* at, uint64_t count) {
      for (uint64_t i = 0; i + 8 <= count; i += 8) {
        const uint64_t word = random_.next();
        std::memcpy(at + i, &word, 8);
      }
    };
    const uint64_t from = kGuard + random_.below(kGuard);
    fill(buffer_.data(), buffer_.bytes().size());
    const std::vector<uint8_t> sent(buffer_.data() + from, buffer_.data() + from + bytes_);
    const uint64_t down = transfer(from, card_at, false);

    fill(buffer_.data(), buffer_.bytes().size());
    const uint64_t to = kGuard + random_.below(kGuard);
    std::vector<uint8_t> expected(buffer_.data(), buffer_.data() + buffer_.bytes().size());
    std::ranges::copy(sent, expected.begin() + static_cast<std::ptrdiff_t>(to));
    const uint64_t up = transfer(to, card_at, true);
    const bool same = std::memcmp(expected.data(), buffer_.data(), expected.size()) == 0;
    CHECK_MESSAGE(same, "what came back is not what was sent, or something beside it was touched");
    MESSAGE("to the card ", down, " cycles, to the host ", up);
  }

 private:
  uint64_t transfer(uint64_t host, uint64_t card, bool to_host) {
    for (const Piece& piece : cut(random_, bytes_)) {
      dma_.add(static_cast<unsigned>(random_.below(dma::kChannels)), kBufferAt + host + piece.offset,
               card + piece.offset, piece.bytes, to_host);
    }
    return dma_.finish();
  }

  verif::Random random_;
  uint64_t bytes_;
  link::PinnedMemory records_;
  link::PinnedMemory buffer_;
  Dma dma_;
};

TEST_CASE("configuration space") {
  const Rig rig;
  const auto card = rig.open();
  CHECK(card->describe().vectors == 32);
  CHECK(card->read<uint32_t>(link::Card::kConfig, 0) == 0x4149'5357);
  CHECK(card->read<uint8_t>(link::Card::kConfig, 0x0B) == 0x12);  // processing accelerator
  CHECK(card->read<uint32_t>(kRegisterBar, register_at(regs::pcie::identity::kAddr)) ==
        (regs::pcie::identity::kReset & 0xFFFF'FFFF));
  const auto stage = regs::system::status::kStage.get(
      card->read<uint64_t>(kRegisterBar, register_at(regs::pcie::boot_status::kAddr)));
  CHECK(stage == regs::system::status::kStageReady);
}

TEST_CASE("memory through BAR0") {
  const Rig rig;
  const auto card = rig.open();
  verif::Random random(test_seed());
  for (const uint64_t place : {uint64_t{0x12345}, (uint64_t{16} << 30) - 4096, sram_at(Dma::kRings) + 3}) {
    std::vector<uint8_t> sent(1000);
    for (auto& byte : sent) byte = static_cast<uint8_t>(random.next());
    card->post_block(kMemoryBar, place, sent);
    std::vector<uint8_t> got(sent.size());
    card->read_block(kMemoryBar, place, got);
    CHECK(got == sent);
  }
  card->check_posted();
}

// The server takes 1 MiB ahead of the card; what is more waits for room, and not for longer.
TEST_CASE("posted writes of more than the server takes ahead arrive as fast as the wire brings them") {
  const Rig rig;
  const auto card = rig.open();
  // Of a processor that stands still, time passes at once and as far as it may.
  const Halted halted(*card);
  constexpr uint64_t kAt = uint64_t{1} << 30;
  constexpr uint64_t kBytesPerCycle = 20;  // the wire brings 24
  std::vector<uint8_t> bytes(6 << 20);
  verif::Random random(test_seed());
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
  const uint64_t before = card->cycle();
  card->post_block(kMemoryBar, kAt, bytes);
  std::vector<uint8_t> last(64);
  card->read_block(kMemoryBar, kAt + bytes.size() - last.size(), last);
  CHECK(std::ranges::equal(last, std::span(bytes).last(last.size())));
  const uint64_t took = card->cycle() - before;
  CHECK(took < bytes.size() / kBytesPerCycle);
}

TEST_CASE("a small copy each way, a reset, and again") {
  const Rig rig;
  const auto card = rig.open();
  for (int i = 0; i < 3; ++i) {
    Copies(*card, 100'000, test_seed() + i).round_trip();
    card->reset();
  }
}

TEST_CASE("16 MiB each way") {
  const Rig rig;
  const auto card = rig.open();
  Copies copies(*card, 16 << 20, test_seed());
  copies.round_trip();
}

}  // namespace
}  // namespace swai::system
