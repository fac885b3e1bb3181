// SPDX-License-Identifier: Apache-2.0
#include "verif/system/rig.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>

namespace swai::system {
namespace {

std::string new_folder() {
  std::string name = std::filesystem::temp_directory_path() / "swai-system-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + name);
  return name;
}

std::string numbered(const std::string& name, unsigned card) {
  return card == 0 ? name : name + "." + std::to_string(card);
}

// build/firmware/flash.bin, or what the environment variable SWAI_FLASH names instead: tests of the hardware
// take build/firmware/bare.bin, whose kernel leaves everything to them.
std::string flash_image() {
  const char* named = std::getenv("SWAI_FLASH");
  return named != nullptr ? named : "build/firmware/flash.bin";
}

// "build/swai-card-tiny" is `tiny`, "build/swai-card" is `cg1`.
std::string config_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  const size_t dash = name.rfind('-');
  return name == "swai-card" ? "cg1" : name.substr(dash + 1);
}

// With SWAI_TIER=fast the tests use the functional model, one program for all configurations.
bool on_fast_tier() {
  const char* const tier = std::getenv("SWAI_TIER");
  return tier != nullptr && std::string(tier) == "fast";
}
std::string program_of(const RigOptions& options) {
  return options.functional || on_fast_tier() ? "build/swai-card-fast" : options.program;
}

}  // namespace

std::string card_program() {
  const char* named = std::getenv("SWAI_CARD");
  return named != nullptr ? named : "build/swai-card-tiny";
}

unsigned rounds(unsigned whole, unsigned least) {
  return on_fast_tier() || std::getenv("SWAI_LONG") != nullptr ? whole : std::max(least, whole / 4);
}

Rig::Rig(const RigOptions& options) : folder_(new_folder()) {
  const std::string flash = folder_ + "/flash";
  for (unsigned i = 0; i < options.cards; ++i) {
    std::filesystem::copy_file(flash_image(), numbered(flash, i));
  }
  std::vector<std::string> command = {program_of(options),
                                      "--config",
                                      config_of(options.program),
                                      "--flash",
                                      flash,
                                      "--socket",
                                      socket(),
                                      "--cards",
                                      std::to_string(options.cards)};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  process_ = std::make_unique<common::Process>(command);
  process_->read_until("card " + std::to_string(options.cards - 1) + " is at ");
}

Rig::~Rig() {
  // A card that has ended by itself says why.
  siginfo_t info{};
  for (int tenths = std::uncaught_exceptions() > 0 ? 20 : 0; tenths >= 0 && info.si_pid == 0; --tenths) {
    if (::waitid(P_PID, static_cast<id_t>(process_->pid()), &info, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    if (tenths > 0 && info.si_pid == 0) ::usleep(100'000);
  }
  if (info.si_pid != 0) {
    const int code = process_->wait();
    fmt::print(stderr, "swai-card has ended with code {}:\n{}\n", code, process_->output());
  }
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Rig::socket(unsigned card) const { return numbered(folder_ + "/card", card); }

std::unique_ptr<link::Card> Rig::open(unsigned card, const link::VfioUserOptions& options) const {
  return link::Card::open(socket(card), options);
}

SharedRig::SharedRig() : exceptions_(std::uncaught_exceptions()) {
  if (!booted()) booted() = std::make_unique<Rig>();
}

SharedRig::~SharedRig() {
  if (std::uncaught_exceptions() != exceptions_) booted().reset();
}

std::unique_ptr<Rig>& SharedRig::booted() {
  static std::unique_ptr<Rig> rig;
  return rig;
}

}  // namespace swai::system
