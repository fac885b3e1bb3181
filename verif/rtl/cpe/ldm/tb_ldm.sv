// SPDX-License-Identifier: Apache-2.0
// The local memory of a CPE, either kind. Of the engines of the serial one, two only write, some never write, some write the same 32
// bits at every place.
`ifndef CPE_LDM
`define CPE_LDM cpe_ldm
`endif
module tb_ldm #(
  parameter int unsigned Engines = 6,
  parameter int unsigned Serial  = 0
) (
  output logic                   serial_o,
  output logic [Engines-1:0]     holds_o,
  output logic [Engines-1:0]     writes_o,
  output logic [Engines-1:0]     narrow_o,
  output logic [Engines-1:0]     reads_o,

  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   line_we_i,
  input  logic [16:0]            line_waddr_i,
  input  logic [6:0]             line_wbytes_i,
  input  logic [511:0]           line_wdata_i,
  input  logic                   line_re_i,
  output logic                   line_re_ready_o,
  input  logic [16:0]            line_raddr_i,
  input  logic [6:0]             line_rbytes_i,
  output logic [511:0]           line_rdata_o,

  input  logic                   s_valid_i,
  output logic                   s_ready_o,
  input  logic                   s_write_i,
  input  logic [16:2]            s_addr_i,
  input  logic [31:0]            s_wdata_i,
  input  logic [3:0]             s_strb_i,
  output logic [31:0]            s_rdata_o,

  input  logic [Engines-1:0]     e_valid_i,
  output logic [Engines-1:0]     e_ready_o,
  input  logic [Engines-1:0]     e_write_i,
  input  logic [12*Engines-1:0]  e_addr_i,
  input  logic [256*Engines-1:0] e_wdata_i,
  input  logic [32*Engines-1:0]  e_strb_i,
  output logic [256*Engines-1:0] e_rdata_o,

  input  logic                   a_valid_i,
  output logic                   a_ready_o,
  input  logic                   a_write_i,
  input  logic [16:3]            a_addr_i,
  input  logic [63:0]            a_wdata_i,
  input  logic [7:0]             a_strb_i,
  output logic [63:0]            a_rdata_o,

  input  logic                   clear_i,
  output logic                   clearing_o,
  output logic                   busy_o,
  output logic                   event_conflict_o
);

  localparam int unsigned        First  = 0;
  localparam int unsigned        Second = 3;
  localparam logic [Engines-1:0] Holds  = Serial != 0 ? '0 : 6'b01_0110;
  localparam logic [Engines-1:0] Writes = Serial != 0 ? 6'b10_1011 : '1;
  localparam logic [Engines-1:0] Narrow = Serial != 0 ? 6'b10_0010 : '0;
  localparam logic [Engines-1:0] Reads  = Serial != 0 ? ~(6'd1 << First | 6'd1 << Second) : '1;

  assign serial_o = Serial != 0;
  assign holds_o  = Holds;
  assign writes_o = Writes;
  assign narrow_o = Narrow;
  assign reads_o  = Reads;

  if (Serial != 0) begin : g_serial
    cpe_ldm_serial #(.Engines(Engines), .Writes(Writes), .First(First), .Second(Second)) u_ldm (.*);
  end else begin : g_banks
    logic [32*Engines-1:0] addr;
    for (genvar i = 0; i < Engines; i++) begin : g_addr
      assign addr[32*i +: 32] = {20'd0, e_addr_i[12*i +: 12]};
    end
    `CPE_LDM #(.Engines(Engines), .Holds(Holds)) u_ldm (.e_addr_i(addr), .*);
  end

endmodule
