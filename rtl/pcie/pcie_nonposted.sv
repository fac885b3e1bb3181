// SPDX-License-Identifier: Apache-2.0
// Serves the host's requests that want an answer: reads of memory become reads of lines on the ring, many of them in
// flight, reads of registers go to the register bus, configuration requests to the configuration space.
//
// For each request the completer gets an answer in order; the lines of a read follow it by their places among 32, in order,
// too. The completer frees the places.
module pcie_nonposted (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  hold_i,         // take nothing new
  input  pcie_pkg::bars_t       bars_i,
  input  pcie_pkg::protection_t protection_i,

  input  logic                  np_valid_i,
  output logic                  np_ready_o,
  input  tlp_pkg::request_t     np_header_i,
  input  logic [31:0]           np_data_i,

  output logic                  answer_valid_o,
  input  logic                  answer_ready_i,
  output pcie_pkg::answer_t     answer_o,
  output logic                  slot_take_o,    // the next place is in use
  input  logic                  slot_free_i,    // one is free
  input  logic [4:0]            slot_i,         // the next place

  output logic                  noc_req_valid_o,
  input  logic                  noc_req_ready_i,
  output noc_pkg::req_t         noc_req_o,

  output logic                  line_valid_o,   // the answer goes to the completer, place line_slot_o
  input  logic                  line_ready_i,
  output pcie_pkg::line_req_t   line_req_o,
  input  logic                  line_done_i,
  output logic [4:0]            line_slot_o,

  output logic                  cfg_valid_o,    // takes effect in this cycle
  output logic                  cfg_write_o,
  output logic [9:0]            cfg_word_o,
  output logic [3:0]            cfg_be_o,
  output logic [31:0]           cfg_wdata_o,
  output logic [15:0]           cfg_id_o,       // bus, device and function as the host addressed them
  input  logic [31:0]           cfg_rdata_i,

  output pcie_pkg::errors_t     errors_o,       // pulses
  output logic                  busy_o
);

  typedef enum logic [1:0] {Idle, Memory, Registers, Wait} state_e;
  state_e state_q, state_d;

  logic             is_memory, is_config, good_config;
  pcie_pkg::space_t space;
  logic [39:0]      addr;
  logic             denied;
  logic [63:0]      bus_addr;
  assign is_memory   = np_header_i.fmt_type == tlp_pkg::MemRead32 || np_header_i.fmt_type == tlp_pkg::MemRead64;
  assign is_config   = np_header_i.fmt_type == tlp_pkg::CfgRead0 || np_header_i.fmt_type == tlp_pkg::CfgWrite0;
  assign good_config = is_config && np_header_i.addr[50:48] == '0 && !(np_header_i.fmt_type[6] && np_header_i.ep);
  assign bus_addr    = np_header_i.fmt_type[5] ? np_header_i.addr : {32'd0, np_header_i.addr[63:32]};

  pcie_address u_address (
    .valid_i      (np_valid_i && is_memory && state_q == Idle),
    .write_i      (1'b0),
    .addr_i       ({bus_addr[63:2], 2'b00}),
    .bars_i,
    .protection_i,
    .space_o      (space),
    .addr_o       (addr),
    .denied_o     (denied)
  );

  // A read of nothing is answered here; it has waited for the writes before it, which is what it is for.
  logic nothing, lines, take, step, last;
  assign nothing = np_header_i.length == 10'd1 && np_header_i.first_be == '0;
  assign lines   = is_memory && space != pcie_pkg::SpaceNone && !nothing;
  assign take    = state_q == Idle && np_valid_i && !hold_i && answer_ready_i;

  pcie_pkg::space_t space_q;
  logic [39:0]      addr_q;
  logic [6:0]       line_q, lines_q;   // the line at work; how many there are, less one
  logic [3:0]       last_lane_q;
  logic [10:0]      last_dw;
  logic [4:0]       slot_q;
  assign last_dw = {7'd0, addr[5:2]} + {np_header_i.length == '0, np_header_i.length} - 11'd1;
  assign last    = line_q == lines_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:      if (take && lines) state_d = space == pcie_pkg::SpaceMemory ? Memory : Registers;
      Memory:    if (step && last) state_d = Idle;
      Registers: if (line_valid_o && line_ready_i) state_d = Wait;
      default:   if (step) state_d = last ? Idle : Registers;
    endcase
  end

  assign noc_req_valid_o = state_q == Memory && slot_free_i;
  assign line_valid_o    = state_q == Registers && slot_free_i;
  assign step        = state_q == Memory ? noc_req_valid_o && noc_req_ready_i : state_q == Wait && line_done_i;
  assign slot_take_o = state_q == Memory ? step : line_valid_o && line_ready_i;
  assign np_ready_o  = (take && !lines) || (step && last);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      space_q     <= space;
      addr_q      <= addr;
      lines_q     <= last_dw[10:4];
      last_lane_q <= last_dw[3:0];
      line_q      <= '0;
    end
    if (step) line_q <= line_q + 7'd1;
    if (slot_take_o) slot_q <= slot_i;
  end

  always_comb begin
    noc_req_o        = '0;
    noc_req_o.op     = mbus_pkg::OpRead;
    noc_req_o.source = noc_pkg::NodePcie;
    noc_req_o.tag    = {pcie_pkg::TagReads, slot_i};
    noc_req_o.addr   = {addr_q[39:6] + {27'd0, line_q}, 6'd0};
    noc_req_o.size   = 3'd6;
  end

  logic [15:0] lanes;
  logic [63:0] strb;
  always_comb begin
    lanes = '0;
    strb  = '0;
    if (state_q == Registers) begin
      lanes = line_q == '0 ? 16'hffff << addr_q[5:2] : 16'hffff;
      if (last) lanes = lanes & (16'hffff >> (4'd15 - last_lane_q));
      strb = pcie_pkg::strobes(lanes);
      if (line_q == '0) strb[{addr_q[5:2], 2'b00}+:4] = np_header_i.first_be;
      if (last && np_header_i.length != 10'd1) strb[{last_lane_q, 2'b00}+:4] = np_header_i.last_be;
    end
    line_req_o      = '0;
    line_req_o.msix = space_q == pcie_pkg::SpaceMsix;
    line_req_o.line = addr_q[17:6] + {5'd0, line_q};
    line_req_o.strb = strb;
  end
  assign line_slot_o = slot_q;

  assign cfg_valid_o = take && good_config;
  assign cfg_write_o = np_header_i.fmt_type[6];
  assign cfg_word_o  = np_header_i.addr[43:34];
  assign cfg_be_o    = np_header_i.first_be;
  assign cfg_wdata_o = np_data_i;
  assign cfg_id_o    = np_header_i.addr[63:48];

  assign answer_valid_o = state_q == Idle && np_valid_i && !hold_i;
  always_comb begin
    answer_o.header = np_header_i;
    answer_o.lines  = lines;
    answer_o.status = good_config || (is_memory && space != pcie_pkg::SpaceNone) ? tlp_pkg::CplSuccess
                                                                                 : tlp_pkg::CplUnsupported;
    answer_o.data   = is_config && !np_header_i.fmt_type[6] ? cfg_rdata_i : '0;
  end

  always_comb begin
    errors_o = '0;
    if (take) begin
      errors_o[pcie_pkg::ErrPoisoned]  = is_config && np_header_i.fmt_type[6] && np_header_i.ep;
      errors_o[pcie_pkg::ErrDenied]    = denied;
    end
  end

  assign busy_o = state_q != Idle;

endmodule
