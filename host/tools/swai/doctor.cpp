// SPDX-License-Identifier: Apache-2.0
// swai doctor: whether all is there that using a card needs, and what to do where it is not.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/tools/cli/places.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/findings.hpp"
#include "host/transport/served.hpp"
#include "host/transport/unix_socket.hpp"

namespace swai::cli {
namespace {

namespace fs = std::filesystem;

Finding readable(const std::string& what, const fs::path& path, int access, const std::string& cure) {
  const bool good = ::access(path.c_str(), access) == 0;
  return {what, good, good ? path.string() : fmt::format("{}: {}", path.string(), std::strerror(errno)),
          cure};
}

// The program of this name in PATH; empty: there is none.
fs::path in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : CLI::detail::split(path == nullptr ? "" : path, ':')) {
    const fs::path candidate = fs::path(folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Finding program(const std::string& what, const std::string& name, const std::string& package) {
  const fs::path found = in_path(name);
  return {what, !found.empty(), found.empty() ? name + ": not in PATH" : found.string(),
          "apt install " + package};
}

Finding temporary_folder() {
  std::error_code problem;
  const fs::path folder = fs::temp_directory_path(problem);
  constexpr uint64_t kNeeded = 64 << 20;
  const std::string cure = "set TMPDIR to a folder of yours with 64 MiB to spare";
  if (problem || ::access(folder.c_str(), W_OK) != 0)
    return {"folder for files of a card", false, folder.string() + " cannot be written", cure};
  const uint64_t space = fs::space(folder, problem).available;
  return {"folder for files of a card", space >= kNeeded,
          fmt::format("{}, {} MiB free", folder.string(), space >> 20), cure};
}

Finding left_over() {
  const StartedCard::LeftOver found = StartedCard::left_over();
  return {"left by killed programs", true,
          found.folders == 0
              ? "nothing"
              : fmt::format("{} folders of cards, {} MiB; the next card that is started clears "
                            "them away",
                            found.folders, found.bytes >> 20),
          ""};
}

// Only knocks: a card serves one client at a time, and whoever is there is not disturbed.
Finding socket(const std::string& path) {
  const std::string what = "card at " + path;
  const std::string start = "start one: swai-card --flash FILE --socket " + path;
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) return {what, false, std::strerror(errno), start};
  if (!S_ISSOCK(file.st_mode)) return {what, false, "not a socket", "name the socket of a card"};
  if (::access(path.c_str(), R_OK | W_OK) != 0)
    return {
        what, false, "no permission",
        fmt::format("whoever runs the card may `chmod` it; it is mode {:o}", unsigned{file.st_mode & 0777})};
  const link::Fd knock = link::connect_unix(path);
  const bool good = static_cast<bool>(knock);
  const std::string why = std::strerror(errno);
  return {what, good, good ? "somebody listens" : why, start};
}

int doctor(const Cli& cli) {
  const Places here = places(cli.options().config_or_default(), cli.options().tier);
  std::vector<Finding> findings = {
      readable("simulated card", here.card, X_OK, "make build/" + here.card.filename().string()),
      readable("its boot ROM", here.rom, R_OK, "make build/firmware/rom.hex"),
      readable("its firmware", here.flash, R_OK, "make build/firmware/flash.bin"),
      temporary_folder(),
      left_over(),
      readable("kernel compiler driver", here.compiler, X_OK,
               "take it from the repository, or `make install`"),
      program("kernel compiler", "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"),
      program("python, for the driver", "python3", "python3"),
  };
  if (cli.options().card.empty()) {
    const auto served = link::served_folder();
    findings.push_back({"chosen card", true,
                        served.empty() ? "none: each command starts one (--card, SWAI_CARD choose)"
                                       : fmt::format("those that a daemon shares in {}", served.string()),
                        ""});
  }
  for (const std::string& path : CLI::detail::split(cli.options().card, ',')) {
    if (!path.empty()) findings.push_back(socket(path));
  }

  return show(cli, findings);
}

}  // namespace

void add_doctor(Cli& cli) {
  cli.add("doctor", "check what using a card needs, and say how to mend it", [&cli] { return doctor(cli); });
}

}  // namespace swai::cli
