// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace swai::usb {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kJsonVersion = 1;
constexpr double kPicosecondsPerSecond = 1e12;

double seconds(Picoseconds time) { return static_cast<double>(time) / kPicosecondsPerSecond; }

// How much of what the clock allows, eight bits in eight periods, arrived as contents of the flash.
double efficiency(uint64_t bytes, const Stretch& stretch, Picoseconds half_period) {
  if (stretch.length() == 0) return 0;
  return static_cast<double>(bytes) * 16 * static_cast<double>(half_period) /
         static_cast<double>(stretch.length());
}

// Of the channel that was used most.
const Mpsse& engine_of(const Board& board) {
  return std::ranges::max_element(board.adapter().channels(), {},
                                  [](const Channel& channel) { return channel.engine().clocks(); })
      ->engine();
}

Json faults(const Board& board) {
  Json all = Json::array();
  for (const TransferFault& fault : board.port().happened())
    all.push_back({{"kind", name_of(fault.kind)}, {"transfer", fault.transfer}, {"amount", fault.amount}});
  if (board.power_was_cut()) all.push_back({{"kind", "cut"}});
  return all;
}

Json describe(const BoardReport& report) {
  const Board& board = report.board;
  const UsbPort::Counters& usb = board.port().counters();
  const card::FlashChip::Counters& chip = board.flash().chip().counters();
  const card::FlashPins::Violations violations = board.flash().violations();
  const Mpsse& engine = engine_of(board);
  Json all = {
      {"board", board.options().kind.name},
      {"serial", board.options().serial},
      {"file", report.file},
      {"seconds", seconds(board.port().now())},
      {"attached", board.port().attached()},
      {"kernel_driver_attached", report.driver_attached},
      {"faults", faults(board)},
      {"usb",
       {{"transfers", usb.transfers},
        {"packets", usb.packets},
        {"bytes_to_device", usb.bytes_to_device},
        {"bytes_to_host", usb.bytes_to_host}}},
      {"clock",
       {{"hertz", engine.half_period() == 0
                      ? 0
                      : kPicosecondsPerSecond / (2.0 * static_cast<double>(engine.half_period()))},
        {"periods", engine.clocks()}}},
      {"flash",
       {{"commands", chip.commands},
        {"ignored", chip.ignored},
        {"programs", chip.programs},
        {"erases", chip.erases},
        {"bytes_programmed", chip.bytes_programmed},
        {"bytes_erased", chip.bytes_erased},
        {"bytes_read", chip.bytes_read},
        {"violations",
         {{"contention", violations.contention},
          {"fast_read", violations.fast_read},
          {"deselect", violations.deselect},
          {"sck", violations.sck}}}}},
      {"reading",
       {{"bytes", chip.bytes_read},
        {"seconds", seconds(board.reading().length())},
        {"usb_efficiency", efficiency(chip.bytes_read, board.reading(), board.reading_half_period())}}},
      {"programming", {{"bytes", chip.bytes_programmed}, {"seconds", seconds(board.programming().length())}}},
  };
  if (const Ecp5Tap* tap = board.tap())
    all["jtag"] = {{"passages", tap->passages()}, {"fast_clocks", tap->fast_clocks()}};
  return all;
}

}  // namespace

std::string json(const std::vector<BoardReport>& boards) {
  Json all = {{"version", kJsonVersion}, {"boards", Json::array()}};
  for (const BoardReport& board : boards) all["boards"].push_back(describe(board));
  return all.dump(2) + "\n";
}

}  // namespace swai::usb
