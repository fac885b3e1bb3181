// SPDX-License-Identifier: Apache-2.0
// One bank of the local memory of a CPE: 512 rows of 32 bytes, and the choice of what goes into them.
//
// At most one of the sources asks in a cycle (cpe_ldm sees to it). With en_i low nothing is chosen and nothing moves.
// rdata_o follows a read by one cycle and stays until the next read of this bank.
module cpe_ldm_bank #(
  parameter int unsigned Bank    = 0,
  parameter int unsigned Engines = 4
) (
  input  logic                   clk_i,
  input  logic                   en_i,

  // Line port: a write, a read of this bank
  input  logic                   lw_i,
  input  logic [16:5]            lw_addr_i,   // of the first of up to three words
  input  logic [1:0]             lw_words_i,  // that follow
  input  logic [31:0]            lw_from_i,   // bytes that are written in the first word
  input  logic [31:0]            lw_till_i,   // and in the last
  input  logic [255:0]           lw_data_i,
  input  logic                   lr_i,
  input  logic [16:5]            lr_addr_i,

  input  logic                   clear_i,
  input  logic [8:0]             clear_row_i,

  // Scalar core and access port: theirs is taken, by the bank that their address names
  input  logic                   s_i,
  input  logic                   s_write_i,
  input  logic [16:2]            s_addr_i,
  input  logic [31:0]            s_wdata_i,
  input  logic [3:0]             s_strb_i,

  input  logic                   a_i,
  input  logic                   a_write_i,
  input  logic [16:3]            a_addr_i,
  input  logic [63:0]            a_wdata_i,
  input  logic [7:0]             a_strb_i,

  // Engines: else one of those that have their turn and ask for this bank
  input  logic [Engines-1:0]     e_grant_i,
  input  logic [Engines-1:0]     e_write_i,
  input  logic [32*Engines-1:0]  e_addr_i,
  input  logic [256*Engines-1:0] e_wdata_i,
  input  logic [32*Engines-1:0]  e_strb_i,

  output logic [255:0]           rdata_o
);

  logic         we;
  logic [8:0]   row;
  logic [31:0]  strb;
  logic [255:0] wdata;
  logic [2:0]   word;   // of a line: how far this bank is behind the first one

  // The choice is one text for both: in hardware what ram_1rw is asked for, in simulation the beginning of the access itself, one
  // process for both, so that a bank without an access costs a branch. There it alone touches the memory, and writes may take
  // effect at once.
  /* verilator lint_off BLKSEQ */
`ifdef SYNTHESIS
  always_comb begin
    we    = 1'b0;
    row   = '0;
    strb  = '0;
    wdata = '0;
    word  = '0;
`else
  logic [255:0] mem_q [512];
  logic [255:0] rdata_q;
  assign rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
`endif
    if (en_i) begin
      we    = 1'b0;
      row   = '0;
      strb  = '0;
      wdata = '0;
      word  = '0;
      if (lw_i) begin
        we    = 1'b1;
        word  = 3'(Bank) - lw_addr_i[7:5];
        row   = 9'((lw_addr_i + 12'(word)) >> 3);
        strb  = (word == '0 ? lw_from_i : '1) & (word == {1'b0, lw_words_i} ? lw_till_i : '1);
        wdata = lw_data_i;
      end else if (lr_i) begin
        word  = 3'(Bank) - lr_addr_i[7:5];
        row   = 9'((lr_addr_i + 12'(word)) >> 3);
      end else if (clear_i) begin
        we    = 1'b1;
        row   = clear_row_i;
        strb  = '1;
      end else if (s_i && s_addr_i[7:5] == 3'(Bank)) begin
        we    = s_write_i;
        row   = s_addr_i[16:8];
        if (s_write_i) begin
          strb  = 32'(s_strb_i) << {s_addr_i[4:2], 2'b00};
          wdata = {8{s_wdata_i}};
        end
      end else if (a_i && a_addr_i[7:5] == 3'(Bank)) begin
        we    = a_write_i;
        row   = a_addr_i[16:8];
        if (a_write_i) begin
          strb  = 32'(a_strb_i) << {a_addr_i[4:3], 3'b000};
          wdata = {4{a_wdata_i}};
        end
      end else begin
        for (int unsigned i = 0; i < Engines; i++) begin
          if (e_grant_i[i] && e_addr_i[32*i +: 3] == 3'(Bank)) begin
            we  = e_write_i[i];
            row = e_addr_i[32*i + 3 +: 9];
            if (e_write_i[i]) begin
              strb  = e_strb_i[32*i +: 32];
              wdata = e_wdata_i[256*i +: 256];
            end
          end
        end
      end
`ifndef SYNTHESIS
      if (!we) begin
        rdata_q <= mem_q[row];
      end else if (&strb) begin
        mem_q[row] = wdata;
      end else begin
        for (int unsigned w = 0; w < 8; w++) begin
          if (strb[4*w +: 4] == '1) begin
            mem_q[row][32*w +: 32] = wdata[32*w +: 32];
          end else if (strb[4*w +: 4] != '0) begin
            for (int unsigned i = 4 * w; i < 4 * w + 4; i++) if (strb[i]) mem_q[row][8*i +: 8] = wdata[8*i +: 8];
          end
        end
      end
`endif
    end
  end
  /* verilator lint_on BLKSEQ */

`ifdef SYNTHESIS
  ram_1rw #(.Depth(512), .Width(256), .LaneWidth(8)) u_ram (
    .clk_i,
    .en_i,
    .we_i(we),
    .addr_i(row),
    .strb_i(strb),
    .wdata_i(wdata),
    .rdata_o
  );
`endif

endmodule
