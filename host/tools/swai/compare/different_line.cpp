// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/compare/different_line.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include "host/tools/cli/error.hpp"
#include "host/tools/swai/compare/interruption.hpp"

namespace swai::cli {
namespace {

constexpr size_t kBlock = 64 << 10;

std::string_view read_block(std::ifstream& in, std::vector<char>& block) {
  in.read(block.data(), static_cast<std::streamsize>(block.size()));
  return {block.data(), static_cast<size_t>(in.gcount())};
}

std::optional<std::string> line_at(std::ifstream& in, uint64_t begin) {
  in.clear();
  in.seekg(static_cast<std::streamoff>(begin));
  std::vector<char> block(kShownCharacters + 1);
  const std::string_view text = read_block(in, block);
  if (text.empty()) return std::nullopt;
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::optional<DifferentLine> first_different_line(const std::filesystem::path& one,
                                                  const std::filesystem::path& other) {
  Both<std::ifstream> in = {std::ifstream(one), std::ifstream(other)};
  for (const auto& file : in)
    if (!file) throw Error(kBadInput, "the program's output cannot be read back");
  Both<std::vector<char>> blocks = {std::vector<char>(kBlock), std::vector<char>(kBlock)};
  DifferentLine line = {1};
  uint64_t begin = 0;  // of the line
  for (uint64_t at = 0;; at += kBlock) {
    end_if_interrupted();
    const Both<std::string_view> texts = {read_block(in[0], blocks[0]), read_block(in[1], blocks[1])};
    const auto differs = std::ranges::mismatch(texts[0], texts[1]);
    const std::string_view same(texts[0].begin(), differs.in1);
    line.number += static_cast<uint64_t>(std::ranges::count(same, '\n'));
    if (const size_t last = same.rfind('\n'); last != std::string_view::npos) begin = at + last + 1;
    if (same.size() == kBlock) continue;
    if (same.size() == texts[0].size() && same.size() == texts[1].size()) return std::nullopt;
    for (size_t side = 0; side < in.size(); ++side) line.lines[side] = line_at(in[side], begin);
    return line;
  }
}

}  // namespace swai::cli
