// SPDX-License-Identifier: Apache-2.0
// What a device is, by the names of CUDA as well.
#pragma once

#include "host/runtime/device.hpp"

namespace swai::sdaa {

// Of a device whose lock the caller has.
sdaaDeviceProp_t properties_of(Device& device);
// Throws if there is none.
int attribute_of(const sdaaDeviceProp_t& properties, sdaaDeviceAttr attribute);
// How much of what is wished for (not 0) a device has: fields.
unsigned agreement(const sdaaDeviceProp_t& properties, const sdaaDeviceProp_t& wish);

}  // namespace swai::sdaa
