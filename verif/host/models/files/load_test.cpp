// SPDX-License-Identifier: Apache-2.0
// The loaders on files that other programs wrote, and on files that are not as they should be.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "abi/crc32.hpp"
#include "host/lib/elf.hpp"
#include "host/models/files/packed_file.hpp"
#include "verif/host/models/files/mutation.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::models;

namespace {

uint32_t crc_of(const std::vector<float>& values) {
  return crc32(values.data(), values.size() * sizeof(float));
}

// What the loader says about it; empty when it accepts it.
std::string complaint(const Sample& sample) {
  try {
    load(sample);
    return "";
  } catch (const common::InputError& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The first place of `text` in the file, by which tests find what they change.
size_t place(const Bytes& bytes, const std::string& text) {
  const auto found = std::search(bytes.begin(), bytes.end(), text.begin(), text.end());
  REQUIRE(found != bytes.end());
  return static_cast<size_t>(found - bytes.begin());
}

template <typename T>
void put(Bytes& bytes, size_t at, T value) {
  REQUIRE(at + sizeof(value) <= bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

void replace(Bytes& bytes, const std::string& what, const std::string& by) {
  REQUIRE(what.size() == by.size());
  std::copy(by.begin(), by.end(), bytes.begin() + static_cast<ptrdiff_t>(place(bytes, what)));
}

Bytes bytes_of_text(const std::string& text) { return {text.begin(), text.end()}; }

// Appends a member to the object of a JSON file.
void add_member(Bytes& json, const std::string& member) {
  const auto end = std::find(json.rbegin(), json.rend(), '}');
  REQUIRE(end != json.rend());
  const std::string more = ", " + member;
  json.insert(end.base() - 1, more.begin(), more.end());
}

// A safetensors file without tensors.
Bytes with_metadata(const std::string& metadata) {
  const std::string header = R"({"__metadata__": )" + metadata + "}";
  Bytes bytes(sizeof(uint64_t));
  put<uint64_t>(bytes, 0, header.size());
  bytes.insert(bytes.end(), header.begin(), header.end());
  return bytes;
}

std::string arrays(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

}  // namespace

TEST_CASE("every format gives the weights that were written") {
  const nlohmann::json models = facts("models");
  for (const auto& [name, tensors] : models["tensors"].items()) {
    const std::string sample_name = name;
    CAPTURE(sample_name);
    const Model model = load(sample(name));
    CHECK(model.tensors.size() == tensors.size());
    for (const auto& [tensor, crc] : tensors.items()) {
      const std::string tensor_name = tensor;
      CAPTURE(tensor_name);
      const Tensor* const found = model.find(tensor);
      REQUIRE(found != nullptr);
      CHECK(crc_of(floats(*found)) == crc);
    }
  }
}

TEST_CASE("every format gives the model's numbers") {
  for (const Sample& one : samples()) {
    CAPTURE(one.name);
    const Model model = load(one);
    if (model.is_decoder()) {
      const DecoderShape& is = model.decoder();
      CHECK(is.width == 32);
      CHECK(is.inner == 64);
      CHECK(is.layers == 2);
      CHECK(is.heads == 4);
      CHECK(is.kv_heads == 2);
      CHECK(is.head_width == 8);
      CHECK(is.vocabulary == 64);
      CHECK(is.context == 32);
      CHECK(is.epsilon == doctest::Approx(1e-5));
      CHECK(is.rope_theta == 10000);
      CHECK(is.rotation == (one.name == "tiny-llama" ? Rotation::kHalves : Rotation::kNeighbours));
    } else {
      const WhisperShape& is = model.whisper();
      CHECK(is.mels == 8);
      CHECK(is.width == 32);
      CHECK(is.inner == 128);
      CHECK(is.audio_context == 12);
      CHECK(is.audio_layers == 2);
      CHECK(is.audio_heads == 2);
      CHECK(is.text_context == 16);
      CHECK(is.text_layers == 2);
      CHECK(is.text_heads == 4);
      CHECK(is.vocabulary == 60);
    }
  }
}

TEST_CASE("blocks of all types, with random bits") {
  const nlohmann::json models = facts("models");
  for (const auto& block : models["blocks"]) {
    const std::string type = block["type"];
    CAPTURE(type);
    const std::string hex = block["bytes"];
    Bytes bytes;
    for (size_t i = 0; i < hex.size(); i += 2)
      bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    Tensor tensor{"block", Element::kF32, {4, 256}, bytes, {}};
    for (int i = 0; i <= static_cast<int>(Element::kQ6K); ++i)
      if (info(static_cast<Element>(i)).name == type) tensor.element = static_cast<Element>(i);
    REQUIRE(bytes_of(tensor.element, tensor.shape) == bytes.size());
    const std::vector<float> values = floats(tensor);
    for (size_t i = 0; i < 4; ++i) CHECK(values[i] == block["first"][i].get<float>());
    CHECK(crc_of(values) == block["crc32"]);
  }
}

TEST_CASE("half precision: all 65,536") {
  for (uint32_t half = 0; half < 65536; ++half) {
    const float value = float_of_half(static_cast<uint16_t>(half));
    const int exponent = static_cast<int>(half >> 10 & 31);
    const double fraction = half & 1023;
    const double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) {
      REQUIRE((fraction == 0 ? std::isinf(value) : std::isnan(value)));
    } else {
      REQUIRE(value == ((half & 0x8000) != 0 ? -size : size));
    }
    REQUIRE(std::signbit(value) == ((half & 0x8000) != 0));
  }
}

TEST_CASE("a file that ends too early is refused, wherever it ends") {
  for (const Sample& one : samples()) {
    const size_t all = one.files.at(one.main).size();
    // GGUF pads its end, of which nothing depends.
    constexpr size_t kPadding = 32;
    for (size_t left = 0; left + kPadding <= all; left += 1 + all / 61) {
      CAPTURE(one.name);
      CAPTURE(left);
      Sample cut = one;
      cut.files[one.main].resize(left);
      const std::string text = complaint(cut);
      CHECK(has(text, one.name));
      CHECK(has(text, ": "));
    }
  }
}

TEST_CASE("what is wrong is said") {
  SUBCASE("another architecture") {
    Sample one = sample("tiny-llama.gguf");
    const size_t at = place(one.files[one.main], "general.architecture");
    one.files[one.main][at + 20 + 4 + 8] = 'b';
    CHECK(has(complaint(one), "has the architecture 'blama'; supported are llama, qwen2, qwen3 and gemma3"));
    one = sample("tiny-whisper-ct2");
    replace(one.files[one.main], "WhisperSpec", "WhooperSpec");
    CHECK(has(complaint(one), "has the architecture 'WhooperSpec'"));
    one = sample("tiny-llama");
    replace(one.files["config.json"], "\"llama\"", "\"gemma\"");
    CHECK(has(complaint(one), "describes a model of type 'gemma'; supported are"));
    one = sample("tiny-llama");
    replace(one.files["config.json"], "\"llama\"", "\"qwen3\"");
    CHECK(has(complaint(one), "has no tensor 'model.layers.0.self_attn.q_norm.weight'"));
  }
  SUBCASE("a tensor is missing, or one is there that nobody computes with") {
    Sample one = sample("tiny-llama.gguf");
    replace(one.files[one.main], "blk.1.ffn_up", "blk.1.ffn_xp");
    CHECK(has(complaint(one), "has no tensor 'blk.1.ffn_up.weight'"));
    one = sample("tiny-llama");
    replace(one.files["config.json"], "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1");
    CHECK(has(complaint(one), "is no part of such a model"));
    one = sample("tiny-whisper.ggml");
    replace(one.files[one.main], "encoder.ln_post.bias", "encoder.ln_post.bios");
    CHECK(has(complaint(one), "has no tensor 'encoder.ln_post.bias'"));
  }
  SUBCASE("numbers that no model has, or that do not fit the weights") {
    Sample one = sample("tiny-llama");
    replace(one.files["config.json"], "\"hidden_size\": 32", "\"hidden_size\":  0");
    CHECK(has(complaint(one), "'hidden_size' is not a whole number from 1 to 65536"));
    one = sample("tiny-llama");
    replace(one.files["config.json"], "\"hidden_size\": 32", "\"hidden_size\": 64");
    CHECK(has(complaint(one), "has the shape 64 x 32, not 64 x 64"));
    one = sample("tiny-whisper.ggml");
    put<int32_t>(one.files[one.main], 4, -7);
    CHECK(has(complaint(one), "the number of tokens is -7, which is not from 1 to"));
    one = sample("tiny-llama-int8.bin");
    put<int32_t>(one.files[one.main], 8, 33);
    CHECK(has(complaint(one), "33 channels are not shared evenly by 4 heads"));
  }
  SUBCASE("safetensors whose tensors overlap") {
    Sample one = sample("tiny-llama");
    // The embedding, 64 x 32 of two bytes, lies first.
    replace(one.files[one.main], "[0, 4096]", "[2, 4098]");
    CHECK(has(complaint(one), "overlap or leave a gap"));
  }
  SUBCASE("GGUF that says it is huge") {
    Sample one = sample("tiny-llama.gguf");
    put<uint64_t>(one.files[one.main], 8, uint64_t{1} << 61);
    CHECK(has(complaint(one), "is said to have 2305843009213693952 tensors"));
    one = sample("tiny-llama.gguf");
    const size_t at = place(one.files[one.main], "tokenizer.ggml.tokens") + 21 + 4 + 4;
    put<uint64_t>(one.files[one.main], at, UINT64_MAX);
    CHECK(has(complaint(one), "a list is said to have 18446744073709551615 values"));
  }
  SUBCASE("an index that leads out of the folder") {
    Sample one = sample("tiny-llama");
    const std::string index = R"({"weight_map": {"a": "../../secret"}})";
    one.files["model.safetensors.index.json"] = Bytes(index.begin(), index.end());
    CHECK(has(complaint(one), "which is not one of this folder"));
  }
  SUBCASE("files of other kinds") {
    for (const std::string text : {"PK\x03\x04 archive", "hello, this is a text",
                                   "\x7F"
                                   "ELF"}) {
      Sample one{"other.bin", {{"other.bin", Bytes(text.begin(), text.end())}}, "other.bin"};
      CHECK(has(complaint(one), "other.bin: is "));
    }
  }
}

TEST_CASE("JSON that is nested too deep is refused, wherever it is") {
  // Levels with which copying, comparing or printing overflows the stack.
  const std::string deep = R"({"x": )" + arrays(200'000) + "}";
  const auto refused = [](const std::string& text) {
    return has(text, "is nested more than 32 levels deep");
  };
  Sample one = sample("tiny-llama");
  add_member(one.files["config.json"], R"("rope_scaling": )" + deep);
  CHECK(refused(complaint(one)));
  one = sample("tiny-whisper");
  add_member(one.files["config.json"], R"("trained_for": )" + deep);
  CHECK(refused(complaint(one)));
  one = sample("tiny-llama");
  one.files["model.safetensors.index.json"] = bytes_of_text(R"({"weight_map": )" + deep + "}");
  CHECK(refused(complaint(one)));
  one = {"x.safetensors", {{"x.safetensors", with_metadata(deep)}}, "x.safetensors"};
  CHECK(refused(complaint(one)));
  one = sample("tiny-whisper-ct2");
  one.files.erase("tokenizer.json");
  one.files.erase("vocabulary.txt");
  one.files["vocabulary.json"] = bytes_of_text(arrays(200'000));
  CHECK(refused(complaint(one)));

  const auto tokenizer = [](const std::string& model, const std::string& cut, const std::string& added) {
    const std::string text = R"({"model": {"vocab": {"a b": 0}, "merges": [], "x": )" + model +
                             R"(}, "pre_tokenizer": )" + cut + R"(, "added_tokens": [{"id": )" + added +
                             R"(, "content": "a b"}]})";
    try {
      read_tokenizer_json(*FileBytes::hold("tokenizer.json", bytes_of_text(text)), 1);
      return std::string();
    } catch (const common::InputError& error) {
      return std::string(error.what());
    }
  };
  const std::string cut = R"({"type": "ByteLevel", "add_prefix_space": false})";
  const auto sequence = [&](const std::string& first) {
    return R"({"type": "Sequence", "pretokenizers": [)" + first + ", " + cut + "]}";
  };
  const std::string digits = R"({"type": "Digits", "individual_digits": true})";
  CHECK(tokenizer("0", sequence(digits), "0") == "");
  CHECK(refused(tokenizer(deep, cut, "0")));
  CHECK(refused(tokenizer("0", sequence(deep), "0")));
  CHECK(refused(tokenizer("0", cut, deep)));

  const auto packed = [](const std::string& metadata) {
    try {
      const auto file = PackedFile::in(FileBytes::hold("packed", with_metadata(metadata)));
      if (file) file->identity({});
      return std::string(file ? "" : "is not packed");
    } catch (const common::InputError& error) {
      return std::string(error.what());
    }
  };
  const std::string begin = R"({"swai": "4", "model": )";
  const auto quoted = [](const std::string& json) { return nlohmann::json(json).dump(); };
  CHECK(packed(begin + R"("{}"})") == "");
  CHECK(refused(packed(begin + quoted(deep) + "}")));
  CHECK(refused(packed(begin + R"("{}", "digests": )" + quoted(deep) + "}")));
  // The loader, not PackedFile, reports a damaged safetensors file: it may be of another format.
  CHECK(packed(begin + R"("{}", "x": )" + deep + "}") == "is not packed");
}

TEST_CASE("JSON may be nested 32 levels deep, and strings may contain any brackets") {
  Sample one = sample("tiny-llama");
  add_member(one.files["config.json"], R"("x": )" + arrays(31));
  add_member(one.files["config.json"], R"("y": "\")" + arrays(40) + R"(", "\\": "[")");
  CHECK(complaint(one) == "");
  add_member(one.files["config.json"], R"("z": )" + arrays(32));
  CHECK(has(complaint(one), "config.json: is nested more than 32 levels deep"));
}

TEST_CASE("weights in several files") {
  Sample one = sample("tiny-llama");
  const std::string index = R"({"weight_map": {"model.norm.weight": "part.safetensors"}})";
  one.files["model.safetensors.index.json"] = Bytes(index.begin(), index.end());
  one.files["part.safetensors"] = one.files["model.safetensors"];
  one.files.erase("model.safetensors");
  CHECK(complaint(one) == "");
  one.files.erase("part.safetensors");
  CHECK(has(complaint(one), "has no part.safetensors"));
}

TEST_CASE("damaged files are refused, or harmless") {
  std::mt19937_64 random(test_seed());
  size_t refused = 0;
  size_t all = 0;
  for (const Sample& one : samples()) {
    for (int i = 0; i < 250; ++i) {
      Sample damaged = one;
      auto file = damaged.files.begin();
      std::advance(file, static_cast<ptrdiff_t>(random() % damaged.files.size()));
      mutate(file->second, random);
      CAPTURE(one.name);
      CAPTURE(i);
      CHECK_NOTHROW(refused += accepted(damaged) ? 0 : 1);
      ++all;
    }
  }
  // Most changes hit what is checked; were it otherwise, nothing would be tried here.
  CHECK(refused > all / 4);
}

TEST_CASE("fp16 and back, and halfway between") {
  CHECK(std::isnan(float_of_half(half_of_float(std::numeric_limits<float>::quiet_NaN()))));
  for (uint32_t half = 0; half < 0x7C00; ++half) {
    const float number = float_of_half(static_cast<uint16_t>(half));
    // What comes after the largest would be 65536.
    const float next = half + 1 == 0x7C00 ? 65536.0F : float_of_half(static_cast<uint16_t>(half + 1));
    const float middle = number + (next - number) / 2;
    const uint32_t even = half + half % 2;
    bool good = half_of_float(number) == half && half_of_float(-number) == (half | 0x8000);
    good = good && half_of_float(middle) == even && half_of_float(-middle) == (even | 0x8000);
    good = good && half_of_float(std::nextafter(middle, 0.0F)) == half;
    good = good && half_of_float(std::nextafter(middle, 1e6F)) == half + 1;
    REQUIRE_MESSAGE(good, half);
  }
  CHECK(half_of_float(1e9F) == 0x7C00);
  CHECK(half_of_float(-std::numeric_limits<float>::infinity()) == 0xFC00);
}
