// SPDX-License-Identifier: Apache-2.0
// What goes wrong below the runtime library's functions, as the error that ends a command.
#pragma once

#include <fmt/format.h>

#include "host/runtime/error.hpp"
#include "host/tools/cli/error.hpp"
#include "host/transport/backend.hpp"

namespace swai::cli {

template <typename Action>
auto with_reasons(Action action) {
  try {
    return action();
  } catch (const sdaa::Failure& failure) {
    throw Error(kFailed, failure.what());
  } catch (const link::Error& error) {
    if (error.kind() == link::ErrorKind::kRefused) {
      throw Error(kBadInput,
                  fmt::format("{}; a client of a shared card sees no memory that way: stop the daemon, or "
                              "choose the card's own socket",
                              error.what()));
    }
    throw Error(error.kind() == link::ErrorKind::kNoConnection ? kNoCard : kCardLost, error.what());
  }
}

}  // namespace swai::cli
