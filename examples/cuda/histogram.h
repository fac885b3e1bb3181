// SPDX-License-Identifier: Apache-2.0
// What program and kernel of the histogram must agree on.
#pragma once

constexpr int BINS = 64;
