// SPDX-License-Identifier: Apache-2.0
// The CPEs of a group, each behind the gate of its clock.
//
// clk_i always runs; what is in here stops its own clocks. Vectors are indexed by CPE, row * Columns + column; those of column
//   channels (column_*) by column * Rows + row; barriers (arrive_o, release_i) by scope * N + CPE: row, column, all.
// What is wide is told of one CPE at a time, in the same cycle: mem_o is the request of CPE mem_cpe_i, if it has one; fault_o and
//   pc_o are those of record_cpe_i while record_i; access_rdata_o comes from the CPE that is ready; row_word_o and column_word_o are
//   the words of those who send (*_send_ready_i), one in a row or column.
// SharedClock is for simulators, which pay for every clock: one gate for all CPEs, open while any of their own would be. What a CPE
//   does in an edge that it does not need is nothing, so cycle by cycle nothing changes.
// SmallCpes: as small as CPEs become without programs that see it.
// Simulators of large cards have another module in place of this one (sim/seam).
module cg_array #(
  parameter  int unsigned Rows        = 4,
  parameter  int unsigned Columns     = 8,
  parameter  bit          SharedClock = 1'b0,
  parameter  bit          SmallCpes   = 1'b0,
  localparam int unsigned N           = Rows * Columns
) (
  input  logic                   clk_i,
  input  logic [1:0]             group_i,             // constant
  input  logic [31:0]            boot_pc_i,
  input  logic [15:0]            daemon_segment_i,

  input  logic [N-1:0]           tile_rst_ni,
  input  logic [N-1:0]           parked_i,
  input  logic [N-1:0]           halt_i,
  output logic [N-1:0]           quiet_o,
  output logic [N-1:0]           asleep_o,            // by its own account
  output logic [N-1:0]           enable_o,            // it has the coming edge

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

  localparam int unsigned FaultWidth = cpe_pkg::FaultWidth;
  localparam int unsigned ReqWidth   = cpe_pkg::MemReqWidth;

  logic [N*FaultWidth-1:0] faults;
  logic [N*32-1:0]         pcs;
  logic [N*ReqWidth-1:0]   mems;
  logic [N*256-1:0]        row_words, column_words;
  logic [N*64-1:0]         access_rdatas;

  logic shared_clk;
  clock_gate u_shared_clock (
    .clk_i,
    .en_i (SharedClock && enable_o != '0),
    .clk_o(shared_clk)
  );

  for (genvar r = 0; r < Rows; r++) begin : g_row
    for (genvar c = 0; c < Columns; c++) begin : g_column
      localparam int unsigned I = r * Columns + c;  // the CPE
      localparam int unsigned J = c * Rows + r;     // its place among the columns

      cpe_pkg::id_t      id;
      logic              clk, own_clk;
      logic [2:0]        arrive, released;
      cpe_pkg::mem_req_t mem;
      logic [25:0]       fetch_line;
      cpe_pkg::fault_t   fault;
      logic [255:0]      row_word, column_word;
      logic [63:0]       access_rdata;

      assign id       = {group_i, 2'(r), 3'(c)};
      assign released = {release_i[2*N+I], release_i[N+I], release_i[I]};
      assign {arrive_o[2*N+I], arrive_o[N+I], arrive_o[I]} = arrive;

      cg_wake u_wake (
        .clk_i,
        .parked_i    (parked_i[I]),
        .asleep_i    (asleep_o[I]),
        .reset_i     (!tile_rst_ni[I]),
        .launch_i    (launch_valid_i[I]),
        .release_i   (released != '0),
        .response_i  (rsp_valid_i[I]),
        .channel_i   (row_receive_valid_i[I] || column_receive_valid_i[J]),
        .access_i    (access_valid_i[I]),
        .halt_i      (halt_i[I]),
        .invalidate_i(code_invalidate_i),
        .enable_o    (enable_o[I]),
        .clk_o       (own_clk)
      );
      assign clk = SharedClock ? shared_clk : own_clk;

      cpe #(
        .Rows   (Rows),
        .Columns(Columns),
        .Serial (SmallCpes)
      ) u_cpe (
        .clk_i                  (clk),
        .rst_ni                 (tile_rst_ni[I]),
        .id_i                   (id),
        .boot_pc_i,
        .daemon_segment_i,
        .awake_i                (enable_o[I]),
        .halt_i                 (halt_i[I]),
        .quiet_o                (quiet_o[I]),
        .asleep_o               (asleep_o[I]),
        .pc_o                   (pcs[32*I +: 32]),
        .launch_valid_i         (launch_valid_i[I]),
        .launch_ready_o         (launch_ready_o[I]),
        .launch_i,
        .finished_o             (finished_o[I]),
        .fault_valid_o          (fault_valid_o[I]),
        .fault_o                (fault),
        .arrive_o               (arrive),
        .release_i              (released),
        .mem_valid_o            (mem_valid_o[I]),
        .mem_ready_i            (mem_ready_i[I]),
        .mem_o                  (mem),
        .rsp_valid_i            (rsp_valid_i[I]),
        .rsp_i,
        .fetch_valid_o          (fetch_valid_o[I]),
        .fetch_line_o           (fetch_line),
        .invalidate_i           (code_invalidate_i),
        .row_send_valid_o       (row_send_valid_o[I]),
        .row_send_ready_i       (row_send_ready_i[I]),
        .row_send_mask_o        (row_send_mask_o[8*I +: 8]),
        .row_send_data_o        (row_word),
        .row_receive_ready_o    (row_receive_ready_o[I]),
        .row_receive_one_o      (row_receive_one_o[I]),
        .row_receive_source_o   (row_receive_source_o[3*I +: 3]),
        .row_receive_valid_i    (row_receive_valid_i[I]),
        .row_receive_data_i     (row_receive_data_i[256*r +: 256]),
        .column_send_valid_o    (column_send_valid_o[J]),
        .column_send_ready_i    (column_send_ready_i[J]),
        .column_send_mask_o     (column_send_mask_o[8*J +: 8]),
        .column_send_data_o     (column_word),
        .column_receive_ready_o (column_receive_ready_o[J]),
        .column_receive_one_o   (column_receive_one_o[J]),
        .column_receive_source_o(column_receive_source_o[3*J +: 3]),
        .column_receive_valid_i (column_receive_valid_i[J]),
        .column_receive_data_i  (column_receive_data_i[256*c +: 256]),
        .access_valid_i         (access_valid_i[I]),
        .access_i,
        .access_ready_o         (access_ready_o[I]),
        .access_rdata_o         (access_rdata)
      );

      // Into the vectors only what counts: simulators move the whole vector for every piece.
      always_comb begin
        mems[ReqWidth*I +: ReqWidth]       = '0;
        fetch_line_o[26*I +: 26]           = '0;
        faults[FaultWidth*I +: FaultWidth] = '0;
        row_words[256*I +: 256]            = '0;
        column_words[256*J +: 256]         = '0;
        access_rdatas[64*I +: 64]          = '0;
        if (mem_valid_o[I]) mems[ReqWidth*I +: ReqWidth] = mem;
        if (fetch_valid_o[I]) fetch_line_o[26*I +: 26] = fetch_line;
        if (fault_valid_o[I]) faults[FaultWidth*I +: FaultWidth] = fault;
        if (row_send_ready_i[I]) row_words[256*I +: 256] = row_word;
        if (column_send_ready_i[J]) column_words[256*J +: 256] = column_word;
        if (access_ready_o[I]) access_rdatas[64*I +: 64] = access_rdata;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------- one CPE at a time

  always_comb begin
    mem_o          = '0;
    fault_o        = '0;
    pc_o           = '0;
    access_rdata_o = '0;
    row_word_o     = '0;
    column_word_o  = '0;
    if (mem_valid_o != '0) mem_o = mems[ReqWidth*mem_cpe_i +: ReqWidth];
    if (record_i) begin
      fault_o = faults[FaultWidth*record_cpe_i +: FaultWidth];
      pc_o    = pcs[32*record_cpe_i +: 32];
    end
    if (access_ready_o != '0) begin
      for (int unsigned i = 0; i < N; i++) access_rdata_o = access_rdata_o | access_rdatas[64*i +: 64];
    end
    if (row_send_ready_i != '0) begin
      for (int unsigned i = 0; i < N; i++) begin
        row_word_o[256*(i/Columns) +: 256] = row_word_o[256*(i/Columns) +: 256] | row_words[256*i +: 256];
      end
    end
    if (column_send_ready_i != '0) begin
      for (int unsigned i = 0; i < N; i++) begin
        column_word_o[256*(i/Rows) +: 256] = column_word_o[256*(i/Rows) +: 256] | column_words[256*i +: 256];
      end
    end
  end

endmodule
