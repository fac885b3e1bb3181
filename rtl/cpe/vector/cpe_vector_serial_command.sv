// SPDX-License-Identifier: Apache-2.0
// Where the core's commands enter the serial vector unit: checks them, keeps the settings and counts the runs. One run at a time:
// what follows it waits until it is complete.
//
// A setting is read as the one that item_i names, by its command.
// Cuts: nothing from issue_i to the settings; issue_ready_o follows from issue_i and registers only.
module cpe_vector_serial_command (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     halt_i,       // forgets the run, takes no commands

  input  logic                     issue_valid_i,
  input  cpe_pkg::issue_t          issue_i,
  output logic                     issue_ready_o,
  output logic [31:0]              issue_rdata_o,
  output logic                     issue_bad_o,

  output logic                     busy_o,       // a run is not complete
  input  logic                     complete_i,

  input  logic [2:0]               item_i,       // VectorA to VectorReduce
  output logic [31:0]              where_o,      // address, or value
  output cpe_isa_pkg::vector_operand_t how_o,        // a reduction is a scalar in fp32
  output cpe_isa_pkg::vector_mode_t    mode_o,
  output logic [15:0]              elements_o,
  output logic [15:0]              rows_o,
  output logic [31:0]              pc_o
);

  logic [31:0]           begun_q, done_q, where_q [8];
  logic [23:0]           how_q [8];
  logic [4:0]            set_q;        // which of them are
  logic                  sized_q, stored_q, busy_q;
  logic [15:0]           elements_q, rows_q;
  cpe_isa_pkg::vector_mode_t mode_q;
  logic [31:0]           pc_q;

  assign busy_o     = busy_q;
  assign mode_o     = mode_q;
  assign elements_o = elements_q;
  assign rows_o     = rows_q;
  assign pc_o       = pc_q;

  // What was not set is 0.
  always_comb begin
    {where_o, how_o} = '0;
    if (set_q[item_i]) {where_o, how_o} = {where_q[item_i], 8'd0, how_q[item_i]};
    if (item_i[2]) {how_o.negate, how_o.magnitude, how_o.kind, how_o.number} = {2'b00, cpe_isa_pkg::OperandScalar, cpe_isa_pkg::NumberFp32};
  end

  // --- What a command is --------------------------------------------------------------------------------------------

  logic        valid, waits, take, set, run;
  logic [31:0] past;     // runs complete beyond the ticket; negative: it is not

  assign valid = issue_valid_i && !halt_i;
  assign past  = done_q - issue_i.rs1;

  cpe_vector_check u_check (
    .valid_i (valid),
    .issue_i,
    .sized_i (sized_q),
    .stored_i(stored_q),
    .bad_o   (issue_bad_o)
  );

  always_comb begin
    waits         = busy_q;
    issue_rdata_o = issue_i.op == cpe_isa_pkg::VectorRun ? begun_q + 32'd1 : '0;
    if (issue_i.op == cpe_isa_pkg::VectorWait) waits = past[31];
    if (issue_i.op == cpe_isa_pkg::VectorPoll) begin
      waits         = 1'b0;
      issue_rdata_o = {31'd0, !past[31]};
    end
    issue_ready_o = valid && (issue_bad_o || !waits);
    take          = issue_ready_o && !issue_bad_o;
    set           = take && !issue_i.op[4];
    run           = take && issue_i.op == cpe_isa_pkg::VectorRun;
  end

  // --- Settings and runs ----------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (set) where_q[issue_i.op[2:0]] <= issue_i.rs1;
  end
  always_ff @(posedge clk_i) begin
    if (set) how_q[issue_i.op[2:0]] <= issue_i.rs2[23:0];
  end

  always_ff @(posedge clk_i) begin
    if (set && issue_i.op[2:0] == cpe_isa_pkg::VectorSize[2:0]) {elements_q, rows_q} <= {issue_i.rs1[15:0], issue_i.rs2[15:0]};
    if (run) {mode_q, pc_q} <= {issue_i.rs1, issue_i.pc};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q  <= '0;
      done_q   <= '0;
      set_q    <= '0;
      sized_q  <= 1'b0;
      stored_q <= 1'b1;
      busy_q   <= 1'b0;
    end else begin
      for (int unsigned i = 0; i < 5; i++) if (set && issue_i.op[2:0] == 3'(i)) set_q[i] <= 1'b1;
      if (set && issue_i.op[2:0] == cpe_isa_pkg::VectorSize[2:0]) sized_q <= 1'b1;
      if (set && issue_i.op[2:0] == cpe_isa_pkg::VectorResult[2:0]) stored_q <= !issue_i.rs2[21];
      if (run) begun_q <= issue_rdata_o;
      if (complete_i || halt_i) done_q <= begun_q;
      busy_q <= !halt_i && (run || (busy_q && !complete_i));
    end
  end

endmodule
