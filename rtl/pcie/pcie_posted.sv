// SPDX-License-Identifier: Apache-2.0
// Serves the host's writes, in order: lines of memory become writes on the ring, several of them in flight; lines of registers
// go to the register bus, one at a time.
//
// The ring keeps the order of writes to one target; before a write to another target, or to a register, all earlier ones
// are waited for. Every request takes places in a window of 64 and leaves it in order, so that `done_o` counts them as they
// have taken effect.
//
// What nobody wants, what is poisoned, and what the host may not touch is dropped and reported; with `discard_i` everything
// is, quietly.
module pcie_posted (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  discard_i,
  input  pcie_pkg::bars_t       bars_i,
  input  pcie_pkg::protection_t protection_i,

  input  logic                  p_valid_i,
  output logic                  p_ready_o,
  input  tlp_pkg::request_t     p_header_i,
  output logic                  row_read_o,
  output logic [2:0]            row_o,
  input  logic [511:0]          row_i,
  output logic                  done_o,        // one more request has taken effect

  output logic                  noc_req_valid_o,
  input  logic                  noc_req_ready_i,
  output noc_pkg::req_t         noc_req_o,
  input  logic                  noc_rsp_valid_i,  // an answer to a write
  input  logic [5:0]            noc_rsp_slot_i,
  input  noc_pkg::status_t      noc_rsp_status_i,

  output logic                  line_valid_o,
  input  logic                  line_ready_i,
  output pcie_pkg::line_req_t   line_req_o,
  input  logic                  line_done_i,
  input  logic                  line_err_i,

  output pcie_pkg::errors_t     errors_o,         // pulses
  output logic [127:0]          error_header_o,
  output logic                  busy_o
);

  typedef enum logic [1:0] {Idle, Memory, Registers, Answer} state_e;
  state_e state_q, state_d;

  // -------------------------------------------------------------------------------------------------- window

  localparam int unsigned Slots = 64;
  logic [Slots-1:0] done_q, last_q;
  logic [6:0]       head_q, tail_q;   // allocated up to head, in order done up to tail
  logic             full, all_done, allocate, allocate_done, allocate_last, retire;
  assign full     = head_q - tail_q == 7'(Slots);
  assign all_done = head_q == tail_q;
  assign retire   = !all_done && done_q[tail_q[5:0]];
  assign done_o   = retire && last_q[tail_q[5:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      done_q <= '0;
    end else begin
      if (allocate) begin
        head_q                <= head_q + 7'd1;
        done_q[head_q[5:0]]   <= allocate_done;
      end
      if (noc_rsp_valid_i) done_q[noc_rsp_slot_i] <= 1'b1;
      if (retire) tail_q <= tail_q + 7'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (allocate) last_q[head_q[5:0]] <= allocate_last;
  end

  // --------------------------------------------------------------------------------------------- one request

  logic               is_write, wanted_message;
  pcie_pkg::space_t   space;
  logic [39:0]        addr;
  logic               denied;
  logic [63:0]        bus_addr;
  assign is_write = !p_header_i.fmt_type[4];   // else a message
  assign bus_addr = p_header_i.fmt_type[5] ? p_header_i.addr : {32'd0, p_header_i.addr[63:32]};

  pcie_address u_address (
    .valid_i      (p_valid_i && is_write && state_q == Idle),
    .write_i      (1'b1),
    .addr_i       ({bus_addr[63:2], 2'b00}),
    .bars_i,
    .protection_i,
    .space_o      (space),
    .addr_o       (addr),
    .denied_o     (denied)
  );

  // Messages that mean nothing to an endpoint but are no mistake.
  always_comb begin
    case ({p_header_i.last_be, p_header_i.first_be})
      8'h00, 8'h14, 8'h19, 8'h40, 8'h41, 8'h43, 8'h44, 8'h45, 8'h47, 8'h48, 8'h50, 8'h7f: wanted_message = 1'b1;
      default:                                                                            wanted_message = 1'b0;
    endcase
  end

  logic poisoned, drop, take;
  logic [2:0] target, target_q;
  assign poisoned = is_write && p_header_i.ep;
  assign target   = addr[39] ? {1'b1, addr[35:34]} : 3'd0;
  assign drop     = discard_i || !is_write || poisoned || space == pcie_pkg::SpaceNone ||
                    (p_header_i.length == 10'd1 && p_header_i.first_be == '0);
  assign take     = state_q == Idle && p_valid_i && !full &&
                    (drop || all_done || (space == pcie_pkg::SpaceMemory && target == target_q));

  pcie_pkg::space_t space_q;
  logic [39:0]      addr_q;
  logic [2:0]       line_q, rows_q, lines_q;   // the line at work; how many rows and lines there are, less one
  logic [3:0]       last_lane_q;
  logic             single_q, step, last;
  logic [6:0]       last_dw;
  assign last_dw = {3'd0, addr[5:2]} + p_header_i.length[6:0] - 7'd1;
  assign last    = line_q == lines_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:      if (take && !drop) state_d = space == pcie_pkg::SpaceMemory ? Memory : Registers;
      Memory:    if (step && last) state_d = Idle;
      Registers: if (line_ready_i) state_d = Answer;
      default:   if (step) state_d = last ? Idle : Registers;
    endcase
  end

  assign step          = state_q == Memory ? noc_req_valid_o && noc_req_ready_i : state_q == Answer && line_done_i;
  assign p_ready_o     = (take && drop) || (step && last);
  assign allocate      = (take && drop) || (step && (state_q == Memory || last));
  assign allocate_done = state_q != Memory;
  assign allocate_last = state_q != Memory || last;
  assign row_read_o    = take || (step && line_q < rows_q);
  assign row_o         = take ? 3'd0 : line_q + 3'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      target_q <= '0;
    end else begin
      state_q <= state_d;
      if (take && !drop) target_q <= target;
    end
  end

  // The payload is turned by the position of its first doubleword in the line; what goes over the end of a line waits for the
  // next one.
  logic [511:0] turned, rest_q, line_data;
  logic [15:0]  lanes;
  logic [63:0]  strb;
  logic [3:0]   shift;
  assign shift = addr_q[5:2];
  always_comb begin
    turned    = '0;
    line_data = '0;
    lanes     = '0;
    strb      = '0;
    if (state_q == Memory || state_q == Registers) begin
      turned = pcie_pkg::rotate(row_i, shift);
      for (int unsigned i = 0; i < 16; i++) line_data[32*i+:32] = 4'(i) < shift ? rest_q[32*i+:32] : turned[32*i+:32];
      lanes = line_q == '0 ? 16'hffff << shift : 16'hffff;
      if (last) lanes = lanes & (16'hffff >> (4'd15 - last_lane_q));
      strb = pcie_pkg::strobes(lanes);
      if (line_q == '0) strb[{shift, 2'b00}+:4] = p_header_i.first_be;
      if (last && !single_q) strb[{last_lane_q, 2'b00}+:4] = p_header_i.last_be;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      space_q     <= space;
      addr_q      <= addr;
      rows_q      <= 3'((p_header_i.length - 10'd1) >> 4);
      lines_q     <= last_dw[6:4];
      last_lane_q <= last_dw[3:0];
      single_q    <= p_header_i.length == 10'd1;
      line_q      <= '0;
    end
    if (step) line_q <= line_q + 3'd1;
    if ((state_q == Memory && step) || (state_q == Registers && line_ready_i)) rest_q <= turned;
  end

  assign noc_req_valid_o = state_q == Memory && !full;
  always_comb begin
    noc_req_o        = '0;
    noc_req_o.op     = mbus_pkg::OpWrite;
    noc_req_o.source = noc_pkg::NodePcie;
    noc_req_o.tag    = {pcie_pkg::TagWrites, head_q[5:0]};
    noc_req_o.addr   = {addr_q[39:6] + {31'd0, line_q}, 6'd0};
    noc_req_o.size   = 3'd6;
    noc_req_o.strb   = strb;
    noc_req_o.data   = line_data;
  end

  assign line_valid_o = state_q == Registers;
  always_comb begin
    line_req_o        = '0;
    line_req_o.msix   = space_q == pcie_pkg::SpaceMsix;
    line_req_o.write  = 1'b1;
    line_req_o.line   = addr_q[17:6] + {9'd0, line_q};
    line_req_o.strb   = strb;
    line_req_o.data   = line_data;
  end

  always_comb begin
    errors_o = '0;
    if (take && drop && !discard_i) begin
      errors_o[pcie_pkg::ErrPoisoned] = poisoned;
      errors_o[pcie_pkg::ErrPosted]   = is_write ? space == pcie_pkg::SpaceNone && !poisoned : !wanted_message;
      errors_o[pcie_pkg::ErrDenied]   = denied && !poisoned;
    end
    if (state_q == Answer && line_done_i && line_err_i) errors_o[pcie_pkg::ErrPosted] = 1'b1;
    if (noc_rsp_valid_i && noc_rsp_status_i >= noc_pkg::StatusDenied) errors_o[pcie_pkg::ErrWriteFailed] = 1'b1;
  end
  assign error_header_o = p_header_i;

  assign busy_o = state_q != Idle || !all_done;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!noc_rsp_valid_i || !done_q[noc_rsp_slot_i]) else $error("an answer to no write: %0d", noc_rsp_slot_i);
    end
  end
`endif

endmodule
