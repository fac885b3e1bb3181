// SPDX-License-Identifier: Apache-2.0
#include "sim/group/group_sim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "sim/common/field.hpp"
#include "svdpi.h"

#ifdef COVERAGE
#include <verilated_cov.h>
#endif

namespace swai::cg {
namespace {

namespace inbox = regs::inbox;
constexpr uint64_t kPatience = 1'000'000;  // cycles in which the group must answer
constexpr size_t kReqWords = (kReqBits + 31) / 32;
constexpr size_t kPartWords = 2560 / 32;  // of array_trace.sv

Status status(iss::cpe::MemoryStatus status) {
  switch (status) {
    case iss::cpe::MemoryStatus::kOk:
      return Status::kOk;
    case iss::cpe::MemoryStatus::kPoison:
      return Status::kPoison;
    default:
      return Status::kNobody;
  }
}

Request load_request(const Field& field) {
  Request request;
  field.get_bytes(request.data);
  request.strb = field.get(512, 64);
  request.size = static_cast<uint8_t>(field.get(576, 3));
  request.addr = field.get(579, 40);
  request.tag = static_cast<uint8_t>(field.get(619, 8));
  request.source = static_cast<uint8_t>(field.get(627, 3));
  request.op = static_cast<MbusOp>(field.get(630, 4));
  return request;
}

void store_response(Field field, const Response& response) {
  field.set_bytes(response.data);
  field.set(512, 2, static_cast<uint64_t>(response.status));
  field.set(514, 8, response.tag);
  field.set(522, 3, response.dest);
}

}  // namespace

GroupSim::GroupSim(const Options& options)
    : options_(options), cells_(1), random_(options.seed ^ 0x6706'5109), take_(random_), give_(random_) {
  current_ = this;
  cells_.make_current();
  context_.randReset(options_.seed == 0 || !options_.random_start ? 0 : 2);
  context_.randSeed(static_cast<int>(options_.seed % 0x7fffffff) + 1);
  context_.fatalOnError(true);
  if (const char* path = std::getenv("SWAI_WAVE"); path != nullptr && options_.wave.empty())
    options_.wave = path;
#ifdef WAVE
  context_.traceEverOn(true);
#else
  if (!options_.wave.empty()) throw std::runtime_error("this build writes no waves; those in build/wave do");
#endif
  top_ = std::make_unique<Vgroup_top>(&context_, "top");
  if (!options_.stalls) {
    take_.never();
    give_.never();
  }
  top_->req_valid_i = 0;
  top_->rsp_ready_i = 1;
  top_->out_ready_i = 0;
  top_->in_valid_i = 0;
  // What a wire held at power-on may look like an edge of a clock to whoever hangs on it, in simulators that
  // keep a copy of it for every module: until the reset is over nobody's assertions count.
  context_.assertOn(false);
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->eval();
  for (int i = 0; i < 4; ++i) {
    eval(1);
    eval(0);
  }
  context_.assertOn(true);
  top_->rst_ni = 1;
  eval(1);
  ++cycle_;
}

GroupSim::~GroupSim() {
  top_->final();
#ifdef WAVE
  if (file_) file_->close();
#endif
#ifdef COVERAGE
  if (const char* path = std::getenv("SWAI_COVERAGE")) context_.coveragep()->write(path);
#endif
  if (current_ == this) current_ = nullptr;
}

void GroupSim::eval(uint8_t clock) {
  top_->clk_i = clock;
  top_->eval();
#ifdef WAVE
  dump();
#endif
  context_.timeInc(1);
}

// Two steps of the waveform's time are a clock.
void GroupSim::dump() {
#ifdef WAVE
  if (options_.wave.empty() || cycle_ < options_.wave_from || cycle_ > options_.wave_to) {
    file_.reset();
    return;
  }
  if (!file_) {
    const auto folder = std::filesystem::path(options_.wave).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder);
    file_ = std::make_unique<VerilatedFstC>();
    top_->trace(file_.get(), 99);
    file_->open(options_.wave.c_str());
    if (!file_->isOpen()) throw std::runtime_error("cannot write waves to " + options_.wave);
  }
  file_->dump(2 * cycle_ + (top_->clk_i != 0 ? 1 : 0));
#endif
}

// The clock is high here, between two cycles: what hangs on inputs settles before the falling edge.
void GroupSim::step() {
  drive();
  if (moved_) top_->eval();
  moved_ = false;
  eval(0);
  sample();
  eval(1);
  ++cycle_;
  if (on_cycle) on_cycle();
}

