// SPDX-License-Identifier: Apache-2.0
// Lists that a program builds from templates, and runs: two buffers, of which the cores have one while the
// program builds the next list in the other. What changes from run to run is a block of parameters.
//
//   Lists lists(job, wish.walk, wish.mode);
//   Lists::List step;
//   if (!lists.open(wish.step, step) || !lists.take_memory(step.pattern.nodes())) return kRefused;
//   for (int64_t past = 0; past < wish.steps; ++past) {
//     lists.run(step, std::array{past});
//     if (lists.wait() != Status::kOk) return kFailed;
//   }
#pragma once

#include <algorithm>
#include <array>
#include <utility>

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

  // What program and cores both use. The cores have it at a device pointer; the program has it `here`, which
  // is the same memory unless that is copied.
  template <typename T>
  struct Shared {
    uint64_t device = 0;
    T* here = nullptr;

    T* operator->() const { return here; }
  };

  Lists(const Job& job, const Kernel& walk, building::Mode mode)
      : job_(job),
        walk_(walk),
        mode_(mode),
        free_((reinterpret_cast<uint64_t>(job.heap()) + kLineBytes - 1) & ~(kLineBytes - 1)) {}

  // Memory in lines of its own, of the program's heap. Null: there is not so much.
  std::byte* take(uint64_t bytes) {
    const uint64_t end = reinterpret_cast<uint64_t>(job_.heap()) + job_.heap_bytes();
    const uint64_t whole = (bytes + kLineBytes - 1) & ~(kLineBytes - 1);
    if (free_ > end || whole > end - free_) return nullptr;
    return reinterpret_cast<std::byte*>(std::exchange(free_, free_ + whole));
  }
  // False: there is no memory, or no template of this version.
  bool open(const building::Source& source, List& list) {
    list.addresses = show<const uint64_t>(source.addresses);
    if (list.addresses == nullptr || !list.pattern.open(show<const std::byte>(source.pattern), source.bytes))
      return false;
    if (source.of == building::Addresses::kBases) list.addresses = addresses_in(list.pattern, list.addresses);
    return list.addresses != nullptr;
  }
  // The same list, of which some memory can be elsewhere than where the other one has it. False: the heap is
  // too small.
  bool copy(const List& list, List& fresh) {
    const auto pointers = list.pattern.pointers();
    auto* const addresses = reinterpret_cast<uint64_t*>(take(pointers.size_bytes()));
    if (addresses == nullptr) return false;
    std::copy_n(list.addresses, pointers.size(), addresses);
    fresh = {list.pattern, addresses};
    return true;
  }
  // Of such a copy, which is built again for it: the memory that the template calls so has this device
  // pointer.
  void place(List& list, uint32_t base, uint64_t device) {
    if (Buffer* const buffer = find(list)) buffer->holds = nullptr;
    const auto pointers = list.pattern.pointers();
    auto* const addresses = const_cast<uint64_t*>(list.addresses);
    for (size_t i = 0; i < pointers.size(); ++i) {
      if (pointers[i].base == base)
        addresses[i] = device + static_cast<uint64_t>(int64_t{pointers[i].addend});
    }
  }
  // For lists of so many nodes at most. False: there is not so much.
  bool take_memory(uint64_t nodes) {
    if (nodes > node::kMaxNodes) return false;
    const uint64_t bytes = nodes * node::kNodeBytes + 2 * kParameterBytes;
    for (Buffer& buffer : buffers_) {
      buffer.nodes.here = take(bytes);
      std::byte* const theirs = copies() ? take(bytes) : buffer.nodes.here;
      if (buffer.nodes.here == nullptr || theirs == nullptr) return false;
      buffer.nodes.device = job_.global(theirs);
      buffer.parameters = reinterpret_cast<uint64_t*>(buffer.nodes.here + nodes * node::kNodeBytes);
      buffer.spare = buffer.parameters + node::kMaxParameters;
    }
    return true;
  }
  // Memory of the client that the host names by a device pointer. Nowhere: it is not there.
  template <typename T>
  Shared<T> share(uint64_t device, uint64_t count = 1) {
    return {device, copies() ? reinterpret_cast<T*>(take(count * sizeof(T))) : show<T>(device)};
  }

  // Behind all that was run before. `sizes`: of the list's symbols, in their order.
  Status run(const List& list, std::span<const int64_t> sizes = {}) {
    if (std::exchange(ahead_, nullptr) == &list) {
      ++work_.graphs;
      return launch(*now_, kAhead, list.pattern.nodes() - kAhead);
    }
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
    if (const Status status = give_parameters(*buffer, sizes); status != Status::kOk) return status;
    ++work_.graphs;
    if (is_there) return launch(*buffer, 0, list.pattern.nodes());
    // Cores that have nothing else to do begin with its first nodes, and get the rest meanwhile.
    if (builder_.left() == list.pattern.nodes()) {
      if (const Status status = build(defers() && !runs() ? kFirst : builder_.left()); status != Status::kOk)
        return status;
    }
    for (uint32_t next = 0;;) {
      const uint32_t built = list.pattern.nodes() - builder_.left();
      if (const Status status = launch(*buffer, next, built - next); status != Status::kOk) return status;
      if (builder_.left() == 0) return Status::kOk;
      next = built;
      if (const Status status = build(builder_.left()); status != Status::kOk) return status;
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
    return build(now_ == nullptr ? kFirst : builder_.left());
  }
  // Whether this will follow what is run now is known at the end of that only, and then cores would wait for
  // the program. So they get its first nodes now, if it is there, which read nothing that is given later. The
  // rest they get with the next run() of it, whose sizes are those; or drop_ahead() says that it is not run.
  // `unless`: device pointer to two words that are equal at the end if it will not follow, so that cores then
  // skip it.
  Status run_ahead(const List& list, std::span<const int64_t> sizes, uint64_t unless) {
    Buffer* const buffer = find(list);
    const bool is_there = buffer != nullptr && !is_begun(*buffer) && list.pattern.nodes() > kAhead;
    if (!is_there || !defers() || copies() || mode_.launches != building::Launches::kList) return Status::kOk;
    whole_ = now_->last;
    std::swap(buffer->parameters, buffer->spare);
    if (const Status status = give_parameters(*buffer, sizes); status != Status::kOk) return status;
    ahead_ = &list;
    return launch(*buffer, 0, kAhead, unless);
  }
  void drop_ahead() { ahead_ = nullptr; }
  // Until all is done that was run, but for what was run ahead.
  Status wait() {
    if (now_ == nullptr) return Status::kOk;
    return ahead_ != nullptr ? program::wait(whole_) : own(*now_);
  }

  // Makes a part visible to the cores in the next run. An error: it was not copied.
  template <typename T>
  [[nodiscard]] Status give(const Shared<T>& shared, const void* part, uint64_t bytes) {
    const uint64_t begin = time();
    hand_over(part, bytes);
    handed_over(time() - begin);
    return copies() ? copy(device_of(shared, part), job_.global(part), bytes) : Status::kOk;
  }
  // Reads a part as the cores have left it in runs that have ended. An error: `part` is not up to date.
  template <typename T>
  [[nodiscard]] Status fetch(const Shared<T>& shared, const void* part, uint64_t bytes) {
    look(part, bytes);
    return copies() ? copy(job_.global(part), device_of(shared, part), bytes) : Status::kOk;
  }
  bool copies() const { return mode_.memory == building::Memory::kCopy; }
  bool defers() const { return mode_.when == building::When::kAsync; }
  const building::Work& work() const { return work_; }

 private:
  static constexpr uint64_t kParameterBytes = node::kMaxParameters * sizeof(uint64_t);
  static constexpr uint32_t kFirst = 1;
  // They have to take as long as the program does from an end to the next launch.
  static constexpr uint32_t kAhead = 6;

  // The cores' from a launch to its end, else the program's.
  struct Buffer {
    Shared<std::byte> nodes;
    uint64_t* parameters = nullptr;  // behind them
    uint64_t* spare = nullptr;       // of the run before, which may still be read
    const List* holds = nullptr;
    Ticket last;
    bool used = false;
  };

  // Of all pointers. Null: there is no memory for them.
  const uint64_t* addresses_in(const ListPattern& pattern, const uint64_t* bases) {
    const auto pointers = pattern.pointers();
    auto* const addresses = reinterpret_cast<uint64_t*>(take(pointers.size_bytes()));
    if (addresses == nullptr) return nullptr;
    const size_t count = pattern.bases().size();
    std::ranges::transform(pointers, addresses, [&](const list_template::Pointer& pointer) {
      return pointer.base < count ? bases[pointer.base] + static_cast<uint64_t>(int64_t{pointer.addend}) : 0;
    });
    return addresses;
  }

  Buffer* find(const List& list) {
    for (Buffer& buffer : buffers_)
      if (buffer.holds == &list) return &buffer;
    return nullptr;
  }
  // Than the one that was run last.
  Buffer& other() { return now_ == &buffers_[0] ? buffers_[1] : buffers_[0]; }
  static Status own(Buffer& buffer) {
    if (!buffer.used) return Status::kOk;
    const Status status = program::wait(buffer.last);
    buffer.used = status != Status::kOk;
    return status;
  }

  template <typename T>
  static uint64_t device_of(const Shared<T>& shared, const void* part) {
    return shared.device + (reinterpret_cast<uint64_t>(part) - reinterpret_cast<uint64_t>(shared.here));
  }
  // Copies after all earlier runs have ended.
  Status copy(uint64_t to, uint64_t from, uint64_t bytes) {
    written();
    if (const Status status = wait(); status != Status::kOk) return status;
    const uint64_t begin = time();
    const Status status = program::wait(copy_device(to, from, bytes));
    work_.copying += time() - begin;
    return status;
  }

  void begin(Buffer& buffer, const List& list) {
    buffer.holds = &list;
    begun_ = &buffer;
    builder_ = {list.pattern, list.addresses, buffer.nodes.here};
  }
  // Of the list that was begun last, not all is there.
  bool is_begun(const Buffer& buffer) const { return begun_ == &buffer && builder_.left() != 0; }
  Status build(uint32_t most) {
    const std::byte* const first =
        begun_->nodes.here + uint64_t{begun_->holds->pattern.nodes() - builder_.left()} * node::kNodeBytes;
    const uint64_t begin = time();
    const uint32_t count = builder_.build(most);
    written();
    const uint64_t took = time() - begin;
    work_.nodes += count;
    work_.build += took;
    if (defers() && runs()) work_.hidden += took;
    if (!copies()) return Status::kOk;
    return copy(device_of(begun_->nodes, first), job_.global(first), count * node::kNodeBytes);
  }
  // What was run last has not ended yet.
  bool runs() const {
    return now_ != nullptr && now_->used && now_->last.status == Status::kOk &&
           call(Call::kWait, now_->last.number, ~notes().told).status == Status::kAgain;
  }
  Status give_parameters(Buffer& buffer, std::span<const int64_t> sizes) {
    const ListPattern& pattern = buffer.holds->pattern;
    const uint64_t begin = time();
    if (!pattern.parameters(sizes, buffer.parameters)) return Status::kBadOperation;
    const uint64_t patched = time();
    hand_over(buffer.parameters, pattern.parameters() * sizeof(uint64_t));
    written();
    handed_over(time() - patched);
    if (pattern.parameters() == 0) return Status::kOk;
    work_.patch += patched - begin;
    work_.graph_nodes += pattern.nodes();
    if (!copies()) return Status::kOk;
    return copy(device_of(buffer.nodes, buffer.parameters), job_.global(buffer.parameters),
                pattern.parameters() * sizeof(uint64_t));
  }
  void handed_over(uint64_t took) {
    work_.handing_over += took;
    work_.longest_handover = std::max(work_.longest_handover, took);
  }
  Status launch(Buffer& buffer, uint32_t first, uint32_t count, uint64_t unless = 0) {
    now_ = &buffer;
    const uint32_t each = mode_.launches == building::Launches::kList ? count : 1;
    for (const uint32_t end = first + count; first != end; first += each) {
      buffer.last =
          walk(walk_, buffer.nodes.device + uint64_t{first} * node::kNodeBytes, each,
               device_of(buffer.nodes, buffer.parameters), buffer.holds->pattern.parameters(), unless);
      buffer.used = true;
      if (buffer.last.status != Status::kOk) return buffer.last.status;
    }
    return Status::kOk;
  }

  const Job& job_;
  const Kernel& walk_;
  const building::Mode mode_;
  uint64_t free_;  // of the heap, from here on
  std::array<Buffer, 2> buffers_;
  Buffer* now_ = nullptr;  // that was run last
  const Buffer* begun_ = nullptr;
  const List* ahead_ = nullptr;  // of which cores have the first nodes alone
  Ticket whole_;                 // what was run before them
  ListBuilder<SentLines> builder_;
  building::Work work_ = {};
};

}  // namespace swai::program
