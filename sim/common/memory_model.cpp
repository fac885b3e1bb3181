// SPDX-License-Identifier: Apache-2.0
#include "sim/common/memory_model.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace swai::common {

namespace {

uint64_t load(const uint8_t* from, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

uint64_t sign_extend(uint64_t value, unsigned bytes) {
  return bytes == 4 ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value))) : value;
}

uint64_t atomic_result(MbusOp op, uint64_t old_value, uint64_t operand, unsigned bytes) {
  // Words compare correctly as 64-bit numbers when both are extended alike.
  const auto a = sign_extend(old_value, bytes);
  const auto b = sign_extend(operand, bytes);
  const bool less_signed = static_cast<int64_t>(a) < static_cast<int64_t>(b);
  switch (op) {
    case MbusOp::kSwap:
      return b;
    case MbusOp::kAdd:
      return a + b;
    case MbusOp::kXor:
      return a ^ b;
    case MbusOp::kAnd:
      return a & b;
    case MbusOp::kOr:
      return a | b;
    case MbusOp::kMin:
      return less_signed ? a : b;
    case MbusOp::kMax:
      return less_signed ? b : a;
    case MbusOp::kMinu:
      return std::min(a, b);
    case MbusOp::kMaxu:
      return std::max(a, b);
    default:
      throw std::logic_error("mbus: not an atomic operation");
  }
}

bool carries_data(MbusOp op) { return op != MbusOp::kRead && op != MbusOp::kLr; }

void write_strobed(uint8_t* to, const uint8_t* from, uint64_t strobes) {
  if (strobes == ~uint64_t{0}) {
    std::memcpy(to, from, kMbusLineBytes);
    return;
  }
  for (uint64_t left = strobes; left != 0; left &= left - 1) {
    const int byte = std::countr_zero(left);
    to[byte] = from[byte];
  }
}

}  // namespace

Ram::Ram(uint64_t base, uint64_t bytes) : base_(base), bytes_(bytes) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(fmt::format("cannot map {} bytes for the simulated memory", bytes));
  }
  memory_ = static_cast<uint8_t*>(memory);
}

Ram::~Ram() { munmap(memory_, bytes_); }

void Ram::clear() {
  if (madvise(memory_, bytes_, MADV_DONTNEED) != 0) std::memset(memory_, 0, bytes_);
}

uint64_t Clint::read(uint64_t offset) const {
  switch (offset & ~uint64_t{7}) {
    case 0x0000:
      return msip_ ? 1 : 0;
    case 0x4000:
      return mtimecmp_;
    case 0xbff8:
      return time_;
    default:
      return 0;
  }
}

void Clint::write(uint64_t offset, uint64_t data, uint8_t byte_enable) {
  uint64_t mask = 0;
  for (unsigned byte = 0; byte < 8; ++byte) {
    if ((byte_enable >> byte) & 1) mask |= uint64_t{0xff} << (8 * byte);
  }
  const auto merge = [&](uint64_t old) { return (old & ~mask) | (data & mask); };
  switch (offset & ~uint64_t{7}) {
    case 0x0000:
      msip_ = (merge(msip_ ? 1 : 0) & 1) != 0;
      break;
    case 0x4000:
      mtimecmp_ = merge(mtimecmp_);
      break;
    case 0xbff8:
      time_ = merge(time_);
      break;
    default:
      break;
  }
}

MemoryModel::MemoryModel(Options options)
    : options_(std::move(options)), ram_(options_.ram_base, options_.ram_bytes) {
  if (options_.latency == 0) throw std::invalid_argument("the latency of the memory model is at least 1");
  reset(options_.seed);
}

void MemoryModel::reset(std::optional<uint64_t> seed) {
  options_.seed = seed;
  timed_ = seed.has_value() || options_.latency != 1;
  random_.seed(seed.value_or(0));
  for (auto& queue : queues_) queue.clear();
  in_flight_ = 0;
  now_ = 0;
  phase_end_ = 0;
  request_stall_ = 0;
  response_stall_ = 0;
  longest_ = options_.latency;
  ready_ = true;
  reservation_.reset();
  refused_.reset();
  clint_ = Clint{};
}

void MemoryModel::choose_stalls() {
  static constexpr std::array<unsigned, 5> kChances = {0, 0, 32, 128, 230};
  static constexpr std::array<unsigned, 4> kLongest = {1, 3, 10, 40};
  request_stall_ = kChances[random_() % kChances.size()];
  response_stall_ = kChances[random_() % kChances.size()];
  longest_ = kLongest[random_() % kLongest.size()];
  phase_end_ = now_ + 50 + random_() % 1000;
}

// A master may neither withdraw nor change an offer that was not taken.
void MemoryModel::check_stable(const MbusRequest* request) {
  if (!refused_) return;
  const MbusRequest& was = *refused_;
  bool same = request != nullptr && request->op == was.op && request->id == was.id &&
              request->size == was.size && request->addr == was.addr;
  if (same && carries_data(was.op)) {
    same = request->strb == was.strb;
    const auto* data = static_cast<const uint8_t*>(request->data);
    for (unsigned byte = 0; same && byte < kMbusLineBytes; ++byte) {
      if ((was.strb >> byte) & 1) same = data[byte] == refused_data_[byte];
    }
  }
  if (!same) {
    throw std::runtime_error(fmt::format("mbus: the request for {:#x} was {} while it waited to be taken",
                                         was.addr, request == nullptr ? "withdrawn" : "changed"));
  }
}

