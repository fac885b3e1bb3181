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
  output logic                   busy_o
);

  // --- Settings -----------------------------------------------------------------------------------------------------

  logic [17:0] activations_q, weights_q, weights_column_q, scales_q, scales_column_q;
  logic [15:0] activations_k_q, activations_row_q, weights_k_q, weights_row_q;
  logic [17:0] out_q, out_row_q, out_column_q, factors_q, biases_q, row_factors_q;
  logic [7:0]  group_q;
  logic [31:0] least_q, largest_q;
  logic [15:0] column_tiles_q, k_tiles_q;
  logic [8:0]  block_q, rows_q;

  // --- What a command is ----------------------------------------------------------------------------------------------

  logic                    address1, address2;  // an operand is an address in local memory
  logic                    stride1, stride2;    // or fits as a signed stride
  cpe_pkg::systolic_mode_t mode;
  logic                    one_block, weights_lines, activations_lines, out_aligned;
  logic [16:0]             sums;                // rows of all tiles of a block
  logic                    set, run, free;
  logic [31:0]             past;                // runs complete beyond the ticket; negative: it is not

  logic [31:0]             begun_q;
  logic [3:0]              open_q;
  logic [2:0]              waits_q;             // for weights, feed, sequence
  cpe_systolic_pkg::run_t  run_q;

  assign free = waits_q == '0;

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
      address1      = issue_i.rs1[31:28] == cpe_pkg::SpaceLdm && issue_i.rs1[27:17] == '0;
      address2      = issue_i.rs2[31:28] == cpe_pkg::SpaceLdm && issue_i.rs2[27:17] == '0;
      stride1       = issue_i.rs1[31:17] == {15{issue_i.rs1[17]}};
      stride2       = issue_i.rs2[31:17] == {15{issue_i.rs2[17]}};
      case (issue_i.op)
        cpe_pkg::SystolicActivations, cpe_pkg::SystolicWeights:
          issue_bad_o = !address1 || issue_i.rs1[2:0] != '0 || issue_i.rs2[18:16] != '0 || issue_i.rs2[2:0] != '0;
        cpe_pkg::SystolicColumns:
          issue_bad_o = !stride1 || !stride2 || issue_i.rs1[2:0] != '0 || issue_i.rs2[2:0] != '0;
        cpe_pkg::SystolicGroups:
          issue_bad_o = !address1 || issue_i.rs1[3:0] != '0 || issue_i.rs2[31:25] != {7{issue_i.rs2[25]}} || issue_i.rs2[11:8] != '0
                     || issue_i.rs2[7:0] == '0;
        cpe_pkg::SystolicOutput:
          issue_bad_o = !address1 || !stride2 || issue_i.rs1[2:0] != '0 || issue_i.rs2[2:0] != '0;
        cpe_pkg::SystolicFactors:
          issue_bad_o = !address1 || !address2 || issue_i.rs1[4:0] != '0 || issue_i.rs2[4:0] != '0;
        cpe_pkg::SystolicRows:
          issue_bad_o = !address1 || issue_i.rs1[4:0] != '0;
        cpe_pkg::SystolicClamp:
          issue_bad_o = 1'b0;
        cpe_pkg::SystolicSize: begin
          sums        = {8'd0, issue_i.rs2[24:16]} * {8'd0, issue_i.rs2[8:0]};
          issue_bad_o = issue_i.rs1[31:16] == '0 || issue_i.rs1[15:0] == '0 || issue_i.rs2[31:25] != '0 || issue_i.rs2[15:9] != '0
                     || sums == '0 || sums > 17'd256;
        end
        cpe_pkg::SystolicRun: begin
          mode              = issue_i.rs1;
          one_block         = column_tiles_q <= {7'd0, block_q};
          weights_lines     = {weights_q[4:0], weights_k_q[4:0], weights_column_q[4:0]} == '0;
          activations_lines = {activations_q[4:0], activations_row_q[4:0]} == '0;
          case (mode.result)
            cpe_pkg::NumberInt8: out_aligned = 1'b1;
            cpe_pkg::NumberFp16: out_aligned = !(out_q[3] || out_row_q[3] || out_column_q[3]);
            default:             out_aligned = {out_q[4:3], out_row_q[4:3], out_column_q[4:3]} == '0;
          endcase
          issue_bad_o = mode.reserved != '0 || rows_q == '0 || ((mode.keep || !mode.drain) && !one_block)
                     || (mode.drain && !out_aligned);
          case (mode.weights)
            cpe_pkg::WeightsInt8:   ;
            cpe_pkg::WeightsInt4:   if (!weights_lines || group_q == '0) issue_bad_o = 1'b1;
            cpe_pkg::WeightsSparse: if (!Sparse || mode.by_column || !weights_lines || !activations_lines) issue_bad_o = 1'b1;
            default:                issue_bad_o = 1'b1;
          endcase
          issue_ready_o = issue_bad_o || free;
          issue_rdata_o = begun_q + 1'b1;
          run           = !issue_bad_o && free;
        end
        cpe_pkg::SystolicWait, cpe_pkg::SystolicPoll: begin
          past          = begun_q - {28'd0, open_q} - issue_i.rs1;
          issue_ready_o = !past[31] || issue_i.op == cpe_pkg::SystolicPoll;
          issue_rdata_o = {31'd0, !past[31]};
        end
        default: issue_bad_o = 1'b1;
      endcase
      set = !issue_bad_o && !issue_i.op[4];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      activations_q     <= '0;
      activations_k_q   <= '0;
      activations_row_q <= '0;
      weights_q         <= '0;
      weights_k_q       <= '0;
      weights_row_q     <= '0;
      weights_column_q  <= '0;
      scales_q          <= '0;
      scales_column_q   <= '0;
      group_q           <= '0;
      out_q             <= '0;
      out_row_q         <= '0;
      out_column_q      <= '0;
      factors_q         <= '0;
      biases_q          <= '0;
      row_factors_q     <= '0;
      least_q           <= '0;
      largest_q         <= '0;
      column_tiles_q    <= '0;
      k_tiles_q         <= '0;
      block_q           <= '0;
      rows_q            <= '0;
    end else if (set) begin
      case (issue_i.op)
        cpe_pkg::SystolicActivations: begin
          activations_q     <= {1'b0, issue_i.rs1[16:0]};
          activations_k_q   <= issue_i.rs2[31:16];
          activations_row_q <= issue_i.rs2[15:0];
        end
        cpe_pkg::SystolicWeights: begin
          weights_q     <= {1'b0, issue_i.rs1[16:0]};
          weights_k_q   <= issue_i.rs2[31:16];
          weights_row_q <= issue_i.rs2[15:0];
        end
        cpe_pkg::SystolicColumns: begin
          weights_column_q <= issue_i.rs1[17:0];
          out_column_q     <= issue_i.rs2[17:0];
        end
        cpe_pkg::SystolicGroups: begin
          scales_q        <= {1'b0, issue_i.rs1[16:0]};
          scales_column_q <= issue_i.rs2[25:8];
          group_q         <= issue_i.rs2[7:0];
        end
        cpe_pkg::SystolicOutput: begin
          out_q     <= {1'b0, issue_i.rs1[16:0]};
          out_row_q <= issue_i.rs2[17:0];
        end
        cpe_pkg::SystolicFactors: begin
          factors_q <= {1'b0, issue_i.rs1[16:0]};
          biases_q  <= {1'b0, issue_i.rs2[16:0]};
        end
        cpe_pkg::SystolicRows: row_factors_q <= {1'b0, issue_i.rs1[16:0]};
        cpe_pkg::SystolicClamp: begin
          least_q   <= issue_i.rs1;
          largest_q <= issue_i.rs2;
        end
        default: begin  // SystolicSize
          column_tiles_q <= issue_i.rs1[31:16];
          k_tiles_q      <= issue_i.rs1[15:0];
          block_q        <= issue_i.rs2[24:16];
          rows_q         <= issue_i.rs2[8:0];
        end
      endcase
    end
  end

  // --- The run that waits, and those under way ------------------------------------------------------------------------

  // In the order of run_t.
  always_ff @(posedge clk_i) begin
    if (run) begin
      run_q <= {activations_q, activations_k_q, activations_row_q,
                weights_q, weights_k_q, weights_row_q, weights_column_q,
                scales_q, scales_column_q, group_q,
                out_q, out_row_q, out_column_q,
                factors_q, biases_q, row_factors_q,
                least_q, largest_q,
                column_tiles_q, k_tiles_q, block_q, rows_q,
                21'd0, issue_i.rs1[10:0], issue_i.pc};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q <= '0;
      open_q  <= '0;
      waits_q <= '0;
    end else if (halt_i) begin
      open_q  <= '0;
      waits_q <= '0;
    end else begin
      if (run) begin
        begun_q <= issue_rdata_o;
        waits_q <= 3'b111;
      end else if (!free) begin
        waits_q <= waits_q & ~{weights_take_i, feed_take_i, sequence_take_i};
      end
      if (run != complete_i) open_q <= run ? open_q + 1'b1 : open_q - 1'b1;
    end
  end

  assign run_o            = run_q;
  assign weights_valid_o  = waits_q[2];
  assign feed_valid_o     = waits_q[1];
  assign sequence_valid_o = waits_q[0];
  assign busy_o           = open_q != '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (({weights_take_i, feed_take_i, sequence_take_i} & ~waits_q) == '0) else $error("a run is taken that is not there");
      assert (!complete_i || open_q != '0) else $error("no run is under way, and one is complete");
    end
  end
`endif

endmodule
