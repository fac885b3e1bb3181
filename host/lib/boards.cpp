// SPDX-License-Identifier: Apache-2.0
#include "host/lib/boards.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "host/lib/elf.hpp"
#include "host/lib/json_depth.hpp"
#include "host/lib/printable.hpp"

namespace swai::boards {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using common::InputError;

constexpr const char* kFile = "board.json";
constexpr unsigned kVersion = 2;  // 1 was a list of boards in one file
constexpr size_t kMaxFileBytes = size_t{64} << 10;
constexpr size_t kMaxNameBytes = 40;
constexpr uint32_t kSectorBytes = 4096;
constexpr unsigned kFirstFreePin = 3;  // below are clock and data
constexpr unsigned kPins = 8;
// What an FT2232H can clock.
constexpr uint32_t kMinClock = 1'000;
constexpr uint32_t kMaxClock = 30'000'000;

// An object of the file, with its place in it for messages.
class Part {
 public:
  Part(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json_.is_object()) fail("is no object");
  }

  [[noreturn]] void fail(const std::string& cause) const {
    throw InputError(fmt::format("{}: {}", place_, cause));
  }

  // Misspelt fields must not pass for absent ones.
  void only(const std::set<std::string>& known) const {
    for (const auto& [key, unused] : json_.items()) {
      if (!known.contains(key)) {
        fail(fmt::format("'{}' is no field here; there are {}", common::printable(key),
                         fmt::join(known, ", ")));
      }
    }
  }

  bool has(const std::string& key) const { return json_.contains(key); }

  const Json& at(const std::string& key) const {
    if (!has(key)) fail(fmt::format("'{}' is missing", key));
    return json_.at(key);
  }

  Part part(const std::string& key) const { return {at(key), place_ + ", " + key}; }

  std::vector<Part> parts(const std::string& key) const {
    if (!at(key).is_array()) fail(fmt::format("'{}' is no list", key));
    std::vector<Part> found;
    for (const Json& one : at(key))
      found.emplace_back(one, fmt::format("{}, {}[{}]", place_, key, found.size()));
    return found;
  }

  std::string text(const std::string& key) const {
    if (!at(key).is_string()) fail(fmt::format("'{}' is no text", key));
    const auto text = at(key).get<std::string>();
    if (text.empty() || text.size() > 100 ||
        !std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) {
      fail(fmt::format("'{}' must have 1 to 100 characters of ASCII", key));
    }
    return text;
  }

  uint32_t number(const std::string& key, uint32_t least, uint32_t most) const {
    return number_in(at(key), key, least, most);
  }

  uint32_t hex(const std::string& key, size_t digits) const { return hex_in(at(key), key, digits); }

  std::vector<uint32_t> numbers(const std::string& key, uint32_t least, uint32_t most) const {
    std::vector<uint32_t> found;
    for (const Json& one : list(key)) found.push_back(number_in(one, key, least, most));
    return found;
  }

  std::vector<uint32_t> hexes(const std::string& key, size_t digits) const {
    std::vector<uint32_t> found;
    for (const Json& one : list(key)) found.push_back(hex_in(one, key, digits));
    return found;
  }

  bool flag(const std::string& key) const {
    if (!has(key)) return false;
    if (!at(key).is_boolean()) fail(fmt::format("'{}' must be true or false", key));
    return at(key).get<bool>();
  }

 private:
  const Json& list(const std::string& key) const {
    if (!at(key).is_array()) fail(fmt::format("'{}' is no list", key));
    return at(key);
  }

  uint32_t number_in(const Json& value, const std::string& key, uint32_t least, uint32_t most) const {
    if (!value.is_number_unsigned() || value.get<uint64_t>() < least || value.get<uint64_t>() > most) {
      fail(fmt::format("'{}' must be a number from {} to {}", key, least, most));
    }
    return value.get<uint32_t>();
  }

  uint32_t hex_in(const Json& value, const std::string& key, size_t digits) const {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (text.size() != digits || error != std::errc{} || end != text.data() + text.size()) {
      fail(fmt::format("'{}' must be text of {} hexadecimal digits", key, digits));
    }
    return number;
  }

  const Json& json_;
  std::string place_;
};

