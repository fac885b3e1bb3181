// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/board.hpp"

#include <algorithm>
#include <array>

namespace swai::usb {
namespace {

constexpr const char* kFtdi = "FTDI";
constexpr const char* kBlank = "Dual RS232-HS";  // of an FT2232H whose EEPROM says nothing else

constexpr std::array<BoardKind, 5> kBoards = {{
    {"ecpix5", "LambdaConcept ECPIX-5 85F", kFtdi, kBlank, 0x81113043, {}},
    {"versa", "Lattice ECP5-5G Versa", "Lattice", "Lattice ECP5_5G VERSA Board", 0x81112043, {}},
    {"ecp5-evn", "Lattice ECP5 Evaluation Board", "Lattice", "Lattice ECP5 Evaluation Board", 0x81113043, {}},
    {"icebreaker",
     "1BitSquared iCEBreaker",
     "1BitSquared",
     "iCEBreaker V1.0e",
     0,
     {.select = 0x10, .reset = 0x80, .done = 0x40}},
    {"ft2232h", "an FT2232H with a flash chip on ADBUS0 to 3", kFtdi, kBlank, 0, {.select = 0x08}},
}};

std::unique_ptr<Circuit> make_circuit(const BoardKind& kind, Nor& flash) {
  if (kind.idcode != 0) return std::make_unique<JtagCircuit>(kind.idcode, flash);
  return std::make_unique<SpiCircuit>(kind.wiring, flash);
}

NorOptions with_observer(NorOptions options, std::function<void(const card::FlashOperation&)> begins) {
  options.chip.begins = std::move(begins);
  return options;
}

}  // namespace

std::span<const BoardKind> board_kinds() { return kBoards; }

const BoardKind* find_board(const std::string& name) {
  const auto* found = std::ranges::find(kBoards, name, &BoardKind::name);
  return found == kBoards.end() ? nullptr : found;
}

Board::Board(const BoardOptions& options, card::FlashStore& store)
    : options_(options),
      flash_(store,
             with_observer(options.nor,
                           [this](const card::FlashOperation& operation) { operation_begins(operation); })),
      circuit_(make_circuit(*options.kind, flash_)),
      adapter_({.manufacturer = options.kind->manufacturer,
                .name = options.kind->product,
                .serial = options.serial},
               *circuit_, open_),
      port_(adapter_, options_.faults) {
  port_.power_cut = [this](Picoseconds time) {
    power_was_cut_ = true;
    flash_.power_cut(time);
  };
}

const Ecp5Tap* Board::tap() const {
  const auto* jtag = dynamic_cast<const JtagCircuit*>(circuit_.get());
  return jtag == nullptr ? nullptr : &jtag->tap();
}

// Whether power goes in the course of this one, and when.
void Board::operation_begins(const card::FlashOperation& operation) {
  const uint64_t bytes_before = operation_bytes_;
  ++operations_;
  operation_bytes_ += operation.bytes;
  const std::optional<PowerCut>& cut = options_.faults.cut;
  if (!cut) return;
  double progress = cut->progress;
  if (cut->byte) {
    if (*cut->byte <= bytes_before || *cut->byte > operation_bytes_) return;
    progress = (static_cast<double>(*cut->byte - bytes_before) - 0.5) / operation.bytes;
  } else if (cut->operation != operations_) {
    return;
  }
  const auto length = static_cast<double>(operation.end - operation.start);
  const Picoseconds time = (operation.start + static_cast<uint64_t>(length * progress)) * kNanosecond;
  port_.cut_power_at(time);
  for (Channel& channel : adapter_.channels()) channel.engine().stop_at(time);
}

std::optional<Urb> Board::reap() {
  std::optional<Urb> urb = port_.reap();
  if (!urb) return urb;
  const card::FlashChip::Counters& counters = flash_.chip().counters();
  auto note = [this](Stretch& stretch, uint64_t& seen, uint64_t count) {
    if (count == seen) return;
    if (!stretch.first) stretch.first = reaped_;
    stretch.last = port_.now();
    seen = count;
  };
  if (counters.bytes_read != read_) reading_half_period_ = adapter_.channels()[0].engine().half_period();
  note(reading_, read_, counters.bytes_read);
  note(programming_, programmed_, counters.bytes_programmed);
  reaped_ = port_.now();
  return urb;
}

void Board::finish() {
  port_.finish();
  if (!power_was_cut_) flash_.finish();
}

}  // namespace swai::usb
