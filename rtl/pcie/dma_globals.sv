// SPDX-License-Identifier: Apache-2.0
// The registers that all channels of the DMA engine share.
module dma_globals (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        flr_i,

  input  logic        write_i,
  input  logic [15:0] offset_i,
  input  logic [63:0] wdata_i,
  input  logic [63:0] lanes_i,
  output logic [63:0] rdata_o,
  output logic        known_o,

  input  logic        unexpected_i,
  input  logic        late_i,
  input  logic [6:0]  waiting_i,
  input  logic [6:0]  given_up_i,
  output logic [23:0] timeout_o
);

  logic [23:0] timeout_q;
  logic [31:0] unexpected_q, late_q;
  assign timeout_o = timeout_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      timeout_q    <= dma_regs_pkg::TimeoutReset[23:0];
      unexpected_q <= '0;
      late_q       <= '0;
    end else begin
      if (flr_i) begin
        timeout_q <= dma_regs_pkg::TimeoutReset[23:0];
      end else if (write_i && offset_i == dma_regs_pkg::TimeoutOffset) begin
        timeout_q <= 24'(reg_pkg::merge({40'd0, timeout_q}, wdata_i, lanes_i & dma_regs_pkg::TimeoutRwMask));
      end
      if (unexpected_i) unexpected_q <= unexpected_q + 32'd1;
      if (late_i) late_q <= late_q + 32'd1;
    end
  end

  always_comb begin
    known_o = 1'b1;
    case (offset_i)
      dma_regs_pkg::TimeoutOffset:    rdata_o = {40'd0, timeout_q};
      dma_regs_pkg::UnexpectedOffset: rdata_o = {late_q, unexpected_q};
      dma_regs_pkg::TagsOffset:       rdata_o = {49'd0, given_up_i, 1'b0, waiting_i};
      dma_regs_pkg::LimitsOffset:     rdata_o = dma_regs_pkg::LimitsReset;
      default: begin
        rdata_o = '0;
        known_o = 1'b0;
      end
    endcase
  end

endmodule
