// SPDX-License-Identifier: Apache-2.0
// Copies between host and card, or on the card by way of the host. Each has a DMA channel to itself while it
// runs; rows and large pieces become descriptors as there is room. A copy is over when the engine says so for
// its last descriptor, or has failed as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "abi/command.hpp"
#include "firmware/runtime/dma_channel.hpp"

namespace swai::runtime {

struct Transfer {
  uint8_t context = 0;
  bool to_host = false;
  uint64_t host = 0;
  uint64_t pages = 0;  // 0, or where a list of host pages lies, in which `host` is an offset; one row
  uint64_t card = 0;   // physical
  // 0, or where on the card it comes from, in one row: then `host` has kBounceBytes for each channel
  uint64_t from = 0;
  uint64_t bytes = 0;  // of a row
  uint32_t rows = 1;
  uint64_t host_pitch = 0;
  uint64_t card_pitch = 0;
};

template <Machine M>
class Transfers {
 public:
  static constexpr unsigned kChannels = 7;  // the eighth is for completions
  static constexpr unsigned kNone = ~0u;
  static constexpr unsigned kAborted = 0xff;  // beside the engine's causes
  using Channel = DmaChannel<M>;
  static constexpr uint64_t kBytes = kChannels * Channel::kRingBytes;
  // Two pieces: one comes while the other one goes.
  static constexpr uint64_t kBounceBytes = 2 * 16 << 10;

  explicit Transfers(M& machine) : machine_(machine) {}

  void init(uint64_t sram) {
    for (unsigned i = 0; i < kChannels; ++i) {
      jobs_[i] = {};
      channel(i).init(sram + i * Channel::kRingBytes, protocol::kStatusVector);
    }
  }

  // The channel that has it from now on; kNone: all are taken.
  unsigned start(const Transfer& transfer) {
    unsigned number = 0;
    while (number < kChannels && !is_free(number)) ++number;
    if (number == kChannels) return kNone;
    Job& job = jobs_[number];
    job = {};
    job.active = true;
    job.what = transfer;
    if (transfer.from != 0) job.what.host += number * kBounceBytes;  // nobody else's meanwhile
    feed(number);
    return number;
  }

  // To be called with the channels whose work bit was set.
  [[gnu::noinline]] void pump(uint32_t channels) {
    for (uint32_t left = channels & ((1u << kChannels) - 1); left != 0; left &= left - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(left));
      Job& job = jobs_[number];
      if (!runs(job)) continue;
      channel(number).poll();
      if (job.all_pushed && channel(number).done(job.last)) {
        job.over = true;
      } else if (channel(number).idle() || !job.all_pushed) {
        feed(number);
      }
      if (!job.over && channel(number).error() != 0) {
        job.error = channel(number).error();
        job.error_address = channel(number).error_address();
        channel(number).restart();
        job.over = true;
      }
    }
  }
  // Ends those of a client. False: some of them touch host memory still; to be called again.
  [[gnu::cold, gnu::noinline]] bool stop(uint8_t context) {
    bool all = true;
    for (unsigned i = 0; i < kChannels; ++i) {
      if (jobs_[i].what.context == context && runs(jobs_[i])) all = end(i) && all;
    }
    return all;
  }
  // After a reset of the endpoint, which has stopped all channels without a word.
  void restart() {
    for (unsigned i = 0; i < kChannels; ++i) {
      if (runs(jobs_[i])) {
        end(i);
      } else {
        channel(i).restart();
      }
    }
  }
  unsigned free() const {
    unsigned count = 0;
    for (unsigned i = 0; i < kChannels; ++i) count += is_free(i) ? 1 : 0;
    return count;
  }
  // Channels that are to begin anew and have not yet: nobody gets one of them. To be tried again now and
  // then.
  bool stuck() const { return std::ranges::any_of(channels_, &Channel::stuck); }
  [[gnu::cold, gnu::noinline]] void mend() {
    for (unsigned i = 0; i < kChannels; ++i) {
      if (!channel(i).stuck()) continue;
      if (runs(jobs_[i])) {
        end(i);
      } else {
        channel(i).restart();
      }
    }
  }
  // The PCIe function was reset since.
  bool cut_off() { return std::ranges::none_of(channels_, &Channel::enabled); }
  // Channels that a client has.
  unsigned count(uint8_t context) const {
    return static_cast<unsigned>(std::ranges::count_if(
        jobs_, [&](const Job& job) { return job.active && job.what.context == context; }));
  }

  bool over(unsigned number) const { return jobs_[number].over; }
  // Of one that is over; its channel is free then. The engine's cause, 0: none.
  unsigned finish(unsigned number) {
    jobs_[number].active = false;
    return jobs_[number].error;
  }
  uint64_t error_address(unsigned number) const { return jobs_[number].error_address; }

