// A model packed for the card, in one file: a safetensors container whose tensors are what the card's memory
// gets, each beginning with a page. Nothing is converted when it is read.
#pragma once

#include "host/generate/card_model.hpp"

namespace swai::generate {

// Whether the file says that it is one; what is wrong with it open_packed finds out.
bool is_packed(const models::FileBytes& file);

// Throws InputError for a file that is damaged, was made by another version, or does not fit itself.
CardModel open_packed(const models::SharedBytes& file);

// Whether all tensors are what was written; names the first that is not.
std::optional<std::string> damaged_tensor(const models::SharedBytes& file);

// Replaces the file when all is written. Throws InputError.
void write_packed(const CardModel& model, const std::string& path);

}  // namespace swai::generate
