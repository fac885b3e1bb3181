// SPDX-License-Identifier: Apache-2.0
// Random traffic through each stream module, with the checks that its contract allows.

#include "verif/rtl/lib/stream.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "Vtb_stream.h"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::verif {
namespace {

enum class Shape {
  kPipe,     // one stream in, the same stream out
  kArbiter,  // several in, one out, in turns
  kFork,     // one in, each of several out
  kJoin,     // several in, together one out
  kDemux     // one in, one of several out
};

struct Design {
  unsigned select;  // its number in tb_stream.sv
  Shape shape;
  unsigned inputs = 1;
  unsigned outputs = 1;
  unsigned copies = 1;      // how often the payload comes out side by side
  unsigned latency = 0;     // cycles from taking an item to giving it when nothing stalls
  unsigned interval = 1;    // cycles per item when nothing stalls; 0: random
  bool cuts_valid = false;  // no path from the inputs' valid and payload to the outputs
  bool cuts_ready = false;  // no path from the outputs' ready to the inputs'
  unsigned credits = 0;     // index_o counts free places
};

constexpr unsigned kWidth = 16;

class StreamTest : private Agent {
 public:
  StreamTest(const Design& design, uint64_t seed) : design_(design), bench_(seed) {
    auto& top = bench_.top();
    top.select_i = static_cast<CData>(design.select);
    top.in_valid_i = 0;
    top.out_ready_i = 0;
    for (unsigned i = 0; i < design.inputs; ++i) add_source(i);
    for (unsigned o = 0; o < design.outputs; ++o) add_sink(o);
    bench_.add(*this);
    bench_.reset();
  }

  void random_traffic(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) {
      bench_.step();
      if (bench_.random().chance(10)) probe_paths();
    }
    check(given_ > cycles / 20, fmt::format("only {} items in {} cycles", given_, cycles));
    drain();
  }

  void full_speed() {
    if (design_.interval == 0) return;
    draining_ = false;
    for (auto& source : sources_) source->stalls().never();
    for (auto& sink : sinks_) sink->stalls().never();
    bench_.steps(design_.latency);  // what fills the pipe comes out later
    const uint64_t before = given_;
    bench_.steps(100 * design_.interval);
    check(given_ - before == 100, fmt::format("{} items in the time of 100", given_ - before));
    if (design_.shape != Shape::kPipe) return;
    drain();
    for (int i = 0; i < 10; ++i) {
      one_more_ = true;
      bench_.until([&] { return expected_.empty() && !one_more_; }, 100, "a single item");
      check(given_cycle_ - taken_cycle_ == design_.latency,
            fmt::format("latency {} instead of {}", given_cycle_ - taken_cycle_, design_.latency));
    }
  }

 private:
  StreamPins input_pins(unsigned i) {
    auto& top = bench_.top();
    return {Field(top.in_valid_i, i, 1), Field(top.in_ready_o, i, 1),
            Field(top.in_data_i, kWidth * i, kWidth)};
  }

  StreamPins output_pins(unsigned o) {
    auto& top = bench_.top();
    const unsigned width = kWidth * (design_.shape == Shape::kJoin ? design_.inputs : design_.copies);
    return {Field(top.out_valid_o, o, 1), Field(top.out_ready_i, o, 1),
            Field(top.out_data_o, kWidth * o, width)};
  }

  void add_source(unsigned i) {
    sources_.push_back(
        std::make_unique<StreamSource<uint64_t>>(input_pins(i), bench_.random(), [this] { return next(); }));
    sources_.back()->on_taken = [this, i](uint64_t item) { taken_[i] = item; };
    bench_.add(*sources_.back());
  }

  void add_sink(unsigned o) {
    sinks_.push_back(
        std::make_unique<StreamSink<uint64_t>>(fmt::format("output {}", o), output_pins(o), bench_.random(),
                                               [this, o](uint64_t item) { arrived_[o] = item; }));
    bench_.add(*sinks_.back());
  }

  std::optional<uint64_t> next() {
    if (draining_ && !one_more_) return std::nullopt;
    one_more_ = false;
    const uint64_t item = bench_.random().below(uint64_t{1} << kWidth);
    if (design_.shape == Shape::kFork) {
      for (unsigned o = 0; o < design_.outputs; ++o) offered_[o].expect(item);
    }
    return item;
  }

