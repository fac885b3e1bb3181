// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of models: the first byte selects whether the rest replaces a file of a committed model,
// or is read as a tokenizer or a packed model.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "host/lib/elf.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/make_tokenizer.hpp"
#include "host/models/files/packed_file.hpp"
#include "verif/host/models/files/mutation.hpp"

namespace {

using namespace swai::models;

struct Kind {
  std::string name;
  Bytes whole;
  // Throws InputError.
  std::function<void(const Bytes&)> read;
};

Bytes bytes_of_text(const std::string& text) { return {text.begin(), text.end()}; }

// A safetensors file that holds only the metadata of a packed model.
Bytes packed(const std::string& model) {
  const nlohmann::json header = {{"__metadata__", {{"swai", "4"}, {"model", model}}}};
  const std::string text = header.dump();
  const uint64_t bytes = text.size();
  return bytes_of_text(std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + text);
}

std::vector<Kind> make_kinds() {
  std::vector<Kind> kinds;
  for (const Sample& one : samples()) {
    for (const auto& [file, bytes] : one.files) {
      kinds.push_back({one.name + "." + file, bytes, [one, file = file](const Bytes& input) {
                         Sample damaged = one;
                         damaged.files[file] = input;
                         accepted(damaged);
                       }});
    }
  }
  kinds.push_back(
      {"tokenizer.json", contents_of("verif/host/models/files/data/tiny-bpe.json"), [](const Bytes& input) {
         make_tokenizer("x", read_tokenizer_json(*FileBytes::hold("x", input), 1000));
       }});
  kinds.push_back({"packed", packed(R"({"precision": "fp32"})"), [](const Bytes& input) {
                     if (const auto file = PackedFile::in(FileBytes::hold("x", input))) file->identity({});
                   }});
  return kinds;
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> all = make_kinds();
  return all;
}

// Deep enough to overflow the stack of a copy, and within -max_len.
std::string nested() {
  constexpr size_t kLevels = 70'000;
  return R"({"x": )" + std::string(kLevels, '[') + std::string(kLevels, ']') + "}";
}

// Appends a nested member of this name to an object.
Bytes with_nested(const Bytes& json, const std::string& member) {
  const std::string text(json.begin(), json.end());
  return bytes_of_text(text.substr(0, text.rfind('}')) + ", \"" + member + "\": " + nested() + "}");
}

void write_seed(const std::filesystem::path& file, size_t kind, const Bytes& bytes) {
  std::ofstream(file, std::ios::binary)
      .put(static_cast<char>(kind))
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

// The corpus begins with undamaged files, and with JSON that is nested too deep. The last argument is its
// folder.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::filesystem::path corpus = (*argv)[*argc - 1];
  if (*argc == 1 || corpus.native().starts_with('-') || std::filesystem::is_regular_file(corpus)) return 0;
  std::filesystem::create_directories(corpus);
  const std::map<std::string, std::string> copied = {{"tiny-llama.config.json", "rope_scaling"},
                                                     {"tiny-whisper.config.json", "trained_for"},
                                                     {"tokenizer.json", "model"}};
  for (size_t i = 0; i < all_kinds().size(); ++i) {
    const auto& [name, whole, read] = all_kinds()[i];
    write_seed(corpus / name, i, whole);
    if (const auto member = copied.find(name); member != copied.end())
      write_seed(corpus / (name + ".nested"), i, with_nested(whole, member->second));
    if (name == "packed") write_seed(corpus / (name + ".nested"), i, packed(nested()));
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    all_kinds()[data[0] % all_kinds().size()].read(Bytes(data + 1, data + size));
  } catch (const swai::common::InputError&) {
  }
  return 0;
}
