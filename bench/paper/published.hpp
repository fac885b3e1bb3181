// SPDX-License-Identifier: Apache-2.0
// What the paper on three-tier scheduling has as numbers (Y. Zhao et al., "Minimizing transformer inference
// overhead using controlling element on Shenwei AI accelerator", FITEE 2025,
// doi:10.1631/FITEE.2400453): as they are printed, and here alone.
#pragma once

#include <array>

namespace swai::cli::bench::published {

// Section 3.1: JFK.wav and HP0.wav, with the base and the large model, on a Tesla V100S and on the card.
struct Job {
  const char* shape;
  unsigned seconds;
  const char* sound;
};
inline constexpr std::array<Job, 4> kJobs = {
    {{"base", 11, "JFK"}, {"base", 260, "HP0"}, {"large", 11, "JFK"}, {"large", 260, "HP0"}}};
// A value for each of them.
using OfJobs = std::array<double, kJobs.size()>;

// Table 2, "CLK" (CudaLaunchKernel): how often, and ms.
inline constexpr OfJobs kLaunches = {10'104, 203'182, 54'729, 1'168'077};
inline constexpr OfJobs kLaunchMs = {568.64, 1970.4, 788.6, 8578.6};
// The same, all eight calls of the table together, ms.
inline constexpr OfJobs kApiMs = {1649.83, 3646.11, 2501.1, 13'624.6};
// Of these, what PyTorch's host takes for a launch: the base model's long sound less its short one, because
// the table has calls that are made once, however long a sound is.
inline constexpr double kUsOfPyTorchLaunch = (kApiMs[1] - kApiMs[0]) * 1000 / (kLaunches[1] - kLaunches[0]);
// The same, "KE": kernels run, ms.
inline constexpr OfJobs kKernelMs = {127.13, 1541, 765, 12'500};

// Section 5.2, of Fig. 9: microseconds of launching on the card. The text names JFK and HP0 of the base model
// for the first two, and of the large one for the others, but its times of PyTorch for the pairs are those
// of Table 2 for JFK with both models, and for HP0 with both. In the table's order:
inline constexpr OfJobs kCardLaunchUs = {11, 250, 11, 270};
inline constexpr double kUsOfCudaLaunch = 4.9;
inline constexpr double kUsOfCardLaunch = 0.5;
// Abstract: launches of the host, over PyTorch's.
inline constexpr double kLaunchRatio = 1e-4;

// Section 3.3: a window of 30 seconds takes one pass of the encoder and so many of the decoder; equation 2,
// launches for each second of sound and each layer; launches of a layer of the encoder.
inline constexpr unsigned kWindowSeconds = 30;
inline constexpr unsigned kTokensOfWindow = 60;
inline constexpr double kLaunchesOfSecondAndLayer = 112;
inline constexpr double kLaunchesOfEncoderLayer = 56;

// Tables 1 and 5, ms: validation, loading of parameters, initialisation, to the device, and the total that
// is printed. What is fast has the second and third as one.
struct Loading {
  const char* shape;
  const char* table;
  const char* method;
  std::array<double, 5> ms;
  bool combined = false;
};
inline constexpr std::array<Loading, 6> kLoadings = {
    {{"base", "Table 1", "PyTorch", {399.70, 1409.16, 561.81, 98.77, 2469.44}},
     {"base", "Table 5", "PyTorch", {310.67, 1417.31, 490.90, 98.72, 2317.6}},
     {"base", "Table 5", "fast loading", {0, 116.20, 0, 70.37, 186.57}, true},
     {"large", "Table 1", "PyTorch", {7717.77, 3051.17, 10'549.78, 1215.35, 22'534.07}},
     {"large", "Table 5", "PyTorch", {6646.13, 2812.65, 10'995.37, 1674.16, 22'128.31}},
     {"large", "Table 5", "fast loading", {0, 303.60, 0, 738.12, 1041.72}, true}}};

// Section 3.2, of Fig. 3: percent of the whole time that loading takes, of the base and of the large model.
inline constexpr double kLoadingOfBase = 56;
inline constexpr double kLoadingOfLarge = 83;

// Table 3, ms of building graphs: one after the other, and while the one before runs.
inline constexpr OfJobs kBuildMs = {108, 2542, 534, 14'895};
inline constexpr OfJobs kBuildAsyncMs = {53, 1144, 279, 7048};

// Table 4: copies of PyTorch (ms), of the card before zero copy (ms) and after (ms, and us between its
// parts).
inline constexpr OfJobs kCopyMs = {30, 107, 483, 749};
inline constexpr OfJobs kCardCopyMs = {45.92, 75.76, 49.03, 79.93};
inline constexpr OfJobs kInsideCopyMs = {1.29, 27.5, 1.22, 29.2};
inline constexpr OfJobs kCardCopyAfterMs = {44.63, 48.71, 47.81, 50.73};
inline constexpr OfJobs kInsideCopyAfterUs = {0.3, 0.4, 0.2, 0.5};

// Section 5.5, of Fig. 10: overhead of execution over PyTorch's.
inline constexpr double kBestOverheadRatio = 0.05;
inline constexpr double kTypicalOverheadRatio = 0.5;

}  // namespace swai::cli::bench::published
