// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/iss/random/builder.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr unsigned kCompressPercent = 60;
constexpr uint64_t kTrapCost = 100;        // instructions in a handler, at most
constexpr uint64_t kFinishCost = 500'000;  // the digests
constexpr unsigned kMaxDepth = 3;
constexpr uint64_t kDepthLimit[] = {0, 400, 120, 40};  // executions of nested code, by depth

void put64(std::span<uint8_t> image, uint64_t offset, uint64_t value) {
  std::memcpy(image.data() + offset, &value, sizeof value);
}

// Takes away what does not go together.
Options consistent(Options options) {
  if (options.length > kMaxLength) options.length = kMaxLength;
  if (options.qemu) options.kinds &= ~uint32_t{kCache | kCounter | kTimer | kUncached};
  if ((options.kinds & kMode) == 0) options.kinds &= ~uint32_t{kPaging | kUncached};
  return options;
}

}  // namespace

Builder::Builder(uint64_t seed, const Options& options)
    : options_(consistent(options)),
      seed_(seed),
      rng_(seed),
      runtime_(rng_, kBase + kRuntimeOffset, kCompressPercent),
      as_(rng_, kBase + kCodeOffset, kCompressPercent),
      tables_(rng_, options.qemu, has(kUncached)) {
  for (const Insn& insn : insn_table()) {
    if (options_.qemu && insn.name == "ctzw") continue;  // QEMU 7.2 gets it wrong for zero
    if (insn.group == Group::kAlu || insn.group == Group::kBitmanip) alu_insns_.push_back(&insn);
  }
}

Builder::Reg Builder::free_register() {
  const auto count = static_cast<unsigned>(std::popcount(free_));
  if (count == 0) throw std::logic_error("random program: out of registers");
  unsigned skip = static_cast<unsigned>(rng_.below(count));
  for (Reg reg = 1;; ++reg) {
    if (is_free(reg) && skip-- == 0) return reg;
  }
}

Builder::Reg Builder::any_source() {
  const uint64_t choice = rng_.below(100);
  if (choice < 35) return last_dest_;
  if (choice < 40) return 0;
  return static_cast<Reg>(rng_.below(32));
}

Builder::Reg Builder::any_dest() {
  if (rng_.chance(3)) return 0;
  last_dest_ = free_register();
  return last_dest_;
}

// One of x8 to x15.
Builder::Reg Builder::short_register(bool must_be_free) {
  for (unsigned tries = 0; tries < 20; ++tries) {
    const auto reg = static_cast<Reg>(rng_.between(8, 15));
    if (!must_be_free || is_free(reg)) return reg;
  }
  return free_register();
}

bool Builder::can_use(Attribute attribute) const {
  return attribute == Attribute::kCached || (has(kUncached) && pbmte_ && mode_.translated);
}

// The virtual address of an image that the present mode may access.
uint64_t Builder::data_window(Attribute attribute) {
  if (!mode_.translated) return kBase;
  for (;;) {
    const Window window = rng_.pick(kMappedWindows);
    if (window.attribute == attribute && window.privilege == mode_.privilege) return window.base;
  }
}

void Builder::move_pointer(Pointer& pointer) {
  const uint64_t choice = rng_.below(100);
  pointer.attribute = choice < 80   ? Attribute::kCached
                      : choice < 92 ? Attribute::kUncached
                                    : Attribute::kDevice;
  if (!can_use(pointer.attribute)) pointer.attribute = Attribute::kCached;
  const uint64_t window = data_window(pointer.attribute);
  uint64_t begin = kPlayOffset;
  uint64_t bytes = kPlayBytes;
  if (pointer.attribute == Attribute::kUncached) begin = kUncachedOffset, bytes = kUncachedBytes;
  if (pointer.attribute == Attribute::kDevice) begin = kDeviceOffset, bytes = kDeviceBytes;
  uint64_t offset = rng_.below(bytes - 16);
  switch (rng_.below(4)) {
    case 0:  // the neighbourhood of a page's or a line's end
      offset = offset / kLine * kLine + kLine - rng_.below(16);
      break;
    case 1:
      offset = offset / kPage * kPage + (rng_.chance(50) ? kPage - 8 : 0);
      break;
    default:
      offset = offset / 16 * 16;
      break;
  }
  if (offset > bytes - 16) offset = bytes - 16;
  pointer.low = window + begin;
  pointer.high = window + begin + bytes;
  pointer.value = pointer.low + offset;
  load_value(pointer.reg, pointer.value);
}

