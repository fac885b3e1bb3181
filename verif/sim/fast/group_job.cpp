// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/fast/group_job.hpp"

#include <algorithm>

#include "abi/segment.hpp"
#include "sim/iss/cpe/daemon.hpp"
#include "verif/sim/iss/cpe/random/group_program.hpp"

namespace swai::fast {
namespace {

template <typename Words>
std::vector<uint8_t> bytes_of(const Words& words) {
  const auto* const first = reinterpret_cast<const uint8_t*>(words.data());
  return {first, first + sizeof(uint32_t) * words.size()};
}

}  // namespace

std::vector<GroupJob::Page> GroupJob::Piece::pages() const {
  constexpr uint64_t kPage = 4096;
  std::vector<Page> used;
  for (uint64_t at = 0; at < bytes.size(); at += kPage) {
    const uint64_t size = std::min(kPage, bytes.size() - at);
    const auto empty = [&](const std::vector<uint8_t>& all) {
      return all.empty() || std::all_of(&all[at], &all[at] + size, [](uint8_t byte) { return byte == 0; });
    };
    if (!empty(bytes) || !empty(after)) used.push_back({at, size});
  }
  return used;
}

static_assert(GroupJob::kPc == iss::cpe::kKernel);

GroupJob::GroupJob(unsigned rows, unsigned columns, uint64_t seed, const Size& size) {
  using segment::kExecute, segment::kRead, segment::kWrite;
  constexpr uint16_t kFirstSegment = 16;
  const iss::cpe::GroupProgram program({.rows = rows,
                                        .columns = columns,
                                        .events = size.events,
                                        .ldm_bytes = size.ldm_bytes,
                                        .first_segment = kFirstSegment,
                                        .seed = seed,
                                        .compute = true});
  pieces_.push_back({kDaemonSegment, kRead | kExecute, bytes_of(iss::cpe::kPlainDaemon), {}});
  pieces_.push_back({kCodeSegment, kRead | kExecute, bytes_of(program.code()), {}});
  for (unsigned cpe = 0; cpe < rows * columns; ++cpe) {
    pieces_.push_back({static_cast<uint16_t>(kFirstSegment + cpe), kRead | kWrite, program.before(cpe),
                       program.after(cpe)});
  }
}

}  // namespace swai::fast
