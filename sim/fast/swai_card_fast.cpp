// SPDX-License-Identifier: Apache-2.0
// swai-card --tier fast: the functional model of the card, as a program. See docs/simulate/card-model.md.
#include <fmt/format.h>

#include <exception>

#include "sim/card/serve.hpp"
#include "sim/fast/session.hpp"

int main(int argc, char** argv) {
  using namespace swai;
  card::Options options;
  if (const auto code = card::parse_options(argc, argv, options)) return *code;
  try {
    card::become(options, argv);
    return options.socket.empty() ? fast::Session(options).run() : card::Serve(options).run();
  } catch (const std::exception& error) {
    // Whatever is thrown names a file that cannot be used.
    fmt::print(stderr, "swai-card: {}\n", error.what());
    return card::kExitBadInput;
  }
}
