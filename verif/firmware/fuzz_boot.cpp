// SPDX-License-Identifier: Apache-2.0
// Fuzzes the boot flow and the image checker: whatever lies in flash, nothing is read or written out of
// bounds, and what is booted is valid.
//
// Input: for each slot a byte of options and two bytes of length, then the contents. Fuzzers do not find
// checksums and digests on their own, so the options have them made right.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "host/lib/sha256.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "verif/firmware/fake_platform.hpp"

namespace swai::boot {
namespace {

using image::Header;
using image::Slot;

constexpr uint8_t kSealHeader = 1;
constexpr uint8_t kSealPayload = 2;
constexpr uint8_t kProgramFails = 4;
// Digests of more take too long.
constexpr uint64_t kMaxSealedBytes = 0x2000;

class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  std::span<const uint8_t> take(size_t count) {
    const auto part = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(part.size());
    return part;
  }
  uint8_t byte() {
    const auto part = take(1);
    return part.empty() ? 0 : part[0];
  }

 private:
  std::span<const uint8_t> bytes_;
};

void fill_slot(FakePlatform& card, Slot slot, Input& input) {
  const uint8_t options = input.byte();
  const size_t length = input.byte() | size_t{input.byte()} << 8;
  const auto contents = input.take(length);
  card.put(slot, contents);
  if ((options & kProgramFails) != 0) card.program_works = false;
  Header header = card.header(slot);
  if ((options & kSealPayload) != 0 && header.length <= kMaxSealedBytes) {
    header.sha256 = sha256(card.slot(slot).subspan(sizeof(Header), header.length));
  }
  if ((options & kSealHeader) != 0) flash::seal(header);
  if ((options & (kSealHeader | kSealPayload)) != 0) card.edit_header(slot, header);
}

void require(bool condition) {
  if (!condition) std::abort();
}

void run(std::span<const uint8_t> bytes) {
  static FakePlatform card;
  card.program_works = true;
  Input input(bytes);
  fill_slot(card, Slot::kA, input);
  fill_slot(card, Slot::kB, input);

  for (const Slot slot : image::kSlots) flash::check(card.slot(slot).first(bytes.size() % image::kSlotBytes));
  const auto expected = flash::bootable_slot(card.slot(Slot::kA), card.slot(Slot::kB));
  const auto loaded = card.boot();
  // What the tool foretells happens, unless attempts cannot be counted.
  if (card.program_works) require((loaded ? std::optional(loaded->slot) : std::nullopt) == expected);
  if (loaded) {
    const Header header = card.header(loaded->slot);
    require(image::check_header(header, kImageMemory) == image::Refusal::kNone);
    require(sha256(card.loaded(header)) == header.sha256);
    require(loaded->entry - header.load_address < header.length);
  }
  require(card.stage() == (loaded ? Stage::kLoading : Stage::kRecovery));
}

flash::Bytes seed(int options, const flash::Bytes& a, const flash::Bytes& b) {
  flash::Bytes result;
  for (const auto* slot : {&a, &b}) {
    result.push_back(static_cast<uint8_t>(options));
    result.push_back(static_cast<uint8_t>(slot->size()));
    result.push_back(static_cast<uint8_t>(slot->size() >> 8));
    result.insert(result.end(), slot->begin(), slot->end());
  }
  return result;
}

// The corpus starts with what is interesting: good images, confirmed or not, in one slot or both.
void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::mt19937_64 random(1);
  const auto fresh = random_image(random, image::make_version(1, 0, 0), 64);
  const auto confirmed = random_confirmed_image(random, image::make_version(2, 0, 0), 128);
  const flash::Bytes nothing;
  unsigned number = 0;
  for (const int options : {0, kSealHeader | kSealPayload, int{kProgramFails}}) {
    for (const auto& [a, b] : {std::pair(fresh, confirmed), std::pair(confirmed, fresh),
                               std::pair(fresh, nothing), std::pair(nothing, confirmed)}) {
      flash::write_file(folder / ("seed-" + std::to_string(number++)), seed(options, a, b));
    }
  }
}

}  // namespace
}  // namespace swai::boot

// The last argument is the corpus.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1 && (*argv)[*argc - 1][0] != '-' && !std::filesystem::is_regular_file((*argv)[*argc - 1])) {
    swai::boot::write_seeds((*argv)[*argc - 1]);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  swai::boot::run({data, size});
  return 0;
}
