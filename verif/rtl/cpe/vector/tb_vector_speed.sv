// SPDX-License-Identifier: Apache-2.0
// The vector unit by itself, as a simulator of a whole CPE has it: nothing around it depends on an input in the same cycle. Sets
// up one run over rows of 256 and issues it again and again while run_i is high.
module tb_vector_speed (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  input  logic [31:0] mode_i,
  output logic        group_o,
  output logic [31:0] digest_o   // of everything that is written: all of it counts
);

  logic            valid_q, ready, run_q;
  logic [3:0]      step_q;
  cpe_pkg::issue_t issue_q;
  logic [3:0]      ready_q;
  logic [767:0]    data_q;
  logic [3:0]      access;
  logic [47:0]     addr;
  logic [255:0]    wdata;
  logic [31:0]     strb;
  cpe_pkg::fault_t fault;
  logic            fault_valid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) digest_o <= '0;
    else if (access[3]) begin
      digest_o <= digest_o ^ strb ^ {20'd0, addr[47:36]} ^ wdata[31:0] ^ wdata[63:32] ^ wdata[95:64] ^ wdata[127:96] ^ wdata[159:128]
                ^ wdata[191:160] ^ wdata[223:192] ^ wdata[255:224];
    end else if (access != '0) digest_o <= digest_o + addr[31:0];
    if (fault_valid) digest_o <= fault[31:0];
  end

  always_ff @(posedge clk_i) begin
    run_q <= run_i;
    if (!rst_ni) begin
      step_q  <= '0;
      valid_q <= 1'b0;
      issue_q <= '0;
      ready_q <= '0;
      for (int unsigned i = 0; i < 24; i++) data_q[32*i +: 32] <= 32'h3f00_0001 + 32'h1_0305 * i;
    end else begin
      ready_q <= '1;
      if (run_q && (!valid_q || ready)) begin
        valid_q     <= 1'b1;
        issue_q.rs1 <= 32'h1000_0000 + 32'h4000 * 32'(step_q);
        issue_q.rs2 <= 32'd1024;
        issue_q.op  <= 7'(step_q);
        if (step_q == 4'd4) issue_q.rs2 <= 32'd4;
        if (step_q == 4'd5) {issue_q.rs1, issue_q.rs2} <= {32'd256, 32'd8};
        if (step_q == 4'd6) {issue_q.op, issue_q.rs1} <= {cpe_isa_pkg::VectorRun, mode_i};
        else step_q <= step_q + 4'd1;
      end
    end
  end

  tb_vector u_vector (
    .clk_i,
    .rst_ni,
    .halt_i(1'b0),
    .issue_valid_i(valid_q),
    .issue_i(issue_q),
    .issue_ready_o(ready),
    .issue_rdata_o(),
    .issue_bad_o(),
    .valid_o(access),
    .ready_i(ready_q),
    .addr_o(addr),
    .rdata_i(data_q),
    .write_o(),
    .wdata_o(wdata),
    .strb_o(strb),
    .fault_valid_o(fault_valid),
    .fault_o(fault),
    .busy_o(),
    .event_group_o(group_o),
    .event_wait_operands_o(),
    .event_wait_store_o()
  );

endmodule
