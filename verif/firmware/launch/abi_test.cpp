// Numbers that C++ and SystemVerilog both name are the same, and so is the card's description.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "abi/module.hpp"
#include "abi/segment.hpp"
#include "card_regs.hpp"
#include "cpe-kernels/include/swai/isa.hpp"

namespace swai {
namespace {

std::string read_text(const char* path) {
  std::ifstream in(path);
  REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All `localparam ... Name = ...'d3;` (also 'h) of a package.
std::map<std::string, uint64_t> constants(const char* path) {
  const std::string text = read_text(path);
  const std::regex pattern(R"(localparam[^=;]*?(\w+)\s*=\s*\d+'([dh])([0-9a-f]+);)");
  std::map<std::string, uint64_t> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found[(*at)[1]] = std::stoull((*at)[3], nullptr, (*at)[2] == "d" ? 10 : 16);
  }
  return found;
}

// Every constant of the package whose name starts with `prefix` is in the list, and the other way round.
void check_group(const std::map<std::string, uint64_t>& package, const std::string& prefix,
                 const std::map<std::string, uint64_t>& ours) {
  CAPTURE(prefix);
  std::map<std::string, uint64_t> theirs;
  for (const auto& [name, value] : package) {
    if (name.starts_with(prefix) && name != prefix) theirs[name.substr(prefix.size())] = value;
  }
  CHECK(theirs == ours);
}

TEST_CASE("units and operations of the CPE") {
  using namespace cpe::isa;
  const auto package = constants("rtl/cpe/cpe_pkg.sv");
  const auto unit = [](Unit number) { return static_cast<uint64_t>(number); };
  check_group(package, "Unit",
              {{"Control", unit(Unit::kControl)},
               {"Dma", unit(Unit::kDma)},
               {"Row", unit(Unit::kRow)},
               {"Column", unit(Unit::kColumn)},
               {"Systolic", unit(Unit::kSystolic)},
               {"Vector", unit(Unit::kVector)}});
  check_group(package, "Control",
              {{"Launch", kControlLaunch},
               {"Argument", kControlArgument},
               {"Done", kControlDone},
               {"Sync", kControlSync}});
  check_group(package, "Dma",
              {{"Global", kDmaGlobal},
               {"Shape", kDmaShape},
               {"Load", kDmaLoad},
               {"Store", kDmaStore},
               {"Wait", kDmaWait},
               {"Poll", kDmaPoll}});
  check_group(package, "Channel",
              {{"Send", kChannelSend},
               {"Receive", kChannelReceive},
               {"WaitSend", kChannelWaitSend},
               {"WaitReceive", kChannelWaitReceive}});
  check_group(package, "Systolic",
              {{"Activations", kSystolicActivations},
               {"Weights", kSystolicWeights},
               {"Columns", kSystolicColumns},
               {"Groups", kSystolicGroups},
               {"Output", kSystolicOutput},
               {"Factors", kSystolicFactors},
               {"Rows", kSystolicRows},
               {"Clamp", kSystolicClamp},
               {"Size", kSystolicSize},
               {"Run", kSystolicRun},
               {"Wait", kSystolicWait},
               {"Poll", kSystolicPoll}});
  const auto op = [](VectorOp number) { return static_cast<uint64_t>(number); };
  check_group(package, "Vector",
              {{"A", kVectorA},
               {"B", kVectorB},
               {"C", kVectorC},
               {"Result", kVectorResult},
               {"Reduce", kVectorReduce},
               {"Size", kVectorSize},
               {"Run", kVectorRun},
               {"Wait", kVectorWait},
               {"Poll", kVectorPoll},
               {"Fma", op(VectorOp::kFma)},
               {"Mul", op(VectorOp::kMul)},
               {"Add", op(VectorOp::kAdd)},
               {"Min", op(VectorOp::kMin)},
               {"Max", op(VectorOp::kMax)},
               {"Less", op(VectorOp::kLess)},
               {"Equal", op(VectorOp::kEqual)},
               {"Select", op(VectorOp::kSelect)}});
}

TEST_CASE("what the systolic and the vector unit are told") {
  using namespace cpe::isa;
  const auto package = constants("rtl/cpe/cpe_pkg.sv");
  const auto number = [](auto value) { return static_cast<uint64_t>(value); };
  check_group(package, "Weights",
              {{"Int8", number(Weights::kInt8)},
               {"Int4", number(Weights::kInt4)},
               {"Sparse", number(Weights::kSparse)}});
  check_group(package, "Number",
              {{"Fp32", number(Number::kFp32)},
               {"Int32", number(Number::kInt32)},
               {"Fp16", number(Number::kFp16)},
               {"Int8", number(Number::kInt8)}});
  check_group(package, "Operand",
              {{"Vector", number(OperandKind::kVector)},
               {"Scalar", number(OperandKind::kScalar)},
               {"Value", number(OperandKind::kValue)},
               {"None", number(OperandKind::kNone)}});
  check_group(package, "Special",
              {{"None", number(Special::kNone)},
               {"Exp2", number(Special::kExp2)},
               {"Log2", number(Special::kLog2)},
               {"Reciprocal", number(Special::kReciprocal)},
               {"Root", number(Special::kRoot)}});
  check_group(package, "Reduce",
              {{"None", number(Reduce::kNone)},
               {"Sum", number(Reduce::kSum)},
               {"Min", number(Reduce::kMin)},
               {"Max", number(Reduce::kMax)}});
}

TEST_CASE("address spaces") {
  const auto package = constants("rtl/cpe/cpe_pkg.sv");
  check_group(package, "Space",
              {{"Ldm", module::kLdmBase >> 28},
               {"Daemon", module::base(module::Space::kDaemon) >> 28},
               {"Kernel", module::base(module::Space::kKernel) >> 28},
               {"Window", launch::kDataWindow >> 28},
               {"Arguments", launch::kArgumentWindow >> 28}});
  CHECK(package.at("NoSegment") == segment::kNone);
}

TEST_CASE("causes and accesses, in the package and in the register description") {
  using launch::Access;
  using launch::Cause;
  namespace reg = regs::cg::fault_record0;
  const auto package = constants("rtl/cpe/cpe_pkg.sv");
  const auto cause = [](Cause number) { return static_cast<uint64_t>(number); };
  check_group(package, "Cause",
              {{"None", cause(Cause::kNone)},
               {"Illegal", cause(Cause::kIllegal)},
               {"Breakpoint", cause(Cause::kBreakpoint)},
               {"Misaligned", cause(Cause::kMisaligned)},
               {"Vacant", cause(Cause::kVacant)},
               {"Command", cause(Cause::kCommand)},
               {"NoSegment", cause(Cause::kNoSegment)},
               {"Limit", cause(Cause::kLimit)},
               {"Permission", cause(Cause::kPermission)},
               {"Owner", cause(Cause::kOwner)},
               {"Bus", cause(Cause::kBus)},
               {"Poison", cause(Cause::kPoison)},
               {"Watchdog", cause(Cause::kWatchdog)},
               {"Killed", cause(Cause::kKilled)}});
  CHECK(reg::kCauseCommand == cause(Cause::kCommand));
  CHECK(reg::kCausePoison == cause(Cause::kPoison));
  CHECK(reg::kCauseKilled == cause(Cause::kKilled));
  check_group(package, "Access",
              {{"None", static_cast<uint64_t>(Access::kNone)},
               {"Fetch", static_cast<uint64_t>(Access::kFetch)},
               {"Read", static_cast<uint64_t>(Access::kRead)},
               {"Write", static_cast<uint64_t>(Access::kWrite)}});
  for (unsigned number = 0; number < 32; ++number) {
    bool known = false;
    for (const auto& [name, value] : package) known = known || (name.starts_with("Cause") && value == number);
    CHECK((launch::text(static_cast<Cause>(number)) != std::string("unknown cause")) == known);
  }
}

TEST_CASE("an entry of the segment table has the fields of the packed structure") {
  const std::string text = read_text("rtl/cg/cg_pkg.sv");
  const size_t end = text.find("} segment_t;");
  REQUIRE(end != std::string::npos);
  const std::string body =
      text.substr(text.rfind("typedef struct packed", end), end - text.rfind("typedef struct packed", end));
  struct Field {
    std::string name;
    unsigned width;
  };
  std::vector<Field> fields;
  const std::regex pattern(R"(logic\s+(?:\[(\d+):0\])?\s*(\w+);)");
  unsigned total = 0;
  for (std::sregex_iterator at(body.begin(), body.end(), pattern), last; at != last; ++at) {
    fields.push_back({(*at)[2], (*at)[1].matched ? static_cast<unsigned>(std::stoul((*at)[1])) + 1 : 1});
    total += fields.back().width;
  }
  REQUIRE(total == 64);
  // The first member is the highest.
  const auto get = [&](uint64_t word, const std::string& name) {
    unsigned lsb = 64;
    for (const Field& field : fields) {
      lsb -= field.width;
      if (field.name == name) return word >> lsb & ((uint64_t{1} << field.width) - 1);
    }
    FAIL(name);
    return uint64_t{0};
  };
  const uint64_t word = segment::encode({0xab'cdef'1000, 0x3'4567'8000, segment::kWrite, 0x9a});
  CHECK(get(word, "base") == 0xabc'def1);
  CHECK(get(word, "size") == 0x34'5678);
  CHECK(get(word, "read") == 0);
  CHECK(get(word, "write") == 1);
  CHECK(get(word, "execute") == 0);
  CHECK(get(word, "valid") == 1);
  CHECK(get(word, "owner") == 0x9a);
  CHECK(get(segment::encode({0, 0, segment::kRead, 0}), "read") == 1);
  CHECK(get(segment::encode({0, 0, segment::kExecute, 0}), "execute") == 1);
}

TEST_CASE("done words") {
  const launch::Done done = {0x1234'5678, true, false, 0x3fff'ffff};
  const uint64_t word = launch::encode_done(done);
  CHECK(word == 0xffff'fffd'1234'5678);
  const launch::Done back = launch::decode_done(word);
  CHECK(back.sequence == done.sequence);
  CHECK(back.failed);
  CHECK_FALSE(back.watchdog);
  CHECK(back.cycles == 0x3fff'ffff);
}

TEST_CASE("global pointers stay in their segment") {
  using cpe::GlobalPtr;
  constexpr GlobalPtr<uint32_t> at(uint16_t{7}, 0x100);
  static_assert(at.bits() == 0x0007'0000'0000'0100);
  static_assert((at + 2).offset() == 0x108);
  static_assert((at - 1).offset() == 0xfc);
  static_assert((at - 0x41).segment() == 7);
  static_assert((at - 0x41).offset() == 0xffff'ffff'fffc);
  static_assert(GlobalPtr<const void>(at).bits() == at.bits());
  static_assert(!GlobalPtr<int>() && !GlobalPtr<int>(nullptr) && at);
  CHECK((at + 0x4000'0000'0000).segment() == 7);
}

}  // namespace
}  // namespace swai
