// SPDX-License-Identifier: Apache-2.0
// Requests of host software to a card that are answered: reads of memory, reads and writes of configuration
// space.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/board/rootport/clock.hpp"
#include "sim/board/rootport/tlp.hpp"

namespace swai::rootport {

enum class RequestStatus : uint8_t {
  kPending,
  kOk,
  kUnsupported,  // the card says so, or nobody lives at the address
  kAborted,
  kRetry,     // configuration space is not ready
  kPoisoned,  // data came, but damaged
  kBroken,    // the answer did not fit the question
  kTimeout,
  kLinkDown,
};
const char* text(RequestStatus status);

using ReadDone = std::function<void(RequestStatus, std::span<const uint8_t>)>;
using WriteDone = std::function<void(RequestStatus)>;

// For those who would rather look than be called.
struct ReadResult {
  RequestStatus status = RequestStatus::kPending;
  std::vector<uint8_t> data;
};
struct WriteResult {
  RequestStatus status = RequestStatus::kPending;
};
using ReadHandle = std::shared_ptr<const ReadResult>;
using WriteHandle = std::shared_ptr<const WriteResult>;

class HostRequests {
 public:
  using Send = std::function<void(const Tlp&)>;

  // `send` puts a packet on its way to the card whose identity is `card`.
  HostRequests(const Clock& clock, uint16_t card, uint64_t timeout, unsigned max_payload, Send send);

  void read_memory(uint64_t address, unsigned bytes, ReadDone done);
  void read_config(unsigned offset, unsigned bytes, ReadDone done);
  void write_config(unsigned offset, std::span<const uint8_t> data, WriteDone done);

  // A completion for the root. False: nobody has asked for it.
  [[nodiscard]] bool completion(const Tlp& tlp);

  bool idle() const { return waiting_.empty() && in_flight_ == 0; }
  uint64_t next_timeout() const { return deadlines_.empty() ? UINT64_MAX : deadlines_.front().cycle; }
  void expire(uint64_t cycle);
  // Ends everything.
  void fail_all(RequestStatus status);

 private:
  struct Operation {
    std::vector<uint8_t> data;
    RequestStatus status = RequestStatus::kOk;
    unsigned parts = 0;
    ReadDone done;
  };
  // One packet.
  struct Part {
    std::shared_ptr<Operation> operation;
    unsigned offset = 0;  // in the operation's data
    unsigned bytes = 0;
    unsigned got = 0;
    uint64_t serial = 0;
    Tlp request;
  };
  struct Deadline {
    uint64_t cycle;
    uint64_t serial;
    uint8_t tag;
  };

  void read_parts(uint64_t address, unsigned bytes, unsigned align, TlpKind kind, ReadDone done);
  void add(Part part);
  void send_waiting();
  void finish(uint8_t tag, RequestStatus status);
  void forget_old_deadlines();
  bool current(const Deadline& deadline) const;

  const Clock& clock_;
  const uint16_t card_;
  const uint64_t timeout_;
  const unsigned max_payload_;
  const Send send_;
  std::array<std::optional<Part>, 256> parts_;  // by tag
  std::deque<uint8_t> free_tags_;               // the one unused for longest first
  std::deque<Part> waiting_;
  std::deque<Deadline> deadlines_;
  unsigned in_flight_ = 0;
  uint64_t serial_ = 0;
};

}  // namespace swai::rootport
