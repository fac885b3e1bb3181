// SPDX-License-Identifier: Apache-2.0
// The tensors of a file under the names that it gives them, until they have ours.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/models/files/architectures/architecture.hpp"

namespace swai::models {

class Weights {
 public:
  explicit Weights(std::string path) : path_(std::move(path)) {}

  // Throws InputError when the shape makes no sense, the data is not as long as it says, or the name was
  // there.
  void add(Tensor tensor);
  const Tensor* find(std::string_view name) const;
  // What is known to be of no use.
  void drop(std::string_view name);
  Tensor take(std::string_view name);  // which must be there
  template <typename Predicate>
  void drop_if(Predicate predicate) {
    std::erase_if(all_, [&](const auto& one) { return predicate(one.first); });
  }

  // Moves all into the model, whose shape is known. Throws InputError when one is missing, has another shape,
  // or is no part of such a model.
  void move_to(Model& model, Naming naming);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::map<std::string, Tensor, std::less<>> all_;
};

}  // namespace swai::models
