// SPDX-License-Identifier: Apache-2.0
// Atomics between their read and their write: takes what the memory gave, computes, hands back what is to be written.
//
// One per cycle. The result comes two cycles after the data of the read; with nothing to write when that was damaged.
// The operand is looked up by its place one cycle after the data (operand_i).
module hbm_amo (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           valid_i,
  input  hbm_pkg::read_t read_i,
  input  logic [511:0]   data_i,
  input  logic           poison_i,
  input  logic [63:0]    operand_i,

  output logic           valid_o,
  output logic           write_o,
  output logic [1:0]     channel_o,
  output logic [5:0]     slot_o,
  output logic [63:0]    data_o,    // in all its lanes
  output logic [63:0]    strb_o,
  output logic           busy_o
);

  logic        read_q, done_q, write_q, is_word_q;
  mbus_pkg::op_e op_q, op;
  logic [3:0]  offset_q;
  logic        poison_q;
  logic [1:0]  channel_q, done_channel_q;
  logic [5:0]  slot_q, done_slot_q;
  logic [63:0] block, old_q, operand, new_value, result_q, strb_q;

  always_comb begin
    block = '0;
    if (valid_i) begin
      block = data_i[64*read_i.offset[3:1] +: 64];
      if (read_i.is_word && read_i.offset[0]) block[31:0] = block[63:32];
    end
  end

  // The number is one of the enumeration's; it travels as bits because Yosys wants packages to stand alone.
  always_comb begin
    op = mbus_pkg::OpSwap;
    if (valid_i) begin
      unique case (read_i.op)
        mbus_pkg::OpAdd:  op = mbus_pkg::OpAdd;
        mbus_pkg::OpXor:  op = mbus_pkg::OpXor;
        mbus_pkg::OpAnd:  op = mbus_pkg::OpAnd;
        mbus_pkg::OpOr:   op = mbus_pkg::OpOr;
        mbus_pkg::OpMin:  op = mbus_pkg::OpMin;
        mbus_pkg::OpMax:  op = mbus_pkg::OpMax;
        mbus_pkg::OpMinu: op = mbus_pkg::OpMinu;
        mbus_pkg::OpMaxu: op = mbus_pkg::OpMaxu;
        default: ;
      endcase
    end
  end

  always_comb begin
    operand = '0;
    if (read_q) begin
      operand = operand_i;
      if (is_word_q && offset_q[0]) operand[31:0] = operand_i[63:32];
    end
  end

  amo_alu u_alu (
    .op_i     (op_q),
    .size_i   (is_word_q ? 3'd2 : 3'd3),
    .old_i    (old_q),
    .operand_i(operand),
    .new_o    (new_value)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      read_q <= valid_i;
      done_q <= read_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      old_q     <= block;
      op_q      <= op;
      is_word_q <= read_i.is_word;
      offset_q  <= read_i.offset;
      poison_q  <= poison_i;
      channel_q <= read_i.channel;
      slot_q    <= read_i.slot;
    end
    if (read_q) begin
      result_q       <= is_word_q ? {2{new_value[31:0]}} : new_value;
      strb_q         <= (is_word_q ? 64'h0f : 64'hff) << {offset_q, 2'b00};
      write_q        <= !poison_q;
      done_channel_q <= channel_q;
      done_slot_q    <= slot_q;
    end
  end

  assign valid_o   = done_q;
  assign write_o   = write_q;
  assign channel_o = done_channel_q;
  assign slot_o    = done_slot_q;
  assign data_o    = result_q;
  assign strb_o    = strb_q;
  assign busy_o    = read_q || done_q;

endmodule
