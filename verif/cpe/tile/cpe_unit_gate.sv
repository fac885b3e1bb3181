// The door of an arithmetic unit (rtl/cpe/cpe_unit_gate.sv) as a model of a CPE has it: what the unit takes from outside are copies,
// made in the same cycle as soon as something differs, and only while the unit has something to do. So a simulator evaluates a unit
// in the cycles that are for the unit, and nothing of it in others.
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
  input  logic [Ports-1:0]     ready_i,
  output logic [Ports-1:0]     ready_o,
  input  logic [255:0]         rdata0_i,
  output logic [255:0]         rdata0_o,
  input  logic [255:0]         rdata1_i,
  output logic [255:0]         rdata1_o,
  input  logic [255:0]         rdata2_i,
  output logic [255:0]         rdata2_o
);

  // For C++ (tile.cpp), which gives clk an edge with the CPE's clock when the unit needs it, copy as long as something differs, and data
  // before each clock.
  logic needed /* verilator public_flat_rd */;
  logic differs /* verilator public_flat_rd */;
  logic open /* verilator public_flat_rd */;
  logic clk /* verilator public_flat_rw */;

  logic       open_q;
  logic [2:0] read_q;  // in the cycle before

  assign needed = en_i;
  assign clk_o  = clk;

  // For one cycle longer than the unit needs its clock: then it sees that nothing is for it any more.
  assign open = en_i || open_q;

  always_comb begin
    differs = 1'b0;
    if (open) begin
      differs = {rst_ni, halt_i, issue_valid_i} != {rst_no, halt_o, issue_valid_o};
      if (issue_valid_i && issue_i != issue_o) differs = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    open_q <= en_i;
    if (en_i) read_q <= ready_i[2:0];
  end

  always_ff @(posedge cpe_tile_top.copy) begin
    if (differs) begin
      rst_no        <= rst_ni;
      halt_o        <= halt_i;
      issue_valid_o <= issue_valid_i;
      if (issue_valid_i) issue_o <= issue_i;
    end
  end

  // Nothing that comes out of the unit follows these in the same cycle.
  always_ff @(posedge cpe_tile_top.data) begin
    if (open) begin
      ready_o <= ready_i;
      if (read_q[0]) rdata0_o <= rdata0_i;
      if (read_q[1]) rdata1_o <= rdata1_i;
      if (read_q[2]) rdata2_o <= rdata2_i;
    end
  end

endmodule
