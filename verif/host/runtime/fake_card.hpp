// SPDX-License-Identifier: Apache-2.0
// A card that is played: the firmware's own runtime (firmware/runtime), compiled for the host, on a
// processor, a DMA engine and core groups that are played here. What lies between it and the library is
// link::Backend, so that a test of the interface takes milliseconds.
//
// Kernels are not instructions: the code of a module of fake_module() says which of the operations below they
// are.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "host/transport/backend.hpp"
#include "verif/host/runtime/fake_options.hpp"

namespace swai::sdaa {

// The ELF file of a module whose kernels are nothing, axpy_int, who, many_arguments, hang, breakpoint, slow,
// dead.
std::vector<uint8_t> fake_module(size_t padding = 0);
// The same, with variables that hosts know: constants that hold these bytes first, or zeros, and one of the
// card's memory, `total`, which is 7.
std::vector<uint8_t> fake_module_with_variables(std::string_view values = {});

std::unique_ptr<link::Backend> make_fake_card(const FakeOptions& options = {});

}  // namespace swai::sdaa
