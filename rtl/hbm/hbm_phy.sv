// SPDX-License-Identifier: Apache-2.0
// The boundary to the memory itself. On a chip this is the vendor's PHY with the stack behind it; here the cells are C++
// (sim/board/hbm/hbm_cells), called once for each line that moves.
//
// Commands come as the controller gives them, write data in the cycle of its first beat, TWl after its command. The data of a
// read is handed over TCl + TBurst cycles after its command, when its last beat is there. The memory remembers which
// rows are open: a line is named by bank and column alone, as on the pins. It does not check timings.
`ifdef SYNTHESIS
/* verilator lint_off UNDRIVEN */  // nothing is inside
(* blackbox *)
`endif
module hbm_phy (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [1:0]    group_i,
  input  hbm_pkg::cmd_t cmd_i,
  input  logic [511:0]  wdata_i,
  input  logic [63:0]   wstrb_i,
  output logic          rvalid_o,
  output logic [511:0]  rdata_o,
  output logic          poison_o
);

`ifndef SYNTHESIS

  import "DPI-C" function void hbm_read(input int unsigned group, input longint unsigned line,
                                        output bit [511:0] data, output bit poison);
  import "DPI-C" function void hbm_write(input int unsigned group, input longint unsigned line,
                                         input bit [511:0] data, input longint unsigned strobe);

  logic [17:0]  open_row_q [64];
  logic         rvalid_q, poison_q;
  logic [511:0] rdata_q;
  logic         reading, writing;
  logic [27:0]  line, read_line, write_line;

  always_comb begin
    line = '0;
    if (cmd_i.col) begin
      line = hbm_pkg::line_of(cmd_i.col_channel, cmd_i.col_bank, open_row_q[{cmd_i.col_channel, cmd_i.col_bank}], cmd_i.col_col);
    end
  end

  hbm_delay #(
    .Width (28),
    .Cycles(hbm_pkg::TCl + hbm_pkg::TBurst - 1)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .valid_i(cmd_i.col && !cmd_i.write),
    .data_i (line),
    .valid_o(reading),
    .data_o (read_line)
  );

  hbm_delay #(
    .Width (28),
    .Cycles(hbm_pkg::TWl)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .valid_i(cmd_i.col && cmd_i.write),
    .data_i (line),
    .valid_o(writing),
    .data_o (write_line)
  );

  assign rvalid_o = rvalid_q;
  assign rdata_o  = rdata_q;
  assign poison_o = poison_q;

  always_ff @(posedge clk_i) begin
    if (cmd_i.act) open_row_q[{cmd_i.row_channel, cmd_i.row_bank}] <= cmd_i.row;
    // Not in reset: at its first edge after power-on the delay holds anything.
    if (writing && rst_ni) hbm_write({30'b0, group_i}, {36'b0, write_line}, wdata_i, wstrb_i);
  end

  bit [511:0] data;
  bit         poison;
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rvalid_q <= 1'b0;
    end else begin
      rvalid_q <= reading;
      if (reading) begin
        hbm_read({30'b0, group_i}, {36'b0, read_line}, data, poison);
        rdata_q  <= data;
        poison_q <= poison;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

`endif

endmodule
