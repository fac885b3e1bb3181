// Lists that a program builds from templates, and runs: two buffers, of which the cores have one while the
// program builds the next list in the other. What changes from run to run is a block of parameters.
//
//   Lists lists(job, wish.walk, wish.mode);
//   Lists::List step;
//   if (!Lists::open(wish.step, step) || !lists.take_memory(step.pattern.nodes())) return kRefused;
//   for (int64_t past = 0; past < wish.steps; ++past) {
//     lists.run(step, std::array{past});
//     if (lists.wait() != Status::kOk) return kFailed;
//   }
#pragma once

#include <algorithm>
#include <array>

#include "abi/building.hpp"
#include "swai/list_pattern.hpp"
#include "swai/walk.hpp"

namespace swai::program {

// How a list's lines get to memory.
struct SentLines {
  [[gnu::always_inline]] static void write(std::byte* to, const Line& line) { send_line(to, line); }
  [[gnu::always_inline]] static void zero(std::byte* to) { send_zeros(to); }
};

class Lists {
 public:
  struct List {
    ListPattern pattern;
    const uint64_t* addresses = nullptr;
  };
  // False: there is no memory, or no template of this version.
  static bool open(const building::Source& source, List& list) {
    list.addresses = show<const uint64_t>(source.addresses);
    return list.addresses != nullptr &&
           list.pattern.open(show<const std::byte>(source.pattern), source.bytes);
  }

  Lists(const Job& job, const Kernel& walk, building::Mode mode) : job_(job), walk_(walk), mode_(mode) {}

  // For lists of so many nodes at most, off the beginning of the program's heap: that is shorter from then
  // on, by memory_bytes(). False: it has not so much.
  static uint64_t memory_bytes(uint64_t nodes) {
    return kLineBytes + 2 * (nodes * node::kNodeBytes + kParameterBytes);
  }
  bool take_memory(uint64_t nodes) {
    if (nodes > node::kMaxNodes || memory_bytes(nodes) > job_.heap_bytes()) return false;
    const auto first = (reinterpret_cast<uint64_t>(job_.heap()) + kLineBytes - 1) & ~(kLineBytes - 1);
    auto* memory = reinterpret_cast<std::byte*>(first);
    for (Buffer& buffer : buffers_) {
      buffer.nodes = memory;
      buffer.parameters = reinterpret_cast<uint64_t*>(memory + nodes * node::kNodeBytes);
      memory += nodes * node::kNodeBytes + kParameterBytes;
    }
    return true;
  }

  // Behind all that was run before. `sizes`: of the list's symbols, in their order.
  Status run(const List& list, std::span<const int64_t> sizes = {}) {
    Buffer* buffer = find(list);
    const bool is_there = buffer != nullptr && !is_begun(*buffer);
    if (buffer == nullptr) {
      buffer = &other();
      const Status status = mode_.when == building::When::kSync ? wait() : own(*buffer);
      if (status != Status::kOk) return status;
      begin(*buffer, list);
    } else if (is_there && list.pattern.parameters() != 0) {
      // A run of the same list may still read its parameters.
      if (const Status status = own(*buffer); status != Status::kOk) return status;
    }
    if (!give_parameters(*buffer, sizes)) return Status::kBadOperation;
    ++work_.graphs;
    if (is_there) return launch(*buffer, 0, list.pattern.nodes());
    // Cores begin with its first nodes, and get the rest meanwhile.
    uint32_t built = list.pattern.nodes() - builder_.left();
    if (built == 0) built = build(defers() ? kFirst : builder_.left());
    for (uint32_t next = 0;;) {
      if (const Status status = launch(*buffer, next, built); status != Status::kOk) return status;
      next += built;
      if (builder_.left() == 0) return Status::kOk;
      built = build(builder_.left());
    }
  }
  // What will be run next: it is built now, unless it is there, if lists are to be built while others run.
  // Before anything has run: its first nodes, so that nothing comes between the launch of these and what is
  // before it.
  Status prepare(const List& list) {
    if (!defers() || find(list) != nullptr) return Status::kOk;
    Buffer& buffer = other();
    if (const Status status = own(buffer); status != Status::kOk) return status;
    begin(buffer, list);
    build(now_ == nullptr ? kFirst : builder_.left());
    return Status::kOk;
  }
  // Until all is done that was run.
  Status wait() const { return now_ == nullptr ? Status::kOk : own(*now_); }