  // This test is an agent itself, the last one: it compares what the others saw in the cycle.
  void drive() override {}
  void sample() override {
    if (std::ranges::any_of(arrived_, [](const auto& item) { return item.has_value(); })) ++given_;
    switch (design_.shape) {
      case Shape::kPipe:
        compare_pipe();
        break;
      case Shape::kArbiter:
        compare_arbiter();
        break;
      case Shape::kFork:
        compare_fork();
        break;
      case Shape::kJoin:
        compare_join();
        break;
      case Shape::kDemux:
        compare_demux();
        break;
    }
    taken_.fill(std::nullopt);
    arrived_.fill(std::nullopt);
  }

  void compare_pipe() {
    if (design_.credits != 0) {
      check(bench_.top().index_o == design_.credits - expected_.pending(), "the credits are miscounted");
    }
    if (taken_[0]) {
      uint64_t copies = *taken_[0];
      for (unsigned i = 1; i < design_.copies; ++i) copies |= copies << kWidth;
      expected_.expect(copies);
      taken_cycle_ = bench_.cycle();
    }
    if (arrived_[0]) {
      expected_.arrive(*arrived_[0]);
      given_cycle_ = bench_.cycle();
    }
  }

  void compare_arbiter() {
    for (unsigned i = 0; i < design_.inputs; ++i) {
      if (taken_[i]) {
        check(arrived_[0] == taken_[i], fmt::format("input {} gave an item that did not come out", i));
        check(bench_.top().index_o == i, "the index names another input");
        arrived_[0].reset();
        others_[i] = 0;
        for (unsigned other = 0; other < design_.inputs; ++other) {
          if (other == i || !sources_[other]->pending()) continue;
          check(++others_[other] < design_.inputs, fmt::format("input {} waits for too long", other));
        }
      }
    }
    check(!arrived_[0], "an item came out that no input gave");
  }

  void compare_fork() {
    for (unsigned o = 0; o < design_.outputs; ++o) {
      if (arrived_[o]) offered_[o].arrive(*arrived_[o]);
      if (taken_[0]) check(offered_[o].empty(), fmt::format("the item left before output {} had it", o));
    }
  }

  void compare_join() {
    uint64_t together = 0;
    for (unsigned i = 0; i < design_.inputs; ++i) {
      check(taken_[i].has_value() == arrived_[0].has_value(), fmt::format("input {} went alone", i));
      together |= taken_[i].value_or(0) << (kWidth * i);
    }
    check(arrived_[0].value_or(0) == together, "the items of an output do not belong together");
  }

  void compare_demux() {
    for (unsigned o = 0; o < design_.outputs; ++o) {
      if (taken_[0] && *taken_[0] % design_.outputs == o) {
        check(arrived_[o] == taken_[0], "the item did not come out where it should");
      } else {
        check(!arrived_[o], fmt::format("an item came out at {} that was for another output", o));
      }
    }
  }

  // Lets everything come out. A join keeps nothing, and its inputs cannot drain alone.
  void drain() {
    if (design_.shape == Shape::kJoin) return;
    draining_ = true;
    bench_.until(
        [this] {
          return expected_.empty() &&
                 std::ranges::none_of(sources_, [](const auto& s) { return s->pending(); });
        },
        10000, "draining");
  }

  // Between two cycles: wiggles inputs without a clock edge and sees which outputs follow.
  void probe_paths() {
    auto& top = bench_.top();
    bench_.settle();
    const auto in_ready = top.in_ready_o;
    const auto out_valid = top.out_valid_o;
    const auto out_data = top.out_data_o;
    const auto check_outputs = [&](const std::string& cause) {
      check(top.out_valid_o == out_valid && (out_valid == 0 || top.out_data_o == out_data),
            "an output follows " + cause);
    };
    const auto ready = std::exchange(top.out_ready_i, static_cast<CData>(~top.out_ready_i & 0xf));
    bench_.settle();
    check_outputs("ready");
    if (design_.cuts_ready) check(top.in_ready_o == in_ready, "ready passes from the output to the input");
    top.out_ready_i = ready;
    if (design_.cuts_valid) {
      const auto valid = std::exchange(top.in_valid_i, static_cast<CData>(~top.in_valid_i & 0xf));
      const auto data = std::exchange(top.in_data_i, bench_.random().next());
      bench_.settle();
      check_outputs("the input");
      top.in_valid_i = valid;
      top.in_data_i = data;
    }
    bench_.settle();
  }

