// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/transcripts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include "host/lib/printable.hpp"
#include "host/models/speech/json.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {

using transcribe::Format;
namespace {

// What a file is called until it is whole.
std::filesystem::path part_of(std::filesystem::path path) { return path += ".part"; }

}  // namespace

Transcripts::Transcripts(const Cli& cli, Format format, std::string folder,
                         const std::vector<std::string>& sounds)
    : cli_(cli), format_(format), folder_(std::move(folder)), several_(sounds.size() > 1) {
  if (folder_.empty()) {
    const bool of_one = format == Format::kSrt || format == Format::kVtt || format == Format::kCsv;
    if (several_ && of_one && !cli.options().json) {
      throw Error(kBadInput,
                  fmt::format("--format {} is of one sound: --output-dir FOLDER writes a file for each",
                              transcribe::extension_of(format)));
    }
    return;
  }
  std::map<std::filesystem::path, std::string> sound_of;
  for (const std::string& sound : sounds) {
    const auto [other, is_new] = sound_of.emplace(path_of(sound), sound);
    if (!is_new) {
      throw Error(kBadInput, fmt::format("{} and {} would both be written to {}: give them in two commands",
                                         other->second, sound, other->first.string()));
    }
  }
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  if (problem) throw Error(kBadInput, fmt::format("--output-dir {}: {}", folder_, problem.message()));
}

void Transcripts::begin(const std::string& sound) {
  sound_ = sound;
  segments_ = Json::array();
  text_.clear();
  if (!folder_.empty()) {
    path_ = path_of(sound);
    file_.open(part_of(path_), std::ios::binary | std::ios::trunc);
    write("");
  } else if (json()) {
    return;
  } else if (several_) {
    write(fmt::format("{}:\n", common::printable(sound)));
  }
  write(transcribe::head_of(format_));
}

void Transcripts::say(const transcribe::Said& said) {
  text_ += said.text;
  segments_.push_back(transcribe::segment_json(said, segments_.size()));
  if (!folder_.empty() || !json()) write(transcribe::text_of(format_, said, segments_.size()));
}

void Transcripts::end(const Json& report) {
  Json all = {{"file", sound_}};
  all.update(report);
  all["text"] = text_;
  all["segments"] = segments_;
  if (!folder_.empty()) {
    if (format_ == Format::kJson) write(cli_.text_of(all));
    file_.close();
    std::filesystem::rename(part_of(path_), path_);
    all["output"] = path_.string();
    if (!cli_.options().quiet) {
      fmt::print(stderr, "swai: {} is in {}\n", common::printable(sound_), common::printable(path_.string()));
    }
  }
  if (json()) cli_.print(all);
}

std::filesystem::path Transcripts::path_of(const std::string& sound) const {
  const std::string name = sound == "-" ? "standard-input" : std::filesystem::path(sound).stem().string();
  return std::filesystem::path(folder_) / fmt::format("{}.{}", name, transcribe::extension_of(format_));
}

// At once, so that words appear as they come.
void Transcripts::write(std::string_view text) {
  if (folder_.empty()) return write_words(text);
  file_ << text << std::flush;
  if (file_) return;
  const std::system_error failure(errno, std::generic_category(), part_of(path_).string());
  // A partial transcript is useless, and it may fill the disk.
  ::unlink(part_of(path_).c_str());
  throw failure;
}

}  // namespace swai::cli
