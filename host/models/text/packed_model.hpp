// SPDX-License-Identifier: Apache-2.0
// Decoders in packed files (host/models/files/packed_file.hpp).
#pragma once

#include "host/models/files/packed_file.hpp"
#include "host/models/text/card_model.hpp"

namespace swai::generate {

// Throws InputError for a file that is damaged, holds another model, or has it in another precision.
CardModel open_packed(const models::PackedFile& file, std::optional<Precision> wanted = std::nullopt);

// Whether all tensors are what was written; names the first that is not.
std::optional<std::string> damaged_tensor(const models::PackedFile& file);

// Replaces the file when all is written. Throws InputError.
void write_packed(const CardModel& model, const std::string& path);

}  // namespace swai::generate
