// Llama models in packed files (host/models/packed_file.hpp).
#pragma once

#include "host/generate/card_model.hpp"
#include "host/models/packed_file.hpp"

namespace swai::generate {

// Throws InputError for a file that is damaged, or holds another model.
CardModel open_packed(const models::PackedFile& file);

// Whether all tensors are what was written; names the first that is not.
std::optional<std::string> damaged_tensor(const models::PackedFile& file);

// Replaces the file when all is written. Throws InputError.
void write_packed(const CardModel& model, const std::string& path);

}  // namespace swai::generate
