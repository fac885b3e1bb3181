// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/tools/cli/table.hpp"

namespace swai::cli {

int show(const Cli& cli, const std::vector<Finding>& findings) {
  const bool healthy = std::ranges::all_of(findings, &Finding::good);
  if (cli.options().json) {
    Json report = {{"healthy", healthy}, {"checks", Json::array()}};
    for (const Finding& one : findings) {
      report["checks"].push_back({{"what", one.what}, {"good", one.good}, {"found", one.detail}});
      if (!one.good) report["checks"].back()["cure"] = one.cure;
    }
    cli.print(report);
  } else {
    Table table({"", "what", "found"});
    for (const Finding& one : findings) table.add({one.good ? "ok" : "NO", one.what, one.detail});
    fmt::print("{}", table.text());
    for (const Finding& one : findings) {
      if (!one.good) fmt::print("{}: {}\n", one.what, one.cure);
    }
  }
  return healthy ? kDone : kFailed;
}

}  // namespace swai::cli
