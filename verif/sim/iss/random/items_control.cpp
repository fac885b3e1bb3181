// SPDX-License-Identifier: Apache-2.0
// Branches, loops, calls and indirect jumps. All of them end behind their own code.

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr std::array<uint32_t, 6> kBranches = {enc::kBeq, enc::kBne,  enc::kBlt,
                                               enc::kBge, enc::kBltu, enc::kBgeu};

// Code that may run several times, or not at all.
class Nested {
 public:
  Nested(Assembler& as, unsigned& depth, uint64_t times) : as_(as), depth_(depth), times_(as.multiplier()) {
    ++depth_;
    as_.set_multiplier(times_ * times);
  }
  ~Nested() {
    --depth_;
    as_.set_multiplier(times_);
  }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Assembler& as_;
  unsigned& depth_;
  uint64_t times_;
};

}  // namespace

uint32_t Builder::random_branch() {
  const uint32_t match = rng_.pick(kBranches);
  const bool short_form = match <= enc::kBne && rng_.chance(50);
  const Reg rs1 = short_form ? short_register(false) : any_source();
  const Reg rs2 = short_form ? 0 : any_source();
  return enc::branch(match, rs1, rs2);
}

// Forward, taken or not.
void Builder::item_branch() {
  const Nested nested(as_, depth_, 1);
  const Label out = as_.label();
  if (rng_.chance(30)) {  // over so little that the branch may be compressed
    as_.branch(random_branch(), out, true);
    for (uint64_t n = rng_.between(1, 6); n > 0; --n) as_.emit(random_alu_word(true));
    as_.bind(out);
    return;
  }
  const bool alternative = rng_.chance(30);
  const Label other = alternative ? as_.label() : out;
  as_.branch(random_branch(), other);
  for (uint64_t n = rng_.between(1, 4); n > 0; --n) rng_.chance(85) ? simple_item() : item_branch_or_simple();
  if (alternative) {
    as_.jump(out, true);
    as_.bind(other);
    for (uint64_t n = rng_.between(1, 3); n > 0; --n) simple_item();
  }
  as_.bind(out);
}

void Builder::item_branch_or_simple() { depth_ < 2 ? item_branch() : simple_item(); }

// Ahead, back, and ahead again.
void Builder::item_backward_jump() {
  const Nested nested(as_, depth_, 1);
  const Label ahead = as_.label();
  const Label back = as_.label();
  const Label out = as_.label();
  as_.jump(ahead, true);
  as_.bind(back);
  simple_item();
  as_.jump(out, true);
  if (rng_.chance(50)) as_.emit_half(0);  // never reached
  as_.bind(ahead);
  if (rng_.chance(50)) simple_item();
  if (rng_.chance(50)) {
    const Reg same = any_source();
    as_.branch(enc::branch(enc::kBeq, same, same), back);
    as_.branch(random_branch(), out);
  } else {
    as_.jump(back);
  }
  as_.bind(out);
}

void Builder::item_loop() {
  const Hold counter(*this);
  const int64_t times = rng_.chance(80) ? rng_.between(1, 6) : rng_.between(7, 30);
  const int64_t step = rng_.pick({-1, 1, -3});
  as_.li(counter, static_cast<uint64_t>(-step * times));
  const Nested nested(as_, depth_, static_cast<uint64_t>(times));
  if (rng_.chance(30)) as_.align(4);
  const Label head = as_.here();
  for (int64_t n = rng_.between(1, times > 6 ? 4 : 8); n > 0; --n) nested_item();
  as_.emit(enc::addi(counter, counter, static_cast<int32_t>(step)));
  switch (rng_.below(3)) {
    case 0:
      far_branch(enc::branch(enc::kBne, counter, 0), head);
      break;
    case 1:
      far_branch(step < 0 ? enc::branch(enc::kBlt, 0, counter) : enc::branch(enc::kBlt, counter, 0), head);
      break;
    default: {  // leaves in the middle
      const Label out = as_.label();
      as_.branch(enc::branch(enc::kBeq, counter, 0), out);
      for (uint64_t n = rng_.below(3); n > 0; --n) simple_item();
      as_.jump(head);
      as_.bind(out);
      break;
    }
  }
}

// Over memory with a fixed stride, like copying and summing up.
void Builder::item_walk() {
  const Hold from(*this);
  const Hold to(*this);
  const Hold counter(*this);
  const Hold value(*this);
  const auto log_size = static_cast<unsigned>(rng_.below(4));
  const int32_t stride = rng_.pick({1 << log_size, 1 << log_size, 8, 64, 72, 1024});
  const auto times = static_cast<uint64_t>(rng_.between(2, stride <= 8 ? 40 : 12));
  const uint64_t bytes = times * static_cast<uint64_t>(stride) + 8;
  const uint64_t source = rng_.below(kPlayBytes - bytes);
  const uint64_t target = rng_.chance(50) ? rng_.below(kPlayBytes - bytes) : source;
  load_value(from, data_window(Attribute::kCached) + kPlayOffset + source);
  load_value(to, data_window(Attribute::kCached) + kPlayOffset + target);
  as_.li(counter, times);
  const Nested nested(as_, depth_, times);
  const Label head = as_.here();
  last_dest_ = value;
  as_.emit(enc::i(0x0003u | log_size << 12, value, from, 0));
  if (rng_.chance(60)) {
    const Reg with = any_source();
    as_.emit(enc::add(value, value, with));
  }
  if (rng_.chance(30)) simple_item();
  as_.emit(enc::s(0x0023u | log_size << 12, value, to, 0));
  as_.emit(enc::addi(from, from, stride));
  as_.emit(enc::addi(to, to, stride));
  as_.emit(enc::addi(counter, counter, -1));
  far_branch(enc::branch(enc::kBne, counter, 0), head);
}

