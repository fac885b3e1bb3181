// SPDX-License-Identifier: Apache-2.0
// MSI-X: table of 32 vectors at offset 0 of BAR2, pending bits at offset 0x8000.
//
// A request sets a pending bit; an unmasked pending bit becomes a memory write, which clears it when it is handed to the
// wire. A request for a vector whose message waits to be sent waits, too: each gets a message of its own. While MSI-X is
// switched off requests vanish, while it is masked (as a whole, by vector, or because the function may not write) they
// stay pending, once.
module pcie_msix (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,       // function reset
  input  logic              enable_i,
  input  logic              masked_i,      // as a whole
  input  logic              bus_master_i,
  input  logic [15:0]       id_i,

  input  reg_pkg::reg_req_t reg_req_i,     // offset in BAR2
  output reg_pkg::reg_rsp_t reg_rsp_o,

  input  logic              irq_valid_i,   // DMA
  output logic              irq_ready_o,
  input  logic [4:0]        irq_vector_i,
  input  logic              raise_i,       // firmware: a pulse, never waits
  input  logic [4:0]        raise_vector_i,

  output logic              msg_valid_o,
  input  logic              msg_ready_i,
  output tlp_pkg::beat_t    msg_beat_o,
  output logic              busy_o
);

  localparam int unsigned Vectors = 32;
  localparam logic [63:0] PendingOffset = 64'h8000;

  logic [Vectors-1:0] mask_q, pending_q, deliverable, ahead, choice;
  logic [63:0]        addr_mem_q [Vectors];
  logic [31:0]        data_mem_q [Vectors];

  // ------------------------------------------------------------------------------------------------ delivery

  logic [4:0]         vector_q, vector;
  logic               chosen_q, sent, may_send;
  logic [Vectors-1:0] set, clear;
  assign may_send    = enable_i && !masked_i && bus_master_i;
  assign deliverable = may_send ? pending_q & ~mask_q : '0;
  assign irq_ready_o = !deliverable[irq_vector_i];
  assign sent        = msg_valid_o && msg_ready_i;

  always_comb begin
    set   = '0;
    clear = '0;
    if (irq_valid_i && irq_ready_o) set[irq_vector_i] = 1'b1;
    if (raise_i) set[raise_vector_i] = 1'b1;
    if (sent) clear[vector_q] = 1'b1;
    // In turns: those above the last one first.
    ahead  = deliverable & ~((32'd2 << vector_q) - 32'd1);
    choice = ahead != '0 ? ahead : deliverable;
    vector = '0;
    if (choice != '0) begin
      for (int unsigned i = Vectors; i > 0; i--) begin
        if (choice[i-1]) vector = 5'(i - 1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= '0;
      chosen_q  <= 1'b0;
      vector_q  <= '0;
    end else if (clear_i || !enable_i) begin
      pending_q <= '0;
      chosen_q  <= 1'b0;
    end else begin
      pending_q <= (pending_q & ~clear) | set;
      if (!msg_valid_o || msg_ready_i) begin
        // The one that is being sent is out of the choice in its last cycle.
        chosen_q <= choice != '0 && !(sent && (deliverable & ~clear) == '0);
        if (choice != '0) vector_q <= vector;
      end
    end
  end

  // The message, looked up in the cycle in which it goes: a mask that is set until then holds it back.
  logic [63:0]       to;
  tlp_pkg::request_t header;
  assign to          = addr_mem_q[vector_q];
  assign msg_valid_o = chosen_q && deliverable[vector_q];
  always_comb begin
    header           = '0;
    header.fmt_type  = to[63:32] == '0 ? tlp_pkg::MemWrite32 : tlp_pkg::MemWrite64;
    header.length    = 10'd1;
    header.requester = id_i;
    header.first_be  = 4'hf;
    header.addr      = to[63:32] == '0 ? {to[31:2], 34'd0} : {to[63:2], 2'b00};
    msg_beat_o       = '0;
    if (msg_valid_o) begin
      msg_beat_o.sop        = 1'b1;
      msg_beat_o.eop        = 1'b1;
      msg_beat_o.header     = header;
      msg_beat_o.data[31:0] = data_mem_q[vector_q];
    end
  end

  // ----------------------------------------------------------------------------------------------- registers

  logic        in_table, in_pending, write;
  logic [4:0]  entry;
  logic [63:0] lanes;
  assign in_table   = reg_req_i.addr[15:9] == '0;
  assign in_pending = {reg_req_i.addr[15:3], 3'd0} == PendingOffset[15:0];
  assign entry      = reg_req_i.addr[8:4];
  assign write      = reg_req_i.valid && reg_req_i.write && in_table;
  assign lanes      = reg_pkg::lanes(reg_req_i.wstrb);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) mask_q <= '1;
    else if (clear_i) mask_q <= '1;
    else if (write && reg_req_i.addr[3] && reg_req_i.wstrb[4]) mask_q[entry] <= reg_req_i.wdata[32];
  end

  always_ff @(posedge clk_i) begin
    if (write && !reg_req_i.addr[3]) begin
      addr_mem_q[entry] <= reg_pkg::merge(addr_mem_q[entry], reg_req_i.wdata, lanes & 64'hffff_ffff_ffff_fffc);
    end
    if (write && reg_req_i.addr[3]) begin
      data_mem_q[entry] <= (data_mem_q[entry] & ~lanes[31:0]) | (reg_req_i.wdata[31:0] & lanes[31:0]);
    end
  end

  always_comb begin
    reg_rsp_o       = '0;
    reg_rsp_o.ready = 1'b1;
    if (reg_req_i.valid) begin
      if (in_table) begin
        reg_rsp_o.rdata = reg_req_i.addr[3] ? {31'd0, mask_q[entry], data_mem_q[entry]}
                                           : {addr_mem_q[entry][63:2], 2'b00};
      end
      if (in_pending) reg_rsp_o.rdata = {32'd0, pending_q};
    end
  end

  assign busy_o = chosen_q || deliverable != '0 || irq_valid_i;

endmodule
