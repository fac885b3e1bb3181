// SPDX-License-Identifier: Apache-2.0
// What commands that measure need: memory that goes back by itself, and the card's time.
#pragma once

#include <cstdint>
#include <span>

namespace swai::cli {

class OnCard {
 public:
  explicit OnCard(uint64_t bytes);
  ~OnCard();
  OnCard(const OnCard&) = delete;
  OnCard& operator=(const OnCard&) = delete;
  void* get() const { return pointer_; }

 private:
  void* pointer_ = nullptr;
};

// Of the host, reached by the card itself.
class Pinned {
 public:
  explicit Pinned(uint64_t bytes);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  void* get() const { return pointer_; }
  std::span<uint8_t> bytes() const { return {static_cast<uint8_t*>(pointer_), bytes_}; }

 private:
  void* pointer_ = nullptr;
  uint64_t bytes_;
};

// In ns.
uint64_t card_time();

}  // namespace swai::cli