 private:
  struct Job {
    bool active = false;
    bool over = false;
    unsigned error = 0;
    uint64_t error_address = 0;
    Transfer what = {};
    uint64_t offset = 0;  // in the row
    uint32_t row = 0;
    uint16_t last = 0;    // descriptor
    unsigned untold = 0;  // behind the last one that the engine tells of
    bool all_pushed = false;
    bool odd = false;  // which half of the host's buffer is next
  };

  bool is_free(unsigned number) const { return !jobs_[number].active && !channels_[number].stuck(); }
  static bool runs(const Job& job) { return job.active && !job.over; }
  bool end(unsigned number) {
    if (!channel(number).restart()) return false;
    jobs_[number].over = true;
    jobs_[number].error = kAborted;
    return true;
  }

  // Host memory in one piece.
  struct Piece {
    uint64_t host;
    uint64_t length;
  };
  static constexpr uint64_t kPiece = uint64_t{1} << 30;

  // From the card to one half of the host's buffer. The way back begins when it is there, and the next piece
  // for that half behind the way back of the other one: the engine begins descriptors in their order.
  Piece fetch_piece(Channel& engine, Job& job) {
    constexpr uint64_t kHalf = kBounceBytes / 2;
    constexpr uint64_t kLeast = 2 << 10;
    constexpr uint64_t kLine = 64;
    const uint64_t some = std::clamp(job.what.bytes / 2 & ~(kLine - 1), kLeast, kHalf);
    const Piece piece = {job.what.host + (job.odd ? kHalf : 0), std::min(some, job.what.bytes - job.offset)};
    job.odd = !job.odd;
    engine.push(descriptor(piece, job.what.from + job.offset, dma::kToHost));
    return piece;
  }
  static Piece next_piece(const Job& job) {
    return {job.what.host + job.row * job.what.host_pitch + job.offset,
            std::min(kPiece, job.what.bytes - job.offset)};
  }
  // As many pages as follow each other in host memory, too; not so many that looking for more takes long.
  [[gnu::noinline]] Piece next_listed(const Job& job) {
    constexpr uint64_t kPage = command::kListedPageBytes;
    constexpr uint64_t kMost = 64 * kPage;
    const uint64_t at = job.what.host + job.offset;
    uint64_t page = at / kPage;
    const uint64_t most = std::min(kMost, job.what.bytes - job.offset);
    const uint64_t host = listed(job, page) + at % kPage;
    uint64_t length = kPage - at % kPage;
    while (length < most && listed(job, ++page) == host + length) length += kPage;
    return {host, std::min(length, most)};
  }
  uint64_t listed(const Job& job, uint64_t page) {
    return machine_.load(job.what.pages + page * sizeof(uint64_t));
  }

  static dma::Descriptor descriptor(const Piece& piece, uint64_t card, uint32_t flags) {
    return {.host = piece.host,
            .card = card,
            .length = static_cast<uint32_t>(piece.length),
            .flags = flags,
            .tag = 0,
            .reserved = 0};
  }
  // Descriptors as long as there is room. The engine tells when the last of these is done, and when half of
  // a ring is, so that it does not run dry.
  void feed(unsigned number) {
    Job& job = jobs_[number];
    Channel& engine = channel(number);
    const bool bounces = job.what.from != 0;
    while (!job.all_pushed && engine.room() > (bounces ? 1 : 0)) {
      const Piece piece = bounces               ? fetch_piece(engine, job)
                          : job.what.pages == 0 ? next_piece(job)
                                                : next_listed(job);
      const bool row_ends = job.offset + piece.length == job.what.bytes;
      job.all_pushed = row_ends && job.row + 1 == job.what.rows;
      job.untold += bounces ? 2 : 1;
      const bool tell = job.all_pushed || job.untold >= Channel::kEntries / 2;
      if (tell) job.untold = 0;
      const uint32_t flags =
          (job.what.to_host ? dma::kToHost : 0) | (tell ? dma::kWork : 0) | (bounces ? dma::kFence : 0);
      job.last =
          engine.push(descriptor(piece, job.what.card + job.row * job.what.card_pitch + job.offset, flags));
      job.offset = row_ends ? 0 : job.offset + piece.length;
      job.row += row_ends ? 1 : 0;
    }
    engine.start();
  }
  Channel& channel(unsigned number) { return channels_[number]; }

  M& machine_;
  std::array<Channel, kChannels> channels_ = {
      Channel(machine_, 0), Channel(machine_, 1), Channel(machine_, 2), Channel(machine_, 3),
      Channel(machine_, 4), Channel(machine_, 5), Channel(machine_, 6)};
  std::array<Job, kChannels> jobs_ = {};
};

}  // namespace swai::runtime
