// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/whisper_weights.hpp"

#include <fmt/format.h>

namespace swai::transcribe {
namespace {

using models::bytes_of, models::Tensor;

class Packer {
 public:
  Packer(const models::Model& model, const CardWhisper& card, const Put& put)
      : model_(model), card_(card), put_(put) {}

  void encoder() {
    if (card_.eager_rows != 0) half_scale(card_.shape.audio_heads);
    convolution("conv1");
    convolution("conv2");
    positions("encoder.positions", card_.moments);
    for (uint32_t i = 0; i < card_.shape.audio_layers; ++i) {
      layer("encoder.", i, {"attention.norm", "feed_forward.norm"},
            {"attention.query", "attention.key", "attention.value", "attention.output", "feed_forward.up",
             "feed_forward.down"});
    }
    norm("encoder.norm", "norm");
    for (uint32_t i = 0; i < card_.shape.text_layers; ++i) {
      for (const char* const what : {"key", "value"})
        linear(fmt::format("decoder.layer.{}.cross.{}", i, what), fmt::format("cross[{}].{}", i, what));
    }
  }

  void decoder() {
    if (card_.eager_rows != 0) {
      half_scale(card_.shape.text_heads);
      put_("zero", bytes_of(std::vector<float>(1)));
    }
    if (card_.precision == Precision::kFp32) {
      vector("decoder.embedding", "embedding");
    } else {
      put_("embedding", bytes_of(models::halves_of(models::floats(model_.at("decoder.embedding")))));
      matrix("decoder.embedding", "head", card_.formats.at("head"));
    }
    positions("decoder.positions", card_.room());
    for (uint32_t i = 0; i < card_.shape.text_layers; ++i) {
      layer("decoder.", i, {"attention.norm", "cross.norm", "feed_forward.norm"},
            {"attention.query", "attention.key", "attention.value", "attention.output", "cross.query",
             "cross.output", "feed_forward.up", "feed_forward.down"});
    }
    norm("decoder.norm", "norm");
  }

 private:
  // Of attention's scores, as queries and keys both are multiplied with it.
  void half_scale(uint32_t heads) {
    const float scale = std::pow(static_cast<float>(card_.shape.width / heads), -0.25F);
    put_("half_scale", bytes_of(models::halves_of(std::vector<float>(card_.shape.width, scale))));
  }

  void vector(const std::string& file, const std::string& graph) {
    put_(graph, bytes_of(models::floats(model_.at(file))));
  }

  // Of as many as there is room for: those that the model has not are never used.
  void positions(const std::string& file, uint32_t rows) {
    std::vector<float> numbers = models::floats(model_.at(file));
    numbers.resize(size_t{rows} * card_.shape.width);
    put_("positions", bytes_of(numbers));
  }

  void norm(const std::string& file, const std::string& graph) {
    vector(file, graph);
    vector(file + ".bias", graph + ".bias");
  }

  void matrix(const std::string& file, const std::string& graph, models::WeightFormat format) {
    const Tensor& tensor = model_.at(file);
    models::put_matrix(put_, graph, format, models::finite_floats(card_.path, tensor), tensor.shape.back());
  }

  void linear(const std::string& file, const std::string& graph) {
    matrix(file, graph, card_.formats.at(kind_of(file)));
    if (model_.find(file + ".bias") != nullptr) {
      vector(file + ".bias", graph + ".bias");
    } else if (card_.key_bias) {
      put_(graph + ".bias", bytes_of(std::vector<float>(model_.at(file).shape.front())));
    }
  }

  void layer(const std::string& part, uint32_t number, std::initializer_list<const char*> norms,
             std::initializer_list<const char*> linears) {
    const std::string file = fmt::format("{}layer.{}.", part, number),
                      graph = fmt::format("layer[{}].", number);
    for (const char* const name : norms) norm(file + name, graph + name);
    for (const char* const name : linears) linear(file + name, graph + name);
  }

  // The card reads three rows of the sound as one long one; files have the moments of a channel side by side.
  void convolution(const std::string& name) {
    const Tensor& tensor = model_.at("encoder." + name);
    const std::vector<float> file = models::floats(tensor);
    const size_t channels = tensor.shape.at(1), length = tensor.shape.at(2);
    std::vector<float> numbers(file.size());
    for (size_t out = 0; out < tensor.shape[0]; ++out)
      for (size_t moment = 0; moment < length; ++moment)
        for (size_t channel = 0; channel < channels; ++channel)
          numbers[(out * length + moment) * channels + channel] =
              file[(out * channels + channel) * length + moment];
    put_(name, bytes_of(numbers));
    vector("encoder." + name + ".bias", name + ".bias");
  }

  const models::Model& model_;
  const CardWhisper& card_;
  const Put& put_;
};

}  // namespace

void pack_encoder(const models::Model& model, const CardWhisper& card, const Put& put) {
  Packer(model, card, put).encoder();
}
void pack_decoder(const models::Model& model, const CardWhisper& card, const Put& put) {
  Packer(model, card, put).decoder();
}

}  // namespace swai::transcribe
