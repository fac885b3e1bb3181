// SPDX-License-Identifier: Apache-2.0
#include "verif/cpe-kernels/operators/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "abi/launch.hpp"
#include "abi/segment.hpp"
#include "cpe-kernels/operators/common/limits.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "sim/iss/cpe/daemon.hpp"
#include "sim/iss/cpe/text.hpp"
#include "verif/firmware/test_tools.hpp"

namespace swai::operators::test {

namespace {

constexpr uint64_t kTable = iss::cpe::kHbmBase;
constexpr uint8_t kContext = 1;
constexpr uint64_t kGranule = segment::kGranuleBytes;
constexpr uint64_t kListBytes = 16 * kGranule;
constexpr uint16_t kFirstBuffer = 4;  // of iss-cpe-run and cpe-run

template <typename T>
std::span<const uint8_t> bytes_of(const std::vector<T>& items) {
  return {reinterpret_cast<const uint8_t*>(items.data()), items.size() * sizeof(T)};
}

constexpr uint64_t granules(uint64_t bytes) { return (bytes + kGranule - 1) / kGranule * kGranule; }

std::vector<uint8_t> garbage(verif::Random& random, uint64_t bytes) {
  std::vector<uint8_t> all(bytes);
  for (uint64_t i = 0; i < bytes; i += 8) {
    const uint64_t word = random.next();
    std::memcpy(&all[i], &word, std::min<uint64_t>(8, bytes - i));
  }
  return all;
}

const kernel_run::Program& program() {
  static const kernel_run::Program kProgram("build/cpe-kernels/operators.elf");
  return kProgram;
}

}  // namespace

uint32_t Tensor::read(Number number, uint32_t row, uint32_t column) const {
  return golden::read_number(number, &image[offset + uint64_t{row} * stride + column * bytes_of(number)]);
}

void Tensor::write(Number number, uint32_t row, uint32_t column, uint32_t value) {
  golden::write_number(number, &image[offset + uint64_t{row} * stride + column * bytes_of(number)], value);
}

golden::Memory memory_of(const std::vector<Tensor*>& tensors) {
  golden::Memory memory;
  for (Tensor* const tensor : tensors)
    memory.add(GlobalPtr<void>(tensor->segment, tensor->begin), tensor->image);
  return memory;
}

Card::Card(verif::Random& random, unsigned rows, unsigned columns)
    : random_(random),
      group_(std::make_unique<iss::cpe::Group>(rows, columns, memory_,
                                               iss::cpe::Group::Options{.turn = random.between(50, 5000)})),
      table_{segment::kNoEntry},
      next_(kTable + 0x10'0000),
      elsewhere_(std::getenv("SWAI_CPE_RUN")),
      end_(kListBytes) {
  static const kernel_run::Program kDaemon = kernel_run::Program::plain_daemon();
  using segment::kExecute, segment::kRead;
  const Placed daemon = place(kDaemon.code().size(), kRead | kExecute, segment::kShared);
  memory_.poke(daemon.address, kDaemon.code());
  const Placed code = place(program().code().size(), kRead | kExecute, kContext);
  memory_.poke(code.address, program().code());
  code_ = code.segment;
  pc_ = program().kernel("walk").pc;
  arguments_ = place(sizeof(node::WalkArgs), segment::kRead, kContext);
  list_ = place(kListBytes, segment::kRead, kContext);
  parameters_ = place(kGranule, segment::kRead, kContext);
  for (unsigned i = 0; i < group_->size(); ++i) {
    std::ranges::copy(garbage(random_, iss::cpe::kLdmBytes), group_->ldm(i).begin());
  }
  poke_table();
  group_->boot({.segment = daemon.segment});
  group_->look_for_mistakes();
}

Card::Placed Card::place(uint64_t bytes, uint8_t permissions, uint8_t owner) {
  const Placed placed{next_, static_cast<uint16_t>(table_.size())};
  next_ += granules(bytes) + kGranule;
  table_.push_back(segment::encode({placed.address, granules(bytes), permissions, owner}));
  poke_table();
  return placed;
}

void Card::poke_table() {
  std::vector<uint8_t> bytes(table_.size() * sizeof table_[0]);
  std::memcpy(bytes.data(), table_.data(), bytes.size());
  memory_.poke(kTable, bytes);
  group_->set_segment_table(kTable, static_cast<uint32_t>(table_.size()));
}

Tensor Card::tensor(uint32_t rows, uint32_t columns, uint32_t element_bytes, uint32_t gap) {
  Tensor tensor;
  tensor.rows = rows;
  tensor.columns = columns;
  const uint64_t between = gap == 0 ? 0 : random_.below(gap + 1);
  tensor.stride = static_cast<uint32_t>(uint64_t{columns} * element_bytes + between);
  const uint64_t bytes = uint64_t{rows - 1} * tensor.stride + uint64_t{columns} * element_bytes;
  const uint64_t before = random_.chance(50) ? random_.below(200) : random_.below(4) * 64;
  if (elsewhere_ != nullptr) {
    tensor.begin = end_;
    end_ += granules(bytes + before);
  }
  const Placed placed = elsewhere_ != nullptr
                            ? Placed{list_.address + tensor.begin, kFirstBuffer}
                            : place(bytes + before, segment::kRead | segment::kWrite, kContext);
  tensor.image = garbage(random_, granules(bytes + before));
  tensor.offset = random_.chance(50) ? before : tensor.image.size() - bytes;
  tensor.segment = placed.segment;
  tensor.address = placed.address;
  return tensor;
}

Result Card::launch(const std::vector<Node>& nodes, uint64_t count, uint32_t mask,
                    const Parameters& parameters, std::optional<uint64_t> parameter_count) {
  // What lies there ends with its segment.
  const auto poke_end = [&](const Placed& placed, uint64_t segment_bytes, const auto& items) {
    const auto bytes = bytes_of(items);
    if (bytes.size() > segment_bytes) throw std::logic_error("the list is too long for its segment");
    memory_.poke(placed.address + segment_bytes - bytes.size(), bytes);
    return GlobalPtr<void>(placed.segment, segment_bytes - bytes.size());
  };
  const node::WalkArgs args = {poke_end(list_, kListBytes, nodes).as<const Node>(), count,
                               poke_end(parameters_, kGranule, parameters).as<const uint64_t>(),
                               parameter_count.value_or(parameters.size()), unless_};
  memory_.poke(arguments_.address, {reinterpret_cast<const uint8_t*>(&args), sizeof args});
  const Result result = group_->launch({.pc = pc_,
                                        .argument = launch::kArgumentWindow,
                                        .mask = mask,
                                        .code_segment = code_,
                                        .argument_segment = arguments_.segment,
                                        .context = kContext});
  throw_mistakes();
  return result;
}

// What depends on luck in hardware.
void Card::throw_mistakes() {
  std::string words;
  for (const iss::cpe::Finding& mistake : group_->take_findings()) {
    words += iss::cpe::text(mistake, [](uint32_t pc) { return program().text().lines.place(pc); }) + "\n";
  }
  if (!words.empty()) throw std::runtime_error(words);
}

Result Card::walk(const std::vector<Node>& nodes, uint32_t mask, const std::vector<Tensor*>& tensors,
                  const Parameters& parameters) {
  if (elsewhere_ != nullptr) return walk_elsewhere(nodes, mask, tensors, parameters);
  for (const Tensor* tensor : tensors) memory_.poke(tensor->address, tensor->image);
  return launch(nodes, nodes.size(), mask, parameters);
}

// All tensors are garbage until nodes just before write them, so that it shows who reads them before the
// barrier. A piece of each comes last, so small that one CPE does it: the others have nothing to do there,
// and look at the last node meanwhile.
Result Card::walk_behind_copies(Node last, uint32_t mask, const std::vector<Tensor*>& tensors) {
  constexpr uint64_t kPiece = 64;
  std::vector<Tensor> memory;
  std::vector<Node> nodes, pieces;
  for (const Tensor* const whole : tensors) {
    Tensor& before = memory.emplace_back(*whole);
    before.image = garbage(random_, whole->image.size());
    Tensor& source = memory.emplace_back(tensor(1, static_cast<uint32_t>(whole->image.size()), 1));
    std::ranges::copy(whole->image, source.image.begin() + static_cast<ptrdiff_t>(source.offset));
    const auto copy = [&](std::vector<Node>& list, uint64_t first, uint64_t end) {
      for (; first < end; first += kMaxSize) {
        const CopyArgs args = {.to = GlobalPtr<void>(whole->segment, whole->begin + first),
                               .from = source.at().plus_bytes(static_cast<int64_t>(first)),
                               .rows = 1,
                               .row_bytes = static_cast<uint32_t>(std::min<uint64_t>(end - first, kMaxSize))};
        list.push_back(node::make(static_cast<uint16_t>(Operator::kCopy), Barrier::kNone, args));
      }
    };
    // Of the first rows, which are read first, or of any.
    const uint64_t bytes = whole->image.size() - whole->offset;
    const uint64_t piece =
        whole->offset + random_.below(random_.chance(50) ? std::min(bytes, kPiece) : bytes);
    const uint64_t end = std::min(piece + kPiece, whole->image.size());
    copy(nodes, 0, piece);
    copy(pieces, piece, end);
    copy(nodes, end, whole->image.size());
  }
  for (size_t i = 1; i < pieces.size(); ++i) std::swap(pieces[i], pieces[random_.below(i + 1)]);
  // Or they come first: who has work until the last node, as all CPEs have with a large copy, prepares that
  // one while it waits for the copy's data.
  nodes.insert(random_.chance(50) ? nodes.end() : nodes.begin(), pieces.begin(), pieces.end());
  last.barrier = Barrier::kAll;
  nodes.push_back(last);
  std::vector<Tensor*> all;
  for (Tensor& tensor : memory) all.push_back(&tensor);
  return walk(nodes, mask, all);
}

Result Card::walk_elsewhere(const std::vector<Node>& nodes, uint32_t mask,
                            const std::vector<Tensor*>& tensors, const Parameters& parameters) {
  std::vector<uint8_t> buffer(end_);
  const auto list = bytes_of(nodes), words = bytes_of(parameters);
  const uint64_t place_of_words = kListBytes - words.size();
  if (list.size() > place_of_words) throw std::logic_error("the list is too long for its segment");
  std::ranges::copy(list, buffer.begin());
  std::ranges::copy(words, buffer.begin() + static_cast<int64_t>(place_of_words));
  for (const Tensor* tensor : tensors)
    std::ranges::copy(tensor->image, buffer.begin() + static_cast<int64_t>(tensor->begin));
  const TempFolder folder;
  flash::write_file(folder / "in", buffer);
  const Finished finished = run_command(
      fmt::format("{} build/cpe-kernels/operators.elf --mask {:#x} --args buf:={} {} 0 {} {:#x} {} 0 {} "
                  "{:#x} --dump 0:{}",
                  elsewhere_, mask, folder / "in", nodes.size(), place_of_words, uint32_t{kFirstBuffer} << 16,
                  parameters.size(), unless_.bits() & ~uint32_t{0}, unless_.bits() >> 32, folder / "out"));
  if (finished.code > 1) throw std::runtime_error(finished.error);
  memory_.poke(list_.address, flash::read_file(folder / "out"));
  return {.ending = finished.code == 0 ? iss::cpe::Ending::kDone : iss::cpe::Ending::kFailed};
}

std::string Card::describe(const Result& result) {
  std::string words = iss::cpe::text(result.ending);
  for (unsigned i = 0; i < result.faults.size(); ++i) {
    const auto& fault = result.faults[i];
    if (fault.cause == iss::cpe::Cause::kNone) continue;
    words += fmt::format("; CPE {}: cause {}, pc {:#x}, segment {}, offset {:#x}, node {}, refusal {}", i,
                         static_cast<unsigned>(fault.cause), fault.pc, fault.segment, fault.offset,
                         state(i).node, static_cast<unsigned>(state(i).refusal));
  }
  return words;
}

node::WalkState Card::state(unsigned cpe) {
  node::WalkState state;
  std::memcpy(&state, &group_->ldm(cpe)[node::kWalkState - cpe::isa::kLdmBase], sizeof state);
  return state;
}

Card::Moved Card::moved() const {
  Moved moved;
  for (unsigned i = 0; i < group_->size(); ++i) {
    const iss::cpe::Dma& dma = group_->cpe(i).dma();
    moved.foreground += dma.bytes_loaded() + dma.bytes_stored() - dma.bytes_of_background();
    moved.background += dma.bytes_of_background();
  }
  return moved;
}

std::string Card::difference(const Tensor& tensor) {
  std::vector<uint8_t> now(tensor.image.size());
  memory_.peek(tensor.address, now);
  const auto [wrong, right] = std::ranges::mismatch(now, tensor.image);
  if (wrong == now.end()) return {};
  const auto at = static_cast<int64_t>(wrong - now.begin()) - static_cast<int64_t>(tensor.offset);
  return fmt::format(
      "segment {}, byte {} of a tensor of {} x {}, stride {} (row {}, byte {}): {:#x}, should be {:#x}",
      tensor.segment, at, tensor.rows, tensor.columns, tensor.stride,
      at / std::max<int64_t>(tensor.stride, 1), at % std::max<int64_t>(tensor.stride, 1), *wrong, *right);
}

float some_float(verif::Random& random) {
  const auto uniform = [&] { return static_cast<float>(random.below(2'000'001)) / 1e6f - 1; };
  switch (random.below(20)) {
    case 0:
      return random.chance(50) ? 0.0f : -0.0f;
    case 1:
      return uniform() * 1e-20f;
    case 2:
      return uniform() * 100;
    default:
      return uniform() * 4;
  }
}

}  // namespace swai::operators::test
