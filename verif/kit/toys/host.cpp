// SPDX-License-Identifier: Apache-2.0
// A host that has the runtime library alone, and files: the template that `swai graph compile` has written,
// and what is in each piece of its memory. Runs the program `encode` on two texts, and prints their labels.
//
//   toy-host OPERATORS PROGRAM TEMPLATE MEMORY...       as `swai graph show TEMPLATE` lists it
#include <sdaa_runtime.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "verif/kit/toys/toys.hpp"

namespace {

using namespace swai;

void must(sdaaError_t error, const char* what) {
  if (error == sdaaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, sdaaGetLastErrorMessage());
  std::exit(1);
}

std::vector<char> contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

uint64_t on_card(const char* what, const std::vector<char>& bytes) {
  void* memory = nullptr;
  must(sdaaMallocWithFlags(&memory, bytes.size(), sdaaMallocShared, sdaaAnyGroup), what);
  must(sdaaMemcpy(memory, bytes.data(), bytes.size(), sdaaMemcpyHostToDevice), what);
  return reinterpret_cast<uint64_t>(memory);
}

// Of the template's memory, in its order.
enum Base { kTokens = 1, kLikely = 7, kLabel = 8 };

struct Arguments {
  toys::EncodeWish wish;
  std::array<toys::Text, 2> texts;
};

}  // namespace

int main(int count, char** words) {
  if (count <= 4 + kLabel) return 2;
  std::vector<uint64_t> bases;
  for (int i = 4; i < count; ++i) bases.push_back(on_card(words[i], contents(words[i])));
  std::vector<char> source = contents(words[3]);
  const auto pattern_bytes = static_cast<uint32_t>(source.size());
  const auto* const addresses = reinterpret_cast<const char*>(bases.data());
  source.insert(source.end(), addresses, addresses + bases.size() * sizeof(uint64_t));
  const uint64_t pattern = on_card(words[3], source);

  sdaaModule_t module = nullptr;
  sdaaFunction_t walk = nullptr;
  sdaaProgramKernel_t kernel = {};
  must(sdaaModuleLoad(&module, words[1]), words[1]);
  must(sdaaModuleGetFunction(&walk, module, "walk"), words[1]);
  must(sdaaProgramGetKernel(&kernel, walk, nullptr), words[1]);

  Arguments told = {};
  static_assert(sizeof kernel == sizeof told.wish.walk);
  std::memcpy(&told.wish.walk, &kernel, sizeof kernel);
  told.wish.mode.when = building::When::kAsync;
  told.wish.list = {pattern, pattern + pattern_bytes, pattern_bytes, building::Addresses::kBases};
  told.wish.places = {bases[kTokens], bases[kLabel], bases[kLikely]};
  told.wish.texts = told.texts.size();
  told.texts = {{{3, {1, 2, 3}}, {5, {9, 8, 7, 6, 5}}}};
  sdaaProgram_t program = nullptr;
  must(sdaaProgramLoad(&program, words[2]), words[2]);
  must(sdaaProgramStart(program, &told, sizeof told), words[2]);
  for (size_t i = 0; i < told.texts.size(); ++i) {
    toys::Choice choice = {};
    size_t bytes = sizeof choice;
    must(sdaaProgramRead(program, &choice, &bytes), words[2]);
    std::printf("%" PRIu32 " %08" PRIx32 "\n", choice.number, choice.likely);
  }
  building::Work work = {};
  size_t bytes = sizeof work;
  must(sdaaProgramRead(program, &work, &bytes), words[2]);
  uint32_t code = 1;
  must(sdaaProgramWait(program, &code), words[2]);
  return static_cast<int>(code);
}
