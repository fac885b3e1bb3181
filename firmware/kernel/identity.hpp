// SPDX-License-Identifier: Apache-2.0
// Which kernel this is.
#pragma once

#include "abi/image.hpp"

// Found by this name in the program file; swai-image copies it into the image's header.
extern "C" const swai::image::IdentityRecord swai_identity;
