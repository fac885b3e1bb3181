// SPDX-License-Identifier: Apache-2.0
// A CPE as a model of its own, its ports packed into words for the C++ around it.
//
// Clocks have no driver: C++ says which edges there are (tile.cpp), and an edge costs one evaluation. What hangs on inputs is evaluated
// with in_clk, only when one of them has changed. What is wide moves only when its valid bit says that there is something.
module cpe_tile_top #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8
) (
  input  logic [63:0]  in_i,           // cpe_tile_pkg::in_t
  input  logic [31:0]  boot_pc_i,
  input  logic [127:0] launch_i,
  input  logic [521:0] rsp_i,
  input  logic [255:0] row_data_i,
  input  logic [255:0] column_data_i,
  input  logic [90:0]  access_i,
  output logic [63:0]  out_o,          // cpe_tile_pkg::out_t, without
  output logic [63:0]  channels_o,     // what is of channels in it,
  output logic [63:0]  asleep_o,       // and what follows the arithmetic units
  output logic [31:0]  pc_o,
  output logic [25:0]  fetch_line_o,
  output logic [593:0] mem_o,
  output logic [103:0] fault_o,
  output logic [255:0] row_data_o,
  output logic [255:0] column_data_o,
  output logic [63:0]  access_rdata_o
);

  cpe_tile_pkg::in_t  in;
  logic [31:0]        boot_pc;
  logic [127:0]       launch;
  logic [521:0]       rsp;
  logic [255:0]       row_data, column_data;
  logic [90:0]        access;
  logic               clk /* verilator public_flat_rw */;
  logic               copy /* verilator public_flat_rw */;

  // Nothing else looks at inputs: C++ does not have the rest evaluated when they change.
  always_ff @(posedge copy) begin : take
    automatic cpe_tile_pkg::in_t in_next = in_i;
    in      <= in_next;
    boot_pc <= boot_pc_i;
    if (in_next.launch_valid) launch <= launch_i;
    if (in_next.rsp_valid) rsp <= rsp_i;
    if (in_next.row_receive_valid) row_data <= row_data_i;
    if (in_next.column_receive_valid) column_data <= column_data_i;
    if (in_next.access_valid) access <= access_i;
  end

  logic               quiet, asleep, launch_ready, finished, fetch_valid, fault_valid, mem_valid, access_ready;
  logic               row_send_valid, row_receive_ready, row_receive_one;
  logic               column_send_valid, column_receive_ready, column_receive_one;
  logic [2:0]         arrive, row_receive_source, column_receive_source;
  logic [7:0]         row_send_mask, column_send_mask;
  cpe_pkg::mem_req_t  mem;
  cpe_pkg::fault_t    fault;
  logic [255:0]       row_send, column_send;
  logic [63:0]        access_rdata;

  /* verilator lint_off LATCH */
  always_latch if (mem_valid) mem_o = mem;
  always_latch if (fault_valid) fault_o = fault;
  always_latch if (row_send_valid) row_data_o = row_send;
  always_latch if (column_send_valid) column_data_o = column_send;
  always_latch if (access_ready) access_rdata_o = access_rdata;
  /* verilator lint_on LATCH */

  assign asleep_o = {21'b0, u_cpe.u_engines.u_movers.dma_foreground_o, u_cpe.u_engines.u_units.vector_busy,
                     u_cpe.u_engines.u_units.systolic_busy, u_cpe.u_engines.dma_busy, 27'b0, asleep, 11'b0};

  assign out_o = {51'b0, quiet, 1'b0, launch_ready, finished, arrive, fetch_valid, fault_valid, mem_valid, 2'b0, access_ready};

  // A channel tells something only when it has something to send or waits for something.
  always_comb begin
    channels_o = '0;
    if (row_send_valid || row_receive_ready || column_send_valid || column_receive_ready) begin
      channels_o[38:13] = {row_send_mask, column_send_mask, row_receive_source, column_receive_source, row_receive_ready, row_receive_one,
                           column_receive_ready, column_receive_one};
      channels_o[2:1]   = {row_send_valid, column_send_valid};
    end
  end

  cpe #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_cpe (
    .clk_i                  (clk),
    .rst_ni                 (in.rst_n),
    .id_i                   (in.id),
    .boot_pc_i              (boot_pc),
    .daemon_segment_i       (in.daemon_segment),
    .awake_i                (1'b1),
    .halt_i                 (in.halt),
    .quiet_o                (quiet),
    .asleep_o               (asleep),
    .pc_o,
    .launch_valid_i         (in.launch_valid),
    .launch_ready_o         (launch_ready),
    .launch_i               (launch),
    .finished_o             (finished),
    .fault_valid_o          (fault_valid),
    .fault_o                (fault),
    .arrive_o               (arrive),
    .release_i              (in.released),
    .mem_valid_o            (mem_valid),
    .mem_ready_i            (in.mem_ready),
    .mem_o                  (mem),
    .rsp_valid_i            (in.rsp_valid),
    .rsp_i                  (rsp),
    .fetch_valid_o          (fetch_valid),
    .fetch_line_o,
    .invalidate_i           (in.invalidate),
    .row_send_valid_o       (row_send_valid),
    .row_send_ready_i       (in.row_send_ready),
    .row_send_mask_o        (row_send_mask),
    .row_send_data_o        (row_send),
    .row_receive_ready_o    (row_receive_ready),
    .row_receive_one_o      (row_receive_one),
    .row_receive_source_o   (row_receive_source),
    .row_receive_valid_i    (in.row_receive_valid),
    .row_receive_data_i     (row_data),
    .column_send_valid_o    (column_send_valid),
    .column_send_ready_i    (in.column_send_ready),
    .column_send_mask_o     (column_send_mask),
    .column_send_data_o     (column_send),
    .column_receive_ready_o (column_receive_ready),
    .column_receive_one_o   (column_receive_one),
    .column_receive_source_o(column_receive_source),
    .column_receive_valid_i (in.column_receive_valid),
    .column_receive_data_i  (column_data),
    .access_valid_i         (in.access_valid),
    .access_i               (access),
    .access_ready_o         (access_ready),
    .access_rdata_o         (access_rdata)
  );

endmodule
