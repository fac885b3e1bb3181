// SPDX-License-Identifier: Apache-2.0
// The header of a module's note. Compiled anew for every module: sdaacc gives SWAI_MODULE_NAME and
// SWAI_MODULE_SPACE.
#include "abi/module.hpp"

using namespace swai::module;

static_assert(sizeof(SWAI_MODULE_NAME) <= sizeof(Header::name) + 1, "the module's name is too long");

namespace {

constexpr Header make_header() {
  Header header = {kMagic, kModuleAbi, kCardAbi, sizeof(Header), sizeof(Kernel), Space{SWAI_MODULE_SPACE},
                   {}};
  for (size_t i = 0; i + 1 < sizeof(SWAI_MODULE_NAME); ++i) header.name[i] = SWAI_MODULE_NAME[i];
  return header;
}

}  // namespace

[[gnu::section(".swai.header"), gnu::used]] constinit const Header swai_module_header = make_header();
