// SPDX-License-Identifier: Apache-2.0
// The processor's inbox: what the rest of the card has for it, gathered beside it.
//
// Two register ports. `ring_req_i` is the card's: a write to `work` sets bits, one to a done word stores it. `req_i` is
// the processor's: it clears bits of `work` and says which of them raise `irq_o`. Both read everything; neither waits.
// Faults have wires of their own: a pulse sets its bit. The done word of a group that is being reset is void: 0.
module soc_inbox (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,
  input  reg_pkg::reg_req_t ring_req_i,
  output reg_pkg::reg_rsp_t ring_rsp_o,
  input  logic [15:0]       faults_i,
  input  logic [3:0]        groups_reset_i,  // groups that are being reset
  output logic              irq_o
);

  localparam int unsigned Aw        = inbox_regs_pkg::AddrWidth;
  localparam int unsigned DoneWords = 4;

  logic [63:0]             work_q, enable_q, set, cleared;
  logic [64*DoneWords-1:0] done_q;
  logic [Aw-1:0]           offset, ring_offset;
  logic [63:0]             lanes, ring_lanes;
  logic                    write, ring_write;

  assign offset      = {req_i.addr[Aw-1:3], 3'b000};
  assign ring_offset = {ring_req_i.addr[Aw-1:3], 3'b000};
  assign lanes       = reg_pkg::lanes(req_i.wstrb);
  assign ring_lanes  = reg_pkg::lanes(ring_req_i.wstrb);
  assign write       = req_i.valid && req_i.write;
  assign ring_write  = ring_req_i.valid && ring_req_i.write;

  assign set     = ring_write && ring_offset == inbox_regs_pkg::WorkOffset ?
                   ring_req_i.wdata & ring_lanes & inbox_regs_pkg::WorkW1cMask : '0;
  assign cleared = write && offset == inbox_regs_pkg::WorkOffset ? req_i.wdata & lanes : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      work_q   <= '0;
      done_q   <= '0;
      enable_q <= inbox_regs_pkg::EnableReset;
    end else begin
      work_q <= (work_q & ~cleared) | set | {faults_i, 48'b0};
      if (write && offset == inbox_regs_pkg::EnableOffset) begin
        enable_q <= reg_pkg::merge(enable_q, req_i.wdata, lanes);
      end
      for (int unsigned i = 0; i < DoneWords; i++) begin
        if (ring_write && ring_offset == inbox_regs_pkg::Done0Offset + Aw'(8 * i)) begin
          done_q[64*i +: 64] <= reg_pkg::merge(done_q[64*i +: 64], ring_req_i.wdata, ring_lanes);
        end
        if (groups_reset_i[i]) done_q[64*i +: 64] <= '0;
      end
    end
  end

  // What a read at an offset gives; the two ports see the same.
  function automatic logic [64:0] look(input logic [Aw-1:0] at, input logic [63:0] work, input logic [63:0] enable,
                                       input logic [64*DoneWords-1:0] done);
    look = {1'b1, 64'b0};
    case (at)
      inbox_regs_pkg::WorkOffset:   look = {1'b0, work};
      inbox_regs_pkg::Done0Offset:  look = {1'b0, done[0 +: 64]};
      inbox_regs_pkg::Done1Offset:  look = {1'b0, done[64 +: 64]};
      inbox_regs_pkg::Done2Offset:  look = {1'b0, done[128 +: 64]};
      inbox_regs_pkg::Done3Offset:  look = {1'b0, done[192 +: 64]};
      inbox_regs_pkg::EnableOffset: look = {1'b0, enable};
      default: ;
    endcase
  endfunction

  assign rsp_o.ready      = 1'b1;
  assign ring_rsp_o.ready = 1'b1;
  assign {rsp_o.err, rsp_o.rdata} = look(offset, work_q, enable_q, done_q);
  assign {ring_rsp_o.err, ring_rsp_o.rdata} = look(ring_offset, work_q, enable_q, done_q);

  assign irq_o = |(work_q & enable_q);

endmodule
