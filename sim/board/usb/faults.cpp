// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <random>

namespace swai::usb {
namespace {

using Kind = TransferFault::Kind;

const std::map<std::string, Kind>& transfer_kinds() {
  static const std::map<std::string, Kind> kinds = {{"unplug", Kind::kUnplug}, {"stall", Kind::kStall},
                                                    {"error", Kind::kError},   {"timeout", Kind::kTimeout},
                                                    {"nak", Kind::kNak},       {"short", Kind::kShort}};
  return kinds;
}

[[noreturn]] void refuse(const std::string& text, const std::string& form) {
  throw FaultError(fmt::format("--fault {}: not understood; write it as {}", text, form));
}

// The parts of `text` between colons.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<uint64_t> number(const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  const char* first = text.data() + (hexadecimal ? 2 : 0);
  const char* last = text.data() + text.size();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  if (first == last || end != last || error != std::errc{}) return std::nullopt;
  return value;
}

std::optional<double> share(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error != std::errc{} || !(value >= 0 && value <= 1))
    return std::nullopt;
  return value;
}

// What is meant when an amount is left out.
uint64_t usual_amount(Kind kind, std::mt19937_64& random) {
  switch (kind) {
    case Kind::kNak:
      return 1 + random() % 100;
    case Kind::kShort:
      return random() % 64;
    default:
      return 0;
  }
}

// Everything behind `KIND=`, in the numbers that its form asks for.
class Parts {
 public:
  Parts(const std::string& text, const std::string& value, std::string form)
      : text_(text), form_(std::move(form)), parts_(split(value)) {}

  void word(const std::string& expected) {
    if (next() != expected) refuse(text_, form_);
  }
  uint64_t count() { return required(number(next())); }
  uint64_t count_or(uint64_t otherwise) { return at_end() ? otherwise : count(); }
  double share_or(double otherwise) { return at_end() ? otherwise : required(share(next())); }
  std::string text() { return next(); }
  void end() const {
    if (!at_end()) refuse(text_, form_);
  }

 private:
  bool at_end() const { return index_ == parts_.size(); }
  std::string next() {
    if (at_end()) refuse(text_, form_);
    return parts_[index_++];
  }
  template <typename T>
  T required(std::optional<T> value) const {
    if (!value) refuse(text_, form_);
    return *value;
  }

  const std::string& text_;
  std::string form_;
  std::vector<std::string> parts_;
  size_t index_ = 0;
};

void add_transfer_fault(FaultPlan& plan, const std::string& text, Kind kind, const std::string& value,
                        uint64_t seed) {
  Parts parts(text, value, fmt::format("{}=transfer:N[:AMOUNT]", name_of(kind)));
  parts.word("transfer");
  TransferFault fault{.kind = kind, .transfer = parts.count()};
  std::mt19937_64 random(seed + fault.transfer);
  fault.amount = parts.count_or(usual_amount(kind, random));
  parts.end();
  plan.transfers.push_back(fault);
}

void add_random_fault(FaultPlan& plan, const std::string& text, const std::string& value, uint64_t seed) {
  Parts parts(text, value, "random=TRANSFERS");
  const uint64_t transfers = parts.count();
  parts.end();
  if (transfers == 0) refuse(text, "random=TRANSFERS, at least 1");
  std::mt19937_64 random(seed);
  auto kind = transfer_kinds().begin();
  std::advance(kind, random() % transfer_kinds().size());
  TransferFault fault{.kind = kind->second, .transfer = 1 + random() % transfers};
  fault.amount = usual_amount(fault.kind, random);
  plan.transfers.push_back(fault);
}

void add_cut(FaultPlan& plan, const std::string& text, const std::string& value) {
  Parts parts(text, value, "cut=byte:N or cut=operation:N[:PROGRESS]");
  PowerCut cut;
  const std::string where = parts.text();
  if (where == "byte") {
    cut.byte = parts.count();
  } else if (where == "operation") {
    cut.operation = parts.count();
    cut.progress = parts.share_or(0.5);
  } else {
    refuse(text, "cut=byte:N or cut=operation:N[:PROGRESS]");
  }
  parts.end();
  plan.cut = cut;
}

void add_stuck_cell(FaultPlan& plan, const std::string& text, const std::string& value) {
  Parts parts(text, value, "stuck=ADDRESS:BIT:VALUE");
  const auto address = static_cast<uint32_t>(parts.count());
  const uint64_t bit = parts.count();
  const uint64_t level = parts.count();
  parts.end();
  if (bit > 7 || level > 1) refuse(text, "stuck=ADDRESS:BIT:VALUE, BIT from 0 to 7, VALUE 0 or 1");
  plan.defects.stuck.push_back({.address = address, .bit = static_cast<unsigned>(bit), .value = level == 1});
}

void add_worn_sector(FaultPlan& plan, const std::string& text, const std::string& value) {
  Parts parts(text, value, "worn=ADDRESS[:BITS[:ERASES]]");
  card::FlashDefects::Worn worn{.address = static_cast<uint32_t>(parts.count())};
  worn.bits = static_cast<uint32_t>(parts.count_or(worn.bits));
  worn.erases = parts.count_or(worn.erases);
  parts.end();
  plan.defects.worn.push_back(worn);
}

void add_data_line(FaultPlan& plan, const std::string& text, const std::string& value) {
  Parts parts(text, value, "data-line=0 or data-line=1");
  const uint64_t level = parts.count();
  parts.end();
  if (level > 1) refuse(text, "data-line=0 or data-line=1");
  plan.data_line = level == 1;
}

}  // namespace

const char* name_of(Kind kind) {
  for (const auto& [name, known] : transfer_kinds())
    if (known == kind) return name.c_str();
  return "?";
}

const TransferFault* FaultPlan::at(uint64_t transfer) const {
  const auto found = std::ranges::find(transfers, transfer, &TransferFault::transfer);
  return found == transfers.end() ? nullptr : &*found;
}

void add_fault(FaultPlan& plan, const std::string& text, uint64_t seed) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto kind = transfer_kinds().find(name);
  if (kind != transfer_kinds().end()) return add_transfer_fault(plan, text, kind->second, value, seed);
  if (name == "random") return add_random_fault(plan, text, value, seed);
  if (name == "cut") return add_cut(plan, text, value);
  if (name == "stuck") return add_stuck_cell(plan, text, value);
  if (name == "worn") return add_worn_sector(plan, text, value);
  if (name == "data-line") return add_data_line(plan, text, value);
  if (text == "claimed") {
    plan.claimed = true;
  } else if (text == "no-access") {
    plan.no_access = true;
  } else if (text == "detach-refused") {
    plan.detach_refused = true;
  } else {
    refuse(text, "one that `swai-usb-board --help` lists");
  }
}

}  // namespace swai::usb
