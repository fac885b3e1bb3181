// SPDX-License-Identifier: Apache-2.0
// swai-card: the card in simulation, as a program. See docs/simulate/card.md.
#include <fmt/format.h>

#include <exception>

#include "sim/card/serve.hpp"
#include "sim/card/session.hpp"
#include "sim/common/host_threads.hpp"
#include "sim/seam/threads.hpp"

int main(int argc, char** argv) {
  using namespace swai;
  using namespace swai::card;
  Options options;
  if (const auto code = parse_options(argc, argv, options)) return *code;
  try {
    become(options, argv);
    common::Workers workers(common::host_threads(array::kMostThreads));
    if (workers.count() > 1) array::workers = &workers;
    return options.socket.empty() ? Session(options).run() : Serve(options).run();
  } catch (const std::exception& error) {
    // Whatever is thrown names a file or a port that cannot be used.
    fmt::print(stderr, "swai-card: {}\n", error.what());
    return kExitBadInput;
  }
}