void read_regions(const Part& part, Board& board) {
  std::set<std::string> names;
  uint32_t end = 0;
  for (const Part& one : part.parts("regions")) {
    one.only({"name", "offset", "bytes", "protected"});
    Region region = {one.text("name"), one.number("offset", 0, board.flash_bytes - 1),
                     one.number("bytes", kSectorBytes, board.flash_bytes), one.flag("protected")};
    if (region.offset % kSectorBytes != 0 || region.bytes % kSectorBytes != 0) {
      one.fail(fmt::format("must begin and end with a sector of {} bytes", kSectorBytes));
    }
    if (region.offset < end) one.fail("overlaps the region before it, or the regions are not in order");
    if (region.bytes > board.flash_bytes - region.offset) one.fail("reaches beyond the chip");
    if (!names.insert(region.name).second) one.fail(fmt::format("there are two regions '{}'", region.name));
    end = region.offset + region.bytes;
    board.regions.push_back(std::move(region));
  }
  for (const image::Slot slot : image::kSlots) {
    const std::string name = slot == image::Slot::kA ? "slot-a" : "slot-b";
    const auto found = std::ranges::find(board.regions, name, &Region::name);
    if (found == board.regions.end()) part.fail(fmt::format("has no region '{}'", name));
    if (found->bytes != image::kSlotBytes) {
      part.fail(
          fmt::format("region '{}' must have {} bytes, as the boot ROM has it", name, image::kSlotBytes));
    }
    board.slots.offsets[index(slot)] = found->offset;
  }
}

SpiWiring read_spi(const Part& part) {
  part.only({"clock_hz", "select", "reset", "done"});
  SpiWiring wiring;
  wiring.select = part.number("select", kFirstFreePin, kPins - 1);
  if (part.has("reset")) {
    for (const uint32_t pin : part.numbers("reset", kFirstFreePin, kPins - 1)) wiring.reset.push_back(pin);
  }
  if (part.has("done")) {
    wiring.done = part.number("done", kFirstFreePin, kPins - 1);
    if (wiring.reset.empty())
      part.fail("'done' needs 'reset': it says when the FPGA that was in reset is done");
  }
  if (std::ranges::count(wiring.reset, wiring.select) != 0) part.fail("'reset' holds the pin of 'select'");
  if (wiring.done == wiring.select) part.fail("'done' is the pin of 'select'");
  if (wiring.done && std::ranges::count(wiring.reset, *wiring.done) != 0)
    part.fail("'reset' holds the pin of 'done'");
  return wiring;
}

JtagWiring read_jtag(const Part& part) {
  part.only({"clock_hz", "idcodes", "fitted"});
  const JtagWiring wiring = {part.hexes("idcodes", 8), part.hex("fitted", 8)};
  if (wiring.idcodes.empty()) part.fail("'idcodes' is empty");
  if (std::ranges::count(wiring.idcodes, wiring.fitted) == 0) part.fail("'fitted' must be one of 'idcodes'");
  return wiring;
}

void read_wiring(const Part& part, Board& board) {
  if (part.has("spi") == part.has("jtag")) part.fail("needs either 'spi' or 'jtag'");
  const Part wires = part.part(part.has("spi") ? "spi" : "jtag");
  board.clock_hz = wires.number("clock_hz", kMinClock, kMaxClock);
  if (part.has("spi")) {
    board.spi = read_spi(wires);
  } else {
    board.jtag = read_jtag(wires);
  }
}

Usb read_usb(const Part& part) {
  part.only({"vendor", "product", "channel", "strings", "prefix"});
  Usb usb;
  usb.vendor = static_cast<uint16_t>(part.hex("vendor", 4));
  usb.product = static_cast<uint16_t>(part.hex("product", 4));
  const std::string channel = part.text("channel");
  if (channel != "A" && channel != "B") part.fail("'channel' must be A or B");
  usb.channel = channel == "A" ? 0 : 1;
  const Part strings = part.part("strings");
  strings.only({"manufacturer", "product"});
  usb.manufacturer = strings.text("manufacturer");
  usb.text = strings.text("product");
  if (part.has("prefix")) usb.prefix = part.text("prefix");
  if (!usb.text.starts_with(usb.prefix)) part.fail("'prefix' must be how the product string begins");
  return usb;
}

