// SPDX-License-Identifier: Apache-2.0
// Drivers and monitors of valid/ready streams. Both ends stall at random; the sink checks the law of streams:
// valid is not withdrawn and the payload is still while it waits. A payload that is not valid is random, so
// that nobody can live on what the last one left behind.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sim/common/field.hpp"
#include "sim/common/random.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::verif {

// One end of a stream at the pins.
struct StreamPins {
  Field valid;
  Field ready;
  Field data;
};

template <typename T>
class StreamSource : public Agent {
 public:
  // `next` is asked for an item whenever the source is free to send one; nothing means not now.
  StreamSource(StreamPins pins, Random& random, std::function<std::optional<T>()> next)
      : stalls_(random), pins_(std::move(pins)), random_(random), next_(std::move(next)) {}

  // Called in the cycle in which an item is taken.
  std::function<void(const T&)> on_taken = [](const T&) {};

  Stalls& stalls() { return stalls_; }
  uint64_t count() const { return count_; }
  bool pending() const { return pending_.has_value(); }
  uint64_t waited() const { return waited_; }  // cycles that the pending item has not been taken

  void drive() override {
    if (!pending_ && stalls_.go()) pending_ = next_();
    pins_.valid.set(pending_.has_value());
    if (pending_) {
      store(pins_.data, *pending_);
    } else {
      pins_.data.scramble(random_);
    }
  }

  void sample() override {
    if (!pending_) return;
    ++waited_;
    if (!pins_.ready.get()) return;
    ++count_;
    waited_ = 0;
    const T item = *std::exchange(pending_, std::nullopt);
    on_taken(item);
  }

 private:
  Stalls stalls_;
  StreamPins pins_;
  Random& random_;
  std::function<std::optional<T>()> next_;
  std::optional<T> pending_;
  uint64_t count_ = 0;
  uint64_t waited_ = 0;
};

template <typename T>
class StreamSink : public Agent {
 public:
  StreamSink(std::string name, StreamPins pins, Random& random, std::function<void(const T&)> on_item)
      : stalls_(random), name_(std::move(name)), pins_(std::move(pins)), on_item_(std::move(on_item)) {}

  Stalls& stalls() { return stalls_; }
  uint64_t count() const { return count_; }

  void drive() override { pins_.ready.set(stalls_.go()); }

  void sample() override {
    const bool valid = pins_.valid.get();
    check(valid || !waiting_, name_ + ": valid was withdrawn before the item was taken");
    if (!valid) return;
    T item;
    load(pins_.data, item);
    check(!waiting_ || *waiting_ == item, name_ + ": the payload changed while it waited");
    waiting_ = item;
    if (!pins_.ready.get()) return;
    waiting_.reset();
    ++count_;
    on_item_(item);
  }

 private:
  Stalls stalls_;
  std::string name_;
  StreamPins pins_;
  std::function<void(const T&)> on_item_;
  std::optional<T> waiting_;
  uint64_t count_ = 0;
};

// Compares what arrives with what was expected, in order.
template <typename T>
class Scoreboard {
 public:
  explicit Scoreboard(std::string name) : name_(std::move(name)) {}

  void expect(const T& item) { expected_.push_back(item); }

  void arrive(const T& item) {
    check(!expected_.empty(), name_ + ": an item that nobody sent");
    check(expected_.front() == item, fmt::format("{}: item {} is wrong or out of order", name_, count_));
    expected_.pop_front();
    ++count_;
  }

  bool empty() const { return expected_.empty(); }
  size_t pending() const { return expected_.size(); }
  uint64_t count() const { return count_; }

 private:
  std::string name_;
  std::deque<T> expected_;
  uint64_t count_ = 0;
};

}  // namespace swai::verif
