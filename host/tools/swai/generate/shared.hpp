// SPDX-License-Identifier: Apache-2.0
// Where a daemon has the model on its card.
#pragma once

#include <optional>
#include <vector>

#include "host/daemon/shared/shared_model.hpp"
#include "host/tools/cli/cli.hpp"
#include "host/tools/swai/generate/question.hpp"

namespace swai::cli {

// The texts that are wanted, with tokens of an answer at most: as many as are wanted, and as there is room
// for.
std::vector<write::SharedModel::Wish> wishes_of(const TextWish& wish, const Question& question,
                                                const std::vector<std::vector<models::Token>>& prompts);

// The model on the card that this program would use, when a daemon has both and takes texts like these. A
// text for which its room is too short is said, and has a model of its own.
std::optional<write::SharedModel> shared_model(const Cli& cli, const TextWish& wish, const Question& question,
                                               const std::vector<write::SharedModel::Wish>& texts);

}  // namespace swai::cli
