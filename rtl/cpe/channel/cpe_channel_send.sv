// SPDX-License-Identifier: Apache-2.0
// The sending half of a channel engine: reads words from local memory ahead, and offers them to the bus one after the other.
//
// Cuts: all paths but send_ready_i to event_sent_o. What the bus sees comes from registers.
// Latency: a command that is taken at t reads at t + 1 at the earliest, its word is at the bus at t + 3. One word per cycle.
// Halt: from the next cycle on nothing is offered and no command is left.
module cpe_channel_send #(
  parameter bit Straight = 1'b1  // see cpe_channel_queue
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         run_i,      // something may change: high with reset, halt_i, push_i and open_o
  input  logic         halt_i,

  input  logic         push_i,
  input  logic [7:0]   push_mask_i,
  input  logic [11:0]  push_addr_i,
  input  logic [12:0]  push_beats_i,
  output logic         space_o,
  output logic [3:0]   open_o,     // commands of which the bus has not taken everything

  output logic         s_valid_o,  // local memory
  input  logic         s_ready_i,
  output logic [11:0]  s_addr_o,
  input  logic [255:0] s_rdata_i,

  output logic         send_valid_o,
  input  logic         send_ready_i,
  output logic [7:0]   send_mask_o,
  output logic [255:0] send_data_o,
  output logic         event_sent_o
);

  logic       command, last;
  logic [7:0] mask;
  logic       read, sent;

  // Words that were read: a place is taken with the read (write_ptr), filled in the cycle after it.
  typedef struct packed {
    logic [1:0] read_ptr;
    logic [1:0] write_ptr;
    logic [2:0] count;     // filled places
    logic       filling;
    logic [3:0] open;
  } state_t;

  state_t       q, n;
  logic [255:0] data_q [4];
  logic [8:0]   tag_q  [4];  // last word of its command, mask

  cpe_channel_queue #(.Straight(Straight)) u_queue (
    .clk_i,
    .rst_ni,
    .run_i,
    .clear_i(halt_i),
    .push_i,
    .push_peers_i(push_mask_i),
    .push_addr_i,
    .push_beats_i,
    .space_o,
    .valid_o(command),
    .peers_o(mask),
    .addr_o(s_addr_o),
    .last_o(last),
    .more_o(),
    .step_i(read)
  );

  assign open_o       = q.open;
  assign event_sent_o = sent;

  // Without a command nothing is offered and nothing moves.
  always_comb begin
    s_valid_o    = 1'b0;
    send_valid_o = 1'b0;
    if (q.open != '0) begin
      s_valid_o    = command && !q.count[2] && !(q.filling && q.count == 3'd3);
      send_valid_o = q.count != '0;
    end
  end

  // Apart from what is offered: `ready` may follow from that.
  always_comb begin
    read = 1'b0;
    sent = 1'b0;
    if (q.open != '0) begin
      read = s_valid_o && s_ready_i;
      sent = send_valid_o && send_ready_i;
    end
  end

  assign send_mask_o  = tag_q[q.read_ptr][7:0];
  assign send_data_o  = data_q[q.read_ptr];

  // As in cpe_channel_queue: one process.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : change
    logic       finished;
    logic [1:0] fill_ptr;
    if (run_i) begin
      n        = q;
      finished = sent && tag_q[q.read_ptr][8];
      fill_ptr = q.write_ptr - 1'b1;
      if (q.filling) data_q[fill_ptr] = s_rdata_i;
      if (read) begin
        tag_q[q.write_ptr] = {last, mask};
        n.write_ptr = q.write_ptr + 1'b1;
      end
      if (sent) n.read_ptr = q.read_ptr + 1'b1;
      if (q.filling != sent) n.count = sent ? q.count - 1'b1 : q.count + 1'b1;
      if (push_i != finished) n.open = push_i ? q.open + 1'b1 : q.open - 1'b1;
      n.filling = read;
      if (!rst_ni || halt_i) n = '0;
      q <= n;
    end
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (q.count <= 3'd4) else $error("more words than places");
      assert (!(command || q.filling || q.count != '0) || q.open != '0) else $error("words of no command");
    end
  end
`endif

endmodule
