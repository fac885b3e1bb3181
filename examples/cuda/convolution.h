// SPDX-License-Identifier: Apache-2.0
// What program and kernel of the convolution must agree on.
#pragma once

constexpr int RADIUS = 4;
constexpr int TAPS = 2 * RADIUS + 1;
