// The sending half of a channel engine: reads words from local memory ahead, and offers them to the bus one after the other.
//
// Cuts: all paths but send_ready_i to event_sent_o. What the bus sees comes from registers.
// Latency: a command that is taken at t reads at t + 1 at the earliest, its word is at the bus at t + 3. One word per cycle.
// Halt: from the next cycle on nothing is offered and no command is left.
module cpe_channel_send (
  input  logic         clk_i,
  input  logic         rst_ni,
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

  // Words that were read: a place is taken with the read (write_ptr_q), filled in the cycle after it.
  logic [255:0] data_q [4];
  logic [8:0]   tag_q  [4];  // last word of its command, mask
  logic [1:0]   read_ptr_q, write_ptr_q;
  logic [2:0]   count_q;     // filled places
  logic         filling_q;
  logic [3:0]   open_q;

  cpe_channel_queue u_queue (
    .clk_i,
    .rst_ni,
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

  assign s_valid_o    = command && !count_q[2] && !(filling_q && count_q == 3'd3);
  assign read         = s_valid_o && s_ready_i;
  assign send_valid_o = count_q != '0;
  assign sent         = send_valid_o && send_ready_i;
  assign open_o       = open_q;
  assign event_sent_o = sent;

  logic       finished;
  logic [1:0] fill_ptr;
  assign finished = sent && tag_q[read_ptr_q][8];
  assign fill_ptr = write_ptr_q - 1'b1;

  always_comb begin
    send_mask_o = '0;
    send_data_o = '0;
    if (send_valid_o) begin
      send_mask_o = tag_q[read_ptr_q][7:0];
      send_data_o = data_q[read_ptr_q];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
      filling_q   <= 1'b0;
      open_q      <= '0;
    end else if (halt_i) begin
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
      filling_q   <= 1'b0;
      open_q      <= '0;
    end else if (push_i || open_q != '0) begin
      filling_q <= read;
      if (read) write_ptr_q <= write_ptr_q + 1'b1;
      if (sent) read_ptr_q <= read_ptr_q + 1'b1;
      if (filling_q != sent) count_q <= sent ? count_q - 1'b1 : count_q + 1'b1;
      if (push_i != finished) open_q <= push_i ? open_q + 1'b1 : open_q - 1'b1;
    end
  end

  // This process alone writes to the arrays, and only places that nobody reads: assignments may take effect at once. The
  // simulator would otherwise look at a flag for every place in every cycle.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (read) tag_q[write_ptr_q] = {last, mask};
    if (filling_q) data_q[fill_ptr] = s_rdata_i;
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (count_q <= 3'd4) else $error("more words than places");
      assert (!(command || filling_q || count_q != '0) || open_q != '0) else $error("words of no command");
    end
  end
`endif

endmodule