  Design design_;
  Bench<Vtb_stream> bench_;
  std::vector<std::unique_ptr<StreamSource<uint64_t>>> sources_;
  std::vector<std::unique_ptr<StreamSink<uint64_t>>> sinks_;
  std::array<std::optional<uint64_t>, 4> taken_{};    // in this cycle
  std::array<std::optional<uint64_t>, 4> arrived_{};  // in this cycle
  Scoreboard<uint64_t> expected_{"output"};
  std::array<Scoreboard<uint64_t>, 4> offered_{
      Scoreboard<uint64_t>("output 0"), Scoreboard<uint64_t>("output 1"), Scoreboard<uint64_t>("output 2"),
      Scoreboard<uint64_t>("output 3")};
  std::array<unsigned, 4> others_{};  // transfers of others since an input began to wait
  uint64_t given_ = 0;
  uint64_t taken_cycle_ = 0;
  uint64_t given_cycle_ = 0;
  bool draining_ = false;
  bool one_more_ = false;
};

TestCase streams(const std::string& name, std::vector<Design> designs) {
  return {name, [designs](uint64_t seed, uint64_t cycles) {
            for (const auto& design : designs) {
              try {
                StreamTest test(design, seed);
                test.random_traffic(cycles);
                test.full_speed();
              } catch (const CheckFailed& failure) {
                throw CheckFailed(fmt::format("design {}: {}", design.select, failure.what()));
              }
            }
          }};
}

// Traffic that breaks the law: the assertion in the design must end the run. tests.toml looks for its
// message.
void withdraw(unsigned select, uint64_t seed) {
  Bench<Vtb_stream> bench(seed);
  auto& top = bench.top();
  top.select_i = static_cast<CData>(select);
  top.in_valid_i = 1;
  top.out_ready_i = select == 14 ? 2 : 0;
  bench.reset();
  bench.tick();
  top.in_valid_i = 0;
  bench.tick();
}

std::vector<TestCase> tests() {
  std::vector<Design> fifos;
  for (unsigned d = 0; d < 8; ++d) {
    const bool fall_through = d % 2 == 1;
    fifos.push_back({.select = d,
                     .shape = Shape::kPipe,
                     .latency = fall_through ? 0U : 1U,
                     .interval = d == 0 ? 2U : 1U,
                     .cuts_valid = !fall_through,
                     .cuts_ready = true});
  }
  std::vector<Design> arbiters;
  for (unsigned n = 1; n <= 4; ++n) {
    arbiters.push_back({.select = 9 + n, .shape = Shape::kArbiter, .inputs = n});
  }
  return {
      streams("fifo", fifos),
      streams("spill",
              {{.select = 8, .shape = Shape::kPipe, .latency = 1, .cuts_valid = true, .cuts_ready = true}}),
      streams("delayer", {{.select = 9, .shape = Shape::kPipe, .interval = 0}}),
      streams("arbiter", arbiters),
      streams("fork", {{.select = 14, .shape = Shape::kFork, .outputs = 2},
                       {.select = 15, .shape = Shape::kFork, .outputs = 4}}),
      streams("join", {{.select = 16, .shape = Shape::kJoin, .inputs = 2},
                       {.select = 17, .shape = Shape::kJoin, .inputs = 4}}),
      streams("demux", {{.select = 18, .shape = Shape::kDemux, .outputs = 4}}),
      streams("net", {{.select = 19,
                       .shape = Shape::kPipe,
                       .copies = 2,
                       .interval = 0,
                       .cuts_valid = true,
                       .cuts_ready = true}}),
      streams("credits", {{.select = 20,
                           .shape = Shape::kPipe,
                           .latency = 1,
                           .cuts_valid = true,
                           .cuts_ready = true,
                           .credits = 3}}),
      {"illegal-withdraw-arbiter", [](uint64_t seed, uint64_t) { withdraw(11, seed); }},
      {"illegal-withdraw-fork", [](uint64_t seed, uint64_t) { withdraw(14, seed); }},
  };
}

}  // namespace
}  // namespace swai::verif

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::verif::tests()); }
