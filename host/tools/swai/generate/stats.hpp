// SPDX-License-Identifier: Apache-2.0
// What texts took, and where.
#pragma once

#include <chrono>
#include <functional>

#include "host/daemon/shared/shared_model.hpp"
#include "host/models/text/batch.hpp"
#include "host/tools/cli/json.hpp"
#include "host/tools/swai/generate/token_times.hpp"

namespace swai::cli {

class TextStats {
 public:
  virtual ~TextStats() = default;
  virtual Json json() const = 0;
  virtual void print() const = 0;

 protected:
  explicit TextStats(const TokenTimes& times) : times_(times) {}

  // Wall time since this was made.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Json wall_json() const;
  void print_time() const;

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin_ = Clock::now();
  const TokenTimes& times_;
};

// Of a model that this program has on the card.
class OwnStats : public TextStats {
 public:
  // What has been done for texts, and what they take.
  struct Taken {
    generate::Work prefill, decode, jobs;
    size_t kv_bytes;
    uint32_t room;
  };
  static Taken taken(const generate::Session& session);
  static Taken taken(const generate::Batch& batch);

  // `free_before`: memory of the card before the model came.
  OwnStats(const generate::LoadedModel& model, size_t free_before, const TokenTimes& times,
           std::function<Taken()> taken);
  Json json() const override;
  void print() const override;

 private:
  const generate::LoadedModel& model_;
  const size_t card_bytes_;
  const std::function<Taken()> taken_;
};
size_t free_bytes_of_card();

// Of one that a daemon has there.
class SharedStats : public TextStats {
 public:
  using Taken = write::SharedModel::Taken;

  SharedStats(const write::SharedModel& model, const TokenTimes& times, std::function<Taken()> taken);
  Json json() const override;
  void print() const override;

 private:
  const write::SharedModel& model_;
  const std::function<Taken()> taken_;
};

}  // namespace swai::cli
