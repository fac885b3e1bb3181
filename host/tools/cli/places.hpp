// SPDX-License-Identifier: Apache-2.0
// Where the things are that `swai` needs beside itself: in the build folder, or where `make install` puts
// them.
#pragma once

#include <filesystem>
#include <string>

namespace swai::cli {

struct Places {
  std::filesystem::path card;            // the simulated card of a configuration, a program
  std::filesystem::path rom;             // of the card
  std::filesystem::path flash;           // a flash image with firmware
  std::filesystem::path operators;       // the module with the walker and the operators
  std::filesystem::path bench;           // another one, with kernels that are timed
  std::filesystem::path decode;          // a program for the management processor: texts
  std::filesystem::path listen;          // another one: sounds
  std::filesystem::path timed_launches;  // another one, that measures
  std::filesystem::path compiler;        // sdaacc
  std::filesystem::path image;           // the firmware as `swai flash` writes it
  std::filesystem::path emulator;        // of boards on USB, a program
};

// Those that should be there: nothing is said about whether they are.
Places places(const std::string& config = "cg1", const std::string& tier = "rtl");

// LD_LIBRARY_PATH with which a program finds our libsdaa, if it finds none by itself: what there was, and the
// library's folder behind it.
std::string library_path();

}  // namespace swai::cli
