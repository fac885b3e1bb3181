// SPDX-License-Identifier: Apache-2.0
// Sound from files as they are and as they should not be; mel spectrograms against PyTorch's
// (verif/host/models/audio/make_mel.py).
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sndfile.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "host/lib/elf.hpp"
#include "host/models/audio/mel.hpp"
#include "host/models/audio/sound.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/kit/folder.hpp"

using namespace swai;
using namespace swai::audio;

// libsndfile does not free what libvorbis holds when the header of an OGG file is damaged.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:vorbis_info_init\n"; }

namespace {

using Bytes = std::vector<uint8_t>;

using common::Folder;

std::vector<float> sine(double hz, double rate, size_t count) {
  std::vector<float> samples;
  for (size_t i = 0; i < count; ++i)
    samples.push_back(
        static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / rate)));
  return samples;
}

// Frames are interleaved.
void write(const std::string& path, int format, int rate, int channels, const std::vector<float>& frames) {
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = channels;
  info.format = format;
  SNDFILE* const file = sf_open(path.c_str(), SFM_WRITE, &info);
  REQUIRE_MESSAGE(file != nullptr, sf_strerror(nullptr));
  const auto count = static_cast<sf_count_t>(frames.size()) / channels;
  CHECK(sf_writef_float(file, frames.data(), count) == count);
  sf_close(file);
}

Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

constexpr int kFloatWav = SF_FORMAT_WAV | SF_FORMAT_FLOAT;

