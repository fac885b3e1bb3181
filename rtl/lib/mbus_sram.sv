// SPDX-License-Identifier: Apache-2.0
// On-chip memory as a slave of the memory bus, in rows of one line.
//
// Answers one cycle after the request was taken, one request per cycle; an atomic operation takes a second cycle in
//   which no request is taken.
// Orders: everything, in request order.
// Holds one reservation, on one line, for the one hart that uses LR and SC: LR sets it; every SC, and writes and atomics
//   to the line by anybody, end it.
// Answers addresses outside [Base, Base + Bytes), atomics (LR and SC too) of other than 4 or 8 bytes and unknown
//   operations with an error; the memory stays as it was.
// Illegal: Bytes below 128 or no multiple of 64; Base no multiple of Bytes rounded up to a power of two.
module mbus_sram #(
  parameter int unsigned                    Bytes = 65536,
  parameter logic [mbus_pkg::AddrWidth-1:0] Base  = '0
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  mbus_pkg::req_t req_i,
  output logic           rsp_valid_o,
  output mbus_pkg::rsp_t rsp_o
);

  localparam int unsigned Rows     = Bytes / mbus_pkg::LineBytes;
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned TagLsb   = $clog2(Bytes);

  // The request in the cycle in which it is taken
  logic                take, in_range, reads, writes, is_amo, legal, sc_success;
  logic [RowWidth-1:0] row;

  // and in the next one, in which it is answered.
  logic                valid_q, err_q, sc_q, sc_fail_q, amo_q, is_word_q;
  mbus_pkg::id_e       id_q;
  mbus_pkg::op_e       op_q;
  logic [RowWidth-1:0] row_q;
  logic [5:2]          offset_q;
  logic [63:0]         operand_q;

  logic                reserved_q;
  logic [RowWidth-1:0] reserved_row_q;

  logic [63:0]         amo_old, amo_new;

  logic                           ram_en, ram_we;
  logic [RowWidth-1:0]            ram_row;
  logic [mbus_pkg::LineBytes-1:0] ram_strb;
  logic [mbus_pkg::LineBits-1:0]  ram_wdata, ram_rdata;

  assign req_ready_o = !amo_q;
  assign take        = req_valid_i && req_ready_o;
  assign row         = req_i.addr[6 +: RowWidth];
  assign in_range    = req_i.addr[mbus_pkg::AddrWidth-1:TagLsb] == Base[mbus_pkg::AddrWidth-1:TagLsb] &&
                       {1'b0, row} < (RowWidth + 1)'(Rows);
  assign sc_success  = reserved_q && reserved_row_q == row;

  // An aligned block of four or eight bytes as strobes of the line.
  function automatic logic [63:0] block_strb(input logic [5:2] offset, input logic is_word);
    block_strb = (is_word ? 64'h0f : 64'hff) << {offset[5:3], is_word && offset[2], 2'b00};
  endfunction

  // The block's word or double word in the lower half of 64 bits.
  function automatic logic [63:0] block_data(input logic [mbus_pkg::LineBits-1:0] line, input logic [5:2] offset,
                                             input logic is_word);
    block_data = line[64*offset[5:3] +: 64];
    if (is_word && offset[2]) block_data[31:0] = block_data[63:32];
  endfunction

  always_comb begin
    reads  = 1'b0;
    writes = 1'b0;
    is_amo = 1'b0;
    legal  = in_range && (req_i.size == 3'd2 || req_i.size == 3'd3);
    unique case (req_i.op)
      mbus_pkg::OpRead: begin
        reads = 1'b1;
        legal = in_range;
      end
      mbus_pkg::OpWrite: begin
        writes = 1'b1;
        legal  = in_range;
      end
      mbus_pkg::OpLr: reads = 1'b1;
      mbus_pkg::OpSc: writes = sc_success;
      mbus_pkg::OpSwap, mbus_pkg::OpAdd, mbus_pkg::OpXor, mbus_pkg::OpAnd, mbus_pkg::OpOr, mbus_pkg::OpMin,
      mbus_pkg::OpMax, mbus_pkg::OpMinu, mbus_pkg::OpMaxu: begin
        reads  = 1'b1;
        is_amo = 1'b1;
      end
      default: legal = 1'b0;
    endcase
  end

  always_comb begin
    ram_en    = take && legal && (reads || writes);
    ram_we    = writes;
    ram_row   = row;
    ram_strb  = req_i.op == mbus_pkg::OpWrite ? req_i.strb : block_strb(req_i.addr[5:2], req_i.size == 3'd2);
    ram_wdata = req_i.data;
    if (amo_q) begin
      ram_en    = 1'b1;
      ram_we    = 1'b1;
      ram_row   = row_q;
      ram_strb  = block_strb(offset_q, is_word_q);
      ram_wdata = is_word_q ? {16{amo_new[31:0]}} : {8{amo_new}};
    end
  end

  ram_1rw #(
    .Depth(Rows),
    .Width(mbus_pkg::LineBits)
  ) u_ram (
    .clk_i,
    .en_i   (ram_en),
    .we_i   (ram_we),
    .addr_i (ram_row),
    .strb_i (ram_strb),
    .wdata_i(ram_wdata),
    .rdata_o(ram_rdata)
  );

  // Only looked at after an atomic operation: the lines of ordinary traffic do not pass through here.
  assign amo_old = amo_q ? block_data(ram_rdata, offset_q, is_word_q) : '0;

  amo_alu u_amo_alu (
    .op_i     (op_q),
    .size_i   (is_word_q ? 3'd2 : 3'd3),
    .old_i    (amo_old),
    .operand_i(operand_q),
    .new_o    (amo_new)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      amo_q      <= 1'b0;
      reserved_q <= 1'b0;
    end else begin
      valid_q <= take;
      amo_q   <= take && legal && is_amo;
      if (take) begin
        if (legal && req_i.op == mbus_pkg::OpLr) reserved_q <= 1'b1;
        else if (req_i.op == mbus_pkg::OpSc) reserved_q <= 1'b0;
        else if (legal && (writes || is_amo) && row == reserved_row_q) reserved_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      id_q      <= req_i.id;
      err_q     <= !legal;
      sc_q      <= req_i.op == mbus_pkg::OpSc;
      sc_fail_q <= !sc_success;
      is_word_q <= req_i.size == 3'd2;
      if (legal && req_i.op == mbus_pkg::OpLr) reserved_row_q <= row;
      if (legal && is_amo) begin
        op_q      <= req_i.op;
        row_q     <= row;
        offset_q  <= req_i.addr[5:2];
        operand_q <= block_data(req_i.data, req_i.addr[5:2], req_i.size == 3'd2);
      end
    end
  end

  assign rsp_valid_o = valid_q;
  assign rsp_o.id    = id_q;
  assign rsp_o.err   = err_q;
  // The answer of an SC, in all lanes.
  assign rsp_o.data  = !sc_q ? ram_rdata : is_word_q ? {16{31'b0, sc_fail_q}} : {8{63'b0, sc_fail_q}};

endmodule
