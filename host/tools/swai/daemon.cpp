// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/daemon.hpp"

#include "host/daemon/cards/control.hpp"
#include "host/tools/cli/error.hpp"
#include "host/transport/served.hpp"

namespace swai::cli {

Json ask_daemon(const Json& request) {
  const auto folder = link::served_folder();
  if (folder.empty()) throw Error(kNoCard, "no daemon runs; `swai serve` in another terminal starts it");
  try {
    return serve::ask(folder / "control", request);
  } catch (const serve::Unreachable& error) {
    throw Error(kNoCard, error.what());
  } catch (const std::runtime_error& error) {
    throw Error(kBadInput, error.what());
  }
}

}  // namespace swai::cli
