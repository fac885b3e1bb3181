// SPDX-License-Identifier: Apache-2.0
#include "host/models/audio/sound.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sndfile.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>

#include "host/models/audio/resampler.hpp"
#include "host/models/audio/wav_length.hpp"

namespace swai::audio {
namespace {

constexpr int kLeastRate = 1000;
constexpr int kMostRate = 1'000'000;
constexpr int kMostChannels = 64;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw common::InputError(fmt::format("{}: {}", path, what));
}

using File = std::unique_ptr<SNDFILE, decltype(&sf_close)>;

// libsndfile waits for pipes, and takes a folder for a file of a strange format.
int open_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) refuse(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    refuse(path, "is no ordinary file; give a file with sound");
  }
  return fd;
}

void check(const std::string& path, const SF_INFO& info) {
  if (info.samplerate < kLeastRate || info.samplerate > kMostRate)
    refuse(path, fmt::format("has {} samples a second, and {} to {} are supported; its header may be damaged",
                             info.samplerate, kLeastRate, kMostRate));
  if (info.channels < 1 || info.channels > kMostChannels)
    refuse(path, fmt::format("has {} channels, and 1 to {} are supported; its header may be damaged",
                             info.channels, kMostChannels));
}

// The mean of all channels.
void mix(const std::string& path, std::span<const float> frames, size_t channels, uint64_t first,
         std::vector<float>& out) {
  out.clear();
  for (size_t at = 0; at < frames.size(); at += channels) {
    double sum = 0;
    for (size_t channel = 0; channel < channels; ++channel) sum += frames[at + channel];
    const auto mean = static_cast<float>(sum / static_cast<double>(channels));
    if (!std::isfinite(mean))
      refuse(path, fmt::format("sample {} is no number; the file is damaged, or was written wrongly",
                               first + at / channels));
    out.push_back(mean);
  }
}

// Takes the descriptor.
Sound sound_of(int fd, const std::string& path, uint32_t max_seconds) {
  SF_INFO info{};
  const bool is_short_wav = is_cut_short_wav(fd);
  const File file(sf_open_fd(fd, SFM_READ, &info, SF_TRUE), sf_close);
  if (!file)
    refuse(path,
           fmt::format("is no sound that can be read ({}); convert it to WAV or FLAC", sf_strerror(nullptr)));
  check(path, info);
  Sound sound;
  sound.file_rate = static_cast<uint32_t>(info.samplerate);
  sound.file_channels = static_cast<uint32_t>(info.channels);
  Resampler resampler(info.samplerate, kRate);
  constexpr sf_count_t kFrames = 8192;
  const auto channels = static_cast<size_t>(info.channels);
  std::vector<float> frames(kFrames * channels);
  std::vector<float> mono;
  sf_count_t read = 0;
  // The header's number of frames is a promise, no more.
  while (true) {
    const sf_count_t got = sf_readf_float(file.get(), frames.data(), kFrames);
    if (got <= 0) break;
    mix(path, std::span(frames).first(static_cast<size_t>(got) * channels), channels,
        static_cast<uint64_t>(read), mono);
    resampler.add(mono, sound.samples);
    read += got;
    if (sound.samples.size() > size_t{max_seconds} * kRate)
      throw TooLong(fmt::format("{}: is longer than {} s; cut it into pieces", path, max_seconds));
  }
  if (read == 0) refuse(path, "holds no sound");
  resampler.finish(sound.samples);
  sound.cut_short = is_short_wav || read < info.frames;
  return sound;
}

}  // namespace

Sound read_sound(const std::string& path) { return sound_of(open_file(path), path, kMaxSeconds); }

// libsndfile wants to go back.
Sound sound_in(std::string_view file, const std::string& name, uint32_t max_seconds) {
  const int fd = ::memfd_create("sound", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, file.data(), file.size()) != static_cast<ssize_t>(file.size()) ||
      ::lseek(fd, 0, SEEK_SET) != 0) {
    ::close(fd);
    refuse(name, "does not fit into memory");
  }
  return sound_of(fd, name, max_seconds);
}

}  // namespace swai::audio
