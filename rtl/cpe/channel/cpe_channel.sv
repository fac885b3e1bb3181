// SPDX-License-Identifier: Apache-2.0
// The engine of a CPE at its row's or its column's channel: takes commands from the core, moves words of 32 bytes between local
// memory and the bus (cg_channel). docs/hardware/channels.md tells how programs see it.
//
// Sends are carried out in their order, receives in theirs; the two do not wait for each other.
// Commands that make no sense are refused (issue_bad_o) and change nothing. A wait is not ready until its transfer is complete: a
//   send when the bus has taken its last word, a receive when its last word is in local memory.
// s_* only reads, r_* only writes whole words: ports of cpe_ldm without what would be constant.
// Cuts: all paths between core, memory and bus. issue_ready_o, issue_rdata_o and issue_bad_o follow issue_i in the same cycle.
// Halt: from the next cycle on nothing moves, no command is left and none is taken. halt_i is high until reset.
// Reset: acts as halt does, with the next edge. Halt and reset together last at least two cycles: a word that the bus takes in the
//   first of them arrives in the second, where it is dropped.
module cpe_channel #(
  parameter int unsigned Positions = 8,    // CPEs on the channel, at most 8
  parameter bit          Straight  = 1'b1  // see cpe_channel_queue
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            halt_i,

  input  logic [2:0]      position_i,      // own place on the channel
  input  logic [7:0]      participants_i,  // who takes part in the launch

  input  logic            issue_valid_i,
  input  cpe_pkg::issue_t issue_i,
  output logic            issue_ready_o,
  output logic [31:0]     issue_rdata_o,
  output logic            issue_bad_o,

  output logic            s_valid_o,
  input  logic            s_ready_i,
  output logic [11:0]     s_addr_o,
  input  logic [255:0]    s_rdata_i,       // in the cycle after the read was taken

  output logic            r_valid_o,
  input  logic            r_ready_i,
  output logic [11:0]     r_addr_o,
  output logic [255:0]    r_wdata_o,

  output logic            send_valid_o,
  input  logic            send_ready_i,
  output logic [7:0]      send_mask_o,
  output logic [255:0]    send_data_o,

  output logic            receive_ready_o,
  output logic            receive_one_o,    // for one word only, see cpe_channel_receive
  output logic [2:0]      receive_source_o,
  input  logic            receive_valid_i,
  input  logic [255:0]    receive_data_i,

  output logic            busy_o,           // a command is not complete
  output logic            event_sent_o,     // one word
  output logic            event_received_o
);

  localparam logic [7:0] OnChannel = 8'((1 << Positions) - 1);

  logic [31:0] sends_q, receives_q;  // begun so far; the ticket of the last one
  logic [3:0]  open_sends, open_receives;
  logic        send_space, receive_space, send_push, receive_push;

  logic        receives;               // the command is about them
  logic [31:0] ticket, beyond;         // beyond: transfers begun beyond the one that is waited for
  logic [3:0]  open;
  logic [7:0]  others;
  logic [13:0] range_end;
  logic        range_ok;

  logic busy, run;
  assign busy   = open_sends != '0 || open_receives != '0;
  assign busy_o = busy;
  assign run    = issue_valid_i || busy || halt_i || !rst_ni;  // else nothing changes

  always_comb begin
    issue_ready_o = 1'b0;
    issue_rdata_o = '0;
    issue_bad_o   = 1'b0;
    send_push     = 1'b0;
    receive_push  = 1'b0;
    receives      = 1'b0;
    ticket        = '0;
    beyond        = '0;
    open          = '0;
    others        = '0;
    range_end     = '0;
    range_ok      = 1'b0;
    if (issue_valid_i && !halt_i) begin
      others    = participants_i & OnChannel & ~(8'd1 << position_i);
      range_end = 14'(issue_i.rs1[16:5]) + 14'(issue_i.rs2[17:5]);
      range_ok  = issue_i.rs1[31:28] == cpe_isa_pkg::SpaceLdm && issue_i.rs1[27:17] == '0 && issue_i.rs1[4:0] == '0
               && issue_i.rs2[23:18] == '0 && issue_i.rs2[17:5] != '0 && issue_i.rs2[4:0] == '0 && range_end <= 14'd4096;
      receives  = issue_i.op[0];
      ticket    = receives ? receives_q : sends_q;
      open      = receives ? open_receives : open_sends;
      beyond    = ticket - issue_i.rs1;
      case (issue_i.op)
        cpe_isa_pkg::ChannelSend: begin
          issue_bad_o   = !range_ok || issue_i.rs2[31:24] == '0 || (issue_i.rs2[31:24] & ~others) != '0;
          issue_ready_o = issue_bad_o || send_space;
          send_push     = !issue_bad_o && send_space;
          issue_rdata_o = ticket + 1'b1;
        end
        cpe_isa_pkg::ChannelReceive: begin
          issue_bad_o   = !range_ok || issue_i.rs2[31:27] != '0 || !others[issue_i.rs2[26:24]];
          issue_ready_o = issue_bad_o || receive_space;
          receive_push  = !issue_bad_o && receive_space;
          issue_rdata_o = ticket + 1'b1;
        end
        // beyond - open is not negative; in fewer gates.
        cpe_isa_pkg::ChannelWaitSend, cpe_isa_pkg::ChannelWaitReceive:
          issue_ready_o = beyond[31] == (beyond[30:4] == '0 && beyond[3:0] < open);
        default: begin
          issue_bad_o   = 1'b1;
          issue_ready_o = 1'b1;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (run) begin
      if (send_push) sends_q <= issue_rdata_o;
      if (receive_push) receives_q <= issue_rdata_o;
      if (!rst_ni) begin
        sends_q    <= '0;
        receives_q <= '0;
      end
    end
  end

  cpe_channel_send #(.Straight(Straight)) u_send (
    .clk_i,
    .rst_ni,
    .run_i(run),
    .halt_i,
    .push_i(send_push),
    .push_mask_i(issue_i.rs2[31:24]),
    .push_addr_i(issue_i.rs1[16:5]),
    .push_beats_i(issue_i.rs2[17:5]),
    .space_o(send_space),
    .open_o(open_sends),
    .s_valid_o,
    .s_ready_i,
    .s_addr_o,
    .s_rdata_i,
    .send_valid_o,
    .send_ready_i,
    .send_mask_o,
    .send_data_o,
    .event_sent_o
  );

  cpe_channel_receive #(.Straight(Straight)) u_receive (
    .clk_i,
    .rst_ni,
    .run_i(run),
    .halt_i,
    .push_i(receive_push),
    .push_source_i(issue_i.rs2[26:24]),
    .push_addr_i(issue_i.rs1[16:5]),
    .push_beats_i(issue_i.rs2[17:5]),
    .space_o(receive_space),
    .open_o(open_receives),
    .r_valid_o,
    .r_ready_i,
    .r_addr_o,
    .r_wdata_o,
    .receive_ready_o,
    .receive_one_o,
    .receive_source_o,
    .receive_valid_i,
    .receive_data_i,
    .event_received_o
  );

endmodule
