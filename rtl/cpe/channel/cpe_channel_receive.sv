// SPDX-License-Identifier: Apache-2.0
// The receiving half of a channel engine: tells the bus whose words it waits for, and writes what comes to local memory.
//
// receive_ready_o and receive_one_o are what was true before a word that arrives in the same cycle: receive_one_o says that there
//   is room, or a command, for one word only. The bus, which knows what it has sent, puts both together; so no path leads
//   from the bus through here and back.
// Cuts: all paths but receive_valid_i to event_received_o.
// Latency: ready in the cycle after the command was taken; a word that arrives at t is written at t + 1 at the earliest. One word per
//   cycle; one cycle is lost when a command ends and none for the same sender waits behind it.
// Halt: from the next cycle on nothing is written and no command is left. What arrives then is dropped.
// Illegal: a word that was not asked for. halt_i that falls before a reset while words are under way.
module cpe_channel_receive #(
  parameter bit Straight = 1'b1  // see cpe_channel_queue
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         run_i,      // something may change: high with reset, halt_i, push_i and open_o
  input  logic         halt_i,

  input  logic         push_i,
  input  logic [2:0]   push_source_i,
  input  logic [11:0]  push_addr_i,
  input  logic [12:0]  push_beats_i,
  output logic         space_o,
  output logic [3:0]   open_o,     // commands of which not everything is in local memory

  output logic         r_valid_o,  // local memory
  input  logic         r_ready_i,
  output logic [11:0]  r_addr_o,
  output logic [255:0] r_wdata_o,

  output logic         receive_ready_o,
  output logic         receive_one_o,
  output logic [2:0]   receive_source_o,
  input  logic         receive_valid_i,
  input  logic [255:0] receive_data_i,
  output logic         event_received_o
);

  logic        command, last, more;
  logic [7:0]  source;
  logic [11:0] addr;
  logic        arrives, written;

  // Words that have arrived and wait for the memory.
  typedef struct packed {
    logic [1:0] read_ptr;
    logic [1:0] write_ptr;
    logic [2:0] count;
    logic [3:0] open;
  } state_t;

  state_t       q, n;
  logic [255:0] data_q [4];
  logic [12:0]  tag_q  [4];  // last word of its command, address

  cpe_channel_queue #(.Straight(Straight)) u_queue (
    .clk_i,
    .rst_ni,
    .run_i,
    .clear_i(halt_i),
    .push_i,
    .push_peers_i({5'd0, push_source_i}),
    .push_addr_i,
    .push_beats_i,
    .space_o,
    .valid_o(command),
    .peers_o(source),
    .addr_o(addr),
    .last_o(last),
    .more_o(more),
    .step_i(arrives)
  );

  assign receive_one_o    = (last && !more) || q.count == 3'd3;
  assign receive_source_o = source[2:0];
  assign open_o           = q.open;
  assign event_received_o = arrives;

  // Without a command nothing is asked for and nothing moves.
  always_comb begin
    receive_ready_o = 1'b0;
    r_valid_o       = 1'b0;
    if (q.open != '0) begin
      receive_ready_o = command && !q.count[2];
      r_valid_o       = q.count != '0;
    end
  end

  // Apart from what is asked for: `ready` may follow from that.
  always_comb begin
    arrives = 1'b0;
    written = 1'b0;
    if (q.open != '0) begin
      arrives = receive_valid_i && receive_ready_o && !halt_i;
      written = r_valid_o && r_ready_i;
    end
  end

  assign r_addr_o  = tag_q[q.read_ptr][11:0];
  assign r_wdata_o = data_q[q.read_ptr];

  // As in cpe_channel_queue: one process.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : change
    logic   finished;
    if (run_i) begin
      n        = q;
      finished = written && tag_q[q.read_ptr][12];
      if (arrives) begin
        data_q[q.write_ptr] = receive_data_i;
        tag_q[q.write_ptr]  = {last, addr};
        n.write_ptr = q.write_ptr + 1'b1;
      end
      if (written) n.read_ptr = q.read_ptr + 1'b1;
      if (arrives != written) n.count = written ? q.count - 1'b1 : q.count + 1'b1;
      if (push_i != finished) n.open = push_i ? q.open + 1'b1 : q.open - 1'b1;
      if (!rst_ni || halt_i) n = '0;
      q <= n;
    end
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (!receive_valid_i || receive_ready_o) else $error("a word that nobody asked for");
      assert (!(command || q.count != '0) || q.open != '0) else $error("words of no command");
    end
  end
`endif

endmodule
