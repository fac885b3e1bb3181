// SPDX-License-Identifier: Apache-2.0
// How a host reaches a card: the table of functions that every transport fills in. What users call is Card
// (card.hpp).
//
// A backend is used by one thread at a time. Every call that waits has a time limit in real time.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/transport/vendor_region.hpp"

namespace swai::link {

enum class ErrorKind {
  kBadArgument,   // the call cannot be right, whatever the card does
  kNoConnection,  // the card could not be opened
  kRefused,       // the card, or its server, said no; the connection lives on. code() is the errno.
  kTimedOut,      // no answer in time. The connection lives on; the operation may or may not have happened.
  kIncomplete,    // only a part of the data came
  kLost,          // the connection is gone, and so is the card's state. Only open() helps.
};
const char* name(ErrorKind kind);

// what() is one line: what failed, why, and what can be done.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what, int code = 0)
      : std::runtime_error(what), kind_(kind), code_(code) {}
  ErrorKind kind() const { return kind_; }
  int code() const { return code_; }  // errno, or 0

 private:
  ErrorKind kind_;
  int code_;
};

using Milliseconds = std::chrono::milliseconds;
using Bytes = std::span<const uint8_t>;
using Buffer = std::span<uint8_t>;

struct RegionShape {
  uint64_t bytes = 0;  // 0: there is none
  bool readable = false;
  bool writable = false;
};

struct Description {
  std::string address;  // how it was opened; for messages
  std::vector<RegionShape> regions;
  uint32_t vectors = 0;  // MSI-X
  // A card of ours behind its vendor region; otherwise time cannot be ruled, and these say nothing.
  bool has_vendor_region = false;
  std::string configuration;
  uint32_t card = 0;
  uint32_t cards = 1;
  bool deterministic = false;
};

// Memory of this process that the card may reach.
struct DmaMapping {
  uint64_t iova = 0;
  Buffer memory;         // whole pages of 4 KiB
  bool readable = true;  // by the card
  bool writable = true;
  // The file behind `memory`, which the server then maps as well. -1: there is none; the card's accesses come
  // as messages, which are served while this side waits for something.
  int fd = -1;
  uint64_t offset = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const Description& describe() const = 0;

  // Region accesses of any length, in the order of the calls. A write returns when the server has taken it, a
  // post at once: whether it was taken stands in the vendor region (Card::check_posted).
  virtual void read(unsigned region, uint64_t offset, Buffer to) = 0;
  virtual void write(unsigned region, uint64_t offset, Bytes from) = 0;
  virtual void post(unsigned region, uint64_t offset, Bytes from) = 0;

  virtual void map(const DmaMapping& mapping) = 0;
  virtual void unmap(uint64_t iova, uint64_t bytes) = 0;

  // MSI-X vectors from 0 up signal these eventfds; an empty list switches them off.
  virtual void set_interrupts(std::span<const int> eventfds) = 0;

  virtual void reset() = 0;

  // Lets time pass until one of the vectors fires, the limit is there or the card sleeps (vendor_region.hpp).
  virtual vendor::RunResult run_until(const vendor::RunRequest& request) = 0;

  // Waits until one of the descriptors is ready, and serves the card meanwhile. False: the time is over.
  virtual bool wait(std::span<pollfd> fds, Milliseconds timeout) = 0;

  // The descriptor to poll() for input; negative if there is none, or none any more. Input without a call
  // under way is for wait(), which throws kLost at the end of the connection.
  virtual int fd() const = 0;

  // Ends the connection. Everything after it fails with kLost.
  virtual void close() = 0;
};

}  // namespace swai::link