const MbusResponse* MemoryModel::clock_timed(const MbusRequest* request) {
  ++now_;
  const bool random = options_.seed.has_value();
  if (random && now_ >= phase_end_) choose_stalls();
  check_stable(request);
  refused_.reset();
  if (request != nullptr && ready_) {
    auto& queue = queues_.at(request->id);
    const uint64_t delay = random ? random_() % longest_ : options_.latency - 1;
    queue.push_back({now_ + delay, {}});
    access(*request, queue.back().response);
    ++in_flight_;
  } else if (request != nullptr) {
    refused_ = *request;
    if (carries_data(request->op)) std::memcpy(refused_data_.data(), request->data, kMbusLineBytes);
  }
  ready_ = !random || !chance(request_stall_);
  if (in_flight_ == 0 || (random && chance(response_stall_))) return nullptr;

  // Without stalls the oldest due response goes first; with stalls any id whose head is due may pass the
  // others.
  std::deque<Pending>* chosen = nullptr;
  const unsigned start = random ? static_cast<unsigned>(random_() % kMbusIds) : 0;
  for (unsigned step = 0; step < kMbusIds; ++step) {
    auto& queue = queues_[(start + step) % kMbusIds];
    if (queue.empty() || queue.front().due > now_) continue;
    if (chosen == nullptr || (!random && queue.front().due < chosen->front().due)) chosen = &queue;
  }
  if (chosen == nullptr) return nullptr;
  slot_ = chosen->front().response;
  chosen->pop_front();
  --in_flight_;
  return &slot_;
}

void MemoryModel::access(const MbusRequest& request, MbusResponse& response) {
  if (request.id >= kMbusIds) throw std::runtime_error(fmt::format("mbus: id {} does not exist", request.id));
  if (request.op != MbusOp::kWrite) {
    const bool atomic = request.op != MbusOp::kRead;
    if (request.size > 6 || (atomic && request.size != 2 && request.size != 3) ||
        (request.addr & ((uint64_t{1} << request.size) - 1)) != 0) {
      throw std::runtime_error(fmt::format("mbus: operation {} of 2**{} bytes at {:#x} is not a legal block",
                                           static_cast<int>(request.op), request.size, request.addr));
    }
  }
  response.id = request.id;
  response.err = !access_ram(request, response) && !access_io(request, response);
}

bool MemoryModel::access_ram(const MbusRequest& request, MbusResponse& response) {
  const uint64_t line = request.addr & ~uint64_t{kMbusLineBytes - 1};
  if (!ram_.contains(line, kMbusLineBytes)) return false;
  uint8_t* memory = ram_.at(line);
  const unsigned offset = request.addr % kMbusLineBytes;
  if (request.op == MbusOp::kWrite) {
    write_strobed(memory, static_cast<const uint8_t*>(request.data), request.strb);
    return true;
  }
  const unsigned bytes = 1U << request.size;
  if (request.op == MbusOp::kSc) {
    const bool success = reservation_ == line;
    reservation_.reset();
    if (success) std::memcpy(memory + offset, static_cast<const uint8_t*>(request.data) + offset, bytes);
    std::memset(&response.data[offset], 0, bytes);
    response.data[offset] = success ? 0 : 1;
    return true;
  }
  std::memcpy(&response.data[offset], memory + offset, bytes);
  if (request.op == MbusOp::kRead) return true;
  if (request.op == MbusOp::kLr) {
    reservation_ = line;
    return true;
  }
  const uint64_t operand = load(static_cast<const uint8_t*>(request.data) + offset, bytes);
  const uint64_t result = atomic_result(request.op, load(memory + offset, bytes), operand, bytes);
  std::memcpy(memory + offset, &result, bytes);
  return true;
}

bool MemoryModel::access_io(const MbusRequest& request, MbusResponse& response) {
  const bool clint = request.addr - kClintBase < kClintBytes;
  const bool console = request.addr - kConsoleBase < kConsoleBytes;
  if (!clint && !console) return false;
  const unsigned offset = request.addr % kMbusLineBytes;
  if (request.op == MbusOp::kWrite) {
    const auto* data = static_cast<const uint8_t*>(request.data);
    const uint64_t line = request.addr - offset;
    for (unsigned lane = 0; lane < kMbusLineBytes; lane += 8) {
      const auto enable = static_cast<uint8_t>(request.strb >> lane);
      if (enable == 0) continue;
      if (clint) clint_.write(line + lane - kClintBase, load(data + lane, 8), enable);
      if (console && line + lane == kConsoleBase && (enable & 1) && options_.console)
        options_.console(data[lane]);
    }
    return true;
  }
  if (request.op != MbusOp::kRead || request.size > 3) return false;
  // Byte 5 is the line status of the usual UART: always ready to send, never anything received.
  const uint64_t console_value = (request.addr & ~uint64_t{7}) == kConsoleBase ? uint64_t{0x60} << 40 : 0;
  const uint64_t value = clint ? clint_.read(request.addr - kClintBase) : console_value;
  std::memcpy(&response.data[offset & ~7U], &value, 8);
  return true;
}

}  // namespace swai::common
