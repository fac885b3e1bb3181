// What comes of a command as it begins: it is under way from then on, or complete at once, or no command.
#pragma once

#include <cstdint>
#include <cstring>

#include "firmware/runtime/finish.hpp"
#include "firmware/runtime/queue.hpp"

namespace swai::runtime {

template <Machine M>
class UnderWay : protected Finish<M> {
 protected:
  using Finish<M>::Finish;
  using QueueState<M>::parts_;
  using QueueState<M>::statistics_;

  bool refuse_garbage(Queue& queue, const command::Header& header, unsigned slots) {
    if (queue.flights() != 0) return false;
    ++statistics_.bad_slots;
    uint64_t word;
    std::memcpy(&word, &header, sizeof word);
    parts_.machine.note(journal::Fault::kBadCommand,
                        {word, 0, 0, 0, journal::command(queue.number, queue.next)});
    return finish_now(queue, slots, Status::kBadCommand);
  }

  // Complete at once. Nothing else of the queue is under way, or it is a failure.
  [[gnu::noinline]] bool finish_now(Queue& queue, unsigned slots, Status status = Status::kOk,
                                    uint16_t detail = 0) {
    if (queue.flights() != 0) return false;
    if (status != Status::kOk) this->fail(queue, queue.next, status, detail);
    if (status == Status::kRefused) ++statistics_.refused;
    queue.next += slots;
    this->complete(queue, queue.next - 1, false);
    return true;
  }
  // What was begun and will be complete later; `place`: the group or channel that has it.
  void begin(Queue& queue, const command::Header& header, unsigned place = 0) {
    this->flying_ |= this->bit(queue.number);
    put_flight(queue, header, header.type, place);
  }
  [[gnu::always_inline]] static void put_flight(Queue& queue, const command::Header& header,
                                                command::Type type, unsigned place, bool over = false) {
    const uint32_t begin = queue.next;
    const uint32_t next = begin + header.slots;
    queue.next = next;
    Flight& flight = queue.push();
    flight.type = type;
    flight.quiet = (header.flags & command::kQuiet) != 0;
    flight.over = over;
    flight.place = static_cast<uint8_t>(place);
    flight.begin = begin;
    flight.end = next - 1;
  }
};

}  // namespace swai::runtime
