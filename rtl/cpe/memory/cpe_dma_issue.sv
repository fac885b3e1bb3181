// SPDX-License-Identifier: Apache-2.0
// Where the core's commands enter the DMA engine: checks them and numbers the transfers.
//
// Tickets count the transfers begun; the first one has ticket 1. Transfers become complete in their order (complete_i).
// DmaGlobal and DmaClass stay until the next one, DmaShape is for one transfer, and all of them end with the launch (ends_i). A refused
// command changes nothing.
// Cuts: nothing from issue_i to begin_*.
module cpe_dma_issue (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   halt_i,         // takes no transfers
  input  logic                   ends_i,         // a launch does; there is no command then, and no transfer under way

  input  logic                   issue_valid_i,
  input  cpe_pkg::issue_t        issue_i,
  output logic                   issue_ready_o,
  output logic [31:0]            issue_rdata_o,
  output logic                   issue_bad_o,

  output logic                   begin_o,        // this transfer
  output cpe_dma_pkg::transfer_t begin_transfer_o,

  input  logic                   complete_i,     // the oldest transfer
  output logic [2:0]             oldest_o,       // its slot

  // Who began the transfer in a slot
  input  logic [2:0]             slot_i,
  output logic [31:0]            slot_pc_o,
  output logic [15:0]            slot_segment_o,

  output logic                   busy_o,
  output logic                   foreground_o    // a transfer of that class is not complete
);

  logic [31:0] begun_q, done_q;
  logic [63:0] global_q;
  logic [15:0] rows_q, ldm_stride_q;
  logic [31:0] stride_q;
  logic [31:0] extent_q;           // from the first row to the last
  logic [31:0] age;
  logic [33:0] range_end;
  logic        full, begins, bad;
  logic        background_q;       // class of the transfers that follow
  logic [7:0]  foreground_q;       // slots with a foreground transfer

  logic [47:0] origin_q [cpe_dma_pkg::Slots];

  assign full    = begun_q[2:0] == done_q[2:0] && begun_q[3] != done_q[3];
  assign busy_o  = begun_q != done_q;

  assign foreground_o = foreground_q != '0;

  always_comb begin
    issue_ready_o = 1'b0;
    issue_rdata_o = '0;
    issue_bad_o   = 1'b0;
    begins        = 1'b0;
    bad           = 1'b0;
    range_end     = '0;
    age           = '0;
    if (issue_valid_i) begin
      case (issue_i.op)
        cpe_isa_pkg::DmaGlobal, cpe_isa_pkg::DmaShape: issue_ready_o = 1'b1;
        cpe_isa_pkg::DmaLoad, cpe_isa_pkg::DmaStore: begin
          range_end           = {17'd0, issue_i.rs1[16:0]} + {2'd0, extent_q} + {16'd0, issue_i.rs2[17:0]};
          bad                 = issue_i.rs1[31:28] != cpe_isa_pkg::SpaceLdm || issue_i.rs1[27:17] != '0 || issue_i.rs2[31:18] != '0
                             || issue_i.rs2[17:0] == '0 || rows_q == '0 || range_end > 34'h2_0000;
          issue_bad_o         = bad;
          begins              = !bad && !full && !halt_i;
          issue_ready_o       = bad || begins;
          issue_rdata_o       = begun_q + 32'd1;
        end
        cpe_isa_pkg::DmaWait: begin
          age           = done_q - issue_i.rs1;
          issue_ready_o = !age[31];
        end
        cpe_isa_pkg::DmaPoll: begin
          age           = done_q - issue_i.rs1;
          issue_ready_o = 1'b1;
          issue_rdata_o = 32'(!age[31]);
        end
        cpe_isa_pkg::DmaClass: begin
          issue_ready_o = 1'b1;
          issue_bad_o   = issue_i.rs1[31:1] != '0;
        end
        default: begin
          issue_ready_o = 1'b1;
          issue_bad_o   = 1'b1;
        end
      endcase
    end
  end

  assign begin_o          = begins;
  assign begin_transfer_o = {issue_i.op == cpe_isa_pkg::DmaStore, global_q, issue_i.rs1[16:0], issue_i.rs2[17:0], rows_q, ldm_stride_q,
                             stride_q};

  assign oldest_o     = done_q[2:0];

  always_comb begin
    slot_pc_o      = '0;
    slot_segment_o = '0;
    if (busy_o) {slot_pc_o, slot_segment_o} = origin_q[slot_i];
  end

  always_ff @(posedge clk_i) begin
    if (issue_valid_i) begin
      if (issue_i.op == cpe_isa_pkg::DmaShape) begin
        ldm_stride_q <= issue_i.rs1[15:0];
        stride_q     <= issue_i.rs2;
      end
      if (begins) origin_q[begun_q[2:0]] <= {issue_i.pc, global_q[63:48]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q <= '0;
      done_q  <= '0;
      foreground_q <= '0;
    end else if (issue_valid_i || complete_i) begin
      begun_q <= begun_q + 32'(begins);
      done_q  <= done_q + 32'(complete_i);
      if (complete_i) foreground_q[done_q[2:0]] <= 1'b0;
      if (begins) foreground_q[begun_q[2:0]] <= !background_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ends_i) begin
      global_q <= '0;
      rows_q   <= 16'd1;
      extent_q <= '0;
      background_q <= 1'b0;
    end else if (issue_valid_i) begin
      if (begins) begin
        rows_q   <= 16'd1;
        extent_q <= '0;
      end
      if (issue_i.op == cpe_isa_pkg::DmaGlobal) global_q <= {issue_i.rs2, issue_i.rs1};
      if (issue_i.op == cpe_isa_pkg::DmaClass && !issue_bad_o) background_q <= issue_i.rs1[0];
      if (issue_i.op == cpe_isa_pkg::DmaShape) begin
        rows_q   <= issue_i.rs1[31:16];
        extent_q <= (32'(issue_i.rs1[31:16]) - 32'd1) * 32'(issue_i.rs1[15:0]);
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(ends_i && (busy_o || issue_valid_i))) else $error("a launch ends while a transfer is under way");
  end
`endif

endmodule
