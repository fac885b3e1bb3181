// SPDX-License-Identifier: Apache-2.0
// SHA-256 compression: takes a block as eight words of 8 bytes (first byte lowest) and adds it to the hash,
// one round per cycle. From the first word of a block to the first of the next are 8 + 65 cycles.
//
// `clear_i` begins a new message in any state. `fill_o` counts the words of the block taken so far.
module soc_sha256_core (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         word_valid_i,
  output logic         word_ready_o,
  input  logic [63:0]  word_i,
  output logic [2:0]   fill_o,
  output logic [255:0] hash_o   // first word on top
);

  typedef enum logic [1:0] {
    Load,
    Rounds,
    Add
  } state_e;

  state_e       state_q;
  logic [2:0]   fill_q;
  logic [5:0]   round_q;
  logic [511:0] schedule_q;  // the next 16 words, the first one on top
  logic [255:0] working_q, hash_q;

  // Words of the block are big-endian.
  logic [63:0] pair;
  assign pair = {word_i[7:0], word_i[15:8], word_i[23:16], word_i[31:24],
                 word_i[39:32], word_i[47:40], word_i[55:48], word_i[63:56]};

  assign word_ready_o = state_q == Load;
  assign fill_o       = fill_q;
  assign hash_o       = hash_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Load;
      fill_q  <= '0;
      round_q <= '0;
      hash_q  <= sha256_pkg::InitialState;
    end else if (clear_i) begin
      state_q <= Load;
      fill_q  <= '0;
      round_q <= '0;
      hash_q  <= sha256_pkg::InitialState;
    end else begin
      unique case (state_q)
        Load: begin
          if (word_valid_i) begin
            fill_q <= fill_q + 3'd1;
            if (fill_q == 3'd7) state_q <= Rounds;
          end
        end
        Rounds: begin
          round_q <= round_q + 6'd1;
          if (round_q == 6'd63) state_q <= Add;
        end
        Add: begin
          hash_q  <= sha256_pkg::add(hash_q, working_q);
          state_q <= Load;
        end
        default: state_q <= Load;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Load) begin
      if (word_valid_i) begin
        schedule_q <= {schedule_q[447:0], pair};
        working_q  <= hash_q;
      end
    end else if (state_q == Rounds) begin
      schedule_q <= {schedule_q[479:0], sha256_pkg::next_w(schedule_q[511:480], schedule_q[479:448],
                                                           schedule_q[223:192], schedule_q[63:32])};
      working_q  <= sha256_pkg::round(working_q, sha256_pkg::k(round_q), schedule_q[511:480]);
    end
  end

endmodule
