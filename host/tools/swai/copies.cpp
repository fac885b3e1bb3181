// SPDX-License-Identifier: Apache-2.0
// swai copy-test: copies of all kinds, their contents compared, their times measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "host/tools/cli/measured.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(Every copy is carried out on the card and compared byte by byte. Times are the card's: what the program
waits for. Pinned memory is reached by the card itself, pageable memory through buffers of the library.

Examples:
  swai copy-test
  swai copy-test --size 1M --size 16M --kind to-card --kind to-host)";

enum class Kind { kToCard, kToHost, kToCardPageable, kToHostPageable, kOnCard };
constexpr std::array<const char*, 5> kKinds = {"to-card", "to-host", "to-card-pageable", "to-host-pageable",
                                               "on-card"};

struct Wish {
  std::vector<uint64_t> sizes = {4 << 10, 64 << 10, 1 << 20};
  std::vector<std::string> kinds = {kKinds.begin(), kKinds.end()};
};

struct Result {
  std::string kind;
  uint64_t bytes;
  uint64_t nanoseconds;
  bool same;
};

// `there` to the card and `back` from it; what is measured is the one that `kind` names.
Result measure(Kind kind, size_t bytes, std::mt19937& random) {
  const std::string name = kKinds[static_cast<size_t>(kind)];
  const bool pageable = kind == Kind::kToCardPageable || kind == Kind::kToHostPageable;
  std::vector<uint8_t> pages(pageable ? 2 * bytes : 0);
  std::unique_ptr<Pinned> pinned = pageable ? nullptr : std::make_unique<Pinned>(2 * bytes);
  const std::span<uint8_t> both = pageable ? std::span(pages) : pinned->bytes();
  const auto from = both.first(bytes);
  const auto to = both.last(bytes);
  std::ranges::generate(from, [&] { return static_cast<uint8_t>(random()); });
  std::ranges::fill(to, uint8_t{0});
  const OnCard memory(bytes);
  const OnCard other(bytes);

  const uint64_t start = card_time();
  check(sdaaMemcpy(memory.get(), from.data(), bytes, sdaaMemcpyHostToDevice), name);
  const uint64_t there = card_time();
  const void* source = memory.get();
  if (kind == Kind::kOnCard) {
    check(sdaaMemcpy(other.get(), memory.get(), bytes, sdaaMemcpyDeviceToDevice), name);
    source = other.get();
  }
  const uint64_t moved = card_time();
  check(sdaaMemcpy(to.data(), source, bytes, sdaaMemcpyDeviceToHost), name);
  const uint64_t end = card_time();
  const bool to_card = kind == Kind::kToCard || kind == Kind::kToCardPageable;
  return {name, bytes,
          to_card                 ? there - start
          : kind == Kind::kOnCard ? moved - there
                                  : end - moved,
          std::ranges::equal(from, to)};
}

int copy_test(const Cli& cli, const Wish& wish) {
  const UsedCard card(cli.options());
  std::vector<Result> results;
  {
    Progress progress(!cli.options().quiet, "copies");
    uint64_t all = 0;
    uint64_t done = 0;
    for (const uint64_t bytes : wish.sizes) all += bytes * wish.kinds.size();
    std::mt19937 random(1);
    for (const uint64_t bytes : wish.sizes) {
      for (const std::string& kind : wish.kinds) {
        const auto number = std::ranges::find(kKinds, kind) - kKinds.begin();
        results.push_back(measure(static_cast<Kind>(number), bytes, random));
        done += bytes;
        progress.reached(static_cast<double>(done) / static_cast<double>(all));
      }
    }
  }

  Json report = {{"copies", Json::array()}};
  Table table({"kind", ">size", ">ns", ">bytes/ns", "content"});
  bool all_same = true;
  for (const Result& result : results) {
    const double rate = static_cast<double>(result.bytes) / static_cast<double>(result.nanoseconds);
    all_same &= result.same;
    report["copies"].push_back({{"kind", result.kind},
                                {"bytes", result.bytes},
                                {"ns", result.nanoseconds},
                                {"bytes_per_ns", rate},
                                {"same", result.same}});
    table.add({result.kind, size_text(result.bytes), fmt::format("{}", result.nanoseconds),
               fmt::format("{:.2f}", rate), result.same ? "same" : "DIFFERENT"});
  }
  if (cli.options().json) {
    cli.print(report);
  } else {
    fmt::print("{}", table.text());
  }
  return all_same ? kDone : kFailed;
}

}  // namespace

void add_copy_test(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "copy-test", "copy to, from and on the card; compare and measure",
      [&cli, wish] { return copy_test(cli, *wish); }, kExamples);
  command->add_option("--size", wish->sizes, "so many bytes: 4K, 1M ... (default: 4K, 64K, 1M)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->type_name("BYTES");
  command->add_option("--kind", wish->kinds, "only these kinds")
      ->check(CLI::IsMember(kKinds))
      ->type_name("KIND");
}

}  // namespace swai::cli
