// SPDX-License-Identifier: Apache-2.0
#include "sim/common/gdb_stub_mpe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace swai::common {

namespace {

constexpr unsigned kPc = 32;
constexpr unsigned kFirstCsr = 65;
constexpr unsigned kPrivilege = kFirstCsr + 4096;

constexpr unsigned kMstatus = 0x300;
constexpr uint64_t kMprv = uint64_t{1} << 17;
// In dcsr.
constexpr uint64_t kModeMask = 3;
constexpr uint64_t kSupervisorMode = 1;
constexpr uint64_t kMachineMode = 3;
constexpr unsigned kDcsr = 0x7b0;
constexpr unsigned kDpc = 0x7b1;
constexpr unsigned kDscratch0 = 0x7b2;

// Longer than any access may take, short enough for a person to wait for.
constexpr unsigned kPatience = 100'000;

// The registers that memory accesses borrow.
constexpr unsigned kAddressRegister = 8;
constexpr unsigned kDataRegister = 9;

constexpr uint32_t kFenceI = 0x0000'100f;
constexpr uint32_t csrr(unsigned rd, unsigned csr) { return csr << 20 | 2U << 12 | rd << 7 | 0x73; }
constexpr uint32_t csrw(unsigned csr, unsigned rs) { return csr << 20 | rs << 15 | 1U << 12 | 0x73; }
// Zero-extending except for eight bytes, where nothing is left to extend.
constexpr uint32_t load(unsigned log2_bytes) {
  const unsigned funct3 = log2_bytes == 3 ? 3 : 4 + log2_bytes;
  return kAddressRegister << 15 | funct3 << 12 | kDataRegister << 7 | 0x03;
}
constexpr uint32_t store(unsigned log2_bytes) {
  return kDataRegister << 20 | kAddressRegister << 15 | log2_bytes << 12 | 0x23;
}

constexpr std::array<const char*, 32> kGprNames = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

struct CsrName {
  unsigned number;
  const char* name;
};

constexpr CsrName kCsrs[] = {
    {0x100, "sstatus"},    {0x104, "sie"},        {0x105, "stvec"},   {0x106, "scounteren"},
    {0x10a, "senvcfg"},    {0x140, "sscratch"},   {0x141, "sepc"},    {0x142, "scause"},
    {0x143, "stval"},      {0x144, "sip"},        {0x180, "satp"},    {0x300, "mstatus"},
    {0x301, "misa"},       {0x302, "medeleg"},    {0x303, "mideleg"}, {0x304, "mie"},
    {0x305, "mtvec"},      {0x306, "mcounteren"}, {0x30a, "menvcfg"}, {0x320, "mcountinhibit"},
    {0x340, "mscratch"},   {0x341, "mepc"},       {0x342, "mcause"},  {0x343, "mtval"},
    {0x344, "mip"},        {kDcsr, "dcsr"},       {kDpc, "dpc"},      {0xb00, "mcycle"},
    {0xb02, "minstret"},   {0xc00, "cycle"},      {0xc01, "time"},    {0xc02, "instret"},
    {0xf11, "mvendorid"},  {0xf12, "marchid"},    {0xf13, "mimpid"},  {0xf14, "mhartid"},
    {0xf15, "mconfigptr"},
};

struct CsrGroup {
  unsigned first_number;
  const char* prefix;
};
constexpr CsrGroup kEventCounters[] = {{0x323, "mhpmevent"}, {0xb03, "mhpmcounter"}, {0xc03, "hpmcounter"}};
constexpr unsigned kFirstEventCounter = 3;
constexpr unsigned kLastEventCounter = 10;

// The largest naturally aligned piece at addr within length: device registers see an access of their own
// size.
unsigned piece_log2(uint64_t addr, size_t length) {
  const auto by_length = static_cast<unsigned>(std::bit_width(std::min<size_t>(length, 8))) - 1;
  return std::min(by_length, static_cast<unsigned>(std::countr_zero(addr | 8)));
}

}  // namespace

