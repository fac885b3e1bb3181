// SPDX-License-Identifier: Apache-2.0
// What program and kernel of the product of matrices must agree on.
#pragma once

constexpr int BLOCK_SIZE = 16;