  // Gives memory what the cores are to read in the next run.
  void give(const volatile void* data, uint64_t bytes) {
    const uint64_t begin = time();
    hand_over(data, bytes);
    work_.handing_over += time() - begin;
  }
  bool defers() const { return mode_.when == building::When::kAsync; }
  const building::Work& work() const { return work_; }

 private:
  static constexpr uint64_t kParameterBytes = node::kMaxParameters * sizeof(uint64_t);
  static constexpr uint32_t kFirst = 1;

  // The cores' from a launch to its end, else the program's.
  struct Buffer {
    std::byte* nodes = nullptr;
    uint64_t* parameters = nullptr;
    const List* holds = nullptr;
    Ticket last;
    bool used = false;
  };

  Buffer* find(const List& list) {
    for (Buffer& buffer : buffers_)
      if (buffer.holds == &list) return &buffer;
    return nullptr;
  }
  // Than the one that was run last.
  Buffer& other() { return now_ == &buffers_[0] ? buffers_[1] : buffers_[0]; }
  static Status own(const Buffer& buffer) { return buffer.used ? program::wait(buffer.last) : Status::kOk; }

  void begin(Buffer& buffer, const List& list) {
    buffer.holds = &list;
    begun_ = &buffer;
    builder_ = {list.pattern, list.addresses, buffer.nodes};
  }
  // Of the list that was begun last, not all is there.
  bool is_begun(const Buffer& buffer) const { return begun_ == &buffer && builder_.left() != 0; }
  uint32_t build(uint32_t most) {
    const uint64_t begin = time();
    const uint32_t count = builder_.build(most);
    written();
    const uint64_t took = time() - begin;
    work_.nodes += count;
    work_.build += took;
    if (defers() && runs()) work_.hidden += took;
    return count;
  }
  // What was run last has not ended yet.
  bool runs() const {
    return now_ != nullptr && now_->used && now_->last.status == Status::kOk &&
           call(Call::kWait, now_->last.number, ~notes().told).status == Status::kAgain;
  }
  bool give_parameters(Buffer& buffer, std::span<const int64_t> sizes) {
    const ListPattern& pattern = buffer.holds->pattern;
    const uint64_t begin = time();
    if (!pattern.parameters(sizes, buffer.parameters)) return false;
    const uint64_t patched = time();
    hand_over(buffer.parameters, pattern.parameters() * sizeof(uint64_t));
    written();
    work_.handing_over += time() - patched;
    if (pattern.parameters() == 0) return true;
    work_.patch += patched - begin;
    work_.graph_nodes += pattern.nodes();
    return true;
  }
  Status launch(Buffer& buffer, uint32_t first, uint32_t count) {
    now_ = &buffer;
    const uint32_t each = mode_.launches == building::Launches::kList ? count : 1;
    for (const uint32_t end = first + count; first != end; first += each) {
      buffer.last = walk(walk_, job_.global(buffer.nodes + uint64_t{first} * node::kNodeBytes), each,
                         job_.global(buffer.parameters), buffer.holds->pattern.parameters());
      buffer.used = true;
      if (buffer.last.status != Status::kOk) return buffer.last.status;
    }
    return Status::kOk;
  }

  const Job& job_;
  const Kernel& walk_;
  const building::Mode mode_;
  std::array<Buffer, 2> buffers_;
  Buffer* now_ = nullptr;  // that was run last
  const Buffer* begun_ = nullptr;
  ListBuilder<SentLines> builder_;
  building::Work work_ = {};
};

}  // namespace swai::program
