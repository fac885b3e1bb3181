// SPDX-License-Identifier: Apache-2.0
// Where what is said in sounds goes: to standard output, or to a file for each sound.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/models/speech/output.hpp"
#include "host/tools/cli/cli.hpp"

namespace swai::cli {

class Transcripts {
 public:
  // Files lie in `folder`, if that is given, and end in .part until they are whole. Throws Error(kBadInput)
  // when sounds would get in each other's way.
  Transcripts(const Cli& cli, transcribe::Format format, std::string folder,
              const std::vector<std::string>& sounds);

  // One sound after the other: its beginning, each segment as it comes, its end. `report` says with --json,
  // and in JSON, what is known of the sound besides.
  void begin(const std::string& sound);
  void say(const transcribe::Said& said);
  void end(const Json& report);

  // Standard output is JSON.
  bool json() const {
    return cli_.options().json || (folder_.empty() && format_ == transcribe::Format::kJson);
  }

 private:
  std::filesystem::path path_of(const std::string& sound) const;
  void write(std::string_view text);

  const Cli& cli_;
  const transcribe::Format format_;
  const std::string folder_;
  const bool several_;
  std::string sound_;
  std::filesystem::path path_;
  std::ofstream file_;
  Json segments_;
  std::string text_;
};

}  // namespace swai::cli
