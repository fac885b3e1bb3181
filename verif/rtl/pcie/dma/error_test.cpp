// SPDX-License-Identifier: Apache-2.0
// Every error, provoked on one channel while the others go on: what the registers say, who is told, and that
// the channel works again after a reset.

#include "verif/rtl/pcie/dma/tests.hpp"
#include "verif/rtl/pcie/dma/traffic.hpp"

namespace swai::dma_test {

namespace {

// Places that random descriptors never use.
constexpr uint64_t kPit = 0xC'0000;

class Errors {
 public:
  explicit Errors(uint64_t seed) : engine_(seed), traffic_(engine_), random_(engine_.random()) {
    engine_.write(reg::timeout::kAddr, kTimeout);
    engine_.host().late_by = 3 * kTimeout;
    traffic_.max_length = 3000;
    for (unsigned i = 0; i < kChannels; ++i) traffic_.set_up(i);
    traffic_.on_extra_interrupt = [this](unsigned channel) { extra(channel, interrupts_); };
    traffic_.on_extra_work = [this](unsigned channel) { extra(channel, works_); };
  }

  Engine& engine() { return engine_; }
  Traffic& traffic() { return traffic_; }

  struct Expected {
    uint64_t cause;
    uint64_t access = reg::error::kAccessData;
    uint64_t address = 0;  // somewhere in the failing transfer
    uint64_t span = 1;
  };

  // Runs `before` random descriptors and one that fails; `spoil` makes it so.
  void provoke(bool to_host,
               const std::function<Expected(Descriptor&, unsigned channel, uint16_t index)>& spoil,
               bool in_descriptor = true) {
    channel_ = static_cast<unsigned>(random_.below(kChannels));
    for (unsigned i = 0; i < 30; ++i) traffic_.pump(0xff);
    stop_clean(channel_);
    const bool announce = random_.chance(50);
    interrupts_ = works_ = 0;
    traffic_.set_up(channel_, announce);
    const uint64_t before = random_.below(4);
    const auto make_room = [this] {
      engine_.ring(channel_);
      engine_.step();
      traffic_.look_at_head(channel_);
    };
    for (uint64_t i = 0; i < before; ++i) {
      while (traffic_.full(channel_)) make_room();
      Descriptor d = traffic_.random_descriptor(channel_);
      // These may be left undone: what announces the error must not be taken for theirs.
      if (announce) d.flags &= ~(dma::kInterrupt | dma::kWork);
      traffic_.post(channel_, d);
    }
    while (traffic_.full(channel_)) make_room();
    const auto length = static_cast<uint32_t>(1 + random_.below(3000));
    Descriptor d{traffic_.host_base(channel_) + kPit + random_.below(5000),
                 traffic_.card_base(channel_) + kPit + random_.below(5000),
                 length,
                 to_host ? dma::kToHost : 0,
                 0,
                 0};
    const auto index = static_cast<uint16_t>(traffic_.count(channel_));
    const Expected want = spoil(d, channel_, index);
    if (in_descriptor) traffic_.post_unchecked(channel_, d);
    for (uint64_t i = random_.below(3); i > 0 && !traffic_.full(channel_); --i) {
      const auto more = traffic_.random_descriptor(channel_);
      if (more.host != 0)
        traffic_.post_unchecked(channel_, {more.host, more.card, more.length, more.flags & ~0xeU, 0, 0});
    }
    if (in_descriptor) engine_.ring(channel_);
    const unsigned others = 0xff & ~(1U << channel_);
    for (const uint64_t end = engine_.cycle() + 400'000;
         engine_.state(channel_) != reg::status::kStateError;) {
      check(engine_.cycle() < end,
            fmt::format("no error of cause {}; state {}", want.cause, engine_.state(channel_)));
      traffic_.pump(others);
    }
    const ErrorState got = engine_.error(channel_);
    check(got.cause == want.cause && got.access == want.access && got.index == index &&
              got.address - want.address < want.span,
          fmt::format("error: cause {} access {} index {} address {:#x}; wanted {}, {}, {}, {:#x}", got.cause,
                      got.access, got.index, got.address, want.cause, want.access, index, want.address));
    traffic_.look_at_head(channel_);
    check(traffic_.head(channel_) <= index, "the head is beyond the failed descriptor");
    for (unsigned i = 0; i < 20; ++i) traffic_.pump(others);
    engine_.bench().until([this] { return engine_.host().arrived() == engine_.host().handed_over(); }, 10'000,
                          "interrupts");
    check(interrupts_ == (announce ? 1U : 0U) && works_ == interrupts_,
          fmt::format("{} interrupts and {} work bits for an error", interrupts_, works_));
    // Nothing more may happen, whatever the doorbell says.
    const uint16_t head = engine_.head(channel_);
    engine_.write(reg::tail::addr(channel_), head);
    for (unsigned i = 0; i < 5; ++i) traffic_.pump(others);
    check(engine_.head(channel_) == head, "the head of a failed channel moves");

    engine_.clear(channel_);
    engine_.wait_state(channel_, reg::status::kStateIdle);
    engine_.host().faults.clear();
    engine_.card().faults.clear();
    check(engine_.error(channel_).cause == 0 && engine_.head(channel_) == 0,
          "a reset channel shows old things");
    traffic_.set_up(channel_);
    for (unsigned i = 0; i < 10; ++i) traffic_.pump(0xff);
  }

