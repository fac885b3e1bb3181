// SPDX-License-Identifier: Apache-2.0
// Random requests of several sources to one target, whose answers may come in any order, and the addresses
// they go to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/group/noc_port.hpp"
#include "verif/rtl/group/hbm_model.hpp"
#include "verif/rtl/lib/stream.hpp"

namespace swai::cg {

using verif::Random;

// Addresses as programs have them, in moods that change now and then: few lines, one row, few banks, streams,
// strides, anywhere.
class Addresses {
 public:
  Addresses(Random& random, uint64_t bytes) : random_(random), lines_(bytes / 64) {}

  uint64_t next_line();

 private:
  void change();

  Random& random_;
  uint64_t lines_;
  unsigned left_ = 0;
  unsigned mood_ = 0;
  uint64_t base_ = 0;
  uint64_t stride_ = 1;
  std::vector<uint64_t> few_;
};

// Sends what `next` says with free tags, and compares every answer with what the model said when the request
// was taken.
class Traffic : public verif::Agent {
 public:
  using Next = std::function<std::optional<Request>()>;
  using Answer = std::function<Expected(const Request&)>;

  Traffic(verif::StreamPins requests, verif::StreamPins responses, Random& random, Next next, Answer answer);

  verif::Stalls& request_stalls() { return source_.stalls(); }
  verif::Stalls& response_stalls() { return sink_.stalls(); }
  uint64_t requests() const { return source_.count(); }
  uint64_t responses() const { return sink_.count(); }
  bool idle() const { return !source_.pending() && waiting_.empty(); }
  uint64_t longest() const { return longest_; }
  size_t outstanding() const { return waiting_.size(); }

  void drive() override {
    source_.drive();
    sink_.drive();
  }
  void sample() override;

 private:
  struct Waiting {
    Request request;
    Expected expected;
    uint64_t since;
  };

  std::optional<Request> with_tag();
  void arrived(const Response& response);

  Random& random_;
  Next next_;
  Answer answer_;
  verif::StreamSource<Request> source_;
  verif::StreamSink<Response> sink_;
  std::unordered_map<unsigned, Waiting> waiting_;
  std::optional<Request> taken_;
  uint64_t now_ = 0;
  uint64_t longest_ = 0;
};

}  // namespace swai::cg
