// SPDX-License-Identifier: Apache-2.0
// The CPEs of a group with what joins them: a channel along every row and every column, barriers.
//
// clk_i always runs; what is in here stops its own clocks. Vectors are indexed by CPE: row * Columns + column. SharedClock, SmallCpes, and what
//   is told of one CPE at a time: see cg_array.
// busy_o: something in here has an edge to come: a CPE that is awake, data on a channel, a barrier.
module cg_cpes #(
  parameter  int unsigned Rows        = 4,
  parameter  int unsigned Columns     = 8,
  parameter  bit          SharedClock = 1'b0,
  parameter  bit          SmallCpes   = 1'b0,
  localparam int unsigned N           = Rows * Columns
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [1:0]          group_i,            // constant
  input  logic [31:0]         boot_pc_i,
  input  logic [15:0]         daemon_segment_i,

  input  logic [N-1:0]        launch_valid_i,
  output logic [N-1:0]        launch_ready_o,
  input  cpe_pkg::launch_t    launch_i,
  output logic [N-1:0]        finished_o,
  input  logic [N-1:0]        active_i,
  input  logic [N-1:0]        halt_i,
  output logic [N-1:0]        quiet_o,
  input  logic [N-1:0]        tile_rst_ni,
  input  logic [N-1:0]        parked_i,
  output logic [N-1:0]        asleep_o,           // its clock stands still
  output logic [N-1:0]        fault_valid_o,
  input  logic                record_i,
  input  logic [4:0]          record_cpe_i,
  output cpe_pkg::fault_t     fault_o,
  output logic [31:0]         pc_o,

  output logic [N-1:0]        mem_valid_o,
  input  logic [N-1:0]        mem_ready_i,
  input  logic [4:0]          mem_cpe_i,
  output cpe_pkg::mem_req_t   mem_o,
  input  logic [N-1:0]        rsp_valid_i,
  input  cpe_pkg::mem_rsp_t   rsp_i,
  output logic [N-1:0]        fetch_valid_o,
  output logic [N*26-1:0]     fetch_line_o,
  input  logic                code_invalidate_i,

  input  logic [N-1:0]        access_valid_i,
  output logic [N-1:0]        access_ready_o,
  input  cpe_pkg::access_req_t access_i,
  output logic [63:0]         access_rdata_o,

  output logic                busy_o
);

  // Row channels count by row and column (rs_*: who sends, rr_*: who receives), column channels by column and row (cs_*, cr_*).
  logic [N-1:0]           rs_valid, rs_ready, rr_ready, rr_one, rr_valid;
  logic [N-1:0]           cs_valid, cs_ready, cr_ready, cr_one, cr_valid;
  logic [N*8-1:0]         rs_mask, cs_mask;
  logic [N*3-1:0]         rr_source, cr_source;
  logic [Rows*256-1:0]    row_word, row_data;
  logic [Columns*256-1:0] column_word, column_data;
  logic [N-1:0]           enable, asleep;
  logic [3*N-1:0]         arrive, released;

  cg_array #(
    .Rows       (Rows),
    .Columns    (Columns),
    .SharedClock(SharedClock),
    .SmallCpes  (SmallCpes)
  ) u_array (
    .clk_i,
    .group_i,
    .boot_pc_i,
    .daemon_segment_i,
    .tile_rst_ni,
    .parked_i,
    .halt_i,
    .quiet_o,
    .asleep_o               (asleep),
    .enable_o               (enable),
    .launch_valid_i,
    .launch_ready_o,
    .launch_i,
    .finished_o,
    .arrive_o               (arrive),
    .release_i              (released),
    .fault_valid_o,
    .record_i,
    .record_cpe_i,
    .fault_o,
    .pc_o,
    .mem_valid_o,
    .mem_ready_i,
    .mem_cpe_i,
    .mem_o,
    .rsp_valid_i,
    .rsp_i,
    .fetch_valid_o,
    .fetch_line_o,
    .code_invalidate_i,
    .row_send_valid_o       (rs_valid),
    .row_send_ready_i       (rs_ready),
    .row_send_mask_o        (rs_mask),
    .row_word_o             (row_word),
    .row_receive_ready_o    (rr_ready),
    .row_receive_one_o      (rr_one),
    .row_receive_source_o   (rr_source),
    .row_receive_valid_i    (rr_valid),
    .row_receive_data_i     (row_data),
    .column_send_valid_o    (cs_valid),
    .column_send_ready_i    (cs_ready),
    .column_send_mask_o     (cs_mask),
    .column_word_o          (column_word),
    .column_receive_ready_o (cr_ready),
    .column_receive_one_o   (cr_one),
    .column_receive_source_o(cr_source),
    .column_receive_valid_i (cr_valid),
    .column_receive_data_i  (column_data),
    .access_valid_i,
    .access_ready_o,
    .access_i,
    .access_rdata_o
  );

  assign asleep_o = asleep | parked_i;

  // ------------------------------------------------------------------------------------- channels and barriers

  logic [Rows-1:0]    row_busy;
  logic [Columns-1:0] column_busy;
  logic               joining, clk;

  assign joining = row_busy != '0 || column_busy != '0 || arrive != '0 || released != '0;
  idle_clock u_clock (
    .clk_i,
    .rst_ni,
    .busy_i(joining),
    .clk_o (clk)
  );

  for (genvar r = 0; r < Rows; r++) begin : g_row_channel
    cg_channel #(
      .Positions(Columns)
    ) u_channel (
      .clk_i           (clk),
      .rst_ni,
      .send_valid_i    (rs_valid[Columns*r +: Columns]),
      .send_ready_o    (rs_ready[Columns*r +: Columns]),
      .send_mask_i     (rs_mask[8*Columns*r +: 8*Columns]),
      .send_data_i     (row_word[256*r +: 256]),
      .receive_ready_i (rr_ready[Columns*r +: Columns]),
      .receive_one_i   (rr_one[Columns*r +: Columns]),
      .receive_source_i(rr_source[3*Columns*r +: 3*Columns]),
      .receive_valid_o (rr_valid[Columns*r +: Columns]),
      .receive_data_o  (row_data[256*r +: 256]),
      .busy_o          (row_busy[r])
    );
  end

  for (genvar c = 0; c < Columns; c++) begin : g_column_channel
    cg_channel #(
      .Positions(Rows)
    ) u_channel (
      .clk_i           (clk),
      .rst_ni,
      .send_valid_i    (cs_valid[Rows*c +: Rows]),
      .send_ready_o    (cs_ready[Rows*c +: Rows]),
      .send_mask_i     (cs_mask[8*Rows*c +: 8*Rows]),
      .send_data_i     (column_word[256*c +: 256]),
      .receive_ready_i (cr_ready[Rows*c +: Rows]),
      .receive_one_i   (cr_one[Rows*c +: Rows]),
      .receive_source_i(cr_source[3*Rows*c +: 3*Rows]),
      .receive_valid_o (cr_valid[Rows*c +: Rows]),
      .receive_data_o  (column_data[256*c +: 256]),
      .busy_o          (column_busy[c])
    );
  end

  cg_sync #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_sync (
    .clk_i    (clk),
    .rst_ni,
    .arrive_i (arrive),
    .active_i,
    .release_o(released)
  );

  assign busy_o = enable != '0 || joining;

endmodule
