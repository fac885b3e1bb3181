// SPDX-License-Identifier: Apache-2.0
// Operators of the evaluator that move elements, whatever their type, or make shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "host/models/onnx/operators.hpp"

namespace swai::onnx {
namespace {

using Results = std::vector<Tensor>;

Tensor reshaped(const Tensor& tensor, Sizes shape) {
  if (count_of(shape) != tensor.count())
    throw EvaluationError(
        fmt::format("{} cannot take the shape {}", shape_text(tensor.shape), shape_text(shape)));
  Tensor result = tensor;
  result.shape = std::move(shape);
  return result;
}

Results identity(const Call& call) {
  if (call.node.outputs.size() > 1) throw TooLarge{};  // Dropout with its mask
  return {call.in(0)};
}

Results constant(const Call& call) {
  for (const auto& [name, attribute] : call.node.attributes) {
    if (const auto* const tensor = std::get_if<Tensor>(&attribute); tensor && name == "value")
      return {*tensor};
    if (const auto* const number = std::get_if<int64_t>(&attribute); number && name == "value_int")
      return {integer(*number)};
    if (const auto* const numbers = std::get_if<Sizes>(&attribute); numbers && name == "value_ints")
      return {integers(*numbers)};
    if (const auto* const real = std::get_if<float>(&attribute); real && name == "value_float")
      return {reals(Element::kF32, {}, {{*real}})};
    if (const auto* const all = std::get_if<std::vector<float>>(&attribute); all && name == "value_floats")
      return {reals(Element::kF32, {static_cast<int64_t>(all->size())},
                    std::vector<double>(all->begin(), all->end()))};
  }
  throw EvaluationError("has no value");
}

Results reshape(const Call& call) {
  const Tensor& from = call.in(0);
  Sizes shape = int64s(call.in(1));
  const bool zero_copies = call.node.number("allowzero", 0) == 0;
  std::optional<size_t> open;
  int64_t others = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && zero_copies) {
      if (i >= from.shape.size())
        throw EvaluationError(fmt::format("size {} is 0, and there is none to copy", i));
      shape[i] = from.shape[i];
    }
    if (shape[i] < -1 || (shape[i] == -1 && open))
      throw EvaluationError("the shape has several sizes below 0");
    if (shape[i] == -1) open = i;
    if (shape[i] != -1 && __builtin_mul_overflow(others, shape[i], &others)) throw TooLarge{};
  }
  if (open) {
    if (others == 0 || from.count() % others != 0)
      throw EvaluationError(
          fmt::format("{} does not divide into {}", shape_text(from.shape), shape_text(shape)));
    shape[*open] = from.count() / others;
  }
  return {reshaped(from, std::move(shape))};
}

Results flatten(const Call& call) {
  const Tensor& from = call.in(0);
  const int64_t axis = call.node.number("axis", 1);
  const size_t cut =
      axis == static_cast<int64_t>(from.shape.size()) ? from.shape.size() : axis_of(axis, from.shape.size());
  Sizes shape = {1, 1};
  for (size_t i = 0; i < from.shape.size(); ++i) shape[i < cut ? 0 : 1] *= from.shape[i];
  return {reshaped(from, std::move(shape))};
}

Results squeeze(const Call& call) {
  const Tensor& from = call.in(0);
  std::vector<bool> goes(from.shape.size());
  if (const Tensor* const axes = call.maybe(1)) {
    for (const int64_t axis : int64s(*axes)) goes[axis_of(axis, goes.size())] = true;
  } else {
    for (size_t i = 0; i < goes.size(); ++i) goes[i] = from.shape[i] == 1;
  }
  Sizes shape;
  for (size_t i = 0; i < goes.size(); ++i)
    if (!goes[i]) shape.push_back(from.shape[i]);
  return {reshaped(from, std::move(shape))};
}

Results unsqueeze(const Call& call) {
  const Tensor& from = call.in(0);
  const Sizes axes = int64s(call.in(1));
  const size_t rank = from.shape.size() + axes.size();
  if (rank > kMaxRank) throw TooLarge{};
  std::vector<bool> is_new(rank);
  for (const int64_t axis : axes) is_new[axis_of(axis, rank)] = true;
  if (static_cast<size_t>(std::ranges::count(is_new, true)) != axes.size())
    throw EvaluationError("an axis is named twice");
  Sizes shape;
  for (size_t i = 0, next = 0; i < rank; ++i) shape.push_back(is_new[i] ? 1 : from.shape[next++]);
  return {reshaped(from, std::move(shape))};
}

