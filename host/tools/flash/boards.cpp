// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/boards.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "host/tools/flash/flash_file.hpp"

namespace swai::flash {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr size_t kMaxFileBytes = size_t{1} << 20;
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
        fail(fmt::format("'{}' is no field here; there are {}", key, fmt::join(known, ", ")));
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

void read_wiring(const Part& part, Board& board) {
  if (part.has("spi") == part.has("jtag")) part.fail("needs either 'spi' or 'jtag'");
  if (part.has("spi")) {
    const Part spi = part.part("spi");
    spi.only({"clock_hz", "select", "low"});
    board.clock_hz = spi.number("clock_hz", kMinClock, kMaxClock);
    board.spi = SpiWiring{spi.number("select", kFirstFreePin, kPins - 1), {}};
    if (spi.has("low")) {
      for (const uint32_t pin : spi.numbers("low", kFirstFreePin, kPins - 1))
        board.spi->driven_low.push_back(pin);
    }
    if (std::ranges::count(board.spi->driven_low, board.spi->select) != 0)
      spi.fail("'low' holds the pin of 'select'");
    return;
  }
  const Part jtag = part.part("jtag");
  jtag.only({"clock_hz", "idcodes"});
  board.clock_hz = jtag.number("clock_hz", kMinClock, kMaxClock);
  board.jtag = JtagWiring{jtag.hexes("idcodes", 8)};
  if (board.jtag->idcodes.empty()) jtag.fail("'idcodes' is empty");
}

Board read_board(const Part& part) {
  part.only({"name", "title", "seen", "remark", "usb", "spi", "jtag", "flash_bytes", "regions"});
  Board board;
  board.name = part.text("name");
  board.title = part.text("title");
  board.seen = part.text("seen");
  if (board.seen != "emulated" && board.seen != "hardware") part.fail("'seen' must be emulated or hardware");
  if (part.has("remark")) board.remark = part.text("remark");
  const Part usb = part.part("usb");
  usb.only({"vendor", "product", "channel", "text"});
  board.vendor = static_cast<uint16_t>(usb.hex("vendor", 4));
  board.product = static_cast<uint16_t>(usb.hex("product", 4));
  if (usb.has("text")) board.text = usb.text("text");
  const std::string channel = usb.text("channel");
  if (channel != "A" && channel != "B") usb.fail("'channel' must be A or B");
  board.channel = channel == "A" ? 0 : 1;
  read_wiring(part, board);
  board.flash_bytes = part.number("flash_bytes", image::kMinFlashBytes, uint32_t{1} << 30);
  read_regions(part, board);
  return board;
}

}  // namespace

std::vector<Board> load_boards(const std::filesystem::path& file) {
  const Bytes bytes = read_file(file.string());
  if (bytes.size() > kMaxFileBytes)
    throw InputError(fmt::format("{}: too large for a list of boards", file.string()));
  const Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (json.is_discarded()) throw InputError(fmt::format("{}: is no JSON", file.string()));
  const Part whole(json, file.string());
  whole.only({"version", "boards"});
  whole.number("version", kVersion, kVersion);
  std::vector<Board> boards;
  for (const Part& part : whole.parts("boards")) {
    boards.push_back(read_board(part));
    boards.back().source = file.string();
  }
  return boards;
}

std::vector<Board> all_boards(const std::filesystem::path& shipped, const std::filesystem::path& folder) {
  std::vector<Board> boards = load_boards(shipped);
  std::set<std::filesystem::path> files;
  std::error_code nothing_there;
  for (const auto& entry : std::filesystem::directory_iterator(folder, nothing_there)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  for (const auto& file : files) {
    for (Board& board : load_boards(file)) {
      std::erase_if(boards, [&](const Board& known) { return known.name == board.name; });
      boards.push_back(std::move(board));
    }
  }
  return boards;
}

std::filesystem::path user_boards_folder() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  const std::filesystem::path base = config != nullptr && *config != '\0'
                                         ? std::filesystem::path(config)
                                         : std::filesystem::path(home == nullptr ? "" : home) / ".config";
  return base / "swai" / "boards";
}

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

}  // namespace swai::flash
