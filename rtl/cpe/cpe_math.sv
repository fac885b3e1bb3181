// SPDX-License-Identifier: Apache-2.0
// The arithmetic that the serial vector unit and the drain of the serial systolic unit share. One result after the other; the vector
// unit goes first.
//
// Operands are those that which_o names, in the same cycle; it does not depend on them.
module cpe_math (
  input  logic                   clk_i,
  output logic [1:0]             which_o,
  input  fp32_serial_pkg::request_t vector_i,
  input  logic [31:0]            vector_operand_i,
  output fp32_serial_pkg::answer_t  vector_o,
  input  fp32_serial_pkg::request_t drain_i,
  input  logic [31:0]            drain_operand_i,
  output fp32_serial_pkg::answer_t  drain_o
);

  fp32_serial_pkg::request_t request;
  logic                   drains, drains_q, begun_q, done;
  logic [31:0]            y;

  // What has begun ends, or is taken back.
  assign drains   = begun_q ? drains_q : !vector_i.valid;
  assign request  = drains ? drain_i : vector_i;
  assign vector_o = {done && !drains, y};
  assign drain_o  = {done && drains, y};

  always_ff @(posedge clk_i) begin
    begun_q  <= request.valid && !done;
    drains_q <= drains;
  end

  fp32_serial u_serial (
    .clk_i,
    .valid_i  (request.valid),
    .op_i     (request.op),
    .which_o,
    .operand_i(drains ? drain_operand_i : vector_operand_i),
    .done_o   (done),
    .y_o      (y)
  );

endmodule
