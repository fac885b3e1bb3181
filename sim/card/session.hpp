// SPDX-License-Identifier: Apache-2.0
// One run of swai-card: the card, its console, the debugger, and when it all ends.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/card/card.hpp"
#include "sim/card/console.hpp"
#include "sim/card/options.hpp"
#include "sim/card/progress.hpp"
#include "sim/card/report.hpp"
#include "sim/common/gdb_stub.hpp"
#include "sim/common/gdb_stub_mpe.hpp"

namespace swai::card {

// The core as gdb sees it. Its caches would take a store to the boot ROM and show it again, but no
// instruction would come of it: breakpoints there must be the core's own.
class CardTarget final : public common::MpeGdbTarget {
 public:
  using common::MpeGdbTarget::MpeGdbTarget;
  bool write_memory(uint64_t addr, std::span<const uint8_t> from) override;
};

class Session {
 public:
  // Throws FlashStoreError, ConsoleError or common::InputError for files that cannot be used.
  explicit Session(const Options& options);

  // Returns the exit code.
  int run();

 private:
  void simulate(uint64_t clocks);
  void on_sleep();
  bool serve_gdb();
  void check_limits();
  void end(int code, std::string reason);
  Report report();

  Options options_;
  StopSignal stop_;
  FlashStore flash_;
  Console console_;
  Progress progress_;
  std::unique_ptr<EventFile> events_;
  Card card_;
  CardTarget target_;
  std::unique_ptr<common::GdbServer> gdb_;
  std::optional<int> code_;
};

}  // namespace swai::card
