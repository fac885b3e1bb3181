// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/staging.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

namespace swai::sdaa {
namespace {

using command::Type;

// What one call has under way. Whatever it does depends on the card's time alone, never on how fast the
// threads are: so a program of one thread takes the same cycles whenever it runs.
class Copying {
 public:
  Copying(StreamWriter& stream, const CopyShape& shape)
      : device_(stream.device()), stream_(stream), shape_(shape), pieces_(shape, piece_bytes()) {}

 protected:
  struct OnHost {
    Piece piece;
    Buffer buffer;
    HostCopies::Job job;
  };

  void begin_on_host(const Piece& piece, const Buffer& buffer, const HostRows& rows) {
    const Staging& staging = device_.staging();
    HostCopies& copies = device_.host_copies();
    on_host_.push_back({piece, buffer,
                        staging.timed
                            ? copies.begin_timed(rows, staging.threads, device_.connection().cycle())
                            : copies.begin(rows)});
  }
  // Whether the first would be complete by now. That it is, its job sees to.
  bool on_host_is_due() {
    return !on_host_.empty() && (on_host_.front().job.cycle() == 0 ||
                                 device_.connection().cycle() >= on_host_.front().job.cycle());
  }
  bool get_buffer() {
    if (buffer_ == nullptr) buffer_ = device_.host_memory().take_buffer(device_.staging().buffers);
    return buffer_ != nullptr;
  }
  void submit(const Buffer& buffer, const Piece& piece, uint64_t card, uint64_t card_pitch, bool to_host) {
    buffer->last = stream_.submit(
        Type::kCopy,
        copy_command(buffer->iova, card + piece.at(card_pitch), piece.shape(card_pitch, to_host), to_host),
        {}, flags_);
    if (device_.staging().side_by_side) flags_ = command::kConcurrent;
  }
  template <typename Done>
  void wait(Done done) {
    const uint64_t due = on_host_.empty() ? 0 : on_host_.front().job.cycle();
    stream_.wait_until(done, due == 0 ? Waiting::kNever : due);
  }

  // As large as buffers are where the copy is long. A short one is cut, too: its threads and channels shall
  // have something to do together. Commands for less than the smallest pieces take longer than what they
  // bring.
  uint64_t piece_bytes() const {
    if (!device_.staging().side_by_side) return HostMemory::kBufferBytes;
    constexpr uint64_t kPieces = 8;
    const uint64_t share = shape_.bytes * shape_.rows / kPieces;
    return std::clamp(share & ~(kSmallest - 1), kSmallest, HostMemory::kBufferBytes);
  }

  static constexpr uint64_t kSmallest = 16 << 10;
  Device& device_;
  StreamWriter& stream_;
  const CopyShape& shape_;
  Pieces pieces_;
  Buffer buffer_;  // the next one
  std::deque<OnHost> on_host_;

 private:
  uint16_t flags_ = 0;
};

class ToCard : private Copying {
 public:
  using Copying::Copying;

  void run(uint64_t to, const uint8_t* from) {
    const auto may_begin = [&] {
      return pieces_.more() && on_host_.size() < device_.staging().threads && get_buffer();
    };
    while (pieces_.more() || !on_host_.empty()) {
      if (may_begin()) {
        const Piece piece = pieces_.next();
        const Buffer buffer = std::exchange(buffer_, nullptr);
        begin_on_host(piece, buffer,
                      {buffer->data, from + piece.at(shape_.from_pitch), piece.bytes, piece.rows, piece.bytes,
                       shape_.from_pitch});
      } else if (on_host_is_due()) {
        OnHost first = std::move(on_host_.front());
        on_host_.pop_front();
        first.job.finish();
        submit(first.buffer, first.piece, to, shape_.to_pitch, false);
      } else {
        wait([&] { return may_begin() || on_host_is_due(); });
      }
    }
  }
};

class ToHost : private Copying {
 public:
  using Copying::Copying;

  void run(uint8_t* to, uint64_t from) {
    // Others shall find some as well.
    const size_t most = std::max(device_.staging().buffers / 2, 2u);
    const auto may_begin = [&] {
      return pieces_.more() && under_way_.size() + on_host_.size() < most && get_buffer();
    };
    const auto has_come = [&] { return !under_way_.empty() && under_way_.front().buffer->last.reached(); };
    // There is no hurry while the card has something to do.
    const auto may_end = [&] {
      return (device_.staging().timed || pieces_.more() || under_way_.empty()) && on_host_is_due();
    };
    while (pieces_.more() || !under_way_.empty() || !on_host_.empty()) {
      if (has_come()) {
        const auto [piece, buffer] = std::move(under_way_.front());
        under_way_.pop_front();
        stream_.wait(buffer->last);
        begin_on_host(piece, buffer,
                      {to + piece.at(shape_.to_pitch), buffer->data, piece.bytes, piece.rows, shape_.to_pitch,
                       piece.bytes});
      } else if (may_begin()) {
        const Piece piece = pieces_.next();
        const Buffer buffer = std::exchange(buffer_, nullptr);
        under_way_.push_back({piece, buffer});
        submit(buffer, piece, from, shape_.from_pitch, true);
      } else if (may_end()) {
        on_host_.pop_front();
      } else {
        wait([&] { return has_come() || may_begin() || may_end(); });
      }
    }
  }

 private:
  struct OnCard {
    Piece piece;
    Buffer buffer;
  };
  std::deque<OnCard> under_way_;
};

}  // namespace

Buffer take_buffer(StreamWriter& stream) {
  HostMemory& memory = stream.device().host_memory();
  Buffer buffer;
  stream.wait_until([&] { return (buffer = memory.take_buffer(Staging::kBuffers)) != nullptr; });
  return buffer;
}

void to_card_through_buffers(StreamWriter& stream, uint64_t to, const uint8_t* from, const CopyShape& shape) {
  ToCard(stream, shape).run(to, from);
}

void to_host_through_buffers(StreamWriter& stream, uint8_t* to, uint64_t from, const CopyShape& shape) {
  ToHost(stream, shape).run(to, from);
}

}  // namespace swai::sdaa
