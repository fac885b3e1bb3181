// SPDX-License-Identifier: Apache-2.0
// The host's image library and flash files.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "host/lib/sha256.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "verif/firmware/fake_platform.hpp"
#include "verif/firmware/test_tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::flash {
namespace {

using image::Header;
using image::Refusal;
using image::Slot;

constexpr uint64_t kBase = boot::kImageMemory.memory_base;

template <typename Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

image::Identity identity(std::string_view version = "1.2.3") {
  image::Identity result = {};
  set_text(result.name, "ai-kernel", "name");
  set_text(result.version, version, "version");
  set_text(result.git_hash, "0123abc", "git hash");
  set_text(result.board, "swai-card", "board");
  return result;
}

common::Elf program(std::vector<common::ElfSegment> segments, uint64_t entry = kBase) {
  common::Elf elf;
  elf.path = "program.elf";
  elf.entry = entry;
  elf.segments = std::move(segments);
  return elf;
}

common::ElfSegment segment(uint64_t address, std::vector<uint8_t> data) {
  return {address, data.size(), std::move(data)};
}

TEST_CASE("versions") {
  CHECK(parse_version("1.2.3") == image::make_version(1, 2, 3));
  CHECK(parse_version("0.0.0") == 0);
  CHECK(parse_version("65535.65535.65535") == image::make_version(65535, 65535, 65535));
  CHECK(*parse_version("1.0.0") > *parse_version("0.65535.65535"));
  CHECK(*parse_version("1.10.0") > *parse_version("1.9.9"));
  for (const char* bad : {"", "1", "1.2", "1.2.", "1.2.3.", "1.2.3.4", "1.2.65536", "a.b.c", "1.-2.3",
                          " 1.2.3", "1.2.3 ", "1..3", "1.2.3-rc1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_version(bad));
  }
  CHECK(version_text(image::make_version(4, 50, 600)) == "4.50.600");
}

TEST_CASE("text fields") {
  std::array<char, 4> field = {};
  set_text(field, "full", "name");
  CHECK(get_text(field) == "full");
  set_text(field, "ab", "name");
  CHECK(get_text(field) == "ab");
  CHECK(error_of([&] { set_text(field, "fives", "name"); }).find("too long") != std::string::npos);
  CHECK(error_of([&] { set_text(field, "a\n", "name"); }).find("do not print") != std::string::npos);
  CHECK(get_text(field) == "ab");
}

TEST_CASE("an image from a program: gaps are zero, unloaded memory is left out, the length is rounded up") {
  auto elf = program({segment(kBase, {1, 2, 3}),
                      segment(kBase + 0x10, {4, 5, 6, 7, 8, 9, 10}),
                      {kBase + 0x2000, 0x1000, {}}});
  const Bytes bytes = make_image(elf, identity());
  const Header header = read_header(bytes);
  CHECK(header.length == 0x18);
  CHECK(bytes.size() == sizeof(Header) + 0x18);
  CHECK(header.load_address == kBase);
  CHECK(header.entry == kBase);
  CHECK(header.image_version == image::make_version(1, 2, 3));
  CHECK(get_text(header.identity.name) == "ai-kernel");
  const Bytes payload(bytes.begin() + sizeof(Header), bytes.end());
  CHECK(payload == Bytes{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10, 0});
  CHECK(header.sha256 == sha256(payload));
  CHECK(check(bytes) == Refusal::kNone);
}

TEST_CASE("programs that make no image") {
  auto error = [](common::Elf elf, std::string_view version = "1.2.3") {
    return error_of([&] { make_image(elf, identity(version)); });
  };
  auto mentions = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(mentions(error(program({})), "no contents"));
  CHECK(mentions(error(program({{kBase, 64, {}}})), "no contents"));
  CHECK(mentions(error(program({segment(0x10000, Bytes(8))}, 0x10000)), "does not fit into memory"));
  CHECK(mentions(error(program({segment(kBase, Bytes(0x40000))})), "does not fit into memory"));
  CHECK(mentions(error(program({segment(kBase, Bytes(8)), segment(kBase + 0x10000000, Bytes(8))})),
                 "a slot has room"));
  CHECK(mentions(error(program({segment(kBase, Bytes(8)), segment(~uint64_t{3}, Bytes(8))})),
                 "beyond the last"));
  CHECK(mentions(error(program({segment(kBase, Bytes(8))}, kBase + 8)), "entry outside"));
  CHECK(mentions(error(program({segment(kBase + 4, Bytes(8))}, kBase + 4)), "misaligned"));
  CHECK(mentions(error(program({segment(kBase, Bytes(8))}), "one"), "no image version"));
}

TEST_CASE("the identity comes from the program") {
  image::IdentityRecord record;
  record.identity = identity("7.8.9");
  Bytes data(64 + sizeof(record));
  std::memcpy(data.data() + 64, &record, sizeof(record));
  common::Elf elf = program({segment(kBase, data)});
  CHECK(error_of([&] { identity_of(elf); }).find("carries no identity") != std::string::npos);
  elf.symbols["swai_identity"] = kBase + 64;
  CHECK(get_text(identity_of(elf).version) == "7.8.9");
  // Elsewhere, at the very end, outside.
  for (const uint64_t offset : {uint64_t{0}, uint64_t{65}, uint64_t{data.size()}, ~uint64_t{0} - kBase}) {
    elf.symbols["swai_identity"] = kBase + offset;
    CHECK(error_of([&] { identity_of(elf); }).find("no identity record at") != std::string::npos);
  }
}

TEST_CASE("flash files: slots are written, erased and marked, and nothing else changes") {
  const TempFolder folder;
  const std::string path = folder / "flash.bin";
  std::mt19937_64 random(test_seed());
  const Bytes old_image = boot::random_image(random, image::make_version(1, 0, 0), 5000);
  const Bytes new_image = boot::random_image(random, image::make_version(1, 1, 0), 3000);
  {
    FlashFile flash = FlashFile::create(path);
    CHECK(flash.contents().size() == FlashFile::kDefaultBytes);
    CHECK_FALSE(bootable_slot(flash.contents()));
    flash.write(Slot::kA, old_image);
    CHECK(bootable_slot(flash.contents()) == Slot::kA);
    flash.write(Slot::kB, new_image);
    CHECK(bootable_slot(flash.contents()) == Slot::kB);
    CHECK(std::ranges::equal(flash.slot(Slot::kA).first(old_image.size()), old_image));
    // A shorter image over a longer one: the rest is erased.
    flash.write(Slot::kA, new_image);
    CHECK(flash.slot(Slot::kA)[new_image.size()] == 0xFF);
    flash.write(Slot::kA, old_image);
    CHECK(read_file(path) == Bytes(flash.contents().begin(), flash.contents().end()));
  }
  FlashFile flash(path);
  constexpr uint64_t kAll = ~uint64_t{0};
  flash.mark(Slot::kB, {kAll << image::kMaxAttempts, kAll, kAll, kAll});
  CHECK(check(flash.slot(Slot::kB)) == Refusal::kAttemptsUsedUp);
  CHECK(bootable_slot(flash.contents()) == Slot::kA);
  flash.mark(Slot::kB, {kAll, 0, kAll, kAll});
  CHECK(bootable_slot(flash.contents()) == Slot::kB);
  flash.mark(Slot::kB, {kAll, kAll, 0, kAll});
  CHECK(check(flash.slot(Slot::kB)) == Refusal::kRevoked);
  flash.erase(Slot::kB);
  CHECK(check(flash.slot(Slot::kB)) == Refusal::kErased);
  CHECK(error_of([&] {
          flash.mark(Slot::kB, {kAll, 0, kAll, kAll});
        }).find("holds no image") != std::string::npos);

  const Bytes contents = read_file(path);
  const auto outside = [](std::span<const uint8_t> part) {
    return std::ranges::all_of(part, [](uint8_t byte) { return byte == 0xFF; });
  };
  CHECK(outside(std::span(contents).first(image::kFirstSlotOffset)));
  CHECK(outside(std::span(contents).subspan(image::kFirstSlotOffset + 2 * image::kSlotBytes)));
}

TEST_CASE("flash files that cannot be used, and images that are not written") {
  const TempFolder folder;
  CHECK(error_of([&] { FlashFile flash(folder / "none"); }).find("cannot open") != std::string::npos);
  write_file(folder / "small", Bytes(1000));
  CHECK(error_of([&] { FlashFile flash(folder / "small"); }).find("has 1000 bytes") != std::string::npos);
  CHECK(error_of([&] { read_file(folder / "."); }).find("folder") != std::string::npos);
  CHECK(error_of([&] { write_file(folder / "no/such/folder", {}); }).find("cannot be written") !=
        std::string::npos);

  const std::string path = folder / "flash.bin";
  FlashFile flash = FlashFile::create(path);
  CHECK(error_of([&] { FlashFile second(path); }).find("in use") != std::string::npos);
  std::mt19937_64 random(test_seed());
  Bytes image = boot::random_image(random, 1, 100);
  image.back() ^= 1;
  CHECK(error_of([&] { flash.write(Slot::kA, image); }).find("digest wrong") != std::string::npos);
  CHECK(check(flash.slot(Slot::kA)) == Refusal::kErased);
}

TEST_CASE(
    "files that are replaced keep their mode, and a temporary file that was left behind is no obstacle") {
  namespace fs = std::filesystem;
  const TempFolder folder;
  const std::string path = folder / "file";
  write_file(path, Bytes(1));
  fs::permissions(path, fs::perms::owner_all);
  write_file(path + ".part", Bytes(2));
  write_file(fmt::format("{}.{}-0.part", path, ::getpid()), Bytes(3));
  write_file(path, Bytes(4));
  CHECK(read_file(path).size() == 4);
  CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  CHECK(std::distance(fs::directory_iterator(folder / "."), fs::directory_iterator()) == 3);
}

}  // namespace
}  // namespace swai::flash
