// SPDX-License-Identifier: Apache-2.0
// A machine with boards on its USB ports, as a command sees it that runs in it: an umockdev test bed.
#pragma once

#include <umockdev.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/board/usb/board.hpp"
#include "sim/board/usb/usbfs.hpp"

namespace swai::usb {

class Bed {
 public:
  // Begins this program again with the library that makes a bed, unless it has it.
  static void enter(char** argv);

  Bed();
  ~Bed();
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  void plug_in(Board& board, bool wall_clock);

  // Runs a command in the bed and returns its exit code, 128 and the signal's number when a signal ended it.
  int run(const std::vector<std::string>& command);

  // Stops serving clients and completes the transfers under way; call before a report. Rethrows a board's
  // failure, such as card::FlashStoreError.
  void finish();
  bool driver_attached(size_t board) const { return sockets_[board]->usbfs.driver_attached(); }

 private:
  struct Socket {
    Socket(Board& plugged, bool wall_clock) : board(plugged), usbfs(plugged, wall_clock) {}
    Board& board;
    Usbfs usbfs;
    std::string syspath;
    std::string node;
  };

  std::string in_bed(const std::string& path) const;

  UMockdevTestbed* bed_;
  std::vector<std::unique_ptr<Socket>> sockets_;
};

}  // namespace swai::usb
