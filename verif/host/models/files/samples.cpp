// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/files/samples.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

namespace swai::models {
namespace {
const std::filesystem::path kFolder = "verif/host/models/files/data";
}  // namespace

Bytes contents_of(const std::string& path) {
  Bytes bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error("cannot read " + path);
  return bytes;
}

std::vector<Sample> samples() {
  std::vector<Sample> all;
  const nlohmann::json models = facts("models");
  for (const auto& [name, tensors] : models["tensors"].items()) {
    Sample one{name, {}, name};
    if (std::filesystem::is_directory(kFolder / name)) {
      for (const auto& file : std::filesystem::directory_iterator(kFolder / name))
        one.files[file.path().filename().string()] = contents_of(file.path());
      one.main = one.files.contains("model.bin") ? "model.bin" : "model.safetensors";
    } else {
      one.files[name] = contents_of(kFolder / name);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Sample sample(const std::string& name) {
  for (Sample& one : samples())
    if (one.name == name) return std::move(one);
  throw std::runtime_error("no sample " + name);
}

Model load(const Sample& sample) {
  const Siblings siblings = [&](const std::string& name) -> SharedBytes {
    const auto found = sample.files.find(name);
    return found == sample.files.end() ? nullptr : FileBytes::hold(sample.name + "/" + name, found->second);
  };
  if (sample.main != sample.name) return load_folder(sample.name, siblings);
  return load_file(FileBytes::hold(sample.name, sample.files.at(sample.name)), siblings, nullptr);
}

Bytes written(const std::function<void(const std::string& path)>& write) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("swai-written-" + std::to_string(std::random_device()()));
  write(path.string());
  Bytes bytes = contents_of(path);
  std::filesystem::remove(path);
  return bytes;
}

nlohmann::json facts(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(kFolder / (name + ".json")));
}

}  // namespace swai::models
