// SPDX-License-Identifier: Apache-2.0
// The commands of one direction of a channel engine: the one that is carried out, and those that wait behind it.
//
// A command moves `beats` words of 32 bytes from `addr` upwards. The one in front is at the outputs, its address and what is
// left of it with it; each step_i is one word of it. The next is there in the cycle after the last step. With Straight a command that
// finds nobody in front of it is there in the next cycle; else it waits like all others, a cycle longer, which takes less area.
// Cuts: all paths.
// Illegal: a push without space_o, a step without valid_o, a command of no words.
module cpe_channel_queue #(
  parameter int unsigned Waiting  = 4,    // a power of two, 2 or more
  parameter bit          Straight = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,         // something may change: high with reset, clear_i, push_i and step_i
  input  logic        clear_i,       // forget everything

  input  logic        push_i,
  input  logic [7:0]  push_peers_i,  // receivers, or the sender
  input  logic [11:0] push_addr_i,   // in words
  input  logic [12:0] push_beats_i,
  output logic        space_o,

  output logic        valid_o,
  output logic [7:0]  peers_o,
  output logic [11:0] addr_o,        // of the word that is next
  output logic        last_o,        // and it is the last one
  output logic        more_o,        // behind this command waits one with the same peers
  input  logic        step_i
);

  localparam int unsigned PtrWidth = $clog2(Waiting);

  typedef struct packed {
    logic                valid;
    logic [7:0]          peers;
    logic [11:0]         addr;
    logic [12:0]         beats;
    logic [PtrWidth-1:0] read_ptr;
    logic [PtrWidth-1:0] write_ptr;
    logic [PtrWidth:0]   count;
  } state_t;

  state_t             q, n;
  logic [8+12+13-1:0] waiting_q [Waiting];
  logic [7:0]         next_peers;
  logic               next_waits;

  assign valid_o    = q.valid;
  assign peers_o    = q.peers;
  assign addr_o     = q.addr;
  assign last_o     = q.beats == 13'd1;
  assign space_o    = !q.count[PtrWidth];
  assign next_waits = q.count != '0;
  assign next_peers = waiting_q[q.read_ptr][12+13 +: 8];
  assign more_o     = next_waits && next_peers == q.peers;

  // This process alone touches the places: assignments to them may take effect at once.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : change
    logic   ends, straight, loads;
    if (run_i) begin
      n        = q;
      ends     = step_i && last_o;
      straight = Straight && push_i && !next_waits && (!q.valid || ends);
      loads    = next_waits && (ends || (!Straight && !q.valid));
      if (straight) begin
        n.valid = 1'b1;
        n.peers = push_peers_i;
        n.addr  = push_addr_i;
        n.beats = push_beats_i;
      end else if (loads) begin
        n.valid = 1'b1;
        {n.peers, n.addr, n.beats} = waiting_q[q.read_ptr];
      end else if (step_i) begin
        n.valid = !ends;
        n.addr  = q.addr + 1'b1;
        n.beats = q.beats - 1'b1;
      end
      if (loads) begin
        n.read_ptr = q.read_ptr + 1'b1;
        n.count    = n.count - 1'b1;
      end
      if (push_i && !straight) begin
        waiting_q[q.write_ptr] = {push_peers_i, push_addr_i, push_beats_i};
        n.write_ptr = q.write_ptr + 1'b1;
        n.count     = n.count + 1'b1;
      end
      if (!rst_ni || clear_i) n = '0;
      q <= n;
    end
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (run_i || !(clear_i || push_i || step_i)) else $error("asleep, and something happens");
      assert (!(push_i && !space_o)) else $error("a command and no place");
      assert (!(push_i && push_beats_i == '0)) else $error("a command of no words");
      assert (!(step_i && !q.valid)) else $error("a step of no command");
      assert (!Straight || !next_waits || q.valid) else $error("commands wait behind nobody");
    end
  end
`endif

endmodule