Results shape(const Call& call) {
  const Sizes& all = call.in(0).shape;
  const auto rank = static_cast<int64_t>(all.size());
  const auto bound = [&](const char* name, int64_t otherwise) {
    const int64_t at = call.node.number(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t first = bound("start", 0), last = std::max(first, bound("end", rank));
  return {integers(std::span(all).subspan(static_cast<size_t>(first), static_cast<size_t>(last - first)))};
}

Results size(const Call& call) { return {integer(call.in(0).count())}; }

Results transpose(const Call& call) {
  const Tensor& from = call.in(0);
  const size_t rank = from.shape.size();
  Sizes order = call.node.numbers("perm");
  if (order.empty())
    for (size_t i = rank; i-- > 0;) order.push_back(static_cast<int64_t>(i));
  Sizes sorted = order;
  std::ranges::sort(sorted);
  Sizes all(rank);
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) throw EvaluationError(fmt::format("{} is no order of {} axes", shape_text(order), rank));
  const Sizes own = strides_of(from.shape);
  Sizes shape, strides;
  for (const int64_t axis : order) {
    shape.push_back(from.shape[static_cast<size_t>(axis)]);
    strides.push_back(own[static_cast<size_t>(axis)]);
  }
  return {strided(from, shape, strides)};
}

Results expand(const Call& call) {
  const Tensor& from = call.in(0);
  const Sizes to = broadcast(from.shape, int64s(call.in(1)));
  call.count(to);
  return {strided(from, to, broadcast_strides(from.shape, to))};
}

Results slice(const Call& call) {
  const Tensor& from = call.in(0);
  const Sizes starts = int64s(call.in(1)), ends = int64s(call.in(2));
  Sizes axes(starts.size()), steps(starts.size(), 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (const Tensor* const given = call.maybe(3)) axes = int64s(*given);
  if (const Tensor* const given = call.maybe(4)) steps = int64s(*given);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    throw EvaluationError("starts, ends, axes and steps are not of one length");
  Sizes shape = from.shape, strides = strides_of(from.shape);
  int64_t first = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t axis = axis_of(axes[i], shape.size());
    const int64_t size = from.shape[axis], step = steps[i], own = strides_of(from.shape)[axis];
    if (size == 0) continue;
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) throw EvaluationError("a step is 0");
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
    const int64_t start = std::clamp(place(starts[i]), int64_t{0}, high), end = place(ends[i]);
    const int64_t length = step > 0 ? end - start : start - end, stride = std::abs(step);
    shape[axis] = length <= 0 ? 0 : (length - 1) / stride + 1;
    // A stride over one element is never used, and may not fit.
    strides[axis] = shape[axis] <= 1 ? 0 : own * step;
    first += shape[axis] == 0 ? 0 : own * start;
  }
  return {strided(from, shape, strides, *count_of(shape) == 0 ? 0 : first)};
}

// The elements `from` holds below one index of its first dimensions.
std::span<const uint8_t> piece(const Tensor& from, int64_t index, int64_t elements) {
  const size_t bytes = static_cast<size_t>(elements) * bits_of(from.element) / 8;
  return from.bytes.subspan(static_cast<size_t>(index) * bytes, bytes);
}

int64_t product(const Sizes& shape, size_t first, size_t last) {
  return *count_of(std::span(shape).subspan(first, last - first));
}

int64_t index_within(int64_t index, int64_t size) {
  if (index < -size || index >= size)
    throw EvaluationError(fmt::format("index {} is outside of {}", index, size));
  return index < 0 ? index + size : index;
}

