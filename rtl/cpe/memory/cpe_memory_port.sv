// SPDX-License-Identifier: Apache-2.0
// A CPE's port to the memory of its group, for DMA engine and window. The scalar core goes first, but a request that is offered stays so.
module cpe_memory_port #(
  parameter bit Serial = 1'b0  // no multiplexer for data that nobody looks at
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              win_valid_i,
  output logic              win_ready_o,
  input  cpe_pkg::mem_req_t win_i,
  input  logic              dma_valid_i,
  output logic              dma_ready_o,
  input  cpe_pkg::mem_req_t dma_i,

  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output cpe_pkg::mem_req_t mem_o
);

  logic dma_waits_q, choose_dma;
  assign mem_valid_o = dma_valid_i || win_valid_i;

  always_comb begin
    choose_dma  = 1'b0;
    dma_ready_o = 1'b0;
    win_ready_o = 1'b0;
    if (mem_valid_o) begin
      choose_dma  = dma_waits_q || !win_valid_i;
      dma_ready_o = mem_ready_i && choose_dma;
      win_ready_o = mem_ready_i && !choose_dma;
    end
  end

  always_comb begin
    mem_o = choose_dma ? dma_i : win_i;
    // The scalar core has 4 bytes of data; what the others are does not matter.
    if (Serial) mem_o.data[511:32] = dma_i.data[511:32];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) dma_waits_q <= 1'b0;
    else if (mem_valid_o) dma_waits_q <= choose_dma && !mem_ready_i;
  end

endmodule
