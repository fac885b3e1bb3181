// SPDX-License-Identifier: Apache-2.0
#include "verif/firmware/test_tools.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <stdexcept>

#include "host/tools/flash/flash_file.hpp"

namespace swai {

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "swai-firmware-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TempFolder::~TempFolder() { std::filesystem::remove_all(path_); }

Finished run_command(const std::string& command, std::string_view input) {
  const TempFolder folder;
  flash::write_file(folder / "in", {reinterpret_cast<const uint8_t*>(input.data()), input.size()});
  const int status = std::system(
      fmt::format("{} <'{}' >'{}' 2>'{}'", command, folder / "in", folder / "out", folder / "error").c_str());
  const auto text = [](const std::string& path) {
    const flash::Bytes bytes = flash::read_file(path);
    return std::string(bytes.begin(), bytes.end());
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(folder / "out"), text(folder / "error")};
}

}  // namespace swai