Results gather(const Call& call) {
  const Tensor& from = call.in(0);
  const Tensor& which = call.in(1);
  const size_t axis = axis_of(call.node.number("axis", 0), from.shape.size());
  const Sizes indices = int64s(which);
  Sizes shape(from.shape.begin(), from.shape.begin() + static_cast<ptrdiff_t>(axis));
  shape.insert(shape.end(), which.shape.begin(), which.shape.end());
  shape.insert(shape.end(), from.shape.begin() + static_cast<ptrdiff_t>(axis) + 1, from.shape.end());
  call.count(shape);
  const int64_t inner = product(from.shape, axis + 1, from.shape.size());
  std::vector<uint8_t> bytes;
  for (int64_t outer = 0; outer < product(from.shape, 0, axis); ++outer) {
    for (const int64_t index : indices) {
      const auto part = piece(from, outer * from.shape[axis] + index_within(index, from.shape[axis]), inner);
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
  }
  return {make_tensor(from.element, std::move(shape), std::move(bytes))};
}

Results gather_nd(const Call& call) {
  const Tensor& from = call.in(0);
  const Tensor& which = call.in(1);
  if (call.node.number("batch_dims", 0) != 0) throw TooLarge{};
  if (which.shape.empty() || which.shape.back() < 1 ||
      which.shape.back() > static_cast<int64_t>(from.shape.size()))
    throw EvaluationError(
        fmt::format("indices {} do not fit {}", shape_text(which.shape), shape_text(from.shape)));
  const auto depth = static_cast<size_t>(which.shape.back());
  const Sizes indices = int64s(which);
  Sizes shape(which.shape.begin(), which.shape.end() - 1);
  shape.insert(shape.end(), from.shape.begin() + static_cast<ptrdiff_t>(depth), from.shape.end());
  call.count(shape);
  const int64_t inner = product(from.shape, depth, from.shape.size());
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < indices.size(); i += depth) {
    int64_t at = 0;
    for (size_t k = 0; k < depth; ++k) at = at * from.shape[k] + index_within(indices[i + k], from.shape[k]);
    const auto part = piece(from, at, inner);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return {make_tensor(from.element, std::move(shape), std::move(bytes))};
}

Results concat(const Call& call) {
  const Tensor& first = call.in(0);
  const size_t axis = axis_of(call.node.number("axis", 0), first.shape.size());
  Sizes shape = first.shape;
  shape[axis] = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    Sizes same = call.in(i).shape;
    if (same.size() != shape.size() || call.in(i).element != first.element)
      throw EvaluationError(fmt::format("{} and {} do not fit", shape_text(first.shape), shape_text(same)));
    shape[axis] += same[axis];
    same[axis] = first.shape[axis];
    if (same != first.shape)
      throw EvaluationError(
          fmt::format("{} and {} do not fit", shape_text(first.shape), shape_text(call.in(i).shape)));
  }
  call.count(shape);
  std::vector<uint8_t> bytes;
  for (int64_t outer = 0; outer < product(shape, 0, axis); ++outer) {
    for (const Tensor* const part : call.inputs) {
      const auto some = piece(*part, outer, product(part->shape, axis, part->shape.size()));
      bytes.insert(bytes.end(), some.begin(), some.end());
    }
  }
  return {make_tensor(first.element, std::move(shape), std::move(bytes))};
}

