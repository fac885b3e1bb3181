// SPDX-License-Identifier: Apache-2.0
// Fetches, aligns, expands and decodes: one instruction a cycle into the register in front of the execute stage.
//
//   cycle t    the address of a 64-bit word of code goes to the cache (that of a jump's target in the jump's own cycle)
//   cycle t+1  the word is there; an instruction is cut from it, decoded, and registered unless take_i is low
//   cycle t+2  the instruction stands at the output
//
// The word stays until it is used up; only then the cache is read again. Of a 32-bit instruction that lies across two words the
// first half is kept when the word is left, so it costs nothing, except as the target of a jump: one cycle.
// Code that cannot be had becomes an instruction of KindStop: cause in rd, AccessFetch in op, and in imm the address of
// the first 16 bits that are missing.
// A line that is asked for is waited for, even when nobody wants it any more.
// When the line that came last is entered, the one behind it is asked for (ahead) while the core runs on: the group answers at once,
// and if it has to get the line first, with a cause, which means nothing then. Until that answer nothing else is asked for.
// Serial: with the small cache, which is read again when it has a line, and nothing is asked for ahead.
module cpe_fetch #(
  parameter bit Serial = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  output logic                   fetch_valid_o,
  output logic [25:0]            fetch_line_o,  // {ahead, address}
  input  logic                   refill_valid_i,
  input  cpe_isa_pkg::cause_t        refill_cause_i,
  input  logic [511:0]           refill_data_i,
  input  logic                   invalidate_i,

  input  logic                   redirect_i,   // with take_i
  input  logic [31:0]            target_i,
  input  logic                   stop_i,       // asks for nothing more
  input  logic                   take_i,       // the instruction at the output, if any, leaves

  output logic                   valid_o,
  output cpe_core_pkg::kind_t    kind_o,       // its fields, as cpe_decode has them
  output cpe_core_pkg::alu_t     op_o,
  output logic [2:0]             funct3_o,
  output logic [4:0]             rd_o,
  output logic [4:0]             rs1_o,
  output logic [4:0]             rs2_o,
  output logic [31:0]            imm_o,
  output logic                   compressed_o,
