// SPDX-License-Identifier: Apache-2.0
// The host's side of requests: sends reads and writes and takes completions apart as the specification says.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "verif/rtl/pcie/wire.hpp"

namespace swai::pcie {

struct Result {
  unsigned status = kSuccess;
  bool poisoned = false;
  std::vector<uint8_t> bytes;  // of all doublewords asked for; those after an error are missing

  uint64_t value() const {
    uint64_t number = 0;
    for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | bytes[i];
    return number;
  }
};

class Host {
 public:
  using Done = std::function<void(const Result&)>;

  explicit Host(verif::Random& random) : random_(random) {}

  void attach(Wire& wire) { wire_ = &wire; }
  unsigned id = 0x0100;  // bus, device and function of the card
  unsigned mps = 128;
  std::function<void(const Tlp&)> on_request = [](const Tlp&) {};     // what the card asks or writes
  std::function<void(const Tlp&)> on_completion = [](const Tlp&) {};  // before it is taken apart

  bool can_ask() const { return asked_.size() < 200; }
  size_t waiting() const { return asked_.size(); }
  void forget() { asked_.clear(); }

  // Any request that wants an answer; fills in requester and tag.
  void ask(Tlp request, Done done);
  // Bytes [offset, offset + count) of the doublewords from addr on.
  void read(uint64_t addr, unsigned count, Done done);
  void write(uint64_t addr, const std::vector<uint8_t>& bytes);
  // A memory request for these bytes, without its data.
  Tlp request(bool write, uint64_t addr, unsigned count);

  void take(const Tlp& tlp);

 private:
  struct Asked {
    Tlp request;
    Done done;
    Result result;
    uint64_t next;       // address of the next byte
    unsigned remaining;  // bytes
    unsigned dwords;
  };

  void check_completion(const Asked& asked, const Tlp& tlp) const;

  verif::Random& random_;
  Wire* wire_ = nullptr;
  std::map<unsigned, Asked> asked_;  // by tag
};

}  // namespace swai::pcie
