// SPDX-License-Identifier: Apache-2.0
// Takes the systolic unit's commands: settings, runs, and waits for them.
//
// A run takes the settings along, so the next ones may follow at once. It waits in one place until the loader of weights, the feed
//   of activations and the sequence have each taken it (*_valid_o, *_take_i), in whatever order.
// What makes no sense is refused (issue_bad_o) and changes nothing. Tickets count runs.
// Cuts: all paths but those of the command port.
// Illegal: a take without its valid, complete_i without a run.
module cpe_systolic_command #(
  parameter bit Sparse = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   halt_i,

  input  logic                   issue_valid_i,
  input  cpe_pkg::issue_t        issue_i,
  output logic                   issue_ready_o,
  output logic [31:0]            issue_rdata_o,
  output logic                   issue_bad_o,

  output cpe_systolic_pkg::run_t run_o,
  output logic                   weights_valid_o,
  input  logic                   weights_take_i,
  output logic                   feed_valid_o,
  input  logic                   feed_take_i,
  output logic                   sequence_valid_o,
  input  logic                   sequence_take_i,

  input  logic                   complete_i,
  output logic                   busy_o,

  input  logic                   linger_i,       // something is under way, run or not
  output logic                   awake_o         // else nothing but commands happens in the unit
);

  // --- Settings -----------------------------------------------------------------------------------------------------

  // As the commands gave them, {rs1, rs2}, by their operations. The run that is issued picks what it needs.
  logic [63:0] settings_q [9];

  // --- What a command is ----------------------------------------------------------------------------------------------

  logic                    address1, address2;  // an operand is an address in local memory
  logic                    stride1, stride2;    // or fits as a signed stride
  cpe_isa_pkg::systolic_mode_t mode;
  logic                    one_block, weights_lines, activations_lines, out_aligned;
  logic [16:0]             sums;                // rows of all tiles of a block
  logic                    set, run;
  logic [31:0]             past;                // runs complete beyond the ticket; negative: it is not

  logic [31:0]             begun_q;
  logic [3:0]              open_q;
  logic                    awake_q, busy_q;
  logic [2:0]              waits_q;             // for weights, feed, sequence
  cpe_systolic_pkg::run_t  run_q;

  always_comb begin
    issue_ready_o     = 1'b0;
    issue_rdata_o     = '0;
    issue_bad_o       = 1'b0;
    address1          = 1'b0;
    address2          = 1'b0;
    stride1           = 1'b0;
    stride2           = 1'b0;
    mode              = '0;
    one_block         = 1'b0;
    weights_lines     = 1'b0;
    activations_lines = 1'b0;
    out_aligned       = 1'b0;
    sums              = '0;
    set               = 1'b0;
    run               = 1'b0;
    past              = '0;
    if (issue_valid_i && !halt_i) begin
      issue_ready_o = 1'b1;
      if (issue_i.op[6:4] == 3'd0) begin
        address1 = issue_i.rs1[31:28] == cpe_isa_pkg::SpaceLdm && issue_i.rs1[27:17] == '0;
        address2 = issue_i.rs2[31:28] == cpe_isa_pkg::SpaceLdm && issue_i.rs2[27:17] == '0;
        stride1  = issue_i.rs1[31:17] == {15{issue_i.rs1[17]}};
        stride2  = issue_i.rs2[31:17] == {15{issue_i.rs2[17]}};
        case (issue_i.op)
          cpe_isa_pkg::SystolicActivations, cpe_isa_pkg::SystolicWeights:
            issue_bad_o = !address1 || issue_i.rs1[2:0] != '0 || issue_i.rs2[18:16] != '0 || issue_i.rs2[2:0] != '0;
          cpe_isa_pkg::SystolicColumns:
            issue_bad_o = !stride1 || !stride2 || issue_i.rs1[2:0] != '0 || issue_i.rs2[2:0] != '0;
          cpe_isa_pkg::SystolicGroups:
            issue_bad_o = !address1 || issue_i.rs1[3:0] != '0 || issue_i.rs2[31:25] != {7{issue_i.rs2[25]}} || issue_i.rs2[11:8] != '0
                       || issue_i.rs2[7:0] == '0;
          cpe_isa_pkg::SystolicOutput:
            issue_bad_o = !address1 || !stride2 || issue_i.rs1[2:0] != '0 || issue_i.rs2[2:0] != '0;
          cpe_isa_pkg::SystolicFactors:
            issue_bad_o = !address1 || !address2 || issue_i.rs1[4:0] != '0 || issue_i.rs2[4:0] != '0;
          cpe_isa_pkg::SystolicRows:
            issue_bad_o = !address1 || issue_i.rs1[4:0] != '0;
          cpe_isa_pkg::SystolicClamp:
            issue_bad_o = 1'b0;
          cpe_isa_pkg::SystolicSize: begin
            sums        = {8'd0, issue_i.rs2[24:16]} * {8'd0, issue_i.rs2[8:0]};
            issue_bad_o = issue_i.rs1[31:16] == '0 || issue_i.rs1[15:0] == '0 || issue_i.rs2[31:25] != '0 || issue_i.rs2[15:9] != '0
                       || sums == '0 || sums > 17'd256;
          end
          default: issue_bad_o = 1'b1;
        endcase
        set = !issue_bad_o;
      end else begin
        case (issue_i.op)
          cpe_isa_pkg::SystolicRun: begin
            // Not even looked at before it can be taken: it may wait long, and the simulator with it.
            issue_ready_o = waits_q == '0;
            if (issue_ready_o) begin
              mode              = issue_i.rs1;
              one_block         = settings_q[8][63:48] <= {7'd0, settings_q[8][24:16]};
              weights_lines     = {settings_q[1][36:32], settings_q[1][20:16], settings_q[2][36:32]} == '0;
              activations_lines = {settings_q[0][36:32], settings_q[0][4:0]} == '0;
              case (mode.result)
                cpe_isa_pkg::NumberInt8: out_aligned = 1'b1;
                cpe_isa_pkg::NumberFp16: out_aligned = {settings_q[4][35], settings_q[4][3], settings_q[2][3]} == '0;
                default:             out_aligned = {settings_q[4][36:35], settings_q[4][4:3], settings_q[2][4:3]} == '0;
              endcase
              issue_bad_o = mode.reserved != '0 || settings_q[8][8:0] == '0 || ((mode.keep || !mode.drain) && !one_block)
                         || (mode.drain && !out_aligned);
              case (mode.weights)
                cpe_isa_pkg::WeightsInt8:   ;
                cpe_isa_pkg::WeightsInt4:   if (!weights_lines || settings_q[3][7:0] == '0) issue_bad_o = 1'b1;
                cpe_isa_pkg::WeightsSparse: if (!Sparse || mode.by_column || !weights_lines || !activations_lines) issue_bad_o = 1'b1;
                default:                issue_bad_o = 1'b1;
              endcase
              issue_rdata_o = begun_q + 1'b1;
              run           = !issue_bad_o;
            end
          end
          cpe_isa_pkg::SystolicWait, cpe_isa_pkg::SystolicPoll: begin
            past          = begun_q - {28'd0, open_q} - issue_i.rs1;
            issue_ready_o = !past[31] || issue_i.op == cpe_isa_pkg::SystolicPoll;
            issue_rdata_o = {31'd0, !past[31]};
          end
          default: issue_bad_o = 1'b1;
        endcase
      end
    end
  end

  // This process alone writes to the settings, and nobody reads them in the cycle of a setting: assignments may take effect at once.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (set || !rst_ni) begin
      if (set) settings_q[issue_i.op[3:0]] = {issue_i.rs1, issue_i.rs2};
      if (!rst_ni) for (int unsigned i = 0; i < 9; i++) settings_q[i] = '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  // --- The run that waits, and those under way ------------------------------------------------------------------------

  // In the order of run_t.
  always_ff @(posedge clk_i) begin
    if (run) begin
      run_q <= {{1'b0, settings_q[0][48:32]}, settings_q[0][31:16], settings_q[0][15:0],
                {1'b0, settings_q[1][48:32]}, settings_q[1][31:16], settings_q[1][15:0], settings_q[2][49:32],
                {1'b0, settings_q[3][48:32]}, settings_q[3][25:8], settings_q[3][7:0],
                {1'b0, settings_q[4][48:32]}, settings_q[4][17:0], settings_q[2][17:0],
                {1'b0, settings_q[5][48:32]}, {1'b0, settings_q[5][16:0]}, {1'b0, settings_q[6][48:32]},
                settings_q[7][63:32], settings_q[7][31:0],
                settings_q[8][63:48], settings_q[8][47:32], settings_q[8][24:16], settings_q[8][8:0],
                issue_i.rs1[10:0], issue_i.pc};
    end
  end

  // A few cycles more than there is something to do: for what runs down behind the last run, or after a halt.
  logic [2:0] awake_cycles_q;

  assign awake_o = awake_q || !rst_ni;

  // While runs are under way only their number changes, and where the next one has been taken.
  always_ff @(posedge clk_i) begin : p_runs
    logic [3:0] open;
    logic [2:0] cycles;
    {open, cycles} = '0;
    if (run || awake_o) begin
      if (run || complete_i || halt_i || open_q == '0 || !rst_ni) begin
        open = open_q;
        if (run != complete_i) open = run ? open + 1'b1 : open - 1'b1;
        if (halt_i || !rst_ni) open = '0;
        cycles = awake_cycles_q - 1'b1;
        if (open != '0 || linger_i || !rst_ni) cycles = '1;
        open_q         <= open;
        busy_q         <= open != '0;
        awake_cycles_q <= cycles;
        awake_q        <= cycles != '0;
      end
      if (run) begin
        begun_q <= issue_rdata_o;
        waits_q <= '1;
      end else if (waits_q != '0) begin
        if (weights_take_i || feed_take_i || sequence_take_i || halt_i) begin
          waits_q <= halt_i ? '0 : waits_q & ~{weights_take_i, feed_take_i, sequence_take_i};
        end
      end
      if (!rst_ni) begin
        begun_q <= '0;
        waits_q <= '0;
      end
    end
  end

  assign run_o            = run_q;
  assign weights_valid_o  = waits_q[2];
  assign feed_valid_o     = waits_q[1];
  assign sequence_valid_o = waits_q[0];
  assign busy_o           = busy_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (({weights_take_i, feed_take_i, sequence_take_i} & ~waits_q) == '0) else $error("a run is taken that is not there");
      assert (!complete_i || open_q != '0) else $error("no run is under way, and one is complete");
    end
  end
`endif

endmodule
