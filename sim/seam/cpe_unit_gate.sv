// SPDX-License-Identifier: Apache-2.0
// The door of an arithmetic unit (rtl/cpe/cpe_unit_gate.sv) as a model of a CPE has it: what the unit hears of the core and the core of
// the unit are copies, made in the same cycle as soon as something differs, and only while the unit has something to do. So a simulator
// evaluates each of them in the cycles that are for it. What the local memory tells the unit comes without copies: it may be other in
// every cycle.
module cpe_unit_gate #(
  parameter int unsigned Ports = 3
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  output logic                 clk_o,

  input  logic                 rst_ni,
  output logic                 rst_no,
  input  logic                 halt_i,
  output logic                 halt_o,
  input  logic                 issue_valid_i,
  output logic                 issue_valid_o,
  input  cpe_pkg::issue_t      issue_i,
  output cpe_pkg::issue_t      issue_o,
  input  logic [Ports-1:0]     valid_i,
  input  logic [Ports-1:0]     ready_i,
  output logic [Ports-1:0]     ready_o,
  input  logic [255:0]         rdata0_i,
  output logic [255:0]         rdata0_o,
  input  logic [255:0]         rdata1_i,
  output logic [255:0]         rdata1_o,
  input  logic [255:0]         rdata2_i,
  output logic [255:0]         rdata2_o,

  // What the core hears of the unit.
  input  logic                 issue_ready_i,
  output logic                 issue_ready_o,
  input  logic                 issue_bad_i,
  output logic                 issue_bad_o,
  input  logic [31:0]          issue_rdata_i,
  output logic [31:0]          issue_rdata_o,
  input  logic                 busy_i,
  output logic                 busy_o,
  input  logic                 fault_valid_i,
  output logic                 fault_valid_o,
  input  cpe_pkg::fault_t      fault_i,
  output cpe_pkg::fault_t      fault_o
);

  // For C++ (tile.cpp), which gives clk an edge with the CPE's clock when the unit needs it, and copy as long as something differs.
  logic needed /* verilator public_flat_rd */;
  logic differs /* verilator public_flat_rd */;
  logic clk /* verilator public_flat_rw */;

  logic open, open_q;
  logic [Ports-1:0] granted_q;  // what each port was told last

  assign needed = en_i;
  assign clk_o  = clk;

  // For one cycle longer than the unit needs its clock: then it sees that nothing is for it any more.
  assign open = en_i || open_q;

  always_comb begin
    differs = 1'b0;
    if (open) begin
      differs = (rst_ni ^ rst_no) | (halt_i ^ halt_o) | (issue_valid_i ^ issue_valid_o) | (busy_i ^ busy_o) | (fault_valid_i ^ fault_valid_o);
      if (valid_i != '0) begin
        if ((valid_i & (ready_i ^ granted_q)) != '0) differs = 1'b1;
      end
      if (issue_valid_i) begin
        if (issue_i != issue_o) differs = 1'b1;
        if (issue_bad_i ^ issue_bad_o) differs = 1'b1;
        if (issue_ready_i ^ issue_ready_o) differs = 1'b1;
        if (issue_ready_i) begin
          if (issue_rdata_i != issue_rdata_o) differs = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    open_q <= en_i;
  end

  always_ff @(posedge cpe_tile_top.copy) begin
    if (differs) begin
      rst_no        <= rst_ni;
      halt_o        <= halt_i;
      issue_valid_o <= issue_valid_i;
      if (issue_valid_i) begin
        issue_o       <= issue_i;
        issue_ready_o <= issue_ready_i;
        issue_bad_o   <= issue_bad_i;
        issue_rdata_o <= issue_rdata_i;
      end
      busy_o        <= busy_i;
      fault_valid_o <= fault_valid_i;
      if (fault_valid_i) fault_o <= fault_i;
      granted_q <= (granted_q & ~valid_i) | (ready_i & valid_i);
    end
  end

  assign ready_o  = granted_q & valid_i;
  assign rdata0_o = rdata0_i;
  assign rdata1_o = rdata1_i;
  assign rdata2_o = rdata2_i;

endmodule
