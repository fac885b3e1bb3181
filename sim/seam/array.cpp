// SPDX-License-Identifier: Apache-2.0
#include "sim/seam/array.hpp"

#include <verilated.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/seam/activity.hpp"
#include "sim/seam/bits.hpp"
#include "sim/seam/threads.hpp"
#include "sim/seam/tile.hpp"
#include "sim/seam/works.hpp"

namespace {

using namespace swai::array;

constexpr unsigned kMostCpes = 32;
constexpr unsigned kRowBit = 3;        // of the row in the identity of a CPE
constexpr unsigned kChannelWords = 8;  // of 32 bits in a word of a channel
constexpr unsigned kLineBits = 26;     // of a line's number

// The groups of outputs, as cg_array.sv takes them.
enum Moved : uint32_t { kStates = 1, kMemory = 2, kSenders = 4, kReceivers = 8 };
constexpr uint64_t kOfMemory = bit(kMemValid) | bit(kFetchValid);
constexpr uint64_t kOfSenders = bit(kRowSendValid) | bit(kColumnSendValid) | bits(kColumnSendMask, 16);
constexpr uint64_t kOfReceivers = bits(kColumnReceiveOne, 4) | bits(kColumnReceiveSource, 6);
constexpr uint64_t kComputes = bit(kDmaForeground) | bit(kSystolicWorks) | bit(kVectorWorks);
constexpr uint64_t kWorks = bit(kDmaWorks) | kComputes;
constexpr uint64_t kArrives = bit(kArriveRow) | bit(kArriveColumn) | bit(kArriveAll);
constexpr uint64_t kOfStates = ~(kOfMemory | kOfSenders | kOfReceivers);

// What a step takes, in those of cores that run.
constexpr unsigned load_of(uint64_t told) {
  return 1 + 2 * static_cast<unsigned>(told >> kSystolicWorks & 1) +
         7 * static_cast<unsigned>(told >> kVectorWorks & 1);
}
// From here on threads take less time together than they wait for each other.
constexpr unsigned kSharedLoad = 16;

constexpr uint32_t moved(uint64_t changed) {
  return ((changed & kOfStates) != 0 ? kStates : 0U) | ((changed & kOfMemory) != 0 ? kMemory : 0U) |
         ((changed & kOfSenders) != 0 ? kSenders : 0U) | ((changed & kOfReceivers) != 0 ? kReceivers : 0U);
}

// How many rows and columns there are: powers of two.
class Shape {
 public:
  Shape(unsigned rows, unsigned columns)
      : row_bits_(static_cast<unsigned>(std::countr_zero(rows))),
        column_bits_(static_cast<unsigned>(std::countr_zero(columns))) {
    for (unsigned row = 0; row < rows; ++row) first_column_ |= 1U << row * columns;
  }

  unsigned rows() const { return 1U << row_bits_; }
  unsigned columns() const { return 1U << column_bits_; }
  unsigned cpes() const { return 1U << (row_bits_ + column_bits_); }
  unsigned row(unsigned cpe) const { return cpe >> column_bits_; }
  unsigned column(unsigned cpe) const { return cpe & (columns() - 1); }
  unsigned place_of(unsigned cpe) const { return column(cpe) << row_bits_ | row(cpe); }
  unsigned cpe_at(unsigned place) const {
    return (place & (rows() - 1)) << column_bits_ | place >> row_bits_;
  }
  // A thread has columns: so both those of a row and those of all rows are shared evenly.
  uint32_t first_column() const { return first_column_; }
  uint32_t cpes_at(uint32_t places) const;
  uint32_t places_of(uint32_t cpes) const;

 private:
  unsigned row_bits_, column_bits_;
  uint32_t first_column_ = 0;
};

template <typename Do>
void for_each(uint32_t set, Do act) {
  for (; set != 0; set &= set - 1) act(static_cast<unsigned>(std::countr_zero(set)));
}

uint32_t Shape::cpes_at(uint32_t places) const {
  uint32_t cpes = 0;
  for_each(places, [&](unsigned place) { cpes |= 1U << cpe_at(place); });
  return cpes;
}

uint32_t Shape::places_of(uint32_t cpes) const {
  uint32_t places = 0;
  for_each(cpes, [&](unsigned cpe) { places |= 1U << place_of(cpe); });
  return places;
}

class Array {
 public:
  explicit Array(const Shape& shape)
      : shape_(shape), works_(works_by_context()[Verilated::threadContextp()]) {
    for (unsigned i = 0; i < shape_.cpes(); ++i) cpes_.at(i) = swai_cpe_new();
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    for (unsigned i = 0; i < shape_.cpes(); ++i) swai_cpe_delete(cpes_.at(i));
  }

