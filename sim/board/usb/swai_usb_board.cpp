// SPDX-License-Identifier: Apache-2.0
// swai-usb-board: emulated boards on the USB port, for a command. See docs/simulate/usb-board.md.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "host/lib/elf.hpp"
#include "sim/board/usb/bed.hpp"
#include "sim/board/usb/options.hpp"
#include "sim/board/usb/report.hpp"

namespace {

using namespace swai::usb;
using swai::common::kExitBadInput;

using swai::card::FlashStore;

// A new file has the size of the board's chip, as far as 3-byte addresses reach.
FlashStore open_store(const std::string& file, size_t bytes, const swai::boards::Board& board) {
  if (bytes == 0 && !std::filesystem::exists(file))
    bytes = std::min<size_t>(board.flash_bytes, FlashStore::kMaxBytes);
  return FlashStore::open(file, bytes);
}

int run(const Options& options) {
  std::ofstream report_file;
  if (!options.report.empty()) {
    report_file.open(options.report);
    if (!report_file) throw std::runtime_error(fmt::format("--report {}: cannot write it", options.report));
  }
  std::vector<FlashStore> stores;
  std::vector<std::unique_ptr<Board>> boards;
  for (size_t i = 0; i < options.files.size(); ++i)
    stores.push_back(open_store(options.files[i], options.flash_size, options.boards[i].kind));
  Bed bed;
  for (size_t i = 0; i < stores.size(); ++i) {
    boards.push_back(std::make_unique<Board>(options.boards[i], stores[i]));
    bed.plug_in(*boards[i], options.wall_clock);
  }
  const int code = bed.run(options.command);
  bed.finish();
  for (FlashStore& store : stores) store.flush();
  if (!report_file.is_open()) return code;
  std::vector<BoardReport> reports;
  for (size_t i = 0; i < boards.size(); ++i)
    reports.push_back({*boards[i], options.files[i], bed.driver_attached(i)});
  report_file << json(reports);
  if (!report_file.flush())
    throw std::runtime_error(fmt::format("--report {}: cannot write it", options.report));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // The write then fails instead, and the failure is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    Bed::enter(argv);
    Options options;
    if (const auto code = parse_options(argc, argv, options)) return *code;
    return run(options);
  } catch (const swai::card::FlashStoreError& error) {
    fmt::print(stderr, "swai-usb-board: {}\n", error.what());
    return kExitBadInput;
  } catch (const swai::common::InputError& error) {
    fmt::print(stderr, "swai-usb-board: {}\n", error.what());
    return kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "swai-usb-board: {}\n", error.what());
    return kExitFailed;
  }
}