// What reading says about it; empty when it reads.
std::string complaint(const std::string& path) {
  try {
    const Sound sound = read_sound(path);
    CHECK(std::all_of(sound.samples.begin(), sound.samples.end(), [](float x) { return std::isfinite(x); }));
    return "";
  } catch (const common::InputError& error) {
    CHECK(std::string(error.what()).starts_with(path));
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Largest difference but for the ends, where a filter has nothing to go by.
double difference(const std::vector<float>& ours, const std::vector<float>& theirs, size_t ends) {
  double largest = 0;
  for (size_t i = ends; i + ends < std::min(ours.size(), theirs.size()); ++i)
    largest = std::max(largest, std::abs(double{ours[i]} - theirs[i]));
  return largest;
}

std::vector<float> noise(size_t count) {
  uint64_t state = 12345;
  std::vector<float> samples;
  for (size_t i = 0; i < count; ++i) {
    state = (state * 1103515245 + 12345) % (uint64_t{1} << 31);
    samples.push_back(static_cast<float>((static_cast<double>(state >> 15) - 32768) / 32768));
  }
  return samples;
}

std::vector<float> samples_of(const std::string& name) {
  if (name == "noise") return noise(2400);
  if (name == "no silence behind") return noise(1000);
  if (name == "one sample") return {1};
  if (name == "silence") return std::vector<float>(800);
  std::vector<float> square;
  for (int i = 0; i < 1600; ++i) square.push_back(i / 18 % 2 != 0 ? 0.5F : -0.5F);
  return square;
}

nlohmann::json facts() {
  return nlohmann::json::parse(std::ifstream("verif/host/models/audio/data/mel.json"));
}

}  // namespace

TEST_CASE("mel filters are OpenAI's") {
  const nlohmann::json all = facts();
  for (const uint32_t bands : {80U, 128U}) {
    const std::vector<float> filters = mel_filters(bands);
    std::vector<float> theirs(filters.size());
    for (const auto& one : all["filters"][std::to_string(bands)])
      theirs[one[0].get<size_t>() * kBins + one[1].get<size_t>()] = one[2];
    CHECK(difference(filters, theirs, 0) < 1e-8);
  }
}

TEST_CASE("mel spectrograms are OpenAI's") {
  const nlohmann::json all = facts();
  for (const auto& [key, one] : all["cases"].items()) {
    const std::string name = key;
    CAPTURE(name);
    const Mel mel = log_mel(samples_of(name), one["bands"], one["silence"]);
    CHECK(mel.frames == one["frames"]);
    // Theirs are calculated in double precision from filters in fp32.
    CHECK(difference(mel.values, one["mel"].get<std::vector<float>>(), 0) < 1e-6);
  }
}

TEST_CASE("nothing at all gives frames of silence") {
  const Mel mel = log_mel({}, 80, 1600);
  CHECK(mel.frames == 10);
  CHECK(std::all_of(mel.values.begin(), mel.values.end(), [](float x) { return x == -1.5F; }));
  CHECK(log_mel({}, 80, 0).frames == 0);
}

TEST_CASE("the right rate and one channel: as it is") {
  const Folder folder;
  const std::vector<float> samples = sine(440, kRate, 5000);
  write(folder.path / "a.wav", kFloatWav, kRate, 1, samples);
  const Sound sound = read_sound(folder.path / "a.wav");
  CHECK(sound.samples == samples);
  CHECK_FALSE(sound.cut_short);
  CHECK(sound.seconds() == doctest::Approx(0.3125));
}

TEST_CASE("other rates, formats and channels") {
  const Folder folder;
  struct Case {
    const char* name;
    int format, rate, channels;
    double limit;  // of the difference: compressed sound has lost something
  };
  for (const Case& one : {Case{"8k.wav", kFloatWav, 8000, 1, 1e-3},
                          Case{"44k.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 44100, 2, 1e-3},
                          Case{"8ch.wav", kFloatWav, 48000, 8, 1e-3},
                          Case{"s.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 44100, 2, 1e-3},
                          Case{"s.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 44100, 1, 0.1},
                          Case{"s.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 16000, 1, 0.1}}) {
    CAPTURE(one.name);
    const std::vector<float> mono = sine(440, one.rate, static_cast<size_t>(one.rate));
    std::vector<float> frames;
    // Channels differ; their mean is the sine.
    for (const float sample : mono)
      for (int channel = 0; channel < one.channels; ++channel)
        frames.push_back(sample +
                         0.1F * (static_cast<float>(channel) - static_cast<float>(one.channels - 1) / 2));
    write(folder.path / one.name, one.format, one.rate, one.channels, frames);
    const Sound sound = read_sound(folder.path / one.name);
    CHECK(sound.file_channels == one.channels);
    CHECK(sound.file_rate == one.rate);
    const bool mp3 = std::string(one.name) == "s.mp3";
    const auto off = std::abs(static_cast<double>(sound.samples.size()) - kRate);
    CHECK(off <= (mp3 ? 2400 : 2));
    // An MP3 begins with what its coder needs to get going.
    if (!mp3) CHECK(difference(sound.samples, sine(440, kRate, kRate), 800) < one.limit);
  }
}

TEST_CASE("files without sound, and sound that is none") {
  const Folder folder;
  const std::string path = folder.path / "x.wav";
  write(path, kFloatWav, kRate, 1, {});
  CHECK(has(complaint(path), "holds no sound"));
  write(path, kFloatWav, 8000, 1, {0.25F});
  CHECK(complaint(path) == "");
  CHECK(read_sound(path).samples.size() <= 2);
  write(path, kFloatWav, kRate, 2, {0, 0, 0, 0, 0, std::nanf("")});
  CHECK(has(complaint(path), "sample 2 is no number"));
  write(path, kFloatWav, kRate, 1, {0, INFINITY});
  CHECK(has(complaint(path), "sample 1 is no number"));
  write(path, kFloatWav, 500, 1, {0, 0});
  CHECK(has(complaint(path), "has 500 samples a second"));
  write(path, kFloatWav, kRate, 65, std::vector<float>(130));
  CHECK(has(complaint(path), "has 65 channels"));
  write(path, Bytes{});
  CHECK(has(complaint(path), "is no sound that can be read"));
  CHECK(has(complaint(folder.path / "none"), "cannot be opened"));
  CHECK(has(complaint(folder.path / "."), "is no ordinary file"));
  CHECK(has(complaint("/dev/zero"), "is no ordinary file"));
}

TEST_CASE("headers that lie, files that end too early") {
  const Folder folder;
  const std::string path = folder.path / "x.wav";
  write(path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, kRate, 1, sine(440, kRate, 1000));
  const Bytes good = read(path);
  REQUIRE(good.size() == 44 + 2000);
  for (size_t left = 0; left < good.size(); left += left < 60 ? 1 : 97) {
    CAPTURE(left);
    write(path, Bytes(good.begin(), good.begin() + static_cast<ptrdiff_t>(left)));
    const std::string text = complaint(path);
    if (left <= 44) CHECK(text != "");
    if (left >= 60) CHECK(read_sound(path).samples.size() == (left - 44) / 2);
  }
  // Gigabytes are promised.
  Bytes lying = good;
  const uint32_t huge = 0xFFFFFFF0;
  std::memcpy(lying.data() + 40, &huge, 4);
  write(path, lying);
  CHECK(read_sound(path).samples.size() == 1000);
}

TEST_CASE("a file with less sound than its header states is read and reported as cut short") {
  const Folder folder;
  struct Kind {
    const char* name;
    int format;
  };
  for (const Kind& kind : {Kind{"a.wav", kFloatWav}, Kind{"b.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
                           Kind{"c.wav", SF_FORMAT_WAVEX | SF_FORMAT_PCM_24},
                           Kind{"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16}}) {
    CAPTURE(kind.name);
    const std::string path = folder.path / kind.name;
    write(path, kind.format, kRate, 2, noise(40'000));
    CHECK_FALSE(read_sound(path).cut_short);
    Bytes bytes = read(path);
    bytes.resize(bytes.size() - 2);
    write(path, bytes);
    CHECK(read_sound(path).cut_short);
    bytes.resize(bytes.size() / 2);
    write(path, bytes);
    const Sound half = read_sound(path);
    CHECK(half.cut_short);
    CHECK(half.samples.size() > 1000);
    CHECK(half.samples.size() < 20'000);
  }
  // Placeholders of programs that write to a pipe and cannot fill in the length later.
  const std::string path = folder.path / "pipe.wav";
  write(path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, kRate, 1, sine(440, kRate, 1000));
  Bytes bytes = read(path);
  for (const uint32_t length : {0x7FFF'F000U, 0x8000'0000U, 0xFFFF'FFFFU}) {
    std::memcpy(bytes.data() + 40, &length, sizeof length);
    write(path, bytes);
    CHECK_FALSE(read_sound(path).cut_short);
  }
}

TEST_CASE("a sound is decoded up to the limit, and no further") {
  const Folder folder;
  const std::string path = folder.path / "x.wav";
  std::vector<float> samples(10 * kRate);
  samples.back() = std::nanf("");  // a reader that reaches this sample reports an error
  write(path, kFloatWav, kRate, 1, samples);
  const Bytes bytes = read(path);
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK_THROWS_AS(sound_in(file, "file", 5), TooLong);
  CHECK_THROWS_WITH(sound_in(file, "file", 5), "file: is longer than 5 s; cut it into pieces");
  CHECK_THROWS_WITH(sound_in(file, "file", 10), doctest::Contains("is no number"));
}

TEST_CASE("damaged files are refused, or harmless") {
  const Folder folder;
  std::mt19937_64 random(test_seed());
  struct Kind {
    const char* name;
    int format;
  };
  for (const Kind& kind : {Kind{"a.wav", kFloatWav}, Kind{"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
                           Kind{"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS}}) {
    const std::string path = folder.path / kind.name;
    write(path, kind.format, 8000, 1, sine(440, 8000, 2000));
    const Bytes good = read(path);
    for (int i = 0; i < 100; ++i) {
      CAPTURE(kind.name);
      CAPTURE(i);
      Bytes bytes = good;
      for (size_t changes = 1 + random() % 3; changes > 0; --changes)
        bytes[random() % std::min<size_t>(bytes.size(), random() % 2 == 0 ? 64 : bytes.size())] =
            static_cast<uint8_t>(random());
      write(path, bytes);
      CHECK_NOTHROW(complaint(path));
    }
  }
}
