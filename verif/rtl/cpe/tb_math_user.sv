// SPDX-License-Identifier: Apache-2.0
// Somebody who uses a CPE's shared arithmetic beside the unit that is tested: asks at random for random things, and now and then takes
// it back.
module tb_math_user (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output fp32_serial_pkg::request_t math_o,
  output logic [31:0]            math_operand_o,
  input  fp32_serial_pkg::answer_t  math_i
);

  logic [31:0]       noise_q;
  logic              valid_q;
  fp32_serial_pkg::op_t op_q;

  assign math_o         = {valid_q, op_q};
  assign math_operand_o = noise_q;

  always_ff @(posedge clk_i) begin
    noise_q <= {noise_q[30:0], noise_q[31] ^ noise_q[21] ^ noise_q[1] ^ noise_q[0]};
    if (valid_q) begin
      valid_q <= !math_i.done && noise_q[8:4] != '0;
    end else begin
      valid_q <= noise_q[5] && noise_q[9];
      op_q    <= noise_q[20:16];
    end
    if (!rst_ni) begin
      noise_q <= 32'h1234_5678;
      valid_q <= 1'b0;
    end
  end

endmodule