Board read_board(const Part& part) {
  part.only({"version", "title", "seen", "remark", "usb", "spi", "jtag", "flash_bytes", "regions"});
  if (part.at("version") != kVersion) part.fail(fmt::format("'version' must be {}", kVersion));
  Board board;
  board.title = part.text("title");
  board.seen = part.text("seen");
  if (board.seen != "emulated" && board.seen != "hardware") part.fail("'seen' must be emulated or hardware");
  if (part.has("remark")) board.remark = part.text("remark");
  board.usb = read_usb(part.part("usb"));
  read_wiring(part, board);
  board.flash_bytes = part.number("flash_bytes", image::kMinFlashBytes, uint32_t{1} << 30);
  if (!std::has_single_bit(board.flash_bytes)) part.fail("'flash_bytes' must be a power of two");
  read_regions(part, board);
  return board;
}

std::string read_text(const fs::path& file) {
  std::error_code unknown;
  std::ifstream in;
  // Opening a pipe would wait for a writer.
  if (fs::is_regular_file(file, unknown)) in.open(file, std::ios::binary);
  if (!in.is_open())
    throw InputError(fmt::format("{}: cannot be read; a board is a folder with a {}", file.string(), kFile));
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMaxFileBytes) throw InputError(fmt::format("{}: too large for a board", file.string()));
  return text;
}

// It stands in command lines, in lists with commas, and in tables.
bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kMaxNameBytes && text.front() != '-' && text.front() != '.' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                  c == '_' || c == '.';
         });
}

// The folders of boards in this one, by name.
std::set<fs::path> folders_in(const fs::path& all) {
  std::set<fs::path> found;
  std::error_code nothing_there;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(all, nothing_there)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory(unknown)) {
      if (!name.starts_with('.')) found.insert(entry.path());
    } else if (entry.path().extension() == ".json") {
      throw InputError(
          fmt::format("{}: a board is a folder: move each entry of the list 'boards' to {}/NAME/{}, with "
                      "\"version\": {} in place of its 'name'; docs/use/flash.md has the fields",
                      entry.path().string(), all.string(), kFile, kVersion));
    }
  }
  return found;
}

}  // namespace

Board load_board(const fs::path& folder) {
  const std::string file = folder / kFile;
  const std::string name = folder.filename();
  if (!is_name(name)) {
    throw InputError(
        fmt::format("{}: the folder's name is that of the board: 1 to {} of A-Z, a-z, 0-9, '-', "
                    "'_' and '.', and it begins with none of '-' and '.'",
                    common::printable(file), kMaxNameBytes));
  }
  const std::string text = read_text(file);
  const Json json =
      common::is_nested_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError(fmt::format("{}: is no JSON", file));
  Board board = read_board({json, file});
  board.name = name;
  board.source = file;
  return board;
}

std::vector<Board> all_boards(const fs::path& shipped, const fs::path& own) {
  std::error_code unknown;
  if (!fs::is_directory(shipped, unknown))
    throw InputError(fmt::format("{}: this folder with our boards is missing", shipped.string()));
  std::vector<Board> boards;
  for (const fs::path& folder : folders_in(shipped)) boards.push_back(load_board(folder));
  for (const fs::path& folder : folders_in(own)) {
    Board board = load_board(folder);
    std::erase_if(boards, [&](const Board& known) { return known.name == board.name; });
    boards.push_back(std::move(board));
  }
  return boards;
}

fs::path shipped_folder() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  // For PREFIX/bin/NAME, and for PREFIX/lib/swai/NAME.
  for (const fs::path& installed : {self.parent_path() / "lib" / "swai" / "boards", self / "boards"}) {
    if (fs::is_directory(installed, ignored)) return installed;
  }
  return self.parent_path() / "boards";
}

fs::path user_folder() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  const fs::path base = config != nullptr && *config != '\0'
                            ? fs::path(config)
                            : fs::path(home == nullptr ? "" : home) / ".config";
  return base / "swai" / "boards";
}

std::vector<Board> known_boards() { return all_boards(shipped_folder(), user_folder()); }

namespace {

template <typename Named>
const Named& find_named(const std::vector<Named>& all, const std::string& name, const std::string& what) {
  const auto found = std::ranges::find(all, name, &Named::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  throw InputError(fmt::format("there is no {} '{}'; there are {}", what, name, fmt::join(names, ", ")));
}

}  // namespace

const Board& find_board(const std::vector<Board>& boards, const std::string& name) {
  return find_named(boards, name, "board");
}

const Region& find_region(const Board& board, const std::string& name) {
  return find_named(board.regions, name, fmt::format("region of {}", board.title));
}

}  // namespace swai::boards
