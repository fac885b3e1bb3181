// SPDX-License-Identifier: Apache-2.0
// Qwen 2: Llama with biases of queries, keys and values. GGUF leaves the order of its channels as it is.
#include "host/models/files/architectures/registry.hpp"

namespace swai::models {

const Architecture& qwen2() {
  static const Architecture kQwen2 = [] {
    Architecture is = llama();
    is.name = "qwen2";
    is.gguf = is.hugging_face = {"qwen2"};
    is.decoder->gguf_rotation = Rotation::kHalves;
    return is;
  }();
  return kQwen2;
}

}  // namespace swai::models
