// SPDX-License-Identifier: Apache-2.0
#include "host/cli/daemon.hpp"

#include "host/cli/error.hpp"
#include "host/link/served.hpp"
#include "host/serve/control.hpp"

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
