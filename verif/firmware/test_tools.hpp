// SPDX-License-Identifier: Apache-2.0
// What tests need that work with files and run programs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace swai {

// A folder that goes away with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct Finished {
  int code = 0;  // exit code; -1: ended by a signal
  std::string out;
  std::string error;
};

// Runs a shell command from the repository root, with `input` as its standard input.
Finished run_command(const std::string& command, std::string_view input = {});

}  // namespace swai