// A function that is called a few times.
void Builder::item_call() {
  const bool standard = is_free(1) && rng_.chance(70);
  const Hold link(*this, standard ? 1 : free_register());
  const Label over = as_.label();
  const Label function = as_.label();
  const auto calls = static_cast<uint64_t>(rng_.between(1, 4));
  as_.jump(over);
  as_.bind(function);
  {
    const Nested nested(as_, depth_, calls);
    for (uint64_t n = rng_.between(1, 5); n > 0; --n) nested_item();
    as_.emit(enc::jalr(0, link, 0));
  }
  as_.bind(over);
  for (uint64_t i = 0; i < calls; ++i) {
    if (rng_.chance(60)) {
      as_.jal(link, function);
    } else {
      const Hold address(*this);
      as_.la(address, function);
      const auto offset = static_cast<int32_t>(rng_.chance(50) ? 0 : rng_.between(-100, 100) * 2);
      if (offset != 0) as_.emit(enc::addi(address, address, -offset));
      as_.emit(enc::jalr(link, address, offset));
    }
    if (rng_.chance(50)) simple_item();
  }
}

// Deeper than a return-address stack.
void Builder::item_recursion() {
  if (!is_free(1) || depth_ > 1) return;
  const Hold link(*this, 1);
  const Hold level(*this);
  const Hold stack(*this);
  const auto levels = static_cast<uint64_t>(rng_.between(2, 20));
  const Label over = as_.label();
  const Label function = as_.label();
  const Label leaf = as_.label();
  as_.jump(over);
  as_.bind(function);
  {
    const Nested nested(as_, depth_, levels + 1);
    as_.emit(enc::addi(stack, stack, -16));
    as_.emit(enc::sd(link, stack, 8));
    as_.branch(enc::branch(enc::kBeq, level, 0), leaf);
    as_.emit(enc::addi(level, level, -1));
    as_.jal(link, function);
    as_.emit(random_alu_word(false));
    as_.bind(leaf);
    as_.emit(random_alu_word(false));
    as_.emit(enc::ld(link, stack, 8));
    as_.emit(enc::addi(stack, stack, 16));
    as_.emit(enc::jalr(0, link, 0));
  }
  as_.bind(over);
  as_.li(level, levels);
  load_value(stack, data_window(Attribute::kCached) + kStackOffset + kStackBytes - 64);
  as_.jal(link, function);
}

// Calls that do not return where the predictor thinks.
void Builder::item_odd_return() {
  if (!is_free(1) || !is_free(5)) return;
  const Hold link(*this, 1);
  const Hold alternate(*this, 5);
  const Nested nested(as_, depth_, 1);
  const Label out = as_.label();
  const Label function = as_.label();
  switch (rng_.below(4)) {
    case 0:  // called, never returns
      as_.jal(link, function);
      as_.emit_half(0);
      as_.bind(function);
      simple_item();
      break;
    case 1:  // returns elsewhere
      as_.jal(link, function);
      as_.emit_half(0);
      as_.bind(function);
      as_.la(link, out);
      as_.emit(enc::jalr(0, link, 0));
      as_.emit_half(0);
      break;
    case 2:  // coroutines: a jump that is return and call at once
      as_.jal(link, function);
      simple_item();
      as_.emit(enc::jalr(link, alternate, 0));
      as_.jump(out);
      as_.bind(function);
      as_.emit(enc::jalr(alternate, link, 0));
      simple_item();
      as_.emit(enc::jalr(0, link, 0));
      break;
    default:  // a return without a call, and one through a register that links to itself
      as_.la(link, function);
      as_.emit(enc::jalr(0, link, 0));
      as_.bind(function);
      as_.la(alternate, out);
      as_.emit(enc::jalr(alternate, alternate, 0));
      as_.emit_half(0);
      break;
  }
  as_.bind(out);
}

// Jumps through a table of places, data saying which.
void Builder::item_switch() {
  const Hold selector(*this);
  const Hold base(*this);
  const Hold counter(*this);
  const auto times = static_cast<uint64_t>(rng_.between(1, 8));
  const Label places = as_.label();
  const Label join = as_.label();
  const Reg seed = any_source();
  as_.emit(enc::addi(selector, seed, static_cast<int32_t>(rng_.below(64))));
  as_.li(counter, times);
  const Nested nested(as_, depth_, times);
  const Label head = as_.here();
  as_.la(base, places);
  const Hold index(*this);
  as_.emit(enc::andi(index, selector, 3));
  as_.emit(enc::sh3add(base, index, base));
  const Reg link = rng_.chance(20) && is_free(1) ? 1 : 0;
  as_.emit(enc::jalr(link, base, 0));
  as_.bind(places);
  for (unsigned place = 0; place < 4; ++place) {  // eight bytes each
    as_.emit_full(random_alu_word(false));
    if (place == 3) break;
    as_.jump(join);
  }
  as_.bind(join);
  if (rng_.chance(50)) {
    as_.emit(enc::srli(selector, selector, 1));
  } else {
    as_.emit(enc::addi(selector, selector, rng_.pick({1, 3})));
  }
  as_.emit(enc::addi(counter, counter, -1));
  far_branch(enc::branch(enc::kBne, counter, 0), head);
}

}  // namespace swai::random_program
