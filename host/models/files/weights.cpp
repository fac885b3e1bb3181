// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/weights.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::models {
namespace {

Shape without_ones(const Shape& shape) {
  Shape rest;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(rest), [](uint64_t size) { return size != 1; });
  return rest;
}

}  // namespace

void Weights::add(Tensor tensor) {
  const auto bytes = bytes_of(tensor.element, tensor.shape);
  const std::string name = tensor.name;
  if (!bytes)
    refuse(
        path_,
        fmt::format("tensor '{}' is said to have {} values of type {}, which cannot be; the file is damaged",
                    name, shape_text(tensor.shape), info(tensor.element).name));
  if (*bytes != tensor.data.size())
    refuse(path_, fmt::format(
                      "tensor '{}' of {} {} values takes {} bytes, and {} are given; the file is damaged",
                      name, shape_text(tensor.shape), info(tensor.element).name, *bytes, tensor.data.size()));
  if (!all_.emplace(name, std::move(tensor)).second)
    refuse(path_, fmt::format("has tensor '{}' twice; the file is damaged", name));
}

const Tensor* Weights::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

void Weights::drop(std::string_view name) {
  if (const auto found = all_.find(name); found != all_.end()) all_.erase(found);
}

Tensor Weights::take(std::string_view name) { return std::move(all_.extract(all_.find(name)).mapped()); }

void Weights::move_to(Model& model, Naming naming) {
  for (const Expected& one : expected_tensors(*model.architecture, model.shape)) {
    const std::string name = name_in_file(*model.architecture, naming, one.name);
    if (find(name) == nullptr) {
      if (one.optional) continue;
      refuse(path_, fmt::format("has no tensor '{}' ({}); the file is not complete, fetch it again", name,
                                one.name));
    }
    Tensor tensor = take(name);
    // whisper.cpp writes biases as matrices of one row.
    if (without_ones(tensor.shape) != without_ones(one.shape))
      refuse(path_,
             fmt::format("tensor '{}' has the shape {}, not {} as the file's own numbers say; it is damaged",
                         name, shape_text(tensor.shape), shape_text(one.shape)));
    tensor.name = one.name;
    tensor.shape = one.shape;
    model.tensors.push_back(std::move(tensor));
  }
  if (!all_.empty())
    refuse(path_,
           fmt::format("has tensor '{}', which is no part of such a model: its architecture is another one, "
                       "which is not supported",
                       all_.begin()->first));
}

}  // namespace swai::models
