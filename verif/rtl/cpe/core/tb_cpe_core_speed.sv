// SPDX-License-Identifier: Apache-2.0
// The core with a local memory that is always ready, to measure how fast it is simulated. Its code comes once, from C++.
module tb_cpe_core_speed (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         fetch_valid_o,
  output logic [25:0]  fetch_line_o,
  input  logic         refill_valid_i,
  input  logic [511:0] refill_data_i,
  input  logic [3:0]   counter_select_i,
  output logic [31:0]  counter_o,
  output logic         fault_valid_o
);

  logic         refill_valid_q;
  logic [511:0] refill_data_q;
  logic         ldm_valid, ldm_write;
  logic [16:2]  ldm_addr;
  logic [31:0]  ldm_wdata, ldm_rdata_q;
  logic [3:0]   ldm_strb;
  logic [3:0]   counter_select_q;
  logic [31:0]  mem_q [1024];

  always_ff @(posedge clk_i) begin
    refill_valid_q   <= refill_valid_i;
    counter_select_q <= counter_select_i;
    if (refill_valid_i) refill_data_q <= refill_data_i;
  end

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (ldm_valid) begin
      if (!ldm_write) ldm_rdata_q <= mem_q[ldm_addr[11:2]];
      else if (&ldm_strb) mem_q[ldm_addr[11:2]] = ldm_wdata;
      else begin
        for (int unsigned i = 0; i < 4; i++) if (ldm_strb[i]) mem_q[ldm_addr[11:2]][8*i +: 8] = ldm_wdata[8*i +: 8];
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  cpe_core u_core (
    .clk_i,
    .rst_ni,
    .awake_i         (1'b1),
    .waited_i        ('0),
    .boot_pc_i       (32'h4000_0000),
    .id_i            ('0),
    .config_i        ('0),
    .halt_i          (1'b0),
    .fetch_valid_o,
    .fetch_line_o,
    .refill_valid_i  (refill_valid_q),
    .refill_cause_i  (cpe_isa_pkg::CauseNone),
    .refill_data_i   (refill_data_q),
    .invalidate_i    (1'b0),
    .ldm_valid_o     (ldm_valid),
    .ldm_ready_i     (1'b1),
    .ldm_write_o     (ldm_write),
    .ldm_addr_o      (ldm_addr),
    .ldm_wdata_o     (ldm_wdata),
    .ldm_strb_o      (ldm_strb),
    .ldm_rdata_i     (ldm_rdata_q),
    .win_valid_o     (),
    .win_write_o     (),
    .win_addr_o      (),
    .win_size_o      (),
    .win_wdata_o     (),
    .win_done_i      (1'b0),
    .win_rdata_i     ('0),
    .win_cause_i     (cpe_isa_pkg::CauseNone),
    .win_segment_i   ('0),
    .win_offset_i    ('0),
    .win_pointer_o   (),
    .issue_valid_o   (),
    .issue_o         (),
    .issue_ready_i   (1'b1),
    .issue_rdata_i   ('0),
    .issue_bad_i     (1'b0),
    .launch_mask_i   ('0),
    .argument_segment_i('0),
    .fault_valid_o,
    .fault_o         (),
    .waiting_o       (),
    .halted_o        (),
    .pc_o            (),
    .counter_select_i(counter_select_q),
    .counter_o
  );

endmodule
