// SPDX-License-Identifier: Apache-2.0
// Loads and stores: to local memory in the cycle of the instruction, to the window from the next cycle on. What a load from
// local memory brings is at data_o one cycle after it was taken.
// valid_i and the instruction stay until done_o or fault_o.
module cpe_lsu (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              valid_i,
  input  logic              write_i,
  input  logic [2:0]        funct3_i,
  input  logic [31:0]       address_i,
  input  logic [31:0]       store_i,
  input  logic              stop_i,       // begin nothing at the window
  output logic              done_o,
  output logic              late_o,       // with done_o: a load whose result comes as data_o
  output logic [31:0]       result_o,     // ... else, of a load
  input  logic              late_i,       // the load before may be one
  output logic [31:0]       data_o,
  output logic              at_window_o,  // the instruction goes there
  output logic              pending_o,    // something has been offered and must be waited for
  output logic              fault_o,
  output cpe_isa_pkg::cause_t   cause_o,
  output logic [15:0]       segment_o,
  output logic [47:0]       offset_o,

  output logic              ldm_valid_o,
  input  logic              ldm_ready_i,
  output logic              ldm_write_o,
  output logic [16:2]       ldm_addr_o,
  output logic [31:0]       ldm_wdata_o,
  output logic [3:0]        ldm_strb_o,
  input  logic [31:0]       ldm_rdata_i,

  output logic              win_valid_o,
  output logic              win_write_o,
  output logic [31:0]       win_addr_o,
  output logic [1:0]        win_size_o,
  output logic [31:0]       win_wdata_o,
  input  logic              win_done_i,
  input  logic [31:0]       win_rdata_i,
  input  cpe_isa_pkg::cause_t   win_cause_i,
  input  logic [15:0]       win_segment_i,
  input  logic [47:0]       win_offset_i
);

  logic       win_valid_q;
  logic [1:0] late_lane_q;
  logic [2:0] late_funct3_q;
  logic       in_ldm, misaligned;

  // The lower bytes of a word as a load wants them: from a window, and from local memory.
  logic [31:0] win_result;
  cpe_extend u_extend_window (
    .en_i    (win_done_i),
    .word_i  (win_rdata_i),
    .lane_i  (2'd0),
    .funct3_i,
    .word_o  (win_result)
  );
  cpe_extend u_extend_ldm (
    .en_i    (late_i),
    .word_i  (ldm_rdata_i),
    .lane_i  (late_lane_q),
    .funct3_i(late_funct3_q),
    .word_o  (data_o)
  );

  // What is asked: apart from what comes of it, as the local memory's readiness follows from this.
  always_comb begin
    at_window_o = 1'b0;
    in_ldm      = 1'b0;
    misaligned  = 1'b0;
    ldm_valid_o = 1'b0;
    ldm_write_o = write_i;
    ldm_addr_o  = address_i[16:2];
    ldm_wdata_o = '0;
    ldm_strb_o  = '0;
    if (valid_i) begin
      in_ldm      = address_i[31:17] == {cpe_isa_pkg::SpaceLdm, 11'b0};
      misaligned  = (funct3_i[0] && address_i[0]) || (funct3_i[1] && address_i[1:0] != 2'b00);
      at_window_o = address_i[31:28] == cpe_isa_pkg::SpaceWindow || address_i[31:28] == cpe_isa_pkg::SpaceArguments ||
                    address_i[31:28] == cpe_isa_pkg::SpaceDaemon || address_i[31:28] == cpe_isa_pkg::SpaceKernel;
      ldm_valid_o = in_ldm && !misaligned;
      if (ldm_valid_o && write_i) begin
        unique case (funct3_i[1:0])
          2'd0: begin
            ldm_wdata_o = {4{store_i[7:0]}};
            ldm_strb_o  = 4'b0001 << address_i[1:0];
          end
          2'd1: begin
            ldm_wdata_o = {2{store_i[15:0]}};
            ldm_strb_o  = address_i[1] ? 4'b1100 : 4'b0011;
          end
          default: begin
            ldm_wdata_o = store_i;
            ldm_strb_o  = 4'b1111;
          end
        endcase
      end
    end
  end

  always_comb begin
    done_o    = 1'b0;
    late_o    = 1'b0;
    result_o  = '0;
    pending_o = win_valid_q && !win_done_i;
    fault_o   = 1'b0;
    cause_o   = cpe_isa_pkg::CauseNone;
    segment_o = cpe_isa_pkg::NoSegment;
    offset_o  = {16'b0, address_i};
    if (valid_i) begin
      if (misaligned) begin
        fault_o = 1'b1;
        cause_o = cpe_isa_pkg::CauseMisaligned;
      end else if (in_ldm) begin
        done_o    = ldm_ready_i;
        pending_o = !ldm_ready_i;
        late_o    = !write_i;
      end else if (!at_window_o) begin
        fault_o = 1'b1;
        cause_o = cpe_isa_pkg::CauseVacant;
      end else if (win_valid_q && win_done_i) begin
        result_o  = win_result;
        done_o    = win_cause_i == cpe_isa_pkg::CauseNone;
        fault_o   = win_cause_i != cpe_isa_pkg::CauseNone;
        cause_o   = win_cause_i;
        segment_o = win_segment_i;
        offset_o  = win_offset_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && at_window_o && !win_valid_q) begin
      win_write_o <= write_i;
      win_addr_o  <= address_i;
      win_size_o  <= funct3_i[1:0];
      unique case (funct3_i[1:0])
        2'd0:    win_wdata_o <= {24'b0, store_i[7:0]};
        2'd1:    win_wdata_o <= {16'b0, store_i[15:0]};
        default: win_wdata_o <= store_i;
      endcase
    end
    if (ldm_valid_o) begin
      late_lane_q   <= address_i[1:0];
      late_funct3_q <= funct3_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) win_valid_q <= 1'b0;
    else win_valid_q <= win_valid_q ? !win_done_i : at_window_o && !misaligned && !stop_i;
  end

  assign win_valid_o = win_valid_q;

endmodule