  void finish() {
    for (unsigned i = 0; i < kChannels; ++i) {
      engine_.ring(i);
      traffic_.finish(i);
    }
    engine_.wait_idle();
  }

  // Finishes what the channel has and resets it.
  void stop_clean(unsigned channel) {
    engine_.ring(channel);
    traffic_.finish(channel);
    engine_.clear(channel);
    engine_.wait_state(channel, reg::status::kStateIdle);
  }

  static constexpr uint64_t kTimeout = 20'000;

 private:
  void extra(unsigned channel, unsigned& count) {
    check(channel == channel_, fmt::format("channel {} announces an error", channel));
    ++count;
  }

  Engine engine_;
  Traffic traffic_;
  verif::Random& random_;
  unsigned channel_ = 0;
  unsigned interrupts_ = 0, works_ = 0;
};

void host_errors(Errors& test) {
  struct Case {
    HostFault fault;
    uint64_t cause;
  };
  constexpr Case kCases[] = {
      {HostFault::kUnsupported, reg::error::kCauseUnsupported},
      {HostFault::kAbort, reg::error::kCauseCompleterAbort},
      {HostFault::kPoison, reg::error::kCausePoisonedCompletion},
      {HostFault::kSilent, reg::error::kCauseTimeout},
      {HostFault::kLate, reg::error::kCauseTimeout},
      {HostFault::kWrongCount, reg::error::kCauseBadCompletion},
      {HostFault::kNoData, reg::error::kCauseBadCompletion},
  };
  auto& engine = test.engine();
  for (const auto& c : kCases) {
    const uint64_t timeouts = engine.errors(2), poisoned = engine.errors(0);
    const uint64_t late = reg::unexpected::kLate.get(engine.read(reg::unexpected::kAddr));
    test.provoke(false, [&](Descriptor& d, unsigned, uint16_t) {
      // The whole transfer or a part of it.
      const uint64_t from = engine.random().below(d.length);
      engine.host().faults.add(d.host + from, 1 + engine.random().below(d.length - from), c.fault);
      return Errors::Expected{.cause = c.cause, .address = d.host, .span = d.length};
    });
    check((engine.errors(2) != timeouts) == (c.cause == reg::error::kCauseTimeout), "the timeout's pulse");
    check((engine.errors(0) != poisoned) == (c.cause == reg::error::kCausePoisonedCompletion),
          "the pulse of poison");
    if (c.fault == HostFault::kLate) {
      engine.bench().until([&] { return engine.host().quiet(); }, 200'000, "late completions");
      check(reg::unexpected::kLate.get(engine.read(reg::unexpected::kAddr)) > late,
            "late completions are not counted");
    }
  }
  test.finish();
  // Tags that nobody answered are used again some day.
  check(reg::tags::kWaiting.get(engine.read(reg::tags::kAddr)) == 0, "an idle engine has reads waiting");
  for (uint64_t i = 0; reg::tags::kGivenUp.get(engine.read(reg::tags::kAddr)) != 0; ++i) {
    check(i < 10 * Errors::kTimeout, "tags do not come back");
  }
  check(reg::unexpected::kUnexpected.get(engine.read(reg::unexpected::kAddr)) == 0, "unexpected completions");
  engine.host().send_stray(3, engine.host().config.bus_dev_fn);
  engine.host().send_stray(200, engine.host().config.bus_dev_fn);
  engine.host().send_stray(3, 0x5555);
  engine.wait_idle();
  engine.bench().steps(5);
  check(reg::unexpected::kUnexpected.get(engine.read(reg::unexpected::kAddr)) == 3 && engine.errors(1) == 3,
        "unexpected completions are not counted");
}

void ring_errors(Errors& test) {
  auto& engine = test.engine();
  const std::pair<unsigned, uint64_t> cases[] = {{Card::kNobody, reg::error::kCauseRingNobody},
                                                 {Card::kDenied, reg::error::kCauseRingDenied},
                                                 {Card::kPoison, reg::error::kCauseRingPoison}};
  for (const auto& [status, cause] : cases) {
    for (const bool to_host : {false, true}) {
      test.provoke(to_host, [&, status = status, cause = cause](Descriptor& d, unsigned, uint16_t) {
        const uint64_t from = engine.random().below(d.length);
        const uint64_t first = (d.card + from) & ~uint64_t{63};
        engine.card().faults.add(first, 64 * (1 + engine.random().below(8)), status);
        return Errors::Expected{.cause = cause, .address = d.card & ~uint64_t{63}, .span = d.length + 63};
      });
    }
    test.provoke(false, [&, status = status, cause = cause](Descriptor&, unsigned channel, uint16_t index) {
      const auto& setup = engine.setup(channel);
      const uint64_t at = setup.ring + 32 * (index & ((1U << setup.log2) - 1));
      engine.card().faults.add(at, 32, status);
      return Errors::Expected{.cause = cause, .access = reg::error::kAccessDescriptor, .address = at};
    });
    // Records: only on the card can the ring refuse them.
    for (bool done = false; !done;) {
      test.provoke(engine.random().chance(50), [&, status = status, cause = cause](
                                                   Descriptor& d, unsigned channel, uint16_t index) {
        const auto& setup = engine.setup(channel);
        done = setup.record_on_card;
        if (!done) {
          d.flags |= 1U << 31;
          return Errors::Expected{.cause = reg::error::kCauseBadDescriptor,
                                  .access = reg::error::kAccessDescriptor,
                                  .address = d.card};
        }
        d.flags |= dma::kRecord;
        const uint64_t at = setup.record + 16 * (index & ((1U << setup.log2) - 1));
        engine.card().faults.add(at, 16, status);
        return Errors::Expected{.cause = cause, .access = reg::error::kAccessRecord, .address = at};
      });
    }
  }
}

void descriptor_errors(Errors& test) {
  auto& random = test.engine().random();
  for (unsigned i = 0; i < 10; ++i) {
    test.provoke(random.chance(50), [&](Descriptor& d, unsigned, uint16_t) {
      switch (i % 5) {
        case 0:
          d.flags |= 1U << random.between(5, 31);
          break;
        case 1:
          d.card |= uint64_t{1} << random.between(40, 63);
          break;
        case 2:
          d.reserved = static_cast<uint32_t>(1 + random.below(1000));
          break;
        case 3:
          d.host = ~uint64_t{0} - random.below(d.length) + 1;
          if (d.host == 0) d.host = ~uint64_t{0}, d.length = 2;
          break;
        default:
          d.card = (uint64_t{1} << 40) - 1, d.length = 2;
      }
      if (i % 5 == 3) d.length += 1;
      return Errors::Expected{.cause = reg::error::kCauseBadDescriptor,
                              .access = reg::error::kAccessDescriptor,
                              .address = d.card & ((uint64_t{1} << 40) - 1)};
    });
  }
}

void test_tail(Errors& test) {
  auto& engine = test.engine();
  const unsigned channel = 3;
  test.stop_clean(channel);
  engine.set_up(channel, {.ring = 0x8000'0000, .log2 = 2});
  engine.write(reg::tail::addr(channel), 5);
  engine.wait_state(channel, reg::status::kStateError);
  const auto error = engine.error(channel);
  check(error.cause == reg::error::kCauseBadTail && error.index == 5 && engine.head(channel) == 0,
        "a tail that cannot be");
  engine.clear(channel);
  engine.wait_state(channel, reg::status::kStateIdle);
  test.traffic().set_up(channel);
}

// The function loses its right to master the bus, and gets it back.
void bus_master(Errors& test) {
  auto& engine = test.engine();
  auto& traffic = test.traffic();
  for (unsigned i = 0; i < 6; ++i) {
    for (unsigned j = 0; j < 100; ++j) traffic.pump(0xff);
    for (unsigned j = 0; j < kChannels; ++j) engine.ring(j);
    engine.host().config.bus_master = false;
    engine.host().pause_streams(engine.random().chance(50));
    for (unsigned j = 0; j < 5; ++j) traffic.pump(0);
    engine.host().pause_streams(false);
    for (unsigned j = 0; j < 200; ++j) traffic.pump(0);
    engine.wait_idle();
    for (unsigned j = 0; j < kChannels; ++j) {
      const auto state = engine.state(j);
      if (state == reg::status::kStateError) {
        check(engine.error(j).cause == reg::error::kCauseNoBusMaster,
              fmt::format("channel {}: cause {}", j, engine.error(j).cause));
      } else {
        check(state == reg::status::kStateIdle, fmt::format("channel {} is in state {}", j, state));
      }
      traffic.look_at_head(j);
      traffic.forget_from_head(j);
      engine.clear(j);
      engine.wait_state(j, reg::status::kStateIdle);
    }
    engine.host().config.bus_master = true;
    for (unsigned j = 0; j < kChannels; ++j) traffic.set_up(j);
  }
}

}  // namespace

void test_errors(uint64_t seed, uint64_t) {
  Errors test(seed);
  host_errors(test);
  ring_errors(test);
  descriptor_errors(test);
  test_tail(test);
  bus_master(test);
  test.finish();
  fmt::print("{} descriptors, {} cycles\n", test.traffic().posted(), test.engine().cycle());
}

}  // namespace swai::dma_test