Results split(const Call& call) {
  const Tensor& from = call.in(0);
  const size_t axis = axis_of(call.node.number("axis", 0), from.shape.size());
  const auto parts = static_cast<int64_t>(call.node.outputs.size());
  Sizes lengths;
  if (const Tensor* const given = call.maybe(1)) {
    lengths = int64s(*given);
  } else {
    const int64_t each = (from.shape[axis] + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      lengths.push_back(std::max<int64_t>(0, std::min(each, from.shape[axis] - i * each)));
  }
  if (static_cast<int64_t>(lengths.size()) != parts ||
      std::ranges::any_of(lengths, [](int64_t length) { return length < 0; }) ||
      std::accumulate(lengths.begin(), lengths.end(), int64_t{0}) != from.shape[axis])
    throw EvaluationError(
        fmt::format("{} are not {} parts of {}", shape_text(lengths), parts, from.shape[axis]));
  Results results;
  int64_t at = 0;
  for (const int64_t length : lengths) {
    Sizes shape = from.shape;
    shape[axis] = length;
    results.push_back(
        strided(from, shape, strides_of(from.shape), length == 0 ? 0 : at * strides_of(from.shape)[axis]));
    at += length;
  }
  return results;
}

Results tile(const Call& call) {
  const Tensor& from = call.in(0);
  const Sizes repeats = int64s(call.in(1));
  if (repeats.size() != from.shape.size())
    throw EvaluationError("there is no repeat count for each dimension");
  // Each dimension as a repeated and an own one.
  Sizes both, strides, shape;
  const Sizes own = strides_of(from.shape);
  for (size_t i = 0; i < repeats.size(); ++i) {
    both.insert(both.end(), {repeats[i], from.shape[i]});
    strides.insert(strides.end(), {0, own[i]});
    int64_t size = 0;
    if (__builtin_mul_overflow(repeats[i], from.shape[i], &size)) throw TooLarge{};
    shape.push_back(size);
  }
  call.count(shape);
  call.count(both);
  Tensor result = strided(from, both, strides);
  result.shape = std::move(shape);
  return {result};
}

Results where(const Call& call) {
  const Tensor &condition = call.in(0), &yes = call.in(1), &no = call.in(2);
  if (condition.element != Element::kBool || yes.element != no.element)
    throw EvaluationError("the condition is not bool, or the other inputs differ in type");
  const Sizes shape = broadcast(broadcast(condition.shape, yes.shape), no.shape);
  const size_t bytes = bits_of(yes.element) / 8;
  std::vector<uint8_t> result(static_cast<size_t>(call.count(shape)) * bytes);
  uint8_t* to = result.data();
  walk<3>(shape,
          {broadcast_strides(condition.shape, shape), broadcast_strides(yes.shape, shape),
           broadcast_strides(no.shape, shape)},
          [&](const auto& at) {
            const bool is = condition.bytes[static_cast<size_t>(at[0])] != 0;
            std::memcpy(to, (is ? yes : no).bytes.data() + static_cast<size_t>(is ? at[1] : at[2]) * bytes,
                        bytes);
            to += bytes;
          });
  return {make_tensor(yes.element, shape, std::move(result))};
}

Results trilu(const Call& call) {
  const Tensor& from = call.in(0);
  if (from.shape.size() < 2) throw EvaluationError("has less than two dimensions");
  const int64_t shift = call.maybe(1) != nullptr && call.in(1).count() == 1 ? int64s(call.in(1))[0] : 0;
  const bool upper = call.node.number("upper", 1) != 0;
  const int64_t rows = from.shape[from.shape.size() - 2], columns = from.shape.back();
  const size_t bytes = bits_of(from.element) / 8;
  std::vector<uint8_t> result(from.bytes.begin(), from.bytes.end());
  for (int64_t i = 0; i < from.count(); ++i) {
    const int64_t column = i % columns, row = i / columns % rows;
    int64_t edge = 0;
    if (__builtin_add_overflow(row, shift, &edge)) throw EvaluationError("k is too large");
    if (upper ? column < edge : column > edge)
      std::memset(result.data() + static_cast<size_t>(i) * bytes, 0, bytes);
  }
  return {make_tensor(from.element, from.shape, std::move(result))};
}

Results constant_of_shape(const Call& call) {
  const Sizes shape = int64s(call.in(0));
  call.count(shape);
  const auto found = call.node.attributes.find("value");
  const auto* const value =
      found == call.node.attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
  if (value != nullptr && (value->count() != 1 || bits_of(value->element) < 8))
    throw EvaluationError("the value is not one element");
  const Tensor element = value != nullptr ? *value : reals(Element::kF32, {}, {{0}});
  return {strided(element, shape, Sizes(shape.size()))};
}

}  // namespace

const Operators& moving_operators() {
  static const Operators all = {
      {"Identity", identity},   {"Dropout", identity},
      {"Constant", constant},   {"Reshape", reshape},
      {"Flatten", flatten},     {"Squeeze", squeeze},
      {"Unsqueeze", unsqueeze}, {"Shape", shape},
      {"Size", size},           {"Transpose", transpose},
      {"Expand", expand},       {"Slice", slice},
      {"Gather", gather},       {"GatherND", gather_nd},
      {"Concat", concat},       {"Split", split},
      {"Tile", tile},           {"Where", where},
      {"Trilu", trilu},         {"ConstantOfShape", constant_of_shape},
  };
  return all;
}

}  // namespace swai::onnx
