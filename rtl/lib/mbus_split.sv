// SPDX-License-Identifier: Apache-2.0
// One master of the memory bus between a prompt slave and a patient one.
//
// The prompt slave (on-chip memory, devices) answers when it likes; the patient one (the ring) waits with its answer, under
// valid/ready, while the prompt one speaks. So both work at the same time, and a miss that takes long holds up nobody.
//
// Cuts: nothing; requests and responses pass in the same cycle.
// Orders: responses of one id come from one slave at a time: a request for the other slave waits until all of its id are
//   answered. Requests behind it wait, too.
// At most MaxOutstanding requests of an id are unanswered at a time.
// `patient_i` says whose the request is and is part of it: still while the request waits.
module mbus_split #(
  parameter int unsigned MaxOutstanding = 15
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  logic           patient_i,
  input  logic           mst_req_valid_i,
  output logic           mst_req_ready_o,
  input  mbus_pkg::req_t mst_req_i,
  output logic           mst_rsp_valid_o,
  output mbus_pkg::rsp_t mst_rsp_o,

  // Both see mst_req_i.
  output logic           prompt_req_valid_o,
  input  logic           prompt_req_ready_i,
  input  logic           prompt_rsp_valid_i,
  input  mbus_pkg::rsp_t prompt_rsp_i,

  output logic           patient_req_valid_o,
  input  logic           patient_req_ready_i,
  input  logic           patient_rsp_valid_i,
  output logic           patient_rsp_ready_o,
  input  mbus_pkg::rsp_t patient_rsp_i
);

  localparam int unsigned Ids        = 3;
  localparam int unsigned CountWidth = $clog2(MaxOutstanding + 1);

  logic [Ids-1:0]        patient_q, admit_id, take, give;
  logic [CountWidth-1:0] count_q [Ids];
  logic                  admit;

  always_comb begin
    admit = 1'b0;
    for (int unsigned id = 0; id < Ids; id++) begin
      admit_id[id] = count_q[id] == '0 || (patient_q[id] == patient_i && count_q[id] != CountWidth'(MaxOutstanding));
      if (mst_req_i.id == 2'(id)) admit = admit_id[id];
    end
  end

  assign prompt_req_valid_o  = mst_req_valid_i && admit && !patient_i;
  assign patient_req_valid_o = mst_req_valid_i && admit && patient_i;
  assign mst_req_ready_o     = admit && (patient_i ? patient_req_ready_i : prompt_req_ready_i);

  assign patient_rsp_ready_o = !prompt_rsp_valid_i;
  assign mst_rsp_valid_o     = prompt_rsp_valid_i || patient_rsp_valid_i;
  assign mst_rsp_o           = prompt_rsp_valid_i ? prompt_rsp_i : patient_rsp_i;

  always_comb begin
    for (int unsigned id = 0; id < Ids; id++) begin
      take[id] = mst_req_valid_i && mst_req_ready_o && mst_req_i.id == 2'(id);
      give[id] = mst_rsp_valid_o && mst_rsp_o.id == 2'(id);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned id = 0; id < Ids; id++) count_q[id] <= '0;
      patient_q <= '0;
    end else begin
      for (int unsigned id = 0; id < Ids; id++) begin
        if (take[id]) patient_q[id] <= patient_i;
        if (take[id] != give[id]) count_q[id] <= take[id] ? count_q[id] + CountWidth'(1) : count_q[id] - CountWidth'(1);
      end
    end
  end

`ifndef SYNTHESIS
  logic [Ids-1:0] none;
  always_comb begin
    for (int unsigned id = 0; id < Ids; id++) none[id] = count_q[id] == '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((give & none) == '0) else $error("an answer that nobody asked for, ids %b", give & none);
      assert (!prompt_rsp_valid_i || !patient_q[prompt_rsp_i.id]) else $error("an answer out of turn");
      assert (!mst_req_valid_i || mst_req_i.id < 2'(Ids)) else $error("unknown id");
    end
  end
`endif

endmodule
