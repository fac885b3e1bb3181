// The CPEs of a group with what joins them: a channel along every row and every column, barriers, and the gate of each one's clock.
//
// clk_i always runs; what is in here stops its own clocks. Vectors are indexed by CPE: row * Columns + column.
// SharedClock is for simulators, which pay for every clock: one gate for all CPEs, open while any of their own would be. What a CPE
// does in an edge that it does not need is nothing, so cycle by cycle nothing changes.
// busy_o: something in here has an edge to come: a CPE that is awake, data on a channel, a barrier.
module cg_cpes #(
  parameter  int unsigned Rows        = 4,
  parameter  int unsigned Columns     = 8,
  parameter  bit          SharedClock = 1'b0,
  localparam int unsigned N           = Rows * Columns
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [1:0]                        group_i,            // constant
  input  logic [31:0]                       boot_pc_i,
  input  logic [15:0]                       daemon_segment_i,

  input  logic [N-1:0]                      launch_valid_i,
  output logic [N-1:0]                      launch_ready_o,
  input  cpe_pkg::launch_t                  launch_i,
  output logic [N-1:0]                      finished_o,
  input  logic [N-1:0]                      active_i,
  input  logic [N-1:0]                      halt_i,
  output logic [N-1:0]                      quiet_o,
  input  logic [N-1:0]                      tile_rst_ni,
  input  logic [N-1:0]                      parked_i,
  output logic [N-1:0]                      asleep_o,           // its clock stands still
  output logic [N-1:0]                      fault_valid_o,
  output logic [N*cpe_pkg::FaultWidth-1:0]  fault_o,
  output logic [N*32-1:0]                   pc_o,

  output logic [N-1:0]                      mem_valid_o,
  input  logic [N-1:0]                      mem_ready_i,
  output logic [N*cpe_pkg::MemReqWidth-1:0] mem_o,
  input  logic [N-1:0]                      rsp_valid_i,
  input  cpe_pkg::mem_rsp_t                 rsp_i,
  output logic [N-1:0]                      fetch_valid_o,
  output logic [N*26-1:0]                   fetch_line_o,
  input  logic                              code_invalidate_i,

  input  logic [N-1:0]                      access_valid_i,
  output logic [N-1:0]                      access_ready_o,
  input  cg_pkg::access_req_t               access_i,
  output logic [N*64-1:0]                   access_rdata_o,

  output logic                              busy_o
);

  localparam int unsigned FaultWidth = cpe_pkg::FaultWidth;
  localparam int unsigned ReqWidth   = cpe_pkg::MemReqWidth;

  // Row channels count by row and column, column channels by column and row.
  logic [N-1:0]       rs_valid, rs_ready, rr_ready, rr_one, rr_valid;
  logic [N-1:0]       cs_valid, cs_ready, cr_ready, cr_one, cr_valid;
  logic [N*8-1:0]     rs_mask, cs_mask;
  logic [N*256-1:0]   rs_data, cs_data;
  logic [N*3-1:0]     rr_source, cr_source;
  logic [Rows*256-1:0]    row_data;
  logic [Columns*256-1:0] column_data;

  logic [N-1:0]       enable;
  logic [3*N-1:0]     arrive, released;

  logic shared_clk;
  clock_gate u_shared_clock (
    .clk_i,
    .en_i (SharedClock && enable != '0),
    .clk_o(shared_clk)
  );

  for (genvar r = 0; r < Rows; r++) begin : g_row
    for (genvar c = 0; c < Columns; c++) begin : g_column
      localparam int unsigned I = r * Columns + c;  // the CPE
      localparam int unsigned J = c * Rows + r;     // its place among the columns

      cpe_pkg::id_t id;
      logic         clk, own_clk, asleep;

      cpe_pkg::mem_req_t mem;
      logic [25:0]       fetch_line;
      cpe_pkg::fault_t   fault;
      logic [255:0]      row_data_out, column_data_out;
      logic [63:0]       access_rdata;
      assign id = {group_i, 2'(r), 3'(c)};

      cg_wake u_wake (
        .clk_i,
        .parked_i    (parked_i[I]),
        .asleep_i    (asleep),
        .reset_i     (!tile_rst_ni[I]),
        .launch_i    (launch_valid_i[I]),
        .release_i   (released[3*I +: 3] != '0),
        .response_i  (rsp_valid_i[I]),
        .channel_i   (rr_valid[I] || cr_valid[J]),
        .access_i    (access_valid_i[I]),
        .halt_i      (halt_i[I]),
        .invalidate_i(code_invalidate_i),
        .enable_o    (enable[I]),
        .clk_o       (own_clk)
      );
      assign clk = SharedClock ? shared_clk : own_clk;
      assign asleep_o[I] = asleep || parked_i[I];

      cpe #(
        .Rows   (Rows),
        .Columns(Columns)
      ) u_cpe (
        .clk_i                  (clk),
        .rst_ni                 (tile_rst_ni[I]),
        .id_i                   (id),
        .boot_pc_i,
        .daemon_segment_i,
        .awake_i                (enable[I]),
        .halt_i                 (halt_i[I]),
        .quiet_o                (quiet_o[I]),
        .asleep_o               (asleep),
        .pc_o                   (pc_o[32*I +: 32]),
        .launch_valid_i         (launch_valid_i[I]),
        .launch_ready_o         (launch_ready_o[I]),
        .launch_i,
        .finished_o             (finished_o[I]),
        .fault_valid_o          (fault_valid_o[I]),
        .fault_o                (fault),
        .arrive_o               (arrive[3*I +: 3]),
        .release_i              (released[3*I +: 3]),
        .mem_valid_o            (mem_valid_o[I]),
        .mem_ready_i            (mem_ready_i[I]),
        .mem_o                  (mem),
        .rsp_valid_i            (rsp_valid_i[I]),
        .rsp_i,
        .fetch_valid_o          (fetch_valid_o[I]),
        .fetch_line_o           (fetch_line),
        .invalidate_i           (code_invalidate_i),
        .row_send_valid_o       (rs_valid[I]),
        .row_send_ready_i       (rs_ready[I]),
        .row_send_mask_o        (rs_mask[8*I +: 8]),
        .row_send_data_o        (row_data_out),
        .row_receive_ready_o    (rr_ready[I]),
        .row_receive_one_o      (rr_one[I]),
        .row_receive_source_o   (rr_source[3*I +: 3]),
        .row_receive_valid_i    (rr_valid[I]),
        .row_receive_data_i     (row_data[256*r +: 256]),
        .column_send_valid_o    (cs_valid[J]),
        .column_send_ready_i    (cs_ready[J]),
        .column_send_mask_o     (cs_mask[8*J +: 8]),
        .column_send_data_o     (column_data_out),
        .column_receive_ready_o (cr_ready[J]),
        .column_receive_one_o   (cr_one[J]),
        .column_receive_source_o(cr_source[3*J +: 3]),
        .column_receive_valid_i (cr_valid[J]),
        .column_receive_data_i  (column_data[256*c +: 256]),
        .access_valid_i         (access_valid_i[I]),
        .access_i,
        .access_ready_o         (access_ready_o[I]),
        .access_rdata_o         (access_rdata)
      );

      // Into the vectors only what counts: simulators move the whole vector for every piece.
      always_comb begin
        mem_o[ReqWidth*I +: ReqWidth]       = '0;
        fetch_line_o[26*I +: 26]            = '0;
        fault_o[FaultWidth*I +: FaultWidth] = '0;
        rs_data[256*I +: 256]               = '0;
        cs_data[256*J +: 256]               = '0;
        access_rdata_o[64*I +: 64]          = '0;
        if (mem_valid_o[I]) mem_o[ReqWidth*I +: ReqWidth] = mem;
        if (fetch_valid_o[I]) fetch_line_o[26*I +: 26] = fetch_line;
        if (fault_valid_o[I]) fault_o[FaultWidth*I +: FaultWidth] = fault;
        if (rs_valid[I]) rs_data[256*I +: 256] = row_data_out;
        if (cs_valid[J]) cs_data[256*J +: 256] = column_data_out;
        if (access_ready_o[I]) access_rdata_o[64*I +: 64] = access_rdata;
      end
    end
  end

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
      .send_data_i     (rs_data[256*Columns*r +: 256*Columns]),
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
      .send_data_i     (cs_data[256*Rows*c +: 256*Rows]),
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
