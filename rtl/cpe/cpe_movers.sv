// SPDX-License-Identifier: Apache-2.0
// What moves data of a CPE while the core goes on: the DMA engine, and the engines at the channels of row and column, behind one door
// (cpe_movers_gate): while none of them has a command, their clock stands still, and a simulator does nothing for them.
//
// Ports as of cpe_dma and cpe_channel; line_* and r?_*, c?_* are ports of the local memory (cpe_ldm_pkg).
module cpe_movers #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8,
  parameter bit          Serial  = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     halt_i,

  input  cpe_pkg::id_t             id_i,                     // constant
  input  logic [7:0]               row_participants_i,
  input  logic [7:0]               column_participants_i,

  input  logic                     issue_dma_i,
  input  logic                     issue_row_i,
  input  logic                     issue_column_i,
  input  logic                     launch_ends_i,            // with busy_o low
  input  cpe_pkg::issue_t          issue_i,
  output logic                     dma_ready_o,
  output logic [31:0]              dma_rdata_o,
  output logic                     dma_bad_o,
  output logic                     row_ready_o,
  output logic [31:0]              row_rdata_o,
  output logic                     row_bad_o,
  output logic                     column_ready_o,
  output logic [31:0]              column_rdata_o,
  output logic                     column_bad_o,

  output logic                     mem_valid_o,
  input  logic                     mem_ready_i,
  output cpe_pkg::mem_req_t        mem_o,
  input  logic                     rsp_valid_i,
  input  cpe_pkg::mem_rsp_t        rsp_i,

  output cpe_ldm_pkg::line_write_t line_write_o,
  output cpe_ldm_pkg::line_read_t  line_read_o,
  input  logic                     line_ready_i,
  input  logic [511:0]             line_rdata_i,

  output cpe_ldm_pkg::read_t       rs_o,                     // the row's sender
  input  logic                     rs_ready_i,
  input  logic [255:0]             rs_rdata_i,
  output cpe_ldm_pkg::write_t      rr_o,                     // and receiver
  input  logic                     rr_ready_i,
  output cpe_ldm_pkg::read_t       cs_o,                     // the column's
  input  logic                     cs_ready_i,
  input  logic [255:0]             cs_rdata_i,
  output cpe_ldm_pkg::write_t      cr_o,
  input  logic                     cr_ready_i,

  output logic                     row_send_valid_o,
  input  logic                     row_send_ready_i,
  output logic [7:0]               row_send_mask_o,
  output logic [255:0]             row_send_data_o,
  output logic                     row_receive_ready_o,
  output logic                     row_receive_one_o,
  output logic [2:0]               row_receive_source_o,
  input  logic                     row_receive_valid_i,
  input  logic [255:0]             row_receive_data_i,

  output logic                     column_send_valid_o,
  input  logic                     column_send_ready_i,
  output logic [7:0]               column_send_mask_o,
  output logic [255:0]             column_send_data_o,
  output logic                     column_receive_ready_o,
  output logic                     column_receive_one_o,
  output logic [2:0]               column_receive_source_o,
  input  logic                     column_receive_valid_i,
  input  logic [255:0]             column_receive_data_i,

  output logic                     fault_valid_o,            // of the DMA engine
  output cpe_pkg::fault_t          fault_o,
  output logic                     busy_o,                   // one of them
  output logic                     dma_busy_o,
  output logic                     dma_foreground_o,
  output logic                     dma_quiet_o,
  output logic                     event_line_o,
  output logic                     event_row_sent_o,
  output logic                     event_row_received_o,
  output logic                     event_column_sent_o,
  output logic                     event_column_received_o
);

  logic                  clk, rst_n, halt, mem_ready, rsp_valid, line_ready, row_busy, column_busy;
  logic [3:0]            issue_valid;
  logic [3:0]            ready, bus;
  cpe_pkg::issue_t       issue;
  logic [7:0]            row_participants, column_participants;
  cpe_pkg::mem_rsp_t     rsp;
  logic [511:0]          line_rdata;
  logic [255:0]          row_rdata, column_rdata, row_receive_data, column_receive_data;
  logic [6:0]            dma_bytes;

  assign busy_o       = dma_busy_o || row_busy || column_busy;
  assign event_line_o = dma_bytes != '0;

  cpe_movers_gate u_gate (
    .clk_i,
    .en_i                 (busy_o || issue_dma_i || issue_row_i || issue_column_i || launch_ends_i || !rst_ni),
    .clk_o                (clk),
    .rst_ni,
    .rst_no               (rst_n),
    .halt_i,
    .halt_o               (halt),
    .issue_valid_i        ({launch_ends_i, issue_column_i, issue_row_i, issue_dma_i}),
    .issue_valid_o        (issue_valid),
    .mem_ready_i,
    .mem_ready_o          (mem_ready),
    .rsp_valid_i,
    .rsp_valid_o          (rsp_valid),
    .line_ready_i,
    .line_ready_o         (line_ready),
    .ready_i              ({cr_ready_i, cs_ready_i, rr_ready_i, rs_ready_i}),
    .ready_o              (ready),
    .bus_i                ({column_send_ready_i, column_receive_valid_i, row_send_ready_i, row_receive_valid_i}),
    .bus_o                (bus),
    .issue_i,
    .issue_o              (issue),
    .row_participants_i,
    .row_participants_o   (row_participants),
    .column_participants_i,
    .column_participants_o(column_participants),
    .rsp_i,
    .rsp_o                (rsp),
    .line_rdata_i,
    .line_rdata_o         (line_rdata),
    .row_rdata_i          (rs_rdata_i),
    .row_rdata_o          (row_rdata),
    .column_rdata_i       (cs_rdata_i),
    .column_rdata_o       (column_rdata),
    .row_receive_data_i,
    .row_receive_data_o   (row_receive_data),
    .column_receive_data_i,
    .column_receive_data_o(column_receive_data)
  );

  if (Serial) begin : g_serial
    cpe_dma_serial u_dma (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .halt_i         (halt),
      .ends_i         (issue_valid[3]),
      .issue_valid_i  (issue_valid[0]),
      .issue_i        (issue),
      .issue_ready_o  (dma_ready_o),
      .issue_rdata_o  (dma_rdata_o),
      .issue_bad_o    (dma_bad_o),
      .mem_valid_o,
      .mem_ready_i    (mem_ready),
      .mem_o,
      .rsp_valid_i    (rsp_valid),
      .rsp_i          (rsp),
      .line_we_o      (line_write_o.valid),
      .line_waddr_o   (line_write_o.addr),
      .line_wbytes_o  (line_write_o.bytes),
      .line_wdata_o   (line_write_o.wdata),
      .line_re_o      (line_read_o.valid),
      .line_re_ready_i(line_ready),
      .line_raddr_o   (line_read_o.addr),
      .line_rbytes_o  (line_read_o.bytes),
      .line_rdata_i   (line_rdata),
      .fault_valid_o,
      .fault_o,
      .busy_o         (dma_busy_o),
      .foreground_o   (dma_foreground_o),
      .quiet_o        (dma_quiet_o),
      .event_bytes_o  (dma_bytes)
    );
  end else begin : g_dma
    cpe_dma u_dma (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .halt_i         (halt),
      .ends_i         (issue_valid[3]),
      .issue_valid_i  (issue_valid[0]),
      .issue_i        (issue),
      .issue_ready_o  (dma_ready_o),
      .issue_rdata_o  (dma_rdata_o),
      .issue_bad_o    (dma_bad_o),
      .mem_valid_o,
      .mem_ready_i    (mem_ready),
      .mem_o,
      .rsp_valid_i    (rsp_valid),
      .rsp_i          (rsp),
      .line_we_o      (line_write_o.valid),
      .line_waddr_o   (line_write_o.addr),
      .line_wbytes_o  (line_write_o.bytes),
      .line_wdata_o   (line_write_o.wdata),
      .line_re_o      (line_read_o.valid),
      .line_re_ready_i(line_ready),
      .line_raddr_o   (line_read_o.addr),
      .line_rbytes_o  (line_read_o.bytes),
      .line_rdata_i   (line_rdata),
      .fault_valid_o,
      .fault_o,
      .busy_o         (dma_busy_o),
      .foreground_o   (dma_foreground_o),
      .quiet_o        (dma_quiet_o),
      .event_bytes_o  (dma_bytes)
    );
  end

  cpe_channel #(
    .Positions(Columns),
    .Straight (!Serial)
  ) u_row (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .halt_i          (halt),
    .position_i      (id_i.column),
    .participants_i  (row_participants),
    .issue_valid_i   (issue_valid[1]),
    .issue_i         (issue),
    .issue_ready_o   (row_ready_o),
    .issue_rdata_o   (row_rdata_o),
    .issue_bad_o     (row_bad_o),
    .s_valid_o       (rs_o.valid),
    .s_ready_i       (ready[0]),
    .s_addr_o        (rs_o.addr),
    .s_rdata_i       (row_rdata),
    .r_valid_o       (rr_o.valid),
    .r_ready_i       (ready[1]),
    .r_addr_o        (rr_o.addr),
    .r_wdata_o       (rr_o.wdata),
    .send_valid_o    (row_send_valid_o),
    .send_ready_i    (bus[1]),
    .send_mask_o     (row_send_mask_o),
    .send_data_o     (row_send_data_o),
    .receive_ready_o (row_receive_ready_o),
    .receive_one_o   (row_receive_one_o),
    .receive_source_o(row_receive_source_o),
    .receive_valid_i (bus[0]),
    .receive_data_i  (row_receive_data),
    .busy_o          (row_busy),
    .event_sent_o    (event_row_sent_o),
    .event_received_o(event_row_received_o)
  );

  cpe_channel #(
    .Positions(Rows),
    .Straight (!Serial)
  ) u_column (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .halt_i          (halt),
    .position_i      ({1'b0, id_i.row}),
    .participants_i  (column_participants),
    .issue_valid_i   (issue_valid[2]),
    .issue_i         (issue),
    .issue_ready_o   (column_ready_o),
    .issue_rdata_o   (column_rdata_o),
    .issue_bad_o     (column_bad_o),
    .s_valid_o       (cs_o.valid),
    .s_ready_i       (ready[2]),
    .s_addr_o        (cs_o.addr),
    .s_rdata_i       (column_rdata),
    .r_valid_o       (cr_o.valid),
    .r_ready_i       (ready[3]),
    .r_addr_o        (cr_o.addr),
    .r_wdata_o       (cr_o.wdata),
    .send_valid_o    (column_send_valid_o),
    .send_ready_i    (bus[3]),
    .send_mask_o     (column_send_mask_o),
    .send_data_o     (column_send_data_o),
    .receive_ready_o (column_receive_ready_o),
    .receive_one_o   (column_receive_one_o),
    .receive_source_o(column_receive_source_o),
    .receive_valid_i (bus[2]),
    .receive_data_i  (column_receive_data),
    .busy_o          (column_busy),
    .event_sent_o    (event_column_sent_o),
    .event_received_o(event_column_received_o)
  );

`ifndef SYNTHESIS
  // Nothing between what sleeps and the arbiter would keep it from asking for local memory.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (busy_o || {cr_o.valid, cs_o.valid, rr_o.valid, rs_o.valid, line_write_o.valid, line_read_o.valid} == '0)
        else $error("a mover sleeps, and asks");
    end
  end
`endif

endmodule
