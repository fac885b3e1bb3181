// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/generate/stats.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/tools/swai/words.hpp"
#include "host/transport/served.hpp"

namespace swai::cli {
namespace {

double per_second(uint64_t tokens, double seconds) {
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

double megabytes(size_t bytes) { return static_cast<double>(bytes) / 1e6; }

Json work_json(const generate::Work& work) {
  return {{"tokens", work.tokens}, {"launches", work.launches}, {"ns", work.nanoseconds}};
}

}  // namespace

size_t free_bytes_of_card() {
  size_t free = 0, all = 0;
  walk::check(sdaaMemGetInfo(&free, &all), "the card's memory");
  return free;
}

Json TextStats::wall_json() const {
  const auto phase = [](const TokenTimes::Phase& one) -> Json {
    return {{"tokens", one.tokens}, {"seconds", one.seconds}};
  };
  return {{"prefill", phase(times_.prefill())}, {"decode", phase(times_.decode())}};
}

void TextStats::print_time() const {
  const auto phase = [](const TokenTimes::Phase& one) {
    return fmt::format("{} in {:.1f} s, {:.1f} per second", counted(one.tokens, "token"), one.seconds,
                       per_second(one.tokens, one.seconds));
  };
  fmt::print(stderr, "wall time: {:.1f} s; prefill: {}; decode: {}\n", seconds(), phase(times_.prefill()),
             phase(times_.decode()));
}

OwnStats::Taken OwnStats::taken(const generate::Session& session) {
  return {session.appended(), session.continued(), session.decoded(), session.state_bytes(), session.taken()};
}
OwnStats::Taken OwnStats::taken(const generate::Batch& batch) {
  return {batch.appended(), batch.continued(), batch.decoded(), batch.state_bytes(), batch.room()};
}

OwnStats::OwnStats(const generate::LoadedModel& model, size_t free_before, const TokenTimes& times,
                   std::function<Taken()> taken)
    : TextStats(times),
      model_(model),
      card_bytes_(free_before - free_bytes_of_card()),
      taken_(std::move(taken)) {}

Json OwnStats::json() const {
  const Taken all = taken_();
  return {{"shared", nullptr},
          {"prefill", work_json(all.prefill)},
          {"decode", work_json(all.decode)},
          {"jobs", work_json(all.jobs)},
          {"weight_bytes", model_.weight_bytes()},
          {"kv_bytes", all.kv_bytes},
          {"card_bytes", card_bytes_},
          {"room", all.room},
          {"wall", wall_json()},
          {"wall_seconds", seconds()}};
}

void OwnStats::print() const {
  const Taken all = taken_();
  const auto line = [](const char* name, const generate::Work& work) {
    fmt::print(stderr, "{}: {} in {}, {:.3f} ms of the card", name, counted(work.tokens, "token"),
               counted(work.launches, "launch"), static_cast<double>(work.nanoseconds) / 1e6);
  };
  const auto with_rate = [&](const char* name, const generate::Work& work) {
    if (work.launches == 0) return;
    line(name, work);
    fmt::print(stderr, ", {:.1f} tokens per card-second\n",
               per_second(work.tokens, static_cast<double>(work.nanoseconds) / 1e9));
  };
  // Phases without work are not shown. A job's time covers prefill and decode, so it has no rate.
  with_rate("prefill", all.prefill);
  with_rate("decode", all.decode);
  if (all.jobs.launches != 0) {
    line("prefill and decode by the card", all.jobs);
    fmt::print(stderr, "\n");
  }
  fmt::print(stderr, "memory: {:.1f} MB of weights, {:.1f} MB of keys and values for {}\n",
             megabytes(model_.weight_bytes()), megabytes(all.kv_bytes), counted(all.room, "token"));
  print_time();
}

SharedStats::SharedStats(const write::SharedModel& model, const TokenTimes& times,
                         std::function<Taken()> taken)
    : TextStats(times), model_(model), taken_(std::move(taken)) {}

Json SharedStats::json() const {
  const Taken all = taken_();
  return {{"shared",
           {{"model", model_.is().name},
            {"socket", model_.control()},
            {"tokens", all.tokens},
            {"tokens_beside_others", all.beside}}},
          {"weight_bytes", model_.is().weight_bytes},
          {"kv_bytes", all.kv_bytes},
          {"card_bytes", 0},
          {"room", model_.is().room},
          {"wall", wall_json()},
          {"wall_seconds", seconds()}};
}

void SharedStats::print() const {
  const Taken all = taken_();
  const pid_t daemon = link::daemon_of(std::filesystem::path(model_.control()).parent_path());
  fmt::print(stderr,
             "written by `swai serve` (process {}) with its model '{}': {}, {} of them in steps with "
             "other texts\n",
             daemon, model_.is().name, counted(all.tokens, "token"), all.beside);
  fmt::print(stderr, "memory: {:.1f} MB of weights, for all programs, {:.1f} MB of keys and values\n",
             megabytes(model_.is().weight_bytes), megabytes(all.kv_bytes));
  print_time();
}

}  // namespace swai::cli