void Builder::move_pointers() {
  as_.li(constants_, data_window(Attribute::kCached) + kPoolOffset);
  for (Pointer& pointer : pointers_) move_pointer(pointer);
}

Builder::Pointer& Builder::any_pointer() { return pointers_[rng_.below(pointers_.size())]; }

// A conditional branch back, perhaps too far for one.
void Builder::far_branch(uint32_t word, Label back) {
  if (as_.pc() - as_.address(back) < 4000) {
    as_.branch(word, back);
    return;
  }
  const Label out = as_.label();
  as_.branch(word ^ 0x1000, out);
  as_.jump(back);
  as_.bind(out);
}

// In a loop that runs often: traps there would dominate the program.
bool Builder::hot() const { return as_.multiplier() > 10; }

void Builder::run_item(std::span<const Item> items) {
  std::vector<unsigned> weights;
  weights.reserve(items.size());
  for (const Item& item : items) weights.push_back(item.weight);
  (this->*items[rng_.weighted(weights)].make)();
}

// A few instructions that neither trap nor jump, as a rule.
void Builder::simple_item() {
  static constexpr std::array<Item, 10> kItems = {{{&Builder::item_alu, 50},
                                                   {&Builder::item_value, 6},
                                                   {&Builder::item_load_store, 30},
                                                   {&Builder::item_indexed, 4},
                                                   {&Builder::item_overlap, 4},
                                                   {&Builder::item_pair, 3},
                                                   {&Builder::item_chain, 4},
                                                   {&Builder::item_muldiv, 4},
                                                   {&Builder::item_constant_load, 5},
                                                   {&Builder::item_hint, 2}}};
  run_item(kItems);
}

void Builder::nested_item() {
  static constexpr std::array<Item, 8> kAtomics = {
      {{&Builder::item_amo, 5}, {&Builder::item_lr_sc, 3}, {&Builder::item_fence, 1}}};
  static constexpr std::array<Item, 8> kControls = {{{&Builder::item_branch, 8},
                                                     {&Builder::item_backward_jump, 2},
                                                     {&Builder::item_loop, 2},
                                                     {&Builder::item_walk, 1},
                                                     {&Builder::item_call, 3},
                                                     {&Builder::item_recursion, 1},
                                                     {&Builder::item_odd_return, 2},
                                                     {&Builder::item_switch, 2}}};
  static constexpr std::array<Item, 8> kCsrs = {{{&Builder::item_csr_read, 3},
                                                 {&Builder::item_csr_write, 4},
                                                 {&Builder::item_csr_critical, 1},
                                                 {&Builder::item_csr_illegal, 1},
                                                 {&Builder::item_counters, 1}}};
  static constexpr std::array<Item, 8> kTraps = {{{&Builder::item_trap, 3},
                                                  {&Builder::item_illegal, 3},
                                                  {&Builder::item_return_to_same_mode, 1},
                                                  {&Builder::item_forbidden, 2}}};
  static constexpr std::array<Item, 8> kFaults = {{{&Builder::item_fault, 5},
                                                   {&Builder::item_wild_jump, 3},
                                                   {&Builder::item_mprv, 2},
                                                   {&Builder::item_misaligned_atomic, 1},
                                                   {&Builder::item_io, 1}}};
  static constexpr std::array<Item, 8> kCaches = {{{&Builder::item_cbo, 3}, {&Builder::item_handoff, 1}}};
  static constexpr std::array<Item, 8> kInterruptItems = {
      {{&Builder::item_interrupts, 2}, {&Builder::item_wfi, 1}}};

  const bool may_nest = depth_ < kMaxDepth && as_.multiplier() <= kDepthLimit[depth_ + 1];
  const unsigned rare = hot() ? 0 : 1;
  const std::array<unsigned, 8> weights = {
      depth_ == 0 ? 45u : 80u, has(kAtomic) ? 8u : 0u,          has(kControl) && may_nest ? 20u : 0u,
      has(kCsr) ? 5u : 0u,     has(kTrap) ? 2 * rare : 0u,      has(kFault) ? 3 * rare : 0u,
      has(kCache) ? 4u : 0u,   has(kInterrupt) ? 2 * rare : 0u,
  };
  switch (rng_.weighted(weights)) {
    case 0:
      return simple_item();
    case 1:
      return run_item(kAtomics);
    case 2:
      return run_item(kControls);
    case 3:
      return run_item(kCsrs);
    case 4:
      return run_item(kTraps);
    case 5:
      return run_item(kFaults);
    case 6:
      return run_item(kCaches);
    default:
      return run_item(kInterruptItems);
  }
}