`ifdef CPE_RVFI
  output logic [31:0]            insn_o,       // its bits in memory
`endif
  output logic [31:0]            pc_o,
  output logic [31:0]            next_pc_o,    // of the instruction behind
  output logic                   settled_o     // which is there, or cannot be had: nothing moves until take_i
);

  logic [31:0]     pc_q;        // of the next instruction to be cut
  logic [28:0]     word_addr_q; // of the word that the cache shows
  logic            look_q;      // it has been read for pc_q
  logic            carry_valid_q;
  logic [15:0]     carry_q;     // first half of the instruction at pc_q, from the word before
  logic            busy_q;      // a line has been asked for,
  logic            ahead_q;     // and nobody waits for it
  logic [25:0]     line_q;      // which it is, or the one that came last,
  logic            last_q;      // which has not been entered yet
  logic            drop_q;      // the line may not be kept
  logic            stale_q;     // the line may be kept but is not what pc_q needs
  logic            fail_q;      // there is no code at pc_q
  cpe_isa_pkg::cause_t cause_q;

  logic        hit;
  logic [63:0] word;
  logic        read, fill;
  logic [28:0] raddr;

  logic        ready;          // may be read
  logic        follow;         // the line that came last is entered;
  logic        here;           // and the one behind it is here
  logic [25:0] behind;
  assign behind = line_q + 26'd1;

  if (Serial) begin : g_serial
    assign here = 1'b1;

    cpe_icache_serial u_icache (
      .clk_i,
      .rst_ni,
      .invalidate_i,
      .ready_o(ready),
      .read_i (read),
      .raddr_i(raddr),
      .fill_i (fill),
      .line_i (refill_data_i),
      .tag_i  (word_addr_q[28:10]),
      .hit_o  (hit),
      .word_o (word)
    );
  end else begin : g_at_once
    assign ready = 1'b1;

    cpe_icache u_icache (
      .clk_i,
      .rst_ni,
      .invalidate_i,
      .read_i     (read),
      .raddr_i    (raddr),
      .fill_i     (fill),
      .fill_line_i(line_q),
      .line_i     (refill_data_i),
      .peek_i     (follow),
      .peek_line_i(behind),
      .here_o     (here),
      .tag_i      (word_addr_q[28:10]),
      .hit_o      (hit),
      .word_o     (word)
    );
  end

  // --- Cutting -----------------------------------------------------------------------------------------------------

  logic [31:0] insn, expanded, next_pc;
  logic        there, whole, compressed, cut, leave, carry;

  always_comb begin
    there      = look_q && hit;
    insn       = carry_valid_q ? {word[15:0], carry_q} : 32'(word >> {pc_q[2:1], 4'b0});
    compressed = insn[1:0] != 2'b11;
    whole      = there && (carry_valid_q || compressed || pc_q[2:1] != 2'd3);
    cut        = (whole || fail_q) && take_i && !redirect_i;
    next_pc    = pc_q + (compressed ? 32'd2 : 32'd4);
    leave      = 1'b0;
    carry      = 1'b0;
    if (cut) begin
      leave = !carry_valid_q && next_pc[3] != pc_q[3];
      if (next_pc[2:1] == 2'd3) carry = !leave && word[49:48] == 2'b11;
    end else if (there && !whole) begin
      carry = 1'b1;
    end
  end

  cpe_expand u_expand (.insn_i(insn), .insn_o(expanded));

  cpe_core_pkg::kind_t kind;
  cpe_core_pkg::alu_t  op;
  logic [2:0]          funct3;
  logic [4:0]          rd, rs1, rs2;
  logic [31:0]         imm;

  cpe_decode u_decode (
    .insn_i  (expanded),
    .kind_o  (kind),
    .op_o    (op),
    .funct3_o(funct3),
    .rd_o    (rd),
    .rs1_o   (rs1),
    .rs2_o   (rs2),
    .imm_o   (imm)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (take_i) valid_o <= cut;
  end

  always_ff @(posedge clk_i) begin
    if (cut) begin
      pc_o         <= pc_q;
      compressed_o <= compressed;
      kind_o       <= kind;
      op_o         <= op;
      funct3_o     <= funct3;
      rd_o         <= rd;
      rs1_o        <= rs1;
      rs2_o        <= rs2;
      imm_o        <= imm;
`ifdef CPE_RVFI
      insn_o       <= compressed ? {16'b0, insn[15:0]} : insn;
`endif
      if (fail_q) begin
        kind_o <= cpe_core_pkg::KindStop;
        op_o   <= {2'b0, cpe_isa_pkg::AccessFetch};
        rd_o   <= cause_q;
        rs1_o  <= '0;
        rs2_o  <= '0;
        imm_o  <= carry_valid_q ? {word_addr_q, 3'b0} : pc_q;
      end
    end
  end

  // --- Reading -----------------------------------------------------------------------------------------------------

  logic waits, miss, wanted, vacant, ask;
  assign waits = busy_q && !ahead_q;

  always_comb begin
    miss   = 1'b0;
    vacant = 1'b0;
    follow = 1'b0;
    wanted = 1'b0;
    fill   = 1'b0;
    if (look_q && !busy_q && !redirect_i && !invalidate_i && !stop_i) begin
      miss   = !hit;
      vacant = word_addr_q[28:25] != cpe_isa_pkg::SpaceDaemon && word_addr_q[28:25] != cpe_isa_pkg::SpaceKernel;
      follow = hit && last_q && word_addr_q[28:3] == line_q;
    end
    if (busy_q) begin
      wanted = !stale_q && !drop_q && !redirect_i && !invalidate_i;
      fill   = refill_valid_i && refill_cause_i == cpe_isa_pkg::CauseNone && !drop_q && !invalidate_i;
    end
  end
  assign ask = follow && !here;

  always_comb begin
    read  = 1'b0;
    raddr = word_addr_q + 29'd1;
    if (waits) begin
      // The line's word that is waited for; the small cache cannot be read while it is written.
      read  = fill && wanted && !Serial;
      raddr = {line_q, word_addr_q[2:0]};
    end else if (redirect_i) begin
      read  = ready;
      raddr = target_i[31:3];
    end else if (!look_q) begin
      read  = !fail_q && !stop_i && ready;
      raddr = pc_q[31:3];
    end else if (there) begin
      read = leave || carry;
    end else begin
      // What has just come ahead may be what is missing.
      read  = busy_q && refill_valid_i;
      raddr = word_addr_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (redirect_i) pc_q <= target_i;
    else if (cut) pc_q <= next_pc;

    if (read) word_addr_q <= raddr;
    if (carry) carry_q <= word[63:48];

    if (miss || ask) begin
      line_q  <= ask ? behind : word_addr_q[28:3];
      ahead_q <= ask;
      drop_q  <= 1'b0;
      stale_q <= 1'b0;
    end else if (busy_q) begin
      if (invalidate_i) drop_q <= 1'b1;
      if (redirect_i) stale_q <= 1'b1;
    end
    if (miss) cause_q <= cpe_isa_pkg::CauseVacant;
    else if (waits && refill_valid_i) cause_q <= refill_cause_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      carry_valid_q <= 1'b0;
      fail_q        <= 1'b0;
      look_q        <= 1'b0;
      busy_q        <= 1'b0;
      last_q        <= 1'b0;
    end else begin
      if (redirect_i || invalidate_i || (waits && !wanted) || (read && !look_q && !waits)) carry_valid_q <= 1'b0;
      else if (cut || carry) carry_valid_q <= carry;

      if (redirect_i || invalidate_i) fail_q <= 1'b0;
      else if (waits) fail_q <= refill_valid_i && refill_cause_i != cpe_isa_pkg::CauseNone && wanted;
      else if (miss && vacant) fail_q <= 1'b1;

      if (invalidate_i) look_q <= 1'b0;
      else if (waits) look_q <= read;
      else if (read) look_q <= 1'b1;
      else if (miss) look_q <= 1'b0;

      if (busy_q || miss || ask) busy_q <= busy_q ? !refill_valid_i : !vacant;

      if (invalidate_i || miss || follow) last_q <= 1'b0;
      else if (fill) last_q <= !Serial;
    end
  end

  assign fetch_valid_o = busy_q;
  assign fetch_line_o  = {ahead_q, line_q[24:0]};
  assign next_pc_o     = pc_q;
  assign settled_o     = (whole || fail_q) && !ask && !(busy_q && !refill_valid_i);

endmodule
