// SPDX-License-Identifier: Apache-2.0
// Builds a list from its template, again and again, and tells what that takes.
#include "verif/host/runtime/programs/building.hpp"

#include "swai/lists.hpp"

namespace {

using namespace swai::program;
namespace timed = swai::timed_building;

int run(Job& job) {
  const auto& wish = job.arguments<timed::Wish>();
  const Kernel none = {};  // is launched
  Lists lists(job, none, {});
  Lists::List list;
  auto* const nodes = show<std::byte>(wish.list);
  auto* const parameters = show<uint64_t>(wish.parameters);
  if (job.argument_bytes() != sizeof wish || !lists.open(wish.source, list) || nodes == nullptr ||
      parameters == nullptr || list.pattern.symbols().size() > wish.sizes.size())
    return timed::kRefused;
  const auto sizes = std::span(wish.sizes).first(list.pattern.symbols().size());
  timed::Report report = {.nodes = list.pattern.nodes(), .rounds = {}};
  for (timed::Round& round : report.rounds) {
    const uint64_t begin = time();
    ListBuilder<SentLines> builder(list.pattern, list.addresses, nodes);
    builder.build(builder.left());
    written();
    const uint64_t built = time();
    if (!list.pattern.parameters(sizes, parameters)) return timed::kRefused;
    const uint64_t patched = time();
    publish(parameters, list.pattern.parameters() * sizeof *parameters);
    round = {built - begin, patched - built, time() - patched};
  }
  return job.stream().send(&report, sizeof report) && job.stream().flush() == Status::kOk ? timed::kAll
                                                                                          : timed::kFailed;
}

}  // namespace

SWAI_PROGRAM(run)
