// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/generate/shared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/tools/cli/started_card.hpp"

namespace swai::cli {

using models::Token;
using write::SharedModel;

std::vector<SharedModel::Wish> wishes_of(const TextWish& wish, const Question& question,
                                         const std::vector<std::vector<Token>>& prompts) {
  std::vector<SharedModel::Wish> texts;
  for (const std::vector<Token>& prompt : prompts) {
    const uint64_t room = question.room_of(wish, prompt.size());
    texts.push_back({prompt, std::min<uint64_t>(wish.most, room - prompt.size() + 1)});
  }
  return texts;
}

std::optional<SharedModel> shared_model(const Cli& cli, const TextWish& wish, const Question& question,
                                        const std::vector<SharedModel::Wish>& texts) {
  const std::string& identity = question.speaker.model().identity;
  if (wish.own || !wish.launch.is_standard() || identity.empty()) return std::nullopt;
  const std::string cards = cards_there_are(cli.options());
  if (cards.empty()) return std::nullopt;
  const std::filesystem::path card = cards.substr(0, cards.find(','));
  auto shared = SharedModel::find(card.parent_path() / "control", identity);
  if (!shared) return std::nullopt;
  const bool takes = std::ranges::all_of(texts, [&](const auto& text) { return shared->takes(text); });
  if (takes && wish.context <= shared->is().room) return shared;
  if (!cli.options().quiet) {
    fmt::print(
        stderr,
        "swai: the daemon has this model for texts of {} tokens, which is too short here: it is loaded "
        "once more (`swai serve --context N` makes longer ones)\n",
        shared->is().room);
  }
  return std::nullopt;
}

}  // namespace swai::cli
