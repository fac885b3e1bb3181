// SPDX-License-Identifier: Apache-2.0
// What every Verilated testbench program needs around its model: a seeded context with randomised initial
// state, a waveform in wave builds, coverage in coverage builds, and a guard against running forever.
//
//   VerilatedRun<Vtb_x> run(seed);
//   run.top().rst_ni = 0;
//   while (!done) { drive(run.top()); run.tick(); check(run.top()); }
//
// The model must have a clock input clk_i. tick() is one clock period: inputs set before it are sampled by
// its rising edge, outputs read after it are what follows from that edge with the same inputs.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#ifdef WAVE
#include <verilated_fst_c.h>
#endif
#ifdef COVERAGE
#include <verilated_cov.h>
#endif

namespace swai {

template <typename Model>
class VerilatedRun {
 public:
  // seed: of the state that reset leaves open; 0: it is zero, and then all builds of a model agree on every
  // cycle. max_cycles: a run that ticks more often than this ends the process with exit code 1.
  explicit VerilatedRun(uint64_t seed, uint64_t max_cycles = UINT64_MAX) : max_cycles_(max_cycles) {
    // 2: state that reset does not define starts with random bits, so that no test passes by luck of zero.
    context_.randReset(seed == 0 ? 0 : 2);
    // Verilator takes 31 bits and reads 0 as "choose one".
    context_.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    context_.fatalOnError(true);
    model_ = std::make_unique<Model>(&context_, "top");
    if (const char* path = std::getenv("SWAI_WAVE")) open_wave(path);
  }

  ~VerilatedRun() {
    model_->final();
#ifdef WAVE
    if (wave_) wave_->close();
#endif
#ifdef COVERAGE
    if (const char* path = std::getenv("SWAI_COVERAGE")) context_.coveragep()->write(path);
#endif
  }

  VerilatedRun(const VerilatedRun&) = delete;
  VerilatedRun& operator=(const VerilatedRun&) = delete;

  // Ends the process with a message when this is not a wave build.
  void open_wave(const std::string& path) {
#ifdef WAVE
    const auto folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder);
    context_.traceEverOn(true);
    // An evaluation must come before trace(): Verilator 5.006 may crash otherwise.
    model_->clk_i = 0;
    model_->eval();
    wave_ = std::make_unique<VerilatedFstC>();
    model_->trace(wave_.get(), 99);
    wave_->open(path.c_str());
#else
    std::fprintf(stderr, "cannot write waves to %s: this build has none; use the one under build/wave/\n",
                 path.c_str());
    std::exit(2);
#endif
  }

  void tick() {
    if (cycle_ == max_cycles_) {
      std::fprintf(stderr, "no end after %llu cycles\n", static_cast<unsigned long long>(cycle_));
      std::exit(1);
    }
    // Combinational outputs settle on the new inputs before the edge; the falling edge is evaluated only
    // where something depends on it, which Verilator finds out for itself.
    model_->clk_i = 0;
    eval();
    model_->clk_i = 1;
    eval();
    ++cycle_;
  }

  // Lets combinational outputs follow inputs without a clock edge.
  void settle() { model_->eval(); }

  Model& top() { return *model_; }
  uint64_t cycle() const { return cycle_; }
  bool finished() const { return context_.gotFinish(); }

 private:
  void eval() {
    model_->eval();
#ifdef WAVE
    if (wave_) wave_->dump(context_.time());
#endif
    context_.timeInc(1);
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
#ifdef WAVE
  std::unique_ptr<VerilatedFstC> wave_;
#endif
  uint64_t cycle_ = 0;
  uint64_t max_cycles_;
};

}  // namespace swai
