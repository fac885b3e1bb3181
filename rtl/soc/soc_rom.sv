// SPDX-License-Identifier: Apache-2.0
// Boot ROM as a slave of the memory bus, in rows of one line.
//
// Answers one cycle after the request was taken, one request per cycle. Everything but reading is an error.
// The contents come from InitFile ($readmemh, one row of 512 bits per line), or in simulation, when that is empty,
// from `+boot_rom=FILE` on the command line. Without either the ROM is all zero, which is no legal instruction.
module soc_rom #(
  parameter int unsigned Bytes    = 65536,
  parameter              InitFile = ""
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  mbus_pkg::req_t req_i,
  output logic           rsp_valid_o,
  output mbus_pkg::rsp_t rsp_o
);

  localparam int unsigned Rows     = Bytes / mbus_pkg::LineBytes;
  localparam int unsigned RowWidth = $clog2(Rows);

  logic [mbus_pkg::LineBits-1:0] mem_q [Rows];
  logic [mbus_pkg::LineBits-1:0] row_q;
  logic                          valid_q, err_q;
  mbus_pkg::id_e                 id_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= req_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_i) begin
      row_q <= mem_q[req_i.addr[6 +: RowWidth]];
      id_q  <= req_i.id;
      err_q <= req_i.op != mbus_pkg::OpRead;
    end
  end

  // The one place where an initial block belongs into synthesizable code: it is how a ROM gets its contents.
  initial begin
`ifndef SYNTHESIS
    for (int unsigned i = 0; i < Rows; i++) mem_q[i] = '0;
`endif
    if (InitFile != "") begin
      $readmemh(InitFile, mem_q);
    end
`ifndef SYNTHESIS
    else begin
      string file;
      if ($value$plusargs("boot_rom=%s", file)) $readmemh(file, mem_q);
    end
`endif
  end

  assign req_ready_o = 1'b1;
  assign rsp_valid_o = valid_q;
  assign rsp_o.id    = id_q;
  assign rsp_o.err   = err_q;
  assign rsp_o.data  = row_q;

endmodule
