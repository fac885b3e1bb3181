// SPDX-License-Identifier: Apache-2.0
// Unit tests of the flash contents' file: survival, and files that are refused.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "verif/sim/card/flash_bench.hpp"

namespace swai::card {
namespace {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flash-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string error_of(const std::string& path, size_t bytes = 0) {
  try {
    FlashStore::open(path, bytes);
  } catch (const FlashStoreError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("contents survive in a file") {
  TempFolder folder;
  const std::string path = folder / "card.flash";
  {
    FlashStore store = FlashStore::open(path, kSize);
    CHECK(std::ranges::count(store.cells(), 0xFF) == kSize);
    FlashChip chip(store, {});
    ByteBus bus(chip);
    bus.run({.head = {0x06}});
    bus.run({.head = Bench::head(0x02, 0x100, {1, 2, 3})});
    chip.finish();
    bus.run({.head = {0x06}});
    bus.run({.head = {0x01, 0x04, 0x00}});
    chip.finish();
    store.flush();
    CHECK(error_of(path).find("in use") != std::string::npos);
  }
  CHECK(std::filesystem::file_size(path) == kSize);
  {
    FlashStore store = FlashStore::open(path);
    CHECK(store.size() == kSize);
    CHECK(store.cells()[0x101] == 2);
    CHECK(store.status() == FlashStatusBits{0x04, 0x00, 0x60});
    store.set_status({});
  }
  CHECK(!std::filesystem::exists(path + ".status"));
  CHECK(FlashStore::open(folder / "new.flash").size() == size_t{16} << 20);
}

TEST_CASE(
    "a file that is cut while a card uses it is made whole with the next write, and nobody dies of it") {
  TempFolder folder;
  const std::string path = folder / "card.flash";
  {
    FlashStore store = FlashStore::open(path, kSize);
    store.cells()[kSize - 1] = 7;
    store.wrote(kSize - 1, 1);
    std::filesystem::resize_file(path, 4096);
    CHECK(store.cells()[kSize - 1] == 7);
    store.cells()[5] = 9;
    store.wrote(5, 1);
    CHECK(std::filesystem::file_size(path) == kSize);
    std::filesystem::resize_file(path, 0);
    store.flush();
  }
  const FlashStore store = FlashStore::open(path);
  CHECK(store.cells()[kSize - 1] == 7);
  CHECK(store.cells()[5] == 9);
  CHECK(store.cells()[6] == 0xFF);
}

TEST_CASE("an empty file of status registers is that of a card which was killed while it wrote it") {
  TempFolder folder;
  const std::string path = folder / "card.flash";
  FlashStore::open(path, kSize);
  std::ofstream(path + ".status").flush();
  CHECK(FlashStore::open(path).status() == FlashStatusBits{});
}

TEST_CASE("files that cannot be a chip are refused with a reason") {
  TempFolder folder;
  auto make = [&](const std::string& name, size_t bytes) {
    std::ofstream(folder / name, std::ios::binary) << std::string(bytes, 'x');
    return folder / name;
  };
  CHECK(error_of(make("odd", 12345)).find("12345 bytes") != std::string::npos);
  CHECK(error_of(make("empty", 0)).find("0 bytes") != std::string::npos);
  CHECK(error_of(make("other", 2 << 20), 1 << 20).find("1048576 were asked") != std::string::npos);
  CHECK(error_of(folder / "x", 3 << 20).find("3145728 bytes asked") != std::string::npos);
  CHECK(error_of(folder / "no/such/folder").find("cannot create") != std::string::npos);
  CHECK(error_of(folder / "").find("cannot open") != std::string::npos);  // a folder
  CHECK(error_of("/dev/null").find("not a plain file") != std::string::npos);
  if (geteuid() != 0) {
    const std::string locked = make("locked", kSize);
    ::chmod(locked.c_str(), 0);
    CHECK(error_of(locked).find("Permission denied") != std::string::npos);
  }
  const std::string torn = make("torn", kSize);
  std::ofstream(torn + ".status") << "hello";
  CHECK(error_of(torn).find("not the status registers") != std::string::npos);
}

}  // namespace
}  // namespace swai::card