  const Shape& shape() const { return shape_; }
  void* cpe(unsigned index) { return cpes_.at(index); }
  void bring(In event, uint32_t cpes) {
    events_[event] |= cpes;
    any_event_ |= cpes;
  }

  uint32_t step(uint32_t awake, uint32_t tile_rst_n, uint32_t halt, uint32_t boot_pc, uint32_t settings) {
    const uint64_t group = settings >> 16;
    const swai::activity::Tell tell = swai::activity::tell;
    if (std::exchange(watched_, tell != nullptr) && tell == nullptr) told_ = {};
    const uint64_t common = uint64_t{settings & 0xffff} << kDaemonSegment | group << (kId + 5) |
                            uint64_t{tell != nullptr} << kActivityWanted;
    uint64_t changed = first_ ? ~uint64_t{0} : 0;
    uint64_t works = 0, computes = 0;
    first_ = false;
    const auto step_one = [&](unsigned i) {
      const uint64_t id = shape_.row(i) << kRowBit | shape_.column(i);
      uint64_t in =
          common | id << kId | uint64_t{tile_rst_n >> i & 1} << kNotReset | uint64_t{halt >> i & 1} << kHalt;
      if ((any_event_ >> i & 1) != 0) {
        for (unsigned e = 0; e < kEvents; ++e) in |= uint64_t{events_[e] >> i & 1} << e;
      }
      steps_[i] = swai_cpe_step(cpes_[i], in, boot_pc);
    };
    if (workers != nullptr && load_ >= kSharedLoad) {
      workers->run(shape_.columns(),
                   [&](unsigned column) { for_each(awake & shape_.first_column() << column, step_one); });
    } else {
      for_each(awake, step_one);
    }
    load_ = 0;
    for_each(awake, [&](unsigned i) {
      const uint64_t told = steps_[i], out = told & ~kWorks;
      load_ += load_of(told);
      works |= told;
      computes |= (told & kArrives) == 0 ? told : told & ~bit(kDmaForeground);
      if ((out & bit(kFetchValid)) != 0) {
        const uint32_t line = swai_cpe_fetch_line(cpes_[i]);
        if (line != fetch_lines_[i]) changed |= bit(kFetchValid);
        fetch_lines_[i] = line;
      }
      if (tell != nullptr) [[unlikely]] {
        const swai::activity::Activity now{swai_cpe_activity(cpes_[i])};
        if (now != told_[i])
          tell(static_cast<unsigned>(kMostCpes * group + i), now.word, swai_cpe_counts(cpes_[i]));
        told_[i] = now;
      }
      const uint64_t differ = out ^ out_[i];
      if (differ != 0) {
        out_[i] = out;
        changed |= differ;
        for (uint64_t left = differ & bits(0, kOutBits); left != 0; left &= left - 1)
          sets_[std::countr_zero(left)] ^= 1U << i;
      }
    });
    if ((works & kWorks) != 0) {
      works_.any += static_cast<uint64_t>((computes & kComputes) != 0);
      works_.dma += works >> kDmaWorks & 1;
      works_.systolic += works >> kSystolicWorks & 1;
      works_.vector += works >> kVectorWorks & 1;
    }
    const uint32_t waiting = sets_[kArriveRow] | sets_[kArriveColumn] | sets_[kArriveAll];
    works_.barrier += static_cast<unsigned>(std::popcount(waiting));
    if (any_event_ != 0) {
      events_.fill(0);
      any_event_ = 0;
    }
    return moved(changed);
  }

  uint32_t set(Out bit) const { return sets_[bit]; }
  uint64_t out(unsigned cpe) const { return out_[cpe]; }
  uint32_t fetch_line(unsigned cpe) const { return fetch_lines_[cpe]; }

