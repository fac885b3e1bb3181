// SPDX-License-Identifier: Apache-2.0
#include "host/transport/served_client.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "host/lib/printable.hpp"
#include "host/transport/control_call.hpp"
#include "host/transport/served.hpp"

namespace swai::link {
namespace {

namespace fs = std::filesystem;

// Of the daemon whose cards this program uses.
fs::path control() {
  const char* cards = std::getenv("SWAI_CARD");
  const std::string_view named = cards == nullptr ? "" : cards;
  const fs::path folder =
      named.empty() ? served_folder() : fs::path(named.substr(0, named.find(','))).parent_path();
  return folder / "control";
}

}  // namespace

std::optional<ServedClient> served_client(uint64_t own, uint64_t other) {
  std::optional<ServedClient> found;
  try {
    const Json reply = ask(control(), {{"command", "clients"}});
    const auto is_there = [](const Json& client, uint64_t context) {
      return !client.at("ended").get<bool>() && client.at("context").get<uint64_t>() == context;
    };
    for (const Json& ours : reply.at("clients")) {
      if (!is_there(ours, own) || ours.at("process").get<pid_t>() != ::getpid()) continue;
      for (const Json& theirs : reply.at("clients")) {
        if (!is_there(theirs, other) || theirs.at("card") != ours.at("card")) continue;
        if (found) return std::nullopt;
        found = {theirs.at("process").get<pid_t>(),
                 common::printable(theirs.at("program").get<std::string>())};
      }
    }
  } catch (const std::exception&) {  // it is said without the name
    return std::nullopt;
  }
  return found;
}

}  // namespace swai::link
