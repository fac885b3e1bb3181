// SPDX-License-Identifier: Apache-2.0
// What the parts of the systolic unit agree on. docs/hardware/systolic.md tells how they work together.
package cpe_systolic_pkg;

  // Addresses count from the start of local memory. Sums have a bit more than it needs: with it set, they lie outside. No stride
  // is large enough to leap over what lies outside, so the first address that does is found before a sum can come back.
  typedef logic [17:0] address_t;

  // cpe_isa_pkg::systolic_mode_t without what is reserved. (Yosys does not find types of one package in another.)
  typedef struct packed {
    logic       clamp;
    logic       bias;
    logic       row_factors;
    logic [1:0] result;
    logic       drain;
    logic       half;
    logic       keep;
    logic       by_column;
    logic [1:0] weights;
  } mode_t;

  // What a run uses: the settings, as they were when it was issued.
  typedef struct packed {
    address_t    activations;
    logic [15:0] activations_k;    // strides: of k tiles
    logic [15:0] activations_row;
    address_t    weights;
    logic [15:0] weights_k;
    logic [15:0] weights_row;
    address_t    weights_column;   // of column tiles, signed
    address_t    scales;
    address_t    scales_column;
    logic [7:0]  group;            // k tiles that share scales
    address_t    out;
    address_t    out_row;          // signed
    address_t    out_column;
    address_t    factors;
    address_t    biases;
    address_t    row_factors;
    logic [31:0] least;
    logic [31:0] largest;
    logic [15:0] column_tiles;
    logic [15:0] k_tiles;
    logic [8:0]  block;            // column tiles
    logic [8:0]  rows;
    mode_t       mode;
    logic [31:0] pc;
  } run_t;

  // A block of sums for the drain. Addresses are those of the block's first row in its first column tile.
  typedef struct packed {
    logic        half;
    logic [8:0]  tiles;
    logic [8:0]  rows;            // of a tile
    logic [1:0]  result;          // cpe_isa_pkg::number_t
    logic        row_factors;     // meaningless for int32, as are the next two
    logic        bias;
    logic        clamp;
    address_t    out;
    address_t    row_stride;
    address_t    tile_stride;
    address_t    factors;         // of the columns: 32 bytes a column tile, as have biases
    address_t    biases;
    address_t    factors_of_rows;
    logic [31:0] least;
    logic [31:0] largest;
    logic [31:0] pc;
    logic        last;            // of its run
  } drain_job_t;

endpackage
