// SPDX-License-Identifier: Apache-2.0
// A row of CPEs' channel engines with their bus. Vectors over eight positions whatever Positions is; what lies beyond is quiet.
module tb_channel #(
  parameter int unsigned Positions = 8,
  parameter bit          Straight  = 1'b1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [7:0]      engine_rst_ni,   // of each engine
  input  logic [7:0]      halt_i,
  input  logic [7:0]      participants_i,
  output logic [3:0]      positions_o,

  input  logic [7:0]      issue_valid_i,
  input  logic [8*7-1:0]  issue_op_i,
  input  logic [8*32-1:0] issue_rs1_i,
  input  logic [8*32-1:0] issue_rs2_i,
  output logic [7:0]      issue_ready_o,
  output logic [7:0]      issue_bad_o,
  output logic [8*32-1:0] issue_rdata_o,

  output logic [7:0]       s_valid_o,
  input  logic [7:0]       s_ready_i,
  output logic [8*12-1:0]  s_addr_o,
  input  logic [8*256-1:0] s_rdata_i,

  output logic [7:0]       r_valid_o,
  input  logic [7:0]       r_ready_i,
  output logic [8*12-1:0]  r_addr_o,
  output logic [8*256-1:0] r_wdata_o,

  output logic [7:0]      busy_o,
  output logic            bus_busy_o,
  output logic [7:0]      event_sent_o,
  output logic [7:0]      event_received_o
);

  localparam int unsigned P = Positions;

  logic [P-1:0]     send_valid, send_ready, receive_ready, receive_one, receive_valid;
  logic [P*8-1:0]   send_mask;
  logic [P*256-1:0] send_data;
  logic [P*3-1:0]   receive_source;
  logic [255:0]     word, receive_data;

  always_comb begin
    word = '0;
    for (int unsigned i = 0; i < P; i++) word = word | (send_ready[i] ? send_data[i*256 +: 256] : '0);
  end

  assign positions_o = 4'(P);

  cg_channel #(.Positions(P)) u_bus (
    .clk_i,
    .rst_ni,
    .send_valid_i(send_valid),
    .send_ready_o(send_ready),
    .send_mask_i(send_mask),
    .send_data_i(word),
    .receive_ready_i(receive_ready),
    .receive_one_i(receive_one),
    .receive_source_i(receive_source),
    .receive_valid_o(receive_valid),
    .receive_data_o(receive_data),
    .busy_o(bus_busy_o)
  );

  for (genvar i = 0; i < 8; i++) begin : gen_position
    if (i < P) begin : gen_engine
      cpe_pkg::issue_t issue;
      assign issue.target = cpe_isa_pkg::UnitRow;
      assign issue.op     = issue_op_i[i*7 +: 7];
      assign issue.rs1    = issue_rs1_i[i*32 +: 32];
      assign issue.rs2    = issue_rs2_i[i*32 +: 32];
      assign issue.pc     = '0;

      cpe_channel #(.Positions(P), .Straight(Straight)) u_engine (
        .clk_i,
        .rst_ni(rst_ni && engine_rst_ni[i]),
        .halt_i(halt_i[i]),
        .position_i(3'(i)),
        .participants_i,
        .issue_valid_i(issue_valid_i[i]),
        .issue_i(issue),
        .issue_ready_o(issue_ready_o[i]),
        .issue_rdata_o(issue_rdata_o[i*32 +: 32]),
        .issue_bad_o(issue_bad_o[i]),
        .s_valid_o(s_valid_o[i]),
        .s_ready_i(s_ready_i[i]),
        .s_addr_o(s_addr_o[i*12 +: 12]),
        .s_rdata_i(s_rdata_i[i*256 +: 256]),
        .r_valid_o(r_valid_o[i]),
        .r_ready_i(r_ready_i[i]),
        .r_addr_o(r_addr_o[i*12 +: 12]),
        .r_wdata_o(r_wdata_o[i*256 +: 256]),
        .send_valid_o(send_valid[i]),
        .send_ready_i(send_ready[i]),
        .send_mask_o(send_mask[i*8 +: 8]),
        .send_data_o(send_data[i*256 +: 256]),
        .receive_ready_o(receive_ready[i]),
        .receive_one_o(receive_one[i]),
        .receive_source_o(receive_source[i*3 +: 3]),
        .receive_valid_i(receive_valid[i]),
        .receive_data_i(receive_data),
        .busy_o(busy_o[i]),
        .event_sent_o(event_sent_o[i]),
        .event_received_o(event_received_o[i])
      );
    end else begin : gen_nobody
      assign issue_ready_o[i]            = 1'b0;
      assign issue_bad_o[i]              = 1'b0;
      assign issue_rdata_o[i*32 +: 32]   = '0;
      assign s_valid_o[i]                = 1'b0;
      assign s_addr_o[i*12 +: 12]        = '0;
      assign r_valid_o[i]                = 1'b0;
      assign r_addr_o[i*12 +: 12]        = '0;
      assign r_wdata_o[i*256 +: 256]     = '0;
      assign busy_o[i]                   = 1'b0;
      assign event_sent_o[i]             = 1'b0;
      assign event_received_o[i]         = 1'b0;
    end
  end

endmodule
