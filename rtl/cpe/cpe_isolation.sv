// SPDX-License-Identifier: Apache-2.0
// The inputs of a CPE, each quiet unless it is for this CPE: nothing in a sleeping one moves with what goes past it.
//
// It serves simulators, too: as the rest of the CPE looks at these copies alone, and not at wires that differ from CPE to CPE, all
// CPEs share one piece of code. That is why even single bits are written as conditions.
module cpe_isolation #(
  parameter bit Gates = 1'b1  // else what is wide comes as it is
) (
  input  logic                rst_ni,
  output logic                rst_no,
  input  cpe_pkg::id_t        id_i,
  output cpe_pkg::id_t        id_o,
  input  logic [31:0]         boot_pc_i,
  output logic [31:0]         boot_pc_o,
  input  logic [15:0]         daemon_segment_i,
  output logic [15:0]         daemon_segment_o,
  input  logic                awake_i,
  output logic                awake_o,
  input  logic                halt_i,
  output logic                halt_o,
  input  logic                launch_valid_i,
  output logic                launch_valid_o,
  input  cpe_pkg::launch_t    launch_i,
  output cpe_pkg::launch_t    launch_o,
  input  logic [2:0]          release_i,
  output logic [2:0]          release_o,
  input  logic                mem_ready_i,
  output logic                mem_ready_o,
  input  logic                rsp_valid_i,
  output logic                rsp_valid_o,
  input  cpe_pkg::mem_rsp_t   rsp_i,
  output cpe_pkg::mem_rsp_t   rsp_o,
  input  logic                invalidate_i,
  output logic                invalidate_o,
  input  logic                row_send_ready_i,
  output logic                row_send_ready_o,
  input  logic                row_receive_valid_i,
  output logic                row_receive_valid_o,
  input  logic [255:0]        row_receive_data_i,
  output logic [255:0]        row_receive_data_o,
  input  logic                column_send_ready_i,
  output logic                column_send_ready_o,
  input  logic                column_receive_valid_i,
  output logic                column_receive_valid_o,
  input  logic [255:0]        column_receive_data_i,
  output logic [255:0]        column_receive_data_o,
  input  logic                access_valid_i,
  output logic                access_valid_o,
  input  cpe_pkg::access_req_t access_i,
  output cpe_pkg::access_req_t access_o
);

  always_comb begin
    id_o             = '0;
    boot_pc_o        = '0;
    daemon_segment_o = '0;
    if (id_i != '0) id_o = id_i;
    if (boot_pc_i != '0) boot_pc_o = boot_pc_i;
    if (daemon_segment_i != '0) daemon_segment_o = daemon_segment_i;
  end

  // A block of its own for what depends on others: a simulator that does not split blocks sees no loop.
  always_comb begin
    awake_o = 1'b0;
    if (awake_i) awake_o = 1'b1;
  end

  always_comb begin
    rst_no = 1'b0;
    halt_o = 1'b0;
    if (rst_ni) rst_no = 1'b1;
    if (halt_i) halt_o = 1'b1;
  end

  always_comb begin
    launch_valid_o = 1'b0;
    launch_o       = '0;
    if (!Gates || launch_valid_i) begin
      launch_valid_o = launch_valid_i;
      launch_o       = launch_i;
    end
  end

  always_comb begin
    release_o = '0;
    if (release_i != '0) release_o = release_i;
  end

  always_comb begin
    mem_ready_o = 1'b0;
    if (mem_ready_i) mem_ready_o = 1'b1;
  end

  always_comb begin
    invalidate_o = 1'b0;
    if (invalidate_i) invalidate_o = 1'b1;
  end

  always_comb begin
    rsp_valid_o = 1'b0;
    rsp_o       = '0;
    if (!Gates || rsp_valid_i) begin
      rsp_valid_o = rsp_valid_i;
      rsp_o       = rsp_i;
    end
  end

  always_comb begin
    row_send_ready_o = 1'b0;
    if (row_send_ready_i) row_send_ready_o = 1'b1;
  end

  always_comb begin
    column_send_ready_o = 1'b0;
    if (column_send_ready_i) column_send_ready_o = 1'b1;
  end

  always_comb begin
    row_receive_valid_o = 1'b0;
    row_receive_data_o  = '0;
    if (!Gates || row_receive_valid_i) begin
      row_receive_valid_o = row_receive_valid_i;
      row_receive_data_o  = row_receive_data_i;
    end
  end

  always_comb begin
    column_receive_valid_o = 1'b0;
    column_receive_data_o  = '0;
    if (!Gates || column_receive_valid_i) begin
      column_receive_valid_o = column_receive_valid_i;
      column_receive_data_o  = column_receive_data_i;
    end
  end

  always_comb begin
    access_valid_o = 1'b0;
    access_o       = '0;
    if (!Gates || access_valid_i) begin
      access_valid_o = access_valid_i;
      access_o       = access_i;
    end
  end

endmodule
