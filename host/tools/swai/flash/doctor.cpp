// SPDX-License-Identifier: Apache-2.0
// swai flash doctor: whether boards can be reached, and what to do where not.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/lib/boards.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/flash/image.hpp"
#include "host/tools/flash/usb_boards.hpp"
#include "host/tools/swai/findings.hpp"
#include "host/tools/swai/flash/flash.hpp"

namespace swai::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRules = "70-swai-boards.rules";

Finding rules() {
  const std::string what = "udev rules for boards";
  if (::geteuid() == 0) return {what, true, "not needed: you are root", ""};
  for (const char* folder :
       {"/etc/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"}) {
    if (const fs::path file = fs::path(folder) / kRules; fs::exists(file)) return {what, true, file, ""};
  }
  return {what, false, "none",
          fmt::format(
              "sudo cp {} /etc/udev/rules.d/ && sudo udevadm control --reload, then plug the board in again",
              (boards::shipped_folder() / kRules).string())};
}

Finding there(const std::string& what, const fs::path& path, int access, const std::string& cure) {
  const bool good = ::access(path.c_str(), access) == 0;
  return {what, good, good ? path.string() : fmt::format("{}: {}", path.string(), std::strerror(errno)),
          cure};
}

void look_at_boards(std::vector<Finding>& findings) {
  std::vector<boards::Board> boards;
  try {
    boards = boards::known_boards();
    findings.push_back({"known boards", true,
                        fmt::format("{}, yours: {}", boards.size(), boards::user_folder().string()), ""});
  } catch (const flash::InputError& error) {
    findings.push_back({"known boards", false, error.what(), "fix the file, or remove it"});
    return;
  }
  try {
    const auto plugged = flash::plugged_boards(boards);
    if (plugged.empty()) findings.push_back({"boards", true, "none is plugged in", ""});
    for (const auto& one : plugged) {
      const bool good = !one.place.problem;
      findings.push_back(
          {fmt::format("board at usb {}", one.place.path), good,
           good ? fmt::format("{} {}", one.place.text, one.place.serial) : one.place.problem->what(),
           good ? "" : rules().cure});
    }
  } catch (const flash::BoardError& error) {
    findings.push_back({"USB", false, error.what(), "is there a USB port, and may you see /dev/bus/usb?"});
  }
}

}  // namespace

int flash_doctor(const Cli& cli) {
  std::vector<Finding> findings = {
      there("firmware image", places().image, R_OK, "make firmware"),
      there("emulated boards", places().emulator, X_OK, "make build/swai-usb-board"),
      rules(),
  };
  look_at_boards(findings);
  return show(cli, findings);
}

}  // namespace swai::cli
