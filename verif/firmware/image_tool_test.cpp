// SPDX-License-Identifier: Apache-2.0
// swai-image as users meet it: exit codes, messages, reports.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/tools/flash/flash_file.hpp"
#include "verif/firmware/test_tools.hpp"

namespace swai::flash {
namespace {

constexpr char kKernelElf[] = "build/firmware/kernel.elf";

// One line on standard error that names the cause, and exit code 2.
bool fails_with(const Finished& run, std::string_view cause) {
  const bool one_line = !run.error.empty() && run.error.find('\n') == run.error.size() - 1;
  const bool good = run.code == 2 && one_line && run.error.find(cause) != std::string::npos;
  if (!good) MESSAGE("code " << run.code << ", error: " << run.error);
  return good;
}

Finished tool(const std::string& arguments) { return run_command("build/swai-image " + arguments); }

nlohmann::json json(const Finished& run) { return nlohmann::json::parse(run.out); }

TEST_CASE("pack, write, inspect, mark, erase") {
  const TempFolder folder;
  const std::string image = folder / "kernel.img";
  const std::string flash = folder / "flash.bin";
  CHECK(tool(fmt::format("pack {} -o {} --version 2.3.4 --board bench", kKernelElf, image)).code == 0);

  const auto report = json(tool("inspect --json " + image));
  CHECK(report["version"] == 1);
  CHECK(report["kind"] == "image");
  CHECK(report["valid"] == true);
  CHECK(report["name"] == "ai-kernel");
  CHECK(report["image_version"] == "2.3.4");
  CHECK(report["board"] == "bench");
  CHECK(report["image_bytes"] == read_file(image).size());
  CHECK(report["confirmed"] == false);
  CHECK(tool("inspect " + image).out.find("ai-kernel 2.3.4") != std::string::npos);

  CHECK(tool(fmt::format("write {} --flash {} --create --slot B", image, flash)).code == 0);
  auto slots = json(tool("inspect --json " + flash));
  CHECK(slots["kind"] == "flash");
  CHECK(slots["boots"] == "B");
  CHECK(slots["slots"][0]["verdict"] == "empty");
  CHECK(slots["slots"][1]["image_version"] == "2.3.4");

  CHECK(tool(fmt::format("mark --flash {} --slot b --attempts 3", flash)).code == 0);
  slots = json(tool("inspect --json " + flash));
  CHECK(slots["boots"].is_null());
  CHECK(slots["slots"][1]["attempts"] == 3);
  CHECK(tool(fmt::format("write {} --flash {} --slot a --confirmed", image, flash)).code == 0);
  CHECK(json(tool("inspect --json " + flash))["slots"][0]["confirmed"] == true);
  CHECK(tool(fmt::format("mark --flash {} --slot a --revoked", flash)).code == 0);
  CHECK(tool("inspect " + flash).out.find("boots: nothing, recovery") != std::string::npos);
  CHECK(tool(fmt::format("erase --flash {} --slot a", flash)).code == 0);
  CHECK(json(tool("inspect --json " + flash))["slots"][0]["verdict"] == "empty");
}

TEST_CASE("bad usage and bad input") {
  const TempFolder folder;
  const std::string image = folder / "kernel.img";
  const std::string flash = folder / "flash.bin";
  write_file(folder / "text", Bytes(1000, 'x'));
  CHECK(tool("").code == 2);
  CHECK(tool("bake").code == 2);
  CHECK(tool("pack").code == 2);
  CHECK(tool("--help").code == 0);

  auto pack = [&](const std::string& elf) { return tool(fmt::format("pack {} -o {}", elf, image)); };
  CHECK(fails_with(pack(folder / "none"), "cannot open"));
  CHECK(fails_with(pack(folder / "text"), "not an ELF file"));
  CHECK(fails_with(pack("build/swai-image"), "another machine"));
  CHECK(fails_with(pack("build/firmware/rom.elf"), "no identity record"));
  CHECK(fails_with(pack(fmt::format("{} --version 1.x", kKernelElf)), "'1.x' is no image version"));
  CHECK(fails_with(pack(fmt::format("{} --name {}", kKernelElf, std::string(33, 'n'))), "too long"));
  CHECK(fails_with(tool(fmt::format("pack {} -o {}", kKernelElf, folder / "no/where")), "cannot be written"));
  CHECK_FALSE(std::filesystem::exists(image));

  CHECK(fails_with(tool("inspect " + folder / "none"), "cannot open"));
  CHECK(fails_with(tool("inspect " + folder / "text"), "image refused: no image header"));
  CHECK(fails_with(tool(fmt::format("write {} --flash {} --create", folder / "text", flash)),
                   "no image header; nothing was written"));
  CHECK_FALSE(std::filesystem::exists(flash));
  REQUIRE(pack(kKernelElf).code == 0);
  CHECK(fails_with(tool(fmt::format("write {} --flash {}", image, flash)), "cannot open"));
  CHECK(fails_with(tool(fmt::format("write {} --flash {}", image, folder / "text")), "has 1000 bytes"));
  CHECK(tool(fmt::format("write {} --flash {} --create --slot c", image, flash)).code == 2);
  CHECK(tool(fmt::format("write {} --flash {} --create", image, flash)).code == 0);
  CHECK(
      fails_with(tool(fmt::format("mark --flash {} --slot b --confirmed", flash)), "slot B holds no image"));

  Bytes bytes = read_file(image);
  bytes.pop_back();
  write_file(image, bytes);
  CHECK(fails_with(tool("inspect " + image), "image refused: truncated"));
}

TEST_CASE("texts in an image are printed without control characters") {
  const TempFolder folder;
  const std::string file = folder / "strange\x1b[31m.img";
  REQUIRE(tool(fmt::format("pack {} -o '{}'", kKernelElf, file)).code == 0);
  Bytes image = read_file(file);
  image::Header header = read_header(image);
  const auto say = [](std::span<char> field) {
    std::ranges::copy(std::string_view("\x1b]0;!\a\x9b\xc2\x9b\x7f"), field.begin());
  };
  say(header.identity.name);
  say(header.identity.git_hash);
  say(header.identity.board);
  seal(header);
  write_header(image, header);
  write_file(file, image);
  const std::string flash = folder / "flash.bin";
  CHECK(tool(fmt::format("write '{}' --flash {} --create", file, flash)).code == 0);
  for (const std::string& what : {file, flash}) {
    for (const char* how : {"", "--json "}) {
      const Finished run = tool(fmt::format("inspect {}'{}'", how, what));
      CHECK(run.code == 0);
      CHECK(run.out.find("?]0;!????") != std::string::npos);
      CHECK(std::ranges::none_of(run.out, [](char one) { return (one < ' ' && one != '\n') || one > '~'; }));
    }
  }
  image.pop_back();
  write_file(file, image);
  CHECK(fails_with(tool(fmt::format("inspect '{}'", file)), "strange?[31m.img: image refused"));
}

TEST_CASE("of a file at most four times the capacity of a flash chip is read") {
  const TempFolder folder;
  const std::string file = folder / "large";
  write_file(file, Bytes());
  std::filesystem::resize_file(file, 64 << 20);
  CHECK(tool("inspect " + file).code == 0);
  std::filesystem::resize_file(file, (64 << 20) + 1);
  for (const std::string& endless : {file, std::string("/dev/zero")})
    CHECK(fails_with(tool("inspect " + endless), "is longer than 67108864 bytes"));
}

TEST_CASE("the ROM as rows for $readmemh") {
  const TempFolder folder;
  REQUIRE(tool(fmt::format("rom build/firmware/rom.elf -o {}", folder / "rom.hex")).code == 0);
  const Bytes rows = read_file(folder / "rom.hex");
  constexpr size_t kRow = 129;
  CHECK(rows.size() == kRow * regs::kRomRegion.size / 64);
  // The first instruction is csrw mie, zero; the first byte is the last of its row.
  CHECK(std::string(rows.begin() + kRow - 9, rows.begin() + kRow) == "30401073\n");
  CHECK(fails_with(tool(fmt::format("rom {} -o {}", kKernelElf, folder / "x")), "kernel.elf"));
}

}  // namespace
}  // namespace swai::flash