void GroupSim::drive() {
  const bool take = take_.go();
  if (take != (top_->out_ready_i != 0)) {
    top_->out_ready_i = take ? 1 : 0;
    moved_ = true;
  }
  if (std::exchange(taken_, false)) {
    top_->req_valid_i = 0;
    moved_ = true;
  }
  if (asked_ && top_->req_valid_i == 0) {
    Field whole(top_->req_i, 0, kReqBits);
    cg::store(whole, *asked_);
    top_->req_valid_i = 1;
    moved_ = true;
  }
  if (top_->in_valid_i != 0) {
    top_->in_valid_i = 0;
    moved_ = true;
  }
  if (!answers_.empty() && give_.go()) {
    // In any order, when they may take as long as they like.
    const size_t which = options_.stalls ? random_.below(answers_.size()) : 0;
    if (answers_[which].due <= cycle_) {
      store_response(Field(top_->in_i, 0, kRspBits), answers_[which].response);
      answers_.erase(answers_.begin() + static_cast<ptrdiff_t>(which));
      top_->in_valid_i = 1;
      moved_ = true;
    }
  }
}

// Without what means nothing, and need not be the same in two builds.
void GroupSim::watch_ports() {
  std::array<uint32_t, 1 + kReqWords + 1> words{};
  words[0] = top_->out_valid_o | top_->rsp_valid_o << 1 | top_->req_ready_o << 2 | top_->fault_o << 3 |
             top_->cpe_fault_o << 4 | top_->busy_o << 5;
  if (top_->out_valid_o != 0) {
    Request request = load_request(Field(top_->out_o, 0, kReqBits));
    if (request.op == MbusOp::kRead) request.strb = 0;
    for (unsigned byte = 0; byte < request.data.size(); ++byte) {
      if ((request.strb >> byte & 1) == 0) request.data[byte] = 0;
    }
    Field whole(words, 32, kReqBits);
    cg::store(whole, request);
  }
  if (top_->rsp_valid_o != 0) {
    Response response;
    load(Field(top_->rsp_o, 0, kRspBits), response);
    words.back() = static_cast<uint32_t>(response.status) << 16 | response.tag << 8 | response.dest;
  }
  said(Part::kPorts, words);
}

void GroupSim::sample() {
  if (watched()) watch_ports();
  if (top_->out_valid_o != 0 && top_->out_ready_i != 0) serve(load_request(Field(top_->out_o, 0, kReqBits)));
  if (top_->rsp_valid_o != 0) {
    Response response;
    load(Field(top_->rsp_o, 0, kRspBits), response);
    if (answered_) throw std::runtime_error("the group has answered twice");
    answered_ = response;
  }
  if (asked_ && top_->req_valid_i != 0 && top_->req_ready_o != 0) {
    asked_.reset();
    taken_ = true;
  }
}

// What is beyond the initiator port. It takes effect at once; the answer comes later.
void GroupSim::serve(const Request& request) {
  const uint64_t line = request.addr & ~uint64_t{63};
  Response response{.tag = request.tag};
  if (line == (inbox::kBase & ~uint64_t{63}) && request.op == MbusOp::kWrite) {
    for (unsigned word = 0; word < 8; ++word) {
      if ((request.strb >> (8 * word) & 0xff) == 0) continue;
      uint64_t value = 0;
      std::memcpy(&value, &request.data[8 * word], sizeof value);
      const uint64_t address = line + 8 * word;
      if (address == inbox::work::kAddr) {
        work_ |= value;
      } else if (address >= inbox::done0::kAddr && address <= inbox::done3::kAddr) {
        done_[(address - inbox::done0::kAddr) / 8] = value;
      } else {
        response.status = Status::kDenied;
      }
    }
  } else if (request.op == MbusOp::kRead) {
    ++far_requests_;
    const uint64_t bytes = uint64_t{1} << request.size;
    if (bytes > 64 || request.addr % bytes != 0) throw std::runtime_error("the group reads no natural block");
    auto& memory = request.addr < kHbmBase ? sram_ : far_;
    const auto at = std::span(response.data).subspan(request.addr % 64, bytes);
    response.status = status(memory.read(request.addr, at));
  } else if (request.op == MbusOp::kWrite) {
    ++far_requests_;
    auto& memory = line < kHbmBase ? sram_ : far_;
    for (unsigned byte = 0; byte < 64; ++byte) {
      if ((request.strb >> byte & 1) == 0) continue;
      response.status =
          std::max(response.status, status(memory.write(line + byte, {&request.data[byte], 1})));
    }
  } else {
    throw std::runtime_error("the group asks for an atomic");
  }
  answers_.push_back({cycle_ + (options_.stalls ? random_.below(80) : kAnswerCycles), response});
}

