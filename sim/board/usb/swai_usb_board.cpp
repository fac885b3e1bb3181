// SPDX-License-Identifier: Apache-2.0
// swai-usb-board: emulated boards on the USB port, for a command. See docs/simulate/usb-board.md.
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <fstream>
#include <memory>
#include <vector>

#include "sim/board/usb/bed.hpp"
#include "sim/board/usb/options.hpp"
#include "sim/board/usb/report.hpp"

namespace {

using namespace swai::usb;

int run(const Options& options) {
  std::ofstream report_file;
  if (!options.report.empty()) {
    report_file.open(options.report);
    if (!report_file) throw std::runtime_error(fmt::format("--report {}: cannot write it", options.report));
  }
  std::vector<swai::card::FlashStore> stores;
  std::vector<std::unique_ptr<Board>> boards;
  for (const std::string& file : options.files)
    stores.push_back(swai::card::FlashStore::open(file, options.flash_size));
  Bed bed;
  for (size_t i = 0; i < stores.size(); ++i) {
    boards.push_back(std::make_unique<Board>(options.boards[i], stores[i]));
    bed.plug_in(*boards[i], options.wall_clock);
  }
  const int code = bed.run(options.command);
  bed.finish();
  for (swai::card::FlashStore& store : stores) store.flush();
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
    return kExitBadFile;
  } catch (const std::exception& error) {
    fmt::print(stderr, "swai-usb-board: {}\n", error.what());
    return kExitFailed;
  }
}
