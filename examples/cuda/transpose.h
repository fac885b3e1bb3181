// SPDX-License-Identifier: Apache-2.0
// What program and kernel of the transposition must agree on: each block moves a tile, each thread some of its
// rows' elements.
#pragma once

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
