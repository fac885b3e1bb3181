// SPDX-License-Identifier: Apache-2.0
// SHA-256 engine: registers, byte alignment and padding around the compression core.
//
// Bytes come from writes to the data register and from the tap (the flash controller); one source at a time
// is software's duty, the tap goes first if both come. Before `finish` a source waits while there is no room;
// after it bytes are taken and dropped until the next `start`.
module soc_sha256 (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,
  input  logic              tap_valid_i,
  output logic              tap_ready_o,
  input  soc_pkg::chunk_t   tap_i,
  output logic              busy_o
);

  localparam int unsigned Aw = sha256_regs_pkg::AddrWidth;

  typedef enum logic [2:0] {
    Absorb,
    PadMark,   // the rest of the message and the 0x80 after it
    PadZero,   // zeros, and the length as last word of a block
    Compress,  // the last block
    Done
  } state_e;

  state_e      state_q;
  logic [63:0] hold_q;    // bytes that do not fill a word yet
  logic [2:0]  hold_n_q;
  logic [63:0] length_q;

  logic [Aw-1:0] offset;
  logic          write, data_write, start, finish;
  assign offset     = {req_i.addr[Aw-1:3], 3'b000};
  assign write      = req_i.valid && req_i.write;
  assign data_write = write && offset == sha256_regs_pkg::DataOffset;

  sha256_regs_pkg::control_t control;
  logic [63:0]               written;
  assign written = req_i.wdata & reg_pkg::lanes(req_i.wstrb);
  assign control = written;
  assign start   = write && offset == sha256_regs_pkg::ControlOffset && control.start;
  assign finish  = write && offset == sha256_regs_pkg::ControlOffset && control.finish;

  // Input: one chunk per cycle, appended to what is held.
  logic            room, take;
  soc_pkg::chunk_t bus_chunk, chunk;
  logic [127:0]    joined;
  logic [3:0]      joined_n;
  assign bus_chunk.bytes = written >> {req_i.addr[2:0], 3'b000};
  assign bus_chunk.count = 4'($countones(req_i.wstrb));
  assign chunk           = tap_valid_i ? tap_i : bus_chunk;
  assign take            = room && (tap_valid_i || data_write);
  assign joined          = {64'b0, hold_q} | ({64'b0, chunk.bytes} << {hold_n_q, 3'b000});
  assign joined_n        = {1'b0, hold_n_q} + chunk.count;

  logic         word_valid, word_ready;
  logic [63:0]  word, bit_length;
  logic [2:0]   fill;
  logic [255:0] hash;
  assign bit_length = {length_q[60:0], 3'b000};

  always_comb begin
    word_valid = 1'b0;
    word       = '0;
    unique case (state_q)
      Absorb: begin
        word_valid = take && joined_n[3];
        word       = joined[63:0];
      end
      PadMark: begin
        word_valid = 1'b1;
        word       = hold_q | (64'h80 << {hold_n_q, 3'b000});
      end
      PadZero: begin
        word_valid = 1'b1;
        if (fill == 3'd7) word = soc_pkg::reverse_bytes(bit_length);
      end
      default: ;
    endcase
  end

  soc_sha256_core u_core (
    .clk_i,
    .rst_ni,
    .clear_i      (start),
    .word_valid_i (word_valid),
    .word_ready_o (word_ready),
    .word_i       (word),
    .fill_o       (fill),
    .hash_o       (hash)
  );

  assign room = state_q == Absorb && word_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Absorb;
      hold_q   <= '0;
      hold_n_q <= '0;
      length_q <= '0;
    end else begin
      if (take) begin
        hold_q   <= joined_n[3] ? joined[127:64] : joined[63:0];
        hold_n_q <= joined_n[2:0];
        length_q <= length_q + {60'b0, chunk.count};
      end
      unique case (state_q)
        Absorb:   if (finish) state_q <= PadMark;
        PadMark:  if (word_ready) state_q <= PadZero;
        PadZero:  if (word_ready && fill == 3'd7) state_q <= Compress;
        Compress: if (word_ready) state_q <= Done;
        Done:     ;
        default:  state_q <= Done;
      endcase
      if (start) begin
        state_q  <= finish ? PadMark : Absorb;
        hold_q   <= '0;
        hold_n_q <= '0;
        length_q <= '0;
      end
    end
  end

  sha256_regs_pkg::status_t status;
  always_comb begin
    status      = '0;
    status.busy = state_q == PadMark || state_q == PadZero || !word_ready;
    status.done = state_q == Done;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (offset)
      sha256_regs_pkg::ControlOffset: ;
      sha256_regs_pkg::StatusOffset:  rsp_o.rdata = status;
      sha256_regs_pkg::LengthOffset:  rsp_o.rdata = length_q;
      sha256_regs_pkg::DataOffset:    rsp_o.ready = !req_i.write || (tap_ready_o && !tap_valid_i);
      sha256_regs_pkg::Digest0Offset: rsp_o.rdata = soc_pkg::reverse_bytes(hash[255-:64]);
      sha256_regs_pkg::Digest1Offset: rsp_o.rdata = soc_pkg::reverse_bytes(hash[191-:64]);
      sha256_regs_pkg::Digest2Offset: rsp_o.rdata = soc_pkg::reverse_bytes(hash[127-:64]);
      sha256_regs_pkg::Digest3Offset: rsp_o.rdata = soc_pkg::reverse_bytes(hash[63-:64]);
      default:                        rsp_o.err = 1'b1;
    endcase
  end

  assign tap_ready_o = state_q != Absorb || room;
  assign busy_o      = status.busy;

endmodule
