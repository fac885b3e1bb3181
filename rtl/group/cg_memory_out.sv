// SPDX-License-Identifier: Apache-2.0
// The way back of a group's memory port: one response per cycle to the CPEs, with its bytes in the lanes they asked for.
//
// The ring goes first, as it cannot wait; it is never that fast for long, as few of its requests are under way. Then the HBM and
//   what the group answers itself (faults, code from the cache) in turns.
// Latency: one cycle.
// cg_memory_in tells who is meant by 9 bits and what has been noted of a request.
module cg_memory_out #(
  parameter int unsigned N = 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              note_valid_i,
  input  logic [8:0]        note_who_i,
  input  logic              note_write_i,
  input  logic [5:0]        note_by_i,

  input  logic              hbm_rsp_valid_i,
  output logic              hbm_rsp_ready_o,
  input  noc_pkg::rsp_t     hbm_rsp_i,
  input  logic              ring_rsp_valid_i,
  input  noc_pkg::rsp_t     ring_rsp_i,
  input  logic [8:0]        ring_rsp_who_i,
  input  logic              fault_valid_i,
  output logic              fault_ready_o,
  input  logic [8:0]        fault_who_i,
  input  cpe_isa_pkg::cause_t   fault_cause_i,
  input  logic              code_valid_i,
  output logic              code_ready_o,
  input  logic [N-1:0]      code_mask_i,
  input  cpe_isa_pkg::cause_t   code_cause_i,
  input  logic [511:0]      code_data_i,

  // To the code cache, which says who waits for the line
  output logic              done_valid_o,
  output logic [1:0]        done_slot_o,
  output logic              done_good_o,
  input  logic [N-1:0]      done_mask_i,

  // To the look-aside buffer
  output logic              refill_done_o,
  output cpe_isa_pkg::cause_t   refill_cause_o,
  input  logic [2:0]        refill_word_i,
  output logic [63:0]       refill_entry_o,

  output logic [N-1:0]      rsp_valid_o,
  output cpe_pkg::mem_rsp_t rsp_o,
  output logic              memory_o  // an answer from memory has come
);

  // ------------------------------------------------------------------------------------------------------------ turns

  logic own_waits, own_first_q, take_hbm, take_fault, take_code, take;

  assign own_waits       = fault_valid_i || code_valid_i;
  assign hbm_rsp_ready_o = !ring_rsp_valid_i && !(own_waits && own_first_q);
  assign take_hbm        = hbm_rsp_valid_i && hbm_rsp_ready_o;
  assign take_fault      = fault_valid_i && !ring_rsp_valid_i && !take_hbm;
  assign take_code       = code_valid_i && !ring_rsp_valid_i && !take_hbm && !take_fault;
  assign fault_ready_o   = take_fault;
  assign code_ready_o    = take_code;
  assign memory_o        = ring_rsp_valid_i || take_hbm;
  assign take            = memory_o || take_fault || take_code;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) own_first_q <= 1'b0;
    else if (take && !ring_rsp_valid_i) own_first_q <= take_hbm;
  end

  // ----------------------------------------------------------------------------------------------------- who and what

  logic [8:0]       who;
  noc_pkg::status_t status;
  cpe_isa_pkg::cause_t  cause;
  logic             is_dma, is_scalar, is_fill, is_refill;

  always_comb begin
    who    = fault_who_i;
    status = noc_pkg::StatusOk;
    if (ring_rsp_valid_i) begin
      who    = ring_rsp_who_i;
      status = ring_rsp_i.status;
    end else if (take_hbm) begin
      who    = {hbm_rsp_i.dest[0], hbm_rsp_i.tag};
      status = hbm_rsp_i.status;
    end
    cause = cpe_isa_pkg::CauseNone;
    if (take_code) cause = code_cause_i;
    else if (take_fault) cause = fault_cause_i;
    else if (status == noc_pkg::StatusPoison) cause = cpe_isa_pkg::CausePoison;
    else if (status != noc_pkg::StatusOk) cause = cpe_isa_pkg::CauseBus;
  end

  assign is_dma    = take && !take_code && !who[8];
  assign is_scalar = take && !take_code && who[8:6] == 3'b100;
  assign is_fill   = take && !take_code && who[8:6] == 3'b101;
  assign is_refill = take && !take_code && who[8:6] == 3'b110;

  // What has been noted: {write, by}
  logic [6:0] dma_note_q [256];
  logic [6:0] scalar_note_q [32];
  logic [6:0] note;

  always_ff @(posedge clk_i) begin
    if (note_valid_i && !note_who_i[8]) dma_note_q[note_who_i[7:0]] <= {note_write_i, note_by_i};
    if (note_valid_i && note_who_i[8:6] == 3'b100) scalar_note_q[note_who_i[4:0]] <= {note_write_i, note_by_i};
  end

  always_comb begin
    note = '0;
    if (is_dma) note = dma_note_q[who[7:0]];
    else if (is_scalar) note = scalar_note_q[who[4:0]];
  end

  // --------------------------------------------------------------------------------------------------------- response

  logic [N-1:0]       valid_q, valid_d;
  cpe_pkg::mem_kind_t kind_q;
  logic [2:0]         tag_q;
  cpe_isa_pkg::cause_t    cause_q;
  logic [511:0]       data_in, data;

  always_comb begin
    valid_d = '0;
    if (take_code) valid_d = code_mask_i;
    else if (is_fill) valid_d = done_mask_i;
    else if (is_dma) valid_d = N'(32'd1 << who[7:3]);
    else if (is_scalar) valid_d = N'(32'd1 << who[4:0]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      kind_q  <= is_dma ? cpe_pkg::MemDma : is_scalar ? cpe_pkg::MemScalar : cpe_pkg::MemFetch;
      tag_q   <= is_dma ? who[2:0] : 3'd0;
      cause_q <= cause;
    end
  end

  assign data_in = ring_rsp_valid_i ? ring_rsp_i.data : take_code ? code_data_i : hbm_rsp_i.data;

  cg_align u_align (
    .clk_i,
    .en_i  ((memory_o && !note[6] && !is_refill) || take_code),
    .by_i  (note[5:0]),
    .data_i(data_in),
    .data_o(data)
  );

  assign rsp_valid_o = valid_q;
  assign rsp_o.kind  = kind_q;
  assign rsp_o.tag   = tag_q;
  assign rsp_o.cause = cause_q;
  assign rsp_o.data  = data;

  assign done_valid_o   = is_fill;
  assign done_slot_o    = who[1:0];
  assign done_good_o    = cause == cpe_isa_pkg::CauseNone;
  assign refill_done_o  = is_refill;
  assign refill_cause_o = cause;
  always_comb begin
    refill_entry_o = '0;
    if (is_refill) refill_entry_o = data_in[64*refill_word_i +: 64];
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!take || take_code || who[8:6] != 3'b111) else $error("an answer for nobody");
      assert (!take_hbm || hbm_rsp_i.dest >= cg_pkg::SourceDma) else $error("an answer for another node");
    end
  end
`endif

endmodule
