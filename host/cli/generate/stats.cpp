#include "host/cli/generate/stats.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/link/served.hpp"

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

void TextStats::print_time(uint64_t tokens) const {
  fmt::print(stderr, "wall time: {:.1f} s, {:.1f} tokens per second\n", seconds(),
             per_second(tokens, seconds()));
}

OwnStats::Taken OwnStats::taken(const generate::Session& session) {
  return {session.appended(), session.continued(), session.decoded(), session.state_bytes(), session.taken()};
}
OwnStats::Taken OwnStats::taken(const generate::Batch& batch) {
  return {batch.appended(), batch.continued(), batch.decoded(), batch.state_bytes(), batch.room()};
}

OwnStats::OwnStats(const generate::LoadedModel& model, size_t free_before, std::function<Taken()> taken)
    : model_(model), card_bytes_(free_before - free_bytes_of_card()), taken_(std::move(taken)) {}

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
          {"wall_seconds", seconds()}};
}

void OwnStats::print() const {
  const Taken all = taken_();
  const auto line = [](const char* name, const generate::Work& work) {
    const double card_seconds = static_cast<double>(work.nanoseconds) / 1e9;
    fmt::print(stderr, "{}: {} tokens in {} launches, {:.3f} ms of the card, {:.1f} tokens per card-second\n",
               name, work.tokens, work.launches, card_seconds * 1e3, per_second(work.tokens, card_seconds));
  };
  // What has not happened is not shown.
  for (const auto& [name, work] : {std::pair("prefill", all.prefill), std::pair("decode", all.decode),
                                   std::pair("prefill and decode by the card", all.jobs)})
    if (work.launches != 0) line(name, work);
  fmt::print(stderr, "memory: {:.1f} MB of weights, {:.1f} MB of keys and values for {} tokens\n",
             megabytes(model_.weight_bytes()), megabytes(all.kv_bytes), all.room);
  print_time(all.prefill.tokens + all.decode.tokens + all.jobs.tokens);
}

SharedStats::SharedStats(const write::SharedModel& model, std::function<Taken()> taken)
    : model_(model), taken_(std::move(taken)) {}

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
          {"wall_seconds", seconds()}};
}

void SharedStats::print() const {
  const Taken all = taken_();
  const pid_t daemon = link::daemon_of(std::filesystem::path(model_.control()).parent_path());
  fmt::print(stderr,
             "written by `swai serve` (process {}) with its model '{}': {} tokens, {} of them in steps with "
             "other texts\n",
             daemon, model_.is().name, all.tokens, all.beside);
  fmt::print(stderr, "memory: {:.1f} MB of weights, for all programs, {:.1f} MB of keys and values\n",
             megabytes(model_.is().weight_bytes), megabytes(all.kv_bytes));
  print_time(all.tokens);
}

}  // namespace swai::cli