// Two registers of the program, given back with their values at the end.
class MpeGdbTarget::Borrowed {
 public:
  explicit Borrowed(MpeGdbTarget& target)
      : target_(target), address_(target.read_gpr(kAddressRegister)), data_(target.read_gpr(kDataRegister)) {}
  ~Borrowed() {
    target_.write_gpr(kAddressRegister, address_);
    target_.write_gpr(kDataRegister, data_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

 private:
  MpeGdbTarget& target_;
  uint64_t address_;
  uint64_t data_;
};

// Another privilege, and without MPRV, for as long as it lives.
class MpeGdbTarget::Privilege {
 public:
  Privilege(MpeGdbTarget& target, uint64_t mode)
      : target_(target), dcsr_(target.read_csr(kDcsr)), mstatus_(target.read_csr(kMstatus)) {
    target_.write_csr(kDcsr, (*dcsr_ & ~kModeMask) | mode);
    target_.write_csr(kMstatus, *mstatus_ & ~kMprv);
  }
  ~Privilege() {
    target_.write_csr(kMstatus, *mstatus_);
    target_.write_csr(kDcsr, *dcsr_);
  }
  Privilege(const Privilege&) = delete;
  Privilege& operator=(const Privilege&) = delete;

 private:
  MpeGdbTarget& target_;
  std::optional<uint64_t> dcsr_;
  std::optional<uint64_t> mstatus_;
};

MpeGdbTarget::MpeGdbTarget(DebugPort& port, Monitor monitor) : port_(port), monitor_(std::move(monitor)) {
  port_.drive(request_);
}

// One cycle with the pulses set, and time for them to arrive and for the answer to come back.
void MpeGdbTarget::pulse() {
  port_.drive(request_);
  port_.tick();
  request_.resume = false;
  request_.insn_valid = false;
  request_.data_we = false;
  port_.drive(request_);
  port_.tick();
  port_.tick();
}

bool MpeGdbTarget::run_until_halted() {
  for (unsigned waited = 0; !halted(); ++waited) {
    if (waited == kPatience) return false;
    port_.tick();
  }
  return true;
}

bool MpeGdbTarget::execute(uint32_t insn) {
  request_.insn_valid = true;
  request_.insn = insn;
  pulse();
  for (unsigned waited = 0; port_.sample().busy; ++waited) {
    if (waited == kPatience) return false;
    port_.tick();
  }
  return !port_.sample().fault;
}

uint64_t MpeGdbTarget::read_gpr(unsigned number) {
  execute(csrw(kDscratch0, number));
  return port_.sample().data;
}

void MpeGdbTarget::write_gpr(unsigned number, uint64_t value) {
  request_.data_we = true;
  request_.data = value;
  pulse();
  execute(csrr(number, kDscratch0));
}

std::optional<uint64_t> MpeGdbTarget::read_csr(unsigned number) {
  const Borrowed borrowed(*this);
  if (!execute(csrr(kDataRegister, number))) return std::nullopt;
  return read_gpr(kDataRegister);
}

bool MpeGdbTarget::write_csr(unsigned number, uint64_t value) {
  const Borrowed borrowed(*this);
  write_gpr(kDataRegister, value);
  return execute(csrw(number, kDataRegister));
}

std::optional<uint64_t> MpeGdbTarget::read_register(unsigned number) {
  if (number == 0) return 0;
  if (number < kPc) return read_gpr(number);
  if (number == kPc) return read_csr(kDpc);
  if (number >= kFirstCsr && number < kPrivilege) return read_csr(number - kFirstCsr);
  if (number == kPrivilege) {
    if (const auto dcsr = read_csr(kDcsr)) return *dcsr & kMachineMode;
  }
  return std::nullopt;
}

bool MpeGdbTarget::write_register(unsigned number, uint64_t value) {
  if (number == 0) return true;
  if (number < kPc) {
    write_gpr(number, value);
    return true;
  }
  if (number == kPc) return write_csr(kDpc, value);
  if (number >= kFirstCsr && number < kPrivilege) return write_csr(number - kFirstCsr, value);
  if (number == kPrivilege) {
    const auto dcsr = read_csr(kDcsr);
    return dcsr && write_csr(kDcsr, (*dcsr & ~kModeMask) | (value & kModeMask));
  }
  return false;
}

size_t MpeGdbTarget::read_memory(uint64_t addr, std::span<uint8_t> to) {
  const Borrowed borrowed(*this);
  size_t done = 0;
  while (done < to.size()) {
    const unsigned log2_bytes = piece_log2(addr + done, to.size() - done);
    write_gpr(kAddressRegister, addr + done);
    if (!execute(load(log2_bytes))) break;
    const uint64_t value = read_gpr(kDataRegister);
    for (unsigned byte = 0; byte < (1U << log2_bytes); ++byte)
      to[done++] = static_cast<uint8_t>(value >> (8 * byte));
  }
  return done;
}

bool MpeGdbTarget::write_memory(uint64_t addr, std::span<const uint8_t> from) {
  const Borrowed borrowed(*this);
  size_t done = 0;
  while (done < from.size()) {
    const unsigned log2_bytes = piece_log2(addr + done, from.size() - done);
    uint64_t value = 0;
    for (unsigned byte = 0; byte < (1U << log2_bytes); ++byte)
      value |= uint64_t{from[done + byte]} << (8 * byte);
    write_gpr(kAddressRegister, addr + done);
    write_gpr(kDataRegister, value);
    if (!execute(store(log2_bytes))) return false;
    done += size_t{1} << log2_bytes;
  }
  return true;
}

bool MpeGdbTarget::read_physical(uint64_t paddr, std::span<uint8_t> to) {
  const Privilege machine(*this, kMachineMode);
  return read_memory(paddr, to) == to.size();
}

bool MpeGdbTarget::write_physical(uint64_t paddr, std::span<const uint8_t> from) {
  const Privilege machine(*this, kMachineMode);
  return write_memory(paddr, from);
}

size_t MpeGdbTarget::read_as_supervisor(uint64_t addr, std::span<uint8_t> to) {
  const Privilege supervisor(*this, kSupervisorMode);
  return read_memory(addr, to);
}

void MpeGdbTarget::attach(bool attached) {
  request_.ebreak_halts = attached;
  if (!attached) request_.bp_en = 0;
  port_.drive(request_);
}

GdbTarget::StopReason MpeGdbTarget::stop_reason() const {
  switch (port_.sample().cause) {
    case 1:
      return StopReason::kEbreak;
    case 2:
      return StopReason::kHardwareBreakpoint;
    case 3:
      return StopReason::kHaltRequest;
    case 4:
      return StopReason::kStep;
    default:
      return StopReason::kNone;
  }
}

void MpeGdbTarget::request_halt() {
  request_.halt = true;
  port_.drive(request_);
}

void MpeGdbTarget::start(bool step) {
  request_.halt = false;
  request_.step = step;
  request_.resume = true;
  pulse();
}

void MpeGdbTarget::resume() { start(false); }

void MpeGdbTarget::step() { start(true); }

bool MpeGdbTarget::set_hardware_breakpoint(uint64_t addr) {
  const auto free = static_cast<unsigned>(std::countr_one(request_.bp_en));
  if (free >= kHardwareBreakpoints) return false;
  request_.bp_addr[free] = addr;
  request_.bp_en = static_cast<uint8_t>(request_.bp_en | 1U << free);
  port_.drive(request_);
  return true;
}

bool MpeGdbTarget::clear_hardware_breakpoint(uint64_t addr) {
  for (unsigned i = 0; i < kHardwareBreakpoints; ++i) {
    if (!((request_.bp_en >> i) & 1) || request_.bp_addr[i] != addr) continue;
    request_.bp_en = static_cast<uint8_t>(request_.bp_en & ~(1U << i));
    port_.drive(request_);
    return true;
  }
  return false;
}

void MpeGdbTarget::sync_code() { execute(kFenceI); }

std::optional<std::string> MpeGdbTarget::monitor(std::string_view command) {
  return monitor_ ? monitor_(command) : std::nullopt;
}

std::string MpeGdbTarget::description() const {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>riscv:rv64</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  const auto add = [&xml](std::string_view name, unsigned number, std::string_view type) {
    xml += fmt::format("<reg name=\"{}\" bitsize=\"64\" type=\"{}\" regnum=\"{}\"/>\n", name, type, number);
  };
  for (unsigned n = 0; n < kGprNames.size(); ++n) {
    const bool pointer = n >= 2 && n <= 4;
    add(kGprNames[n], n, n == 1 ? "code_ptr" : pointer ? "data_ptr" : "int");
  }
  add("pc", kPc, "code_ptr");
  xml += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (const auto& csr : kCsrs) add(csr.name, kFirstCsr + csr.number, "int");
  for (const auto& group : kEventCounters) {
    for (unsigned n = kFirstEventCounter; n <= kLastEventCounter; ++n) {
      add(fmt::format("{}{}", group.prefix, n), kFirstCsr + group.first_number + n - kFirstEventCounter,
          "int");
    }
  }
  xml += "</feature>\n<feature name=\"org.gnu.gdb.riscv.virtual\">\n";
  add("priv", kPrivilege, "int");
  return xml + "</feature>\n</target>\n";
}

}  // namespace swai::common
