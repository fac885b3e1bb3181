// SPDX-License-Identifier: Apache-2.0
#include "bench/measuring.hpp"

#include <algorithm>

#include "card_regs.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/measured.hpp"
#include "host/tools/cli/table.hpp"
#include "host/runtime/bars.hpp"

namespace swai::cli::bench {
namespace {

constexpr uint64_t kWarm = 1 << 20;

// Asking the time takes time, too: the round trip that is in every difference of two.
uint64_t clock_cost() {
  const uint64_t first = card_time();
  return card_time() - first;
}

}  // namespace

double ns_of(const std::function<void()>& action) {
  static const uint64_t kAsking = clock_cost();
  const uint64_t begin = card_time();
  action();
  const uint64_t took = card_time() - begin;
  return static_cast<double>(took - std::min(took, kAsking));
}

double warm_ns(uint64_t bytes, const std::function<double()>& copy) {
  if (bytes < kWarm) copy();
  return copy();
}

double copy_ns(void* to, const void* from, uint64_t bytes) {
  const auto copy = [&] {
    check(sdaaMemcpy(to, from, bytes, sdaaMemcpyDefault), "copy of " + size_text(bytes));
  };
  return warm_ns(bytes, [&] { return ns_of(copy); });
}

Series series(const std::string& name, bool baseline, const Plan& plan, const Done& done,
              double bytes_per_cycle, const std::function<double(uint64_t)>& time) {
  Series result{name, baseline, {}};
  for (const uint64_t bytes : plan.sizes) {
    result.points.push_back({bytes, time(bytes)});
    done(static_cast<double>(bytes) / bytes_per_cycle + kCallCycles);
  }
  return result;
}

bool card_is_shared() {
  const auto device = sdaa::Runtime::get().current();
  const sdaa::Device::Lock lock = device->enter();
  try {
    // Counts for all clients together, so none of several may see it.
    device->connection().card().read<uint64_t>(sdaa::kControlBar, regs::pcie::packets_out::kOffset);
    return false;
  } catch (const link::Error& error) {
    if (error.kind() != link::ErrorKind::kRefused) throw;
    return true;
  }
}

double largest_ratio(const Series& slow, const Series& fast) {
  double largest = 0;
  for (size_t i = 0; i < slow.points.size(); ++i)
    largest = std::max(largest, slow.points[i].ns / fast.points[i].ns);
  return largest;
}

void Staged::set(const sdaa::Staging& staging) {
  const auto device = sdaa::Runtime::get().current();
  const sdaa::Device::Lock lock = device->enter();
  device->set_staging(staging);
}

}  // namespace swai::cli::bench