 private:
  const Shape shape_;
  std::array<void*, kMostCpes> cpes_{};
  std::array<uint64_t, kMostCpes> steps_{};        // what the last one has told
  std::array<uint64_t, kMostCpes> out_{};          // as they are now
  std::array<uint32_t, kMostCpes> fetch_lines_{};  // of those that fetch
  std::array<uint32_t, kOutBits> sets_{};          // the same as out_, a set for each bit
  std::array<uint32_t, kEvents> events_{};         // for the coming step
  uint32_t any_event_ = 0;
  std::array<swai::activity::Activity, kMostCpes> told_{};  // to swai::activity::tell
  bool watched_ = false;
  bool first_ = true;
  unsigned load_ = 0;  // of the last step, in cores that run
  Works& works_;
};

Array& get(void* array) { return *static_cast<Array*>(array); }
const Shape& shape_of(void* array) { return get(array).shape(); }

// Writes `width` bits at a bit address into words that are 0 there.
void put(svBitVecVal* to, unsigned at, unsigned width, uint32_t value) {
  to[at / 32] |= value << at % 32;
  if (at % 32 + width > 32) to[at / 32 + 1] |= value >> (32 - at % 32);
}

void clear(svBitVecVal* to, unsigned count) { std::fill_n(to, (count + 31) / 32, 0); }

}  // namespace

