// SPDX-License-Identifier: Apache-2.0
// The vendor region of one card (host/transport/vendor_region.hpp): identity, time, test facilities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/transport/server/device.hpp"
#include "host/transport/vendor_region.hpp"

namespace swai::socket {

class VendorRegion {
 public:
  explicit VendorRegion(Device& device) : device_(&device) {}

  // As a new client finds it.
  void reset();

  // Accesses that were checked to lie inside the region. 0 or an errno; a write with an error has done
  // nothing, except that a command may have failed.
  int read(uint64_t offset, std::span<uint8_t> to) const;
  int write(uint64_t offset, std::span<const uint8_t> from);

  bool deterministic() const { return mode_ == link::vendor::Mode::kDeterministic; }

  // A region write of the client to the card has been done, or refused; `told`: the client gets a reply.
  void count_write(int error, bool told);
  // A vector has fired.
  void raise(unsigned vector) { pending_ |= uint64_t{1} << vector; }

  void forget_pending() { pending_ = 0; }

  // RUN_UNTIL: whether a read is one, its start, and its end, which comes when what it waits for is there.
  static bool is_run(uint64_t offset) { return offset == link::vendor::kRunAt; }
  void start_run();
  uint64_t run_limit() const { return limit_; }
  bool run_ended(bool asleep);

 private:
  uint64_t word(uint64_t offset) const;
  static bool writable(uint64_t offset);
  static bool allowed(uint64_t offset, uint64_t value);
  int write_word(uint64_t offset, uint64_t value);

  Device* device_;
  link::vendor::Mode mode_ = link::vendor::Mode::kFreeRunning;
  uint64_t writes_ = 0;
  uint64_t refused_ = 0;
  uint64_t first_refused_ = 0;
  uint64_t first_error_ = 0;
  uint64_t pending_ = 0;
  link::vendor::RunRequest request_;
  uint64_t limit_ = 0;  // of the run that is going on
  link::vendor::RunResult result_;
  uint64_t arguments_[4] = {};
  uint64_t command_ = 0;
  uint64_t command_error_ = 0;
  uint64_t command_value_ = 0;
};

}  // namespace swai::socket
