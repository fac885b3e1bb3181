// SPDX-License-Identifier: Apache-2.0
#include "sim/card/model.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#ifdef COVERAGE
#include <verilated_cov.h>
#endif

namespace swai::card {

Model::Model(std::optional<uint64_t> seed, const std::string& rom, WaveWindow waves)
    : waves_(std::move(waves)) {
  context_.randReset(seed ? 2 : 0);
  // Verilator takes 31 bits and reads 0 as "choose one".
  if (seed) context_.randSeed(static_cast<int>(*seed % 0x7fffffff) + 1);
  const std::string rom_argument = "+boot_rom=" + rom;
  std::array<const char*, 2> arguments = {"card", rom_argument.c_str()};
  context_.commandArgs(static_cast<int>(arguments.size()), arguments.data());
  if (const char* path = std::getenv("SWAI_WAVE"); path != nullptr && waves_.path.empty()) waves_.path = path;
#ifdef WAVE
  context_.traceEverOn(true);
#else
  if (!waves_.path.empty()) {
    throw std::runtime_error(
        "waves: this build writes none; `make build/wave/swai-card` makes one that does");
  }
#endif
  top_ = std::make_unique<Vcard_top>(&context_, "card");
  // The reset is taken with a clock. Nobody looks before that: registers hold what makes no sense.
  top_->rst_ni = 0;
  top_->trace_i = 0;
  for (const uint8_t clock : {0, 1, 0}) {
    top_->clk_i = clock;
    top_->eval();
  }
}

Model::~Model() {
  top_->final();
#ifdef WAVE
  if (file_) file_->close();
#endif
#ifdef COVERAGE
  if (const char* path = std::getenv("SWAI_COVERAGE")) context_.coveragep()->write(path);
#endif
}

#ifdef WAVE
// Two steps of the waveform's time are a clock.
void Model::dump() {
  if (waves_.path.empty() || !waves_.trigger.empty() || ticks_ < waves_.from || ticks_ > waves_.to) {
    file_.reset();
    return;
  }
  if (!file_) {
    const auto folder = std::filesystem::path(waves_.path).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder);
    file_ = std::make_unique<VerilatedFstC>();
    top_->trace(file_.get(), 99);
    file_->open(waves_.path.c_str());
    if (!file_->isOpen()) throw std::runtime_error("waves: cannot write " + waves_.path);
  }
  file_->dump(2 * ticks_ + (top_->clk_i != 0 ? 0 : 1));
}
#endif

}  // namespace swai::card
