// Fills, and copies from card to card: by which engine, and its beginning.
#pragma once

#include <cstdint>

#include "firmware/runtime/copies.hpp"
#include "firmware/runtime/costs.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class CardCopies : protected Copies<M> {
 protected:
  using Copies<M>::Copies;
  using QueueState<M>::parts_;
  using typename Copies<M>::Area;
  using Copies<M>::area;
  using Copies<M>::channels_left;
  using UnderWay<M>::begin;
  using UnderWay<M>::finish_now;

  bool take_fill(Queue& queue, const command::Header& header) {
    const auto command = this->template read<command::Fill>(queue, header);
    Area to = area(command.to, command.bytes, command.rows, command.pitch, queue.context);
    if (to.status == Status::kOk && !cores_reach(to)) to.status = Status::kBadPointer;
    if (to.status != Status::kOk) return finish_now(queue, header.slots, to.status);
    queue.rows = {.bytes = command.bytes,
                  .count = command.rows,
                  .to = command.to,
                  .to_pitch = command.pitch,
                  .value = command.value};
    return begin_on_cores(queue, header, parts_.groups.least_busy());
  }
  [[gnu::noinline]] bool take_copy_device(Queue& queue, const command::Header& header) {
    const auto command = this->template read<command::CopyDevice>(queue, header);
    const Area to = area(command.to, command.bytes, command.rows, command.to_pitch, queue.context);
    const Area from = area(command.from, command.bytes, command.rows, command.from_pitch, queue.context);
    for (const Area& one : {to, from}) {
      if (one.status != Status::kOk) return finish_now(queue, header.slots, one.status);
    }
    const CardCopy copy = {to.physical, from.physical, command.bytes};
    const unsigned group = parts_.groups.least_busy();
    const uint32_t able = able_engines(command, copy, cores_reach(to) && cores_reach(from));
    if (able == 0) return finish_now(queue, header.slots, Status::kBadPointer);
    queue.rows = {.bytes = command.bytes,
                  .count = command.rows,
                  .engine = best_engine(able, command.bytes, group),
                  .to = command.to,
                  .from = command.from,
                  .to_pitch = command.to_pitch,
                  .from_pitch = command.from_pitch};
    if (queue.rows.engine == Engine::kCores) return begin_on_cores(queue, header, group);
    if (queue.rows.engine == Engine::kProcessor) {
      queue.rows.to = copy.to;
      queue.rows.from = copy.from;
      begin(queue, header);
      this->over_ |= this->bit(queue.number);
      return true;
    }
    const unsigned channels = channels_left(queue.context);
    const uint32_t taken = parts_.routes.start(queue.rows.engine, copy, queue.context, channels);
    if (taken == 0) return false;
    begin(queue, header, taken);
    return true;
  }

 private:
  static bool cores_reach(const Area& area) { return area.usage != memory::Usage::kMpe; }
  bool begin_on_cores(Queue& queue, const command::Header& header, unsigned group) {
    if (parts_.groups.lost(group)) return finish_now(queue, header.slots, Status::kGroupLost);
    ++queue.counts->launches;
    begin(queue, header, group);
    queue.back().over = true;  // of no piece: so the first one is next
    this->next_piece(queue, queue.back());
    return true;
  }
  // Those that can do it, and may.
  uint32_t able_engines(const command::CopyDevice& command, const CardCopy& copy, bool cores_reach) const {
    constexpr uint64_t kLine = 64;
    const uint32_t wanted = command.engine == Engine::kBest ? ~uint32_t{0} : set_of(command.engine);
    uint32_t able = cores_reach ? set_of(Engine::kCores) : 0;
    if (command.rows == 1) able |= parts_.routes.engines() & parts_.costs.known();
    // The processor writes whole lines: of a line in part somebody else could write the rest meanwhile.
    const bool whole_lines = command.rows == 1 && (copy.to | copy.bytes) % kLine == 0;
    if (!cores_reach || whole_lines) able |= set_of(Engine::kProcessor);
    return able & wanted;
  }
  [[gnu::always_inline]] Engine best_engine(uint32_t engines, uint64_t bytes, unsigned group) {
    constexpr uint32_t kCores = set_of(Engine::kCores);
    const uint32_t others = engines & ~kCores;
    if (others == 0) return Engine::kCores;
    const Costs& costs = parts_.costs;
    // A group that is lost ends nothing.
    const bool may_cores = others != engines && !parts_.groups.lost(group);
    if (may_cores && !parts_.groups.busy(group) && bytes >= costs.cores_lead()) return Engine::kCores;
    const Reckoning takes = costs.at(bytes);
    const Reckoning::Choice other = takes.best_of(others);
    const int64_t patience = other.cycles - takes.by(Engine::kCores);
    if (!may_cores || patience <= 0) return other.engine;
    return parts_.groups.is_idle_within(group, static_cast<uint64_t>(patience)) ? Engine::kCores
                                                                                : other.engine;
  }
};

}  // namespace swai::runtime
