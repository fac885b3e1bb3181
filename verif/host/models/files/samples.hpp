// SPDX-License-Identifier: Apache-2.0
// The committed files of verif/host/models/files/data in memory, where a sanitizer sees whoever reads past
// their end.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/models/files/load.hpp"

namespace swai::models {

using Bytes = std::vector<uint8_t>;

// A model as its files: one, or those of a folder.
struct Sample {
  std::string name;
  std::map<std::string, Bytes> files;
  std::string main;  // the file with the weights
};

std::vector<Sample> samples();
Sample sample(const std::string& name);

// Loads it as swai::models::load does. Throws what that throws.
Model load(const Sample& sample);

// All of a file, read at once: byte by byte takes seconds with sanitizers.
Bytes contents_of(const std::string& path);

// What is written to a path, which is gone afterwards.
Bytes written(const std::function<void(const std::string& path)>& write);

// What verif/host/models/files/make_*.py say of the data.
nlohmann::json facts(const std::string& name);

}  // namespace swai::models
