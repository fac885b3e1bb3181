// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/identity.hpp"

#include "firmware/common/identity.hpp"

extern "C" constinit const swai::image::IdentityRecord swai_identity = swai::image::identity_of("ai-kernel");
