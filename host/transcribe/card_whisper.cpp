#include "host/transcribe/card_whisper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpe-kernels/operators/common/limits.hpp"
#include "host/transcribe/special_tokens.hpp"

namespace swai::transcribe {

CardWhisper card_whisper(const models::Model& model, Precision precision,
                         std::span<const std::string> four_bits) {
  if (model.is_llama()) {
    models::refuse(
        model.path,
        "is a language model; transcribing takes a Whisper model, and `swai generate` takes this one");
  }
  CardWhisper card;
  card.path = model.path;
  card.shape = model.whisper();
  card.first_timestamp = special_tokens(model).first_timestamp;
  card.precision = precision;
  card.storing = storing_of(precision, four_bits);
  card.key_bias = std::ranges::any_of(
      model.tensors, [](const models::Tensor& tensor) { return tensor.name.ends_with(".key.bias"); });
  card.moments = card.shape.audio_context;
  if (card.shape.width > operators::kMaxRow) {
    models::refuse(model.path, fmt::format("has rows of {} channels; the card's operators take {} at most",
                                           card.shape.width, operators::kMaxRow));
  }
  return card;
}

}  // namespace swai::transcribe