extern "C" {

void* swai_array_new(uint32_t rows, uint32_t columns) {
  return std::make_unique<Array>(Shape(rows, columns)).release();
}
void swai_array_delete(void* array) { const std::unique_ptr<Array> end(&get(array)); }

void swai_array_launch(void* array, uint32_t cpes, const svBitVecVal* launch) {
  get(array).bring(kLaunchValid, cpes);
  for_each(cpes, [&](unsigned i) { swai_cpe_launch(get(array).cpe(i), launch); });
}

void swai_array_response(void* array, uint32_t cpes, const svBitVecVal* rsp) {
  get(array).bring(kRspValid, cpes);
  for_each(cpes, [&](unsigned i) { swai_cpe_response(get(array).cpe(i), rsp); });
}

void swai_array_rows(void* array, uint32_t cpes, const svBitVecVal* data) {
  get(array).bring(kRowReceiveValid, cpes);
  for_each(cpes, [&](unsigned i) {
    swai_cpe_row(get(array).cpe(i), data + shape_of(array).row(i) * kChannelWords);
  });
}

void swai_array_columns(void* array, uint32_t places, const svBitVecVal* data) {
  const Shape& shape = shape_of(array);
  const uint32_t cpes = shape.cpes_at(places);
  get(array).bring(kColumnReceiveValid, cpes);
  for_each(cpes,
           [&](unsigned i) { swai_cpe_column(get(array).cpe(i), data + shape.column(i) * kChannelWords); });
}

void swai_array_access(void* array, uint32_t cpes, const svBitVecVal* access) {
  get(array).bring(kAccessValid, cpes);
  for_each(cpes, [&](unsigned i) { swai_cpe_access(get(array).cpe(i), access); });
}

void swai_array_inputs(void* array, uint32_t invalidate, uint32_t release_row, uint32_t release_column,
                       uint32_t release_all, uint32_t mem_ready, uint32_t row_send_ready,
                       uint32_t column_send_ready) {
  Array& all = get(array);
  all.bring(kInvalidate, invalidate);
  all.bring(kReleaseRow, release_row);
  all.bring(kReleaseColumn, release_column);
  all.bring(kReleaseAll, release_all);
  all.bring(kMemReady, mem_ready);
  all.bring(kRowSendReady, row_send_ready);
  all.bring(kColumnSendReady, all.shape().cpes_at(column_send_ready));
}

uint32_t swai_array_step(void* array, uint32_t awake, uint32_t tile_rst_n, uint32_t halt, uint32_t boot_pc,
                         uint32_t settings) {
  return get(array).step(awake, tile_rst_n, halt, boot_pc, settings);
}

void swai_array_states(void* array, uint32_t* quiet, uint32_t* asleep, uint32_t* launch_ready,
                       uint32_t* finished, uint32_t* fault_valid, uint32_t* access_ready,
                       svBitVecVal* arrive) {
  const Array& all = get(array);
  *quiet = all.set(kQuiet);
  *asleep = all.set(kAsleep);
  *launch_ready = all.set(kLaunchReady);
  *finished = all.set(kFinished);
  *fault_valid = all.set(kFaultValid);
  *access_ready = all.set(kAccessReady);
  const unsigned cpes = all.shape().cpes();
  clear(arrive, 3 * cpes);
  put(arrive, 0, cpes, all.set(kArriveRow));
  put(arrive, cpes, cpes, all.set(kArriveColumn));
  put(arrive, 2 * cpes, cpes, all.set(kArriveAll));
}

void swai_array_memory(void* array, uint32_t* mem_valid, uint32_t* fetch_valid, svBitVecVal* fetch_line) {
  const Array& all = get(array);
  *mem_valid = all.set(kMemValid);
  *fetch_valid = all.set(kFetchValid);
  clear(fetch_line, all.shape().cpes() * kLineBits);
  for_each(*fetch_valid, [&](unsigned i) { put(fetch_line, kLineBits * i, kLineBits, all.fetch_line(i)); });
}

void swai_array_senders(void* array, uint32_t* row_valid, uint32_t* column_valid, svBitVecVal* row_mask,
                        svBitVecVal* column_mask) {
  const Array& all = get(array);
  const Shape& shape = all.shape();
  *row_valid = all.set(kRowSendValid);
  *column_valid = shape.places_of(all.set(kColumnSendValid));
  clear(row_mask, shape.cpes() * 8);
  clear(column_mask, shape.cpes() * 8);
  for_each(*row_valid, [&](unsigned i) { put(row_mask, 8 * i, 8, all.out(i) >> kRowSendMask & 0xff); });
  for_each(*column_valid, [&](unsigned j) {
    put(column_mask, 8 * j, 8, all.out(shape.cpe_at(j)) >> kColumnSendMask & 0xff);
  });
}

void swai_array_receivers(void* array, uint32_t* row_ready, uint32_t* row_one, uint32_t* column_ready,
                          uint32_t* column_one, svBitVecVal* row_source, svBitVecVal* column_source) {
  const Array& all = get(array);
  const Shape& shape = all.shape();
  *row_ready = all.set(kRowReceiveReady);
  *row_one = all.set(kRowReceiveOne);
  *column_ready = shape.places_of(all.set(kColumnReceiveReady));
  *column_one = shape.places_of(all.set(kColumnReceiveOne));
  clear(row_source, shape.cpes() * 3);
  clear(column_source, shape.cpes() * 3);
  for_each(*row_ready, [&](unsigned i) { put(row_source, 3 * i, 3, all.out(i) >> kRowReceiveSource & 7); });
  for_each(*column_ready, [&](unsigned j) {
    put(column_source, 3 * j, 3, all.out(shape.cpe_at(j)) >> kColumnReceiveSource & 7);
  });
}

void swai_array_record(void* array, svBit /*now*/, uint32_t cpe, svBitVecVal* fault, uint32_t* pc) {
  swai_cpe_fault(get(array).cpe(cpe), fault);
  *pc = swai_cpe_pc(get(array).cpe(cpe));
}

void swai_array_mem(void* array, svBit /*now*/, uint32_t cpe, svBitVecVal* mem) {
  swai_cpe_mem(get(array).cpe(cpe), mem);
}

void swai_array_access_out(void* array, svBit /*now*/, uint32_t cpes, uint64_t* data) {
  *data = 0;
  for_each(cpes, [&](unsigned i) {
    uint64_t word = 0;
    swai_cpe_access_out(get(array).cpe(i), &word);
    *data |= word;
  });
}

void swai_array_row_words(void* array, svBit /*now*/, uint32_t cpes, svBitVecVal* words) {
  const Shape& shape = shape_of(array);
  clear(words, 256 * shape.rows());
  for_each(cpes,
           [&](unsigned i) { swai_cpe_row_out(get(array).cpe(i), words + shape.row(i) * kChannelWords); });
}

void swai_array_column_words(void* array, svBit /*now*/, uint32_t places, svBitVecVal* words) {
  const Shape& shape = shape_of(array);
  clear(words, 256 * shape.columns());
  for_each(shape.cpes_at(places), [&](unsigned i) {
    swai_cpe_column_out(get(array).cpe(i), words + shape.column(i) * kChannelWords);
  });
}

}  // extern "C"
