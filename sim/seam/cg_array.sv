// SPDX-License-Identifier: Apache-2.0
// Stands in for rtl/group/cg_array.sv in simulators of whole groups: the same ports, the same cycles, but every CPE is a model of its own
// (sim/seam) and C++ around them (array.cpp) moves what goes in and out. A CPE that sleeps costs a bit, and what none of them
// asks for, and what has not changed, is not moved.
//
// Possible because nothing that a CPE tells in a cycle depends on what it hears in that cycle, with two exceptions (halt_i).
module cg_array #(
  parameter  int unsigned Rows        = 4,
  parameter  int unsigned Columns     = 8,
  parameter  bit          SharedClock = 1'b1,
  parameter  bit          SmallCpes   = 1'b0,
  localparam int unsigned N           = Rows * Columns
) (
  input  logic                   clk_i,
  input  logic [1:0]             group_i,
  input  logic [31:0]            boot_pc_i,
  input  logic [15:0]            daemon_segment_i,

  input  logic [N-1:0]           tile_rst_ni,
  input  logic [N-1:0]           parked_i,
  input  logic [N-1:0]           halt_i,
  output logic [N-1:0]           quiet_o,
  output logic [N-1:0]           asleep_o,
  output logic [N-1:0]           enable_o,

  input  logic [N-1:0]           launch_valid_i,
  output logic [N-1:0]           launch_ready_o,
  input  cpe_pkg::launch_t       launch_i,
  output logic [N-1:0]           finished_o,
  output logic [3*N-1:0]         arrive_o,
  input  logic [3*N-1:0]         release_i,

  output logic [N-1:0]           fault_valid_o,
  input  logic                   record_i,
  input  logic [4:0]             record_cpe_i,
  output cpe_pkg::fault_t        fault_o,
  output logic [31:0]            pc_o,

  output logic [N-1:0]           mem_valid_o,
  input  logic [N-1:0]           mem_ready_i,
  input  logic [4:0]             mem_cpe_i,
  output cpe_pkg::mem_req_t      mem_o,
  input  logic [N-1:0]           rsp_valid_i,
  input  cpe_pkg::mem_rsp_t      rsp_i,
  output logic [N-1:0]           fetch_valid_o,
  output logic [N*26-1:0]        fetch_line_o,
  input  logic                   code_invalidate_i,

  output logic [N-1:0]           row_send_valid_o,
  input  logic [N-1:0]           row_send_ready_i,
  output logic [N*8-1:0]         row_send_mask_o,
  output logic [Rows*256-1:0]    row_word_o,
  output logic [N-1:0]           row_receive_ready_o,
  output logic [N-1:0]           row_receive_one_o,
  output logic [N*3-1:0]         row_receive_source_o,
  input  logic [N-1:0]           row_receive_valid_i,
  input  logic [Rows*256-1:0]    row_receive_data_i,

  output logic [N-1:0]           column_send_valid_o,
  input  logic [N-1:0]           column_send_ready_i,
  output logic [N*8-1:0]         column_send_mask_o,
  output logic [Columns*256-1:0] column_word_o,
  output logic [N-1:0]           column_receive_ready_o,
  output logic [N-1:0]           column_receive_one_o,
  output logic [N*3-1:0]         column_receive_source_o,
  input  logic [N-1:0]           column_receive_valid_i,
  input  logic [Columns*256-1:0] column_receive_data_i,

  input  logic [N-1:0]           access_valid_i,
  output logic [N-1:0]           access_ready_o,
  input  cpe_pkg::access_req_t    access_i,
  output logic [63:0]            access_rdata_o
);

  import "DPI-C" function chandle swai_array_new(input int unsigned rows, input int unsigned columns);
  import "DPI-C" function void swai_array_delete(input chandle array);

  // What the coming step brings to the CPEs of a set.
  import "DPI-C" function void swai_array_launch(input chandle array, input int unsigned cpes, input bit [127:0] launch);
  import "DPI-C" function void swai_array_response(input chandle array, input int unsigned cpes, input bit [521:0] rsp);
  import "DPI-C" function void swai_array_rows(input chandle array, input int unsigned cpes, input bit [Rows*256-1:0] data);
  import "DPI-C" function void swai_array_columns(input chandle array, input int unsigned places, input bit [Columns*256-1:0] data);
  import "DPI-C" function void swai_array_access(input chandle array, input int unsigned cpes, input bit [90:0] access);
  import "DPI-C" function void swai_array_inputs(
      input chandle array, input int unsigned invalidate, input int unsigned release_row, input int unsigned release_column,
      input int unsigned release_all, input int unsigned mem_ready, input int unsigned row_send_ready,
      input int unsigned column_send_ready);

  // One edge of the clock of those who are awake, and which outputs have moved.
  import "DPI-C" function int unsigned swai_array_step(
      input chandle array, input int unsigned awake, input int unsigned tile_rst_n, input int unsigned halt, input int unsigned boot_pc,
      input int unsigned settings);

  import "DPI-C" function void swai_array_states(
      input chandle array, output int unsigned quiet, output int unsigned asleep, output int unsigned launch_ready,
      output int unsigned finished, output int unsigned fault_valid, output int unsigned access_ready, output bit [3*N-1:0] arrive);
  import "DPI-C" function void swai_array_memory(
      input chandle array, output int unsigned mem_valid, output int unsigned fetch_valid, output bit [N*26-1:0] fetch_line);
  import "DPI-C" function void swai_array_senders(
      input chandle array, output int unsigned row_valid, output int unsigned column_valid, output bit [N*8-1:0] row_mask,
      output bit [N*8-1:0] column_mask);
  import "DPI-C" function void swai_array_receivers(
      input chandle array, output int unsigned row_ready, output int unsigned row_one, output int unsigned column_ready,
      output int unsigned column_one, output bit [N*3-1:0] row_source, output bit [N*3-1:0] column_source);

  // What one CPE has to say. `now` moves with every step, so that simulators ask again after it.
  import "DPI-C" function void swai_array_record(input chandle array, input bit now, input int unsigned cpe, output bit [103:0] fault,
                                                 output int unsigned pc);
  import "DPI-C" function void swai_array_mem(input chandle array, input bit now, input int unsigned cpe, output bit [593:0] mem);
  import "DPI-C" function void swai_array_access_out(input chandle array, input bit now, input int unsigned cpes,
                                                     output longint unsigned data);
  import "DPI-C" function void swai_array_row_words(input chandle array, input bit now, input int unsigned cpes,
                                                    output bit [Rows*256-1:0] words);
  import "DPI-C" function void swai_array_column_words(input chandle array, input bit now, input int unsigned places,
                                                       output bit [Columns*256-1:0] words);

  chandle array;
  initial begin
    assert ($onehot(Rows) && $onehot(Columns) && Rows <= 4 && Columns <= 8) else $fatal(1, "the array is of 4 x 8 CPEs at most, or of powers of two less");
    array = swai_array_new(Rows, Columns);
  end
  final swai_array_delete(array);

  // ----------------------------------------------------------------------------------------------------- who is awake

  logic [N-1:0] asleep_q, launch_ready_q, released, column_hears;

  assign released = release_i[0 +: N] | release_i[N +: N] | release_i[2*N +: N];

  always_comb begin
    column_hears = '0;
    if (column_receive_valid_i != '0) begin
      for (int unsigned i = 0; i < N; i++) column_hears[i] = column_receive_valid_i[(i % Columns) * Rows + i / Columns];
    end
  end

  // As cg_wake has it for each of them.
  assign enable_o = ~parked_i & (~asleep_o | ~tile_rst_ni | launch_valid_i | released | rsp_valid_i | row_receive_valid_i | column_hears |
                                 access_valid_i | halt_i | {N{code_invalidate_i}});

  logic clk;
  clock_gate u_clock (
    .clk_i,
    .en_i (enable_o != '0),
    .clk_o(clk)
  );

  // ------------------------------------------------------------------------------------------------------------- step

  typedef struct packed {
    logic receivers;
    logic senders;
    logic memory;
    logic states;
  } moved_t;

  logic now_q;
  logic inputs;
  assign inputs = code_invalidate_i || released != '0 || mem_ready_i != '0 || row_send_ready_i != '0 || column_send_ready_i != '0;

  always_ff @(posedge clk) begin : step
    automatic bit [31:0]    moved_word;
    automatic moved_t       moved;
    automatic bit [31:0]    quiet, asleep, launch_ready, finished, fault_valid, access_ready, mem_valid, fetch_valid;
    automatic bit [31:0]    row_valid, column_valid, row_ready, row_one, column_ready, column_one;
    automatic bit [3*N-1:0] arrive, row_source, column_source;
    automatic bit [26*N-1:0] fetch_line;
    automatic bit [8*N-1:0] row_mask, column_mask;

    now_q <= !now_q;
    if (launch_valid_i != '0) swai_array_launch(array, 32'(launch_valid_i), launch_i);
    if (rsp_valid_i != '0) swai_array_response(array, 32'(rsp_valid_i), rsp_i);
    if (row_receive_valid_i != '0) swai_array_rows(array, 32'(row_receive_valid_i), row_receive_data_i);
    if (column_receive_valid_i != '0) swai_array_columns(array, 32'(column_receive_valid_i), column_receive_data_i);
    if (access_valid_i != '0) swai_array_access(array, 32'(access_valid_i), access_i);
    if (inputs) begin
      swai_array_inputs(array, 32'({N{code_invalidate_i}}), 32'(release_i[0 +: N]), 32'(release_i[N +: N]), 32'(release_i[2*N +: N]),
                        32'(mem_ready_i), 32'(row_send_ready_i), 32'(column_send_ready_i));
    end
    moved_word = swai_array_step(array, 32'(enable_o), 32'(tile_rst_ni), 32'(halt_i), boot_pc_i, {14'b0, group_i, daemon_segment_i});
    moved = moved_word[3:0];
    if (moved.states) begin
      swai_array_states(array, quiet, asleep, launch_ready, finished, fault_valid, access_ready, arrive);
      quiet_o        <= N'(quiet);
      asleep_q       <= N'(asleep);
      launch_ready_q <= N'(launch_ready);
      finished_o     <= N'(finished);
      fault_valid_o  <= N'(fault_valid);
      access_ready_o <= N'(access_ready);
      arrive_o       <= arrive;
    end
    if (moved.memory) begin
      swai_array_memory(array, mem_valid, fetch_valid, fetch_line);
      mem_valid_o   <= N'(mem_valid);
      fetch_valid_o <= N'(fetch_valid);
      fetch_line_o  <= fetch_line;
    end
    if (moved.senders) begin
      swai_array_senders(array, row_valid, column_valid, row_mask, column_mask);
      row_send_valid_o    <= N'(row_valid);
      column_send_valid_o <= N'(column_valid);
      row_send_mask_o     <= row_mask;
      column_send_mask_o  <= column_mask;
    end
    if (moved.receivers) begin
      swai_array_receivers(array, row_ready, row_one, column_ready, column_one, row_source, column_source);
      row_receive_ready_o     <= N'(row_ready);
      row_receive_one_o       <= N'(row_one);
      column_receive_ready_o  <= N'(column_ready);
      column_receive_one_o    <= N'(column_one);
      row_receive_source_o    <= row_source;
      column_receive_source_o <= column_source;
    end
  end

  // Two outputs follow halt_i in its cycle.
  assign launch_ready_o = launch_ready_q & ~halt_i;
  assign asleep_o       = asleep_q & (~halt_i | fault_valid_o);

  // ------------------------------------------------------------------------------------------------- one CPE at a time

  always_comb begin
    mem_o = '0;
    if (mem_valid_o != '0) swai_array_mem(array, now_q, {27'b0, mem_cpe_i}, mem_o);
  end

  always_comb begin
    fault_o = '0;
    pc_o    = '0;
    if (record_i) swai_array_record(array, now_q, {27'b0, record_cpe_i}, fault_o, pc_o);
  end

  always_comb begin
    access_rdata_o = '0;
    if (access_ready_o != '0) swai_array_access_out(array, now_q, 32'(access_ready_o), access_rdata_o);
  end

  always_comb begin
    row_word_o = '0;
    if (row_send_ready_i != '0) swai_array_row_words(array, now_q, 32'(row_send_ready_i), row_word_o);
  end

  always_comb begin
    column_word_o = '0;
    if (column_send_ready_i != '0) swai_array_column_words(array, now_q, 32'(column_send_ready_i), column_word_o);
  end

  initial assert (!SmallCpes) else $fatal(1, "the models of CPEs (sim/seam) are of large ones");

endmodule
