// SPDX-License-Identifier: Apache-2.0
// Tells the management processor that launches have ended: writes the done word into its inbox and, when asked, sets the
// group's bit of the inbox's work word once that write has been answered.
//
// One write is under way at a time. A done word that cannot go yet waits; the next one takes its place, and its notification.
// A done word that finds nothing under way is at the port in the next cycle.
module cg_launch_done (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic [1:0]     group_i,
  input  logic           end_i,
  input  logic [63:0]    word_i,
  input  logic           notify_i,
  output logic           done_valid_o,
  input  logic           done_ready_i,
  output noc_pkg::req_t  done_o,
  input  logic           done_rsp_valid_i,
  output logic           busy_o
);

  typedef enum logic [2:0] {
    Idle,
    Word,
    WordTaken,
    Work,
    WorkTaken
  } state_e;

  state_e      state_q;
  logic [63:0] word_q, next_word_q;
  logic        notify_q, next_valid_q, next_notify_q;
  logic        load;

  assign load = state_q == Idle && (end_i || next_valid_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= Idle;
      notify_q      <= 1'b0;
      next_valid_q  <= 1'b0;
      next_notify_q <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: begin
          if (load) begin
            state_q  <= Word;
            notify_q <= (end_i && notify_i) || (next_valid_q && next_notify_q);
          end
        end
        Word:      if (done_ready_i) state_q <= WordTaken;
        WordTaken: if (done_rsp_valid_i) state_q <= notify_q ? Work : Idle;
        Work:      if (done_ready_i) state_q <= WorkTaken;
        default:   if (done_rsp_valid_i) state_q <= Idle;
      endcase
      if (load) begin
        next_valid_q <= 1'b0;
      end else if (end_i) begin
        next_valid_q  <= 1'b1;
        next_notify_q <= notify_i || (next_valid_q && next_notify_q);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (end_i) next_word_q <= word_i;
    if (load) word_q <= end_i ? word_i : next_word_q;
  end

  logic        work;
  logic [39:0] addr;
  assign work = state_q == Work;
  assign addr = memmap_pkg::InboxDeviceBase +
                (work ? 40'(inbox_regs_pkg::WorkOffset) : 40'(inbox_regs_pkg::Done0Offset) + 40'({group_i, 3'b000}));

  assign done_valid_o = state_q == Word || work;
  always_comb begin
    done_o = '0;
    if (done_valid_o) begin
      done_o.op   = mbus_pkg::OpWrite;
      done_o.addr = addr;
      done_o.size = 3'd3;
      done_o.strb = 64'hff << addr[5:0];
      done_o.data = {8{work ? 64'd1 << (6'd40 + 6'(group_i)) : word_q}};
    end
  end

  assign busy_o = state_q != Idle || next_valid_q;

endmodule