Response GroupSim::ask(const Request& request) {
  asked_ = request;
  answered_.reset();
  for (uint64_t waited = 0; !answered_; ++waited) {
    if (waited > kPatience) throw std::runtime_error(fmt::format("no answer to {:#x}", request.addr));
    step();
  }
  if (answered_->tag != request.tag) throw std::runtime_error("an answer to somebody else");
  return *answered_;
}

std::optional<uint64_t> GroupSim::try_read(uint64_t address) {
  if (address == inbox::work::kAddr || (address >= inbox::done0::kAddr && address <= inbox::done3::kAddr)) {
    const uint64_t value = address == inbox::work::kAddr ? work_ : done_[(address - inbox::done0::kAddr) / 8];
    step();
    return value;
  }
  Request request{.op = MbusOp::kRead, .size = 3};
  request.addr = address;
  const Response response = ask(request);
  if (response.status != Status::kOk) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, &response.data[address % 64], sizeof value);
  if (watched()) said(Part::kPorts, {{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}});
  return value;
}

bool GroupSim::try_write(uint64_t address, uint64_t value) {
  Request request{.op = MbusOp::kWrite};
  request.addr = address;
  request.strb = uint64_t{0xff} << address % 64;
  std::memcpy(&request.data[address % 64], &value, sizeof value);
  return ask(request).status == Status::kOk;
}

uint64_t GroupSim::read(uint64_t address) {
  const auto value = try_read(address);
  if (!value) throw std::runtime_error(fmt::format("reading {:#x} was refused", address));
  return *value;
}

void GroupSim::write(uint64_t address, uint64_t value) {
  if (!try_write(address, value)) throw std::runtime_error(fmt::format("writing {:#x} was refused", address));
}

// A write counts as done for everybody else before it has reached the cells.
void GroupSim::drain() {
  for (uint64_t waited = 0; busy(); ++waited) {
    if (waited > kPatience) throw std::runtime_error("memory is looked at while the group works");
    step();
  }
}

void GroupSim::peek(uint64_t address, std::span<uint8_t> bytes) {
  if (address >= kFarBase) return far_.peek(address, bytes);
  if (address < kHbmBase) return sram_.peek(address, bytes);
  drain();
  cells_.read(0, address - kHbmBase, bytes);
}

void GroupSim::poke(uint64_t address, std::span<const uint8_t> bytes) {
  if (address >= kFarBase) return far_.poke(address, bytes);
  if (address < kHbmBase) return sram_.poke(address, bytes);
  drain();
  cells_.write(0, address - kHbmBase, bytes);
}

void GroupSim::store(uint64_t address, uint64_t value) {
  poke(address, {reinterpret_cast<const uint8_t*>(&value), sizeof value});
}

}  // namespace swai::cg

extern "C" svBit group_sim_watched() {
  const auto* sim = swai::cg::GroupSim::current();
  return sim != nullptr && sim->watched() ? 1 : 0;
}

extern "C" void group_sim_said(unsigned part, const svBitVecVal* value) {
  using swai::cg::GroupSim;
  GroupSim::current()->said(static_cast<GroupSim::Part>(part), {value, swai::cg::kPartWords});
}

extern "C" void group_sim_retired(unsigned id, svBit trap, unsigned insn, unsigned pc, unsigned next_pc,
                                  unsigned rd, unsigned rd_wdata, unsigned mem_addr, unsigned masks,
                                  unsigned mem_rdata, unsigned mem_wdata) {
  using swai::cg::GroupSim;
  GroupSim* sim = GroupSim::current();
  if (sim == nullptr || !sim->observed()) return;
  sim->retired(id, trap != 0,
               {.pc = pc,
                .next_pc = next_pc,
                .insn = insn,
                .rd = static_cast<uint8_t>(rd),
                .rd_wdata = rd_wdata,
                .mem_addr = mem_addr,
                .mem_rmask = static_cast<uint8_t>(masks & 15),
                .mem_wmask = static_cast<uint8_t>(masks >> 4),
                .mem_rdata = mem_rdata,
                .mem_wdata = mem_wdata});
}
