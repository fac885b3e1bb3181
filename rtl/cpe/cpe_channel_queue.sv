// The commands of one direction of a channel engine: the one that is carried out, and those that wait behind it.
//
// A command moves `beats` words of 32 bytes from `addr` upwards. The one in front is at the outputs, its address and what is
// left of it with it; each step_i is one word of it. The next is there in the cycle after the last step.
// Cuts: all paths.
// Illegal: a push without space_o, a step without valid_o, a command of no words.
module cpe_channel_queue #(
  parameter int unsigned Waiting = 4  // a power of two, 2 or more
) (
  input  logic        clk_i,
  input  logic        rst_ni,
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

  logic                valid_q;
  logic [7:0]          peers_q;
  logic [11:0]         addr_q;
  logic [12:0]         beats_q;
  logic [8+12+13-1:0]  waiting_q [Waiting];
  logic [PtrWidth-1:0] read_ptr_q, write_ptr_q;
  logic [PtrWidth:0]   count_q;
  logic [7:0]          next_peers;
  logic [11:0]         next_addr;
  logic [12:0]         next_beats;
  logic                ends, next_waits, straight;

  assign valid_o = valid_q;
  assign peers_o = peers_q;
  assign addr_o  = addr_q;
  assign last_o  = beats_q == 13'd1;
  assign space_o = !count_q[PtrWidth];

  assign more_o  = next_waits && next_peers == peers_q;

  assign {next_peers, next_addr, next_beats} = waiting_q[read_ptr_q];

  assign ends       = step_i && last_o;
  assign next_waits = count_q != '0;
  // A command that finds nobody in front of it does not wait.
  assign straight   = push_i && !next_waits && (!valid_q || ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= 1'b0;
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
    end else if (clear_i) begin
      valid_q     <= 1'b0;
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
    end else if (push_i || ends) begin
      valid_q <= straight || next_waits || !ends;
      if (push_i && !straight) write_ptr_q <= write_ptr_q + 1'b1;
      if (ends && next_waits) read_ptr_q <= read_ptr_q + 1'b1;
      if ((push_i && !straight) != (ends && next_waits)) count_q <= ends ? count_q - 1'b1 : count_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (straight) begin
      peers_q <= push_peers_i;
      addr_q  <= push_addr_i;
      beats_q <= push_beats_i;
    end else if (ends) begin
      if (next_waits) begin
        peers_q <= next_peers;
        addr_q  <= next_addr;
        beats_q <= next_beats;
      end
    end else if (step_i) begin
      addr_q  <= addr_q + 1'b1;
      beats_q <= beats_q - 1'b1;
    end
    if (push_i && !straight) waiting_q[write_ptr_q] <= {push_peers_i, push_addr_i, push_beats_i};
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(push_i && !space_o)) else $error("a command and no place");
      assert (!(push_i && push_beats_i == '0)) else $error("a command of no words");
      assert (!(step_i && !valid_q)) else $error("a step of no command");
      assert (!next_waits || valid_q) else $error("commands wait behind nobody");
    end
  end
`endif

endmodule