std::map<std::string, uint64_t> Program::symbols() const {
  return {{"_start", entry},
          {"nmi_entry", nmi_entry},
          {"tohost", tohost},
          {"fromhost", tohost + 0x40},
          {"begin_signature", begin_signature},
          {"end_signature", end_signature}};
}

Program Builder::build() {
  choose_registers();
  strict_interrupt_ = uint64_t{1} << rng_.pick({1, 5, 9});
  machine_vector_ = runtime_.label();
  supervisor_vector_ = runtime_.label();
  nmi_ = runtime_.label();
  finish_ = runtime_.label();
  const Label fail = runtime_.label();
  const Label start = runtime_.label();
  runtime_.jump(start);
  make_handler(Privilege::kMachine, fail);
  make_handler(Privilege::kSupervisor, fail);
  runtime_.bind(fail);
  runtime_.li(handler_[1], kFailureCode);
  runtime_.li(handler_[2], kBase + kTohostOffset);
  runtime_.emit(enc::sd(handler_[1], handler_[2], 0));
  runtime_.jump(runtime_.here());
  make_finish();
  runtime_.bind(start);
  make_startup();
  runtime_.finish();

  configure();
  move_pointers();
  while (as_.instructions() < options_.length) {
    // Between changes of the mode, some tens of items.
    for (uint64_t items = rng_.between(10, 120); items > 0 && as_.instructions() < options_.length; --items) {
      const uint64_t choice = rng_.below(100);
      if (choice < 6) {
        move_pointer(any_pointer());
      } else if (choice < 8 && has(kModify)) {
        rng_.chance(70) ? item_modify_code() : item_modify_loop();
      } else if (choice < 11 && has(kPaging)) {
        rng_.chance(60) ? item_page_table() : rng_.chance(60) ? item_remap() : item_switch_space();
      } else if (choice < 13) {
        rng_.chance(80) ? item_conflict() : item_page_end();
      } else {
        nested_item();
      }
    }
    if (has(kMode)) {
      item_mode_switch();
    } else {
      configure();
    }
  }
  enter_machine();
  {
    const Hold t(*this);
    as_.li(t, runtime_.address(finish_));
    as_.emit(enc::jalr(0, t, 0));
  }
  as_.finish();

  Program program;
  program.seed = seed_;
  program.base = kBase;
  program.entry = kBase + kRuntimeOffset;
  program.nmi_entry = runtime_.address(nmi_);
  program.tohost = kBase + kTohostOffset;
  program.begin_signature = kBase + kSignatureOffset;
  program.end_signature = kBase + kSignatureEnd;
  program.expected_instructions = as_.executions();
  program.max_instructions = as_.executions() * (kTrapCost + 1) + kFinishCost;
  for (const Assembler* part : {&runtime_, &as_}) {
    for (const auto& [name, count] : part->mix()) program.mix[std::string(name)] += count;
  }

  if (runtime_.bytes().size() > kTohostOffset || kCodeOffset + as_.bytes().size() > kImageLimit) {
    throw std::logic_error("random program: the code does not fit");
  }
  program.image.resize(kCodeOffset + as_.bytes().size());
  const std::span<uint8_t> image = program.image;
  std::memcpy(image.data() + kRuntimeOffset, runtime_.bytes().data(), runtime_.bytes().size());
  std::memcpy(image.data() + kCodeOffset, as_.bytes().data(), as_.bytes().size());
  tables_.write(image);
  for (uint64_t offset = 0; offset < kPage; offset += 8)
    put64(image, kConstantsOffset + offset, rng_.interesting());
  for (size_t i = 0; i < pool_.size(); ++i) put64(image, kPoolOffset + 8 * i, pool_[i]);
  for (uint64_t offset = kHandoffOffset; offset < kPlayOffset + kPlayBytes; offset += 8) {
    put64(image, offset, rng_.next());
  }
  // The trap log is shared out between the two handlers.
  constexpr uint64_t kMiddle = (kLogOffset + kLogEnd) / 2 / 32 * 32;
  const auto set_frame = [&](uint64_t at, uint64_t begin, uint64_t end) {
    put64(image, at + frame::kLogCursor, kBase + begin);
    put64(image, at + frame::kLogStart, kBase + begin);
    put64(image, at + frame::kLogLimit, kBase + end);
    put64(image, at + frame::kBudget, as_.executions() + 1000);
  };
  set_frame(kMachineFrame, kLogOffset, kMiddle);
  set_frame(kSupervisorFrame, kMiddle, kLogEnd);
  return program;
}

Program generate(uint64_t seed, const Options& options) { return Builder(seed, options).build(); }

}  // namespace swai::random_program
