// SPDX-License-Identifier: Apache-2.0
// Tells the boot ROM, by way of the flash, that this image works.
#pragma once

#include "abi/image.hpp"

namespace swai::kernel {

// Clears the confirmation field of the image in a slot; false when the flash does not show it afterwards.
bool confirm_image(image::Slot slot);

}  // namespace swai::kernel
