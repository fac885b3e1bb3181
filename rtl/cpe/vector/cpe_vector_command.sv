// SPDX-License-Identifier: Apache-2.0
// Where the core's commands enter the vector unit: checks them, keeps the settings, numbers the runs and holds those that are not
// complete.
//
// A run takes all settings with it; the next settings may follow at once. It keeps its slot until everything of it is stored. Each
// part of the unit reads what it needs of the runs one after the other, from the slot that it names.
// A refused command changes nothing.
// Cuts: nothing from issue_i to the runs; issue_ready_o follows from issue_i and registers only.
module cpe_vector_command (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               halt_i,       // forgets all runs, takes no commands
  input  logic                               active_i,     // else there is nothing but commands
  input  logic                               en_i,         // of registers: active or in reset

  input  logic                               issue_valid_i,
  input  cpe_pkg::issue_t                    issue_i,
  output logic                               issue_ready_o,
  output logic [31:0]                        issue_rdata_o,
  output logic                               issue_bad_o,

  output logic [cpe_vector_pkg::SlotWidth:0] begun_o,      // runs begun and complete, modulo twice the slots
  output logic [cpe_vector_pkg::SlotWidth:0] done_o,
  input  logic                               complete_i,   // the oldest run

  // a, b, c
  input  logic [3*cpe_vector_pkg::SlotWidth-1:0] walk_slot_i,
  output logic [3*cpe_vector_pkg::WalkPlace-1:0] walk_o,
  input  logic [cpe_vector_pkg::SlotWidth-1:0] work_slot_i,
  output cpe_vector_pkg::work_t              work_o,
  output logic [3*cpe_vector_pkg::ViewWidth-1:0] view_o,
  input  logic [cpe_vector_pkg::SlotWidth-1:0] target_slot_i,
  output cpe_vector_pkg::target_t            target_o,
  input  logic [cpe_vector_pkg::SlotWidth-1:0] pc_slot_i,
  output logic [31:0]                        pc_o
);

  localparam int unsigned SlotWidth   = cpe_vector_pkg::SlotWidth;
  localparam int unsigned Slots       = cpe_vector_pkg::Slots;
  localparam int unsigned WalkWidth   = cpe_vector_pkg::WalkWidth;
  localparam int unsigned WalkPlace   = cpe_vector_pkg::WalkPlace;
  localparam int unsigned ViewWidth   = cpe_vector_pkg::ViewWidth;
  localparam int unsigned WorkWidth   = cpe_vector_pkg::WorkWidth;
  localparam int unsigned TargetWidth = cpe_vector_pkg::TargetWidth;

  // --- Settings -----------------------------------------------------------------------------------------------------

  logic [31:0]              begun_q, done_q;
  logic [31:0]              a_q, b_q, c_q, result_q, reduce_q;
  cpe_isa_pkg::vector_operand_t a_how_q, b_how_q, c_how_q, result_how_q;
  logic [17:0]              reduce_stride_q;
  logic [15:0]              elements_q, rows_q;

  cpe_isa_pkg::vector_mode_t    mode;

  assign mode    = issue_i.rs1;
  assign begun_o = begun_q[SlotWidth:0];
  assign done_o  = done_q[SlotWidth:0];

  cpe_vector_check u_check (
    .valid_i (issue_valid_i && !halt_i),
    .issue_i,
    .sized_i (elements_q != '0),
    .stored_i(result_how_q.kind != cpe_isa_pkg::OperandNone),
    .bad_o   (issue_bad_o)
  );

  always_comb begin
    issue_ready_o = 1'b0;
    issue_rdata_o = '0;
    if (issue_valid_i && !halt_i) begin
      issue_ready_o = 1'b1;
      case (issue_i.op)
        cpe_isa_pkg::VectorRun: begin
          issue_ready_o = issue_bad_o || begun_q[SlotWidth-1:0] != done_q[SlotWidth-1:0] || begun_q[SlotWidth] == done_q[SlotWidth];
          issue_rdata_o = begun_q + 32'd1;
        end
        cpe_isa_pkg::VectorWait: issue_ready_o = (done_q - issue_i.rs1) < 32'h8000_0000;
        cpe_isa_pkg::VectorPoll: issue_rdata_o = 32'((done_q - issue_i.rs1) < 32'h8000_0000);
        default: ;
      endcase
    end
  end

  // --- The runs -----------------------------------------------------------------------------------------------------

  logic [WalkWidth-1:0]             walk_a_q [Slots];
  logic [WalkWidth-1:0]             walk_b_q [Slots];
  logic [WalkWidth-1:0]             walk_c_q [Slots];
  logic [3*ViewWidth+WorkWidth-1:0] work_q [Slots];
  logic [TargetWidth-1:0]           target_q [Slots];
  logic [31:0]                      pc_q [Slots];

  // What is kept of a run; only the process below looks at it. It alone writes to the slots, and only to those that nobody reads:
  // assignments may take effect at once. The simulator would otherwise look at a flag for every slot in every cycle.
  cpe_vector_pkg::walk_t   walk_a, walk_b, walk_c;
  cpe_vector_pkg::view_t   view_a, view_b, view_c;
  cpe_vector_pkg::work_t   work;
  cpe_vector_pkg::target_t target;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : take
    logic                 uses_a;
    logic                 uses_b;
    logic                 uses_c;
    logic [SlotWidth-1:0] slot;
    {uses_a, uses_b, uses_c, slot} = '0;
    if (issue_valid_i || en_i) begin
      if (!rst_ni) begin
        begun_q         <= '0;
        done_q          <= '0;
        a_q             <= '0;
        b_q             <= '0;
        c_q             <= '0;
        result_q        <= '0;
        reduce_q        <= '0;
        a_how_q         <= '0;
        b_how_q         <= '0;
        c_how_q         <= '0;
        result_how_q    <= '0;
        reduce_stride_q <= '0;
        elements_q      <= '0;
        rows_q          <= '0;
      end else if (halt_i) begin
        done_q <= begun_q;
      end else begin
        if (complete_i) done_q <= done_q + 32'd1;
        if (issue_valid_i && issue_ready_o && !issue_bad_o) begin
          case (issue_i.op)
            cpe_isa_pkg::VectorA:      {a_q, a_how_q} <= {issue_i.rs1, issue_i.rs2};
            cpe_isa_pkg::VectorB:      {b_q, b_how_q} <= {issue_i.rs1, issue_i.rs2};
            cpe_isa_pkg::VectorC:      {c_q, c_how_q} <= {issue_i.rs1, issue_i.rs2};
            cpe_isa_pkg::VectorResult: {result_q, result_how_q} <= {issue_i.rs1, issue_i.rs2};
            cpe_isa_pkg::VectorReduce: {reduce_q, reduce_stride_q} <= {issue_i.rs1, issue_i.rs2[17:0]};
            cpe_isa_pkg::VectorSize:   {elements_q, rows_q} <= {issue_i.rs1[15:0], issue_i.rs2[15:0]};
            cpe_isa_pkg::VectorRun: begin
              slot   = begun_q[SlotWidth-1:0];
              uses_a = !a_how_q.kind[1];
              uses_b = !b_how_q.kind[1] && mode.op != cpe_isa_pkg::VectorAdd;
              uses_c = !c_how_q.kind[1]
                     && (mode.op == cpe_isa_pkg::VectorFma || mode.op == cpe_isa_pkg::VectorAdd || mode.op == cpe_isa_pkg::VectorSelect);

              walk_a.used     = uses_a;
              walk_a.scalar   = a_how_q.kind[0];
              walk_a.overlap  = mode.overlap;
              walk_a.number   = a_how_q.number;
              walk_a.stride   = a_how_q.stride;
              walk_a.addr     = a_q[16:0];
              walk_a.elements = elements_q;
              walk_a.rows     = rows_q;
              walk_b          = walk_a;
              walk_b.used     = uses_b;
              walk_b.scalar   = b_how_q.kind[0];
              walk_b.number   = b_how_q.number;
              walk_b.stride   = b_how_q.stride;
              walk_b.addr     = b_q[16:0];
              walk_c          = walk_a;
              walk_c.used     = uses_c;
              walk_c.scalar   = c_how_q.kind[0];
              walk_c.number   = c_how_q.number;
              walk_c.stride   = c_how_q.stride;
              walk_c.addr     = c_q[16:0];

              view_a.used      = uses_a;
              view_a.scalar    = a_how_q.kind[0];
              view_a.number    = a_how_q.number;
              view_a.negate    = a_how_q.negate;
              view_a.magnitude = a_how_q.magnitude;
              view_a.constant  = {(a_q[31] && !a_how_q.magnitude) ^ a_how_q.negate, a_q[30:0]};
              view_b.used      = uses_b;
              view_b.scalar    = b_how_q.kind[0];
              view_b.number    = b_how_q.number;
              view_b.negate    = b_how_q.negate;
              view_b.magnitude = b_how_q.magnitude;
              view_b.constant  = {(b_q[31] && !b_how_q.magnitude) ^ b_how_q.negate, b_q[30:0]};
              view_c.used      = uses_c;
              view_c.scalar    = c_how_q.kind[0];
              view_c.number    = c_how_q.number;
              view_c.negate    = c_how_q.negate;
              view_c.magnitude = c_how_q.magnitude;
              view_c.constant  = {(c_q[31] && !c_how_q.magnitude) ^ c_how_q.negate, c_q[30:0]};
              // Sums are a * 1 + c, products a * b + -0.
              if (mode.op == cpe_isa_pkg::VectorAdd) view_b.constant = cpe_vector_pkg::One;
              if (mode.op == cpe_isa_pkg::VectorMul) view_c.constant = cpe_vector_pkg::NegativeZero;

              work.op       = mode.op;
              work.special  = mode.special;
              work.reduce   = mode.reduce;
              work.stored   = result_how_q.kind != cpe_isa_pkg::OperandNone;
              work.overlap  = mode.overlap;
              work.elements = elements_q;
              work.rows     = rows_q;

              target.stored        = work.stored;
              target.reduced       = mode.reduce != cpe_isa_pkg::ReduceNone;
              target.number        = result_how_q.number;
              target.stride        = result_how_q.stride;
              target.addr          = result_q[16:0];
              target.reduce_stride = reduce_stride_q;
              target.reduce_addr   = reduce_q[16:0];

              walk_a_q[slot] = walk_a;
              walk_b_q[slot] = walk_b;
              walk_c_q[slot] = walk_c;
              work_q[slot]   = {view_c, view_b, view_a, work};
              target_q[slot] = target;
              pc_q[slot]     = issue_i.pc;
              begun_q        <= begun_q + 32'd1;
            end
            default: ;
          endcase
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  always_comb begin
    walk_o   = '0;
    view_o   = '0;
    work_o   = '0;
    target_o = '0;
    pc_o     = '0;
    if (active_i) begin
      walk_o           = {WalkPlace'(walk_c_q[walk_slot_i[2*SlotWidth +: SlotWidth]]),
                          WalkPlace'(walk_b_q[walk_slot_i[SlotWidth +: SlotWidth]]), WalkPlace'(walk_a_q[walk_slot_i[0 +: SlotWidth]])};
      {view_o, work_o} = work_q[work_slot_i];
      target_o         = target_q[target_slot_i];
      pc_o             = pc_q[pc_slot_i];
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (!complete_i || begun_o != done_o) else $error("no run to complete");
    end
  end
`endif

endmodule
