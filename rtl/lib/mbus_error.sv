// SPDX-License-Identifier: Apache-2.0
// The slave of the memory bus that stands where nobody lives: answers every request with an error, one cycle later.
module mbus_error (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  mbus_pkg::id_e  req_id_i,
  output logic           rsp_valid_o,
  output mbus_pkg::rsp_t rsp_o
);

  logic          valid_q;
  mbus_pkg::id_e id_q;

  assign req_ready_o = 1'b1;
  assign rsp_valid_o = valid_q;

  always_comb begin
    rsp_o     = '0;
    rsp_o.id  = id_q;
    rsp_o.err = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= req_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_i) id_q <= req_id_i;
  end

endmodule
