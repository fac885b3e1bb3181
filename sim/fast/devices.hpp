// SPDX-License-Identifier: Apache-2.0
// The devices of the management processor, as programs see them: rtl/soc without time. What takes a device
// time in hardware has happened when the access returns.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "abi/discard.hpp"
#include "sim/board/flash/flash_chip.hpp"
#include "sim/fast/register_block.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::fast {

class Timer final : public RegisterBlock {
 public:
  explicit Timer(iss::Hart& hart) : RegisterBlock("timer"), hart_(hart) {}

  bool software() const;
  bool due() const;
  // Steps until it is due; kNever when it is not armed or due already.
  uint64_t left() const;
  static constexpr uint64_t kNever = ~uint64_t{0};

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  iss::Hart& hart_;
};

// Bytes leave at once; those that come wait outside until the FIFO has room.
class Uart final : public RegisterBlock {
 public:
  explicit Uart(std::function<void(uint8_t)> send) : RegisterBlock("uart"), send_(std::move(send)) {}

  void push(uint8_t byte) { input_.push_back(byte); }
  bool interrupt() const;
  void reset(bool power_on) override;
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  std::function<void(uint8_t)> send_;
  std::deque<uint8_t> input_;
};

class Sha256 final : public RegisterBlock {
 public:
  Sha256() : RegisterBlock("sha256") {}

  void take(uint64_t bytes, unsigned count);
  void reset(bool power_on) override;
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  void finish();

  std::vector<uint8_t> message_;
  uint64_t length_ = 0;
  bool done_ = false;
};

// A command goes as far as the FIFO lets it when it starts. The processor waits for what the wire takes: for
// a word until it has come, for a command that reads none until it is over.
class Flash final : public RegisterBlock {
 public:
  // `wait` lets the processor stand still until that cycle.
  Flash(card::FlashChip& chip, Sha256& sha, std::function<uint64_t()> now,
        std::function<void(uint64_t until)> wait)
      : RegisterBlock("flash"), chip_(chip), sha_(sha), now_(std::move(now)), wait_(std::move(wait)) {}

  bool interrupt() const;
  void reset(bool power_on) override;
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  enum class Phase : uint8_t { kNone, kRead, kWrite };

  void start(uint64_t command);
  void go_on();
  void read_words();
  void write_words();
  void end(bool stopped);
  void take_wire(uint64_t periods);
  bool busy() const { return phase_ != Phase::kNone; }

  card::FlashChip& chip_;
  Sha256& sha_;
  std::function<uint64_t()> now_;
  std::function<void(uint64_t)> wait_;
  struct Word {
    uint64_t bytes = 0;
    uint64_t there = 0;  // the cycle in which the wire has brought it
  };
  std::deque<Word> fifo_;
  uint64_t wire_free_ = 0;  // the cycle in which the wire has done all that was begun
  unsigned periods_per_byte_ = 8;
  Phase phase_ = Phase::kNone;
  uint64_t remaining_ = 0;  // bytes of the data phase
  bool tap_ = false;
  bool discard_ = false;
};

class Irq final : public RegisterBlock {
 public:
  Irq() : RegisterBlock("irq") {}

  void set_levels(uint64_t levels) { levels_ = levels; }
  void raise(uint64_t sources);
  bool machine() const;
  bool supervisor() const;
  void reset(bool power_on) override;
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  uint64_t pending() const { return levels_ | edges_; }

  uint64_t levels_ = 0;
  uint64_t edges_ = 0;
};

class System final : public RegisterBlock {
 public:
  enum class Cause : uint8_t { kPowerOn, kSoftware, kWatchdog, kHost };
  enum class Strike : uint8_t { kNone, kNmi, kReset };

  explicit System(std::function<void(const discard::Row&)> discard)
      : RegisterBlock("system"), discard_(std::move(discard)) {}

  uint32_t status() const;
  uint64_t nmi_vector() const;
  bool reset_asked() const { return reset_asked_; }
  // What a reset destroys is kept where it can be read after it.
  void strike(Cause cause);
  void reset(bool power_on) override;
  void visit(Archive& archive) override;

  // The watchdog: clocks until it acts (kNever: it is off), and their passing.
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t watchdog_left() const;
  Strike pass(uint64_t clocks);

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  void kick();

  std::function<void(const discard::Row&)> discard_;
  bool reset_asked_ = false;
  bool watching_ = false;
  bool expired_ = false;
  uint64_t remaining_ = 0xFFFF'FFFF;
  uint64_t cause_ = 0;
  uint64_t count_ = 0;
  uint64_t last_progress_ = 0;
};

class Inbox final : public RegisterBlock {
 public:
  Inbox() : RegisterBlock("inbox") {}

  bool interrupt() const;
  // The card's side: bits of `work`, and a group's done word.
  void raise(uint64_t work);
  void done(unsigned group, uint64_t word);
  // An access of somebody else on the ring: a write to `work` sets bits, one to a done word stores it.
  bool visit_write(uint64_t offset, unsigned size, uint64_t value);
};

}  // namespace swai::fast
