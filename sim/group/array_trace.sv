// SPDX-License-Identifier: Apache-2.0
// Shows C++ in every cycle what the CPEs of a group tell and what they are told, as far as it counts: so two builds of a group can be
// compared cycle for cycle. Bound to whatever has the CPEs, cg_array or its stand-in (sim/seam): it looks and drives nothing.
module array_trace #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8,
  parameter int unsigned N       = Rows * Columns
) (
  input logic                   clk_i,
  input logic [N-1:0]           tile_rst_ni,
  input logic [N-1:0]           parked_i,
  input logic [N-1:0]           halt_i,
  input logic [N-1:0]           quiet_o,
  input logic [N-1:0]           asleep_o,
  input logic [N-1:0]           enable_o,
  input logic [N-1:0]           launch_valid_i,
  input logic [N-1:0]           launch_ready_o,
  input logic [N-1:0]           finished_o,
  input logic [3*N-1:0]         arrive_o,
  input logic [3*N-1:0]         release_i,
  input logic [N-1:0]           fault_valid_o,
  input logic                   record_i,
  input logic [4:0]             record_cpe_i,
  input cpe_pkg::fault_t        fault_o,
  input logic [31:0]            pc_o,
  input logic [N-1:0]           mem_valid_o,
  input logic [N-1:0]           mem_ready_i,
  input logic [4:0]             mem_cpe_i,
  input cpe_pkg::mem_req_t      mem_o,
  input logic [N-1:0]           rsp_valid_i,
  input cpe_pkg::mem_rsp_t      rsp_i,
  input logic [N-1:0]           fetch_valid_o,
  input logic [N*26-1:0]        fetch_line_o,
  input logic                   code_invalidate_i,
  input logic [N-1:0]           row_send_valid_o,
  input logic [N-1:0]           row_send_ready_i,
  input logic [N*8-1:0]         row_send_mask_o,
  input logic [Rows*256-1:0]    row_word_o,
  input logic [N-1:0]           row_receive_ready_o,
  input logic [N-1:0]           row_receive_one_o,
  input logic [N*3-1:0]         row_receive_source_o,
  input logic [N-1:0]           row_receive_valid_i,
  input logic [N-1:0]           column_send_valid_o,
  input logic [N-1:0]           column_send_ready_i,
  input logic [N*8-1:0]         column_send_mask_o,
  input logic [Columns*256-1:0] column_word_o,
  input logic [N-1:0]           column_receive_ready_o,
  input logic [N-1:0]           column_receive_one_o,
  input logic [N*3-1:0]         column_receive_source_o,
  input logic [N-1:0]           column_receive_valid_i,
  input logic [N-1:0]           access_valid_i,
  input logic [N-1:0]           access_ready_o,
  input logic [63:0]            access_rdata_o
);

  import "DPI-C" function bit group_sim_watched();
  import "DPI-C" function void group_sim_said(input int unsigned part, input bit [2559:0] value);

  // As group_sim.hpp has them.
  localparam int unsigned States     = 0;
  localparam int unsigned Memory     = 1;
  localparam int unsigned Code       = 2;
  localparam int unsigned RowPart    = 3;
  localparam int unsigned ColumnPart = 4;

  localparam int unsigned Bits = $clog2(N);  // of a CPE's number

  // Nothing where it has no meaning: without its valid bit, in bytes that are not written, of a CPE in reset.
  always_ff @(posedge clk_i) begin : show
    automatic logic              fault;
    automatic cpe_pkg::mem_req_t request;
    automatic logic [N*26-1:0]   lines;
    automatic logic [N*8-1:0]    row_masks, column_masks;
    automatic logic [N*4-1:0]    row_sources, column_sources;
    if (group_sim_watched()) begin
      fault   = record_i && fault_valid_o[record_cpe_i[Bits-1:0]];
      request = mem_valid_o[mem_cpe_i[Bits-1:0]] ? mem_o : '0;
      for (int unsigned b = 0; b < 64; b++) begin
        if (!request.write || {1'b0, 6'(b) - request.lane} >= request.bytes) request.data[8*b +: 8] = '0;
      end
      for (int unsigned i = 0; i < N; i++) begin
        lines[26*i +: 26]        = fetch_valid_o[i] ? fetch_line_o[26*i +: 26] : '0;
        row_masks[8*i +: 8]      = row_send_valid_o[i] ? row_send_mask_o[8*i +: 8] : '0;
        column_masks[8*i +: 8]   = column_send_valid_o[i] ? column_send_mask_o[8*i +: 8] : '0;
        row_sources[4*i +: 4]    = row_receive_ready_o[i] ? {row_receive_one_o[i], row_receive_source_o[3*i +: 3]} : '0;
        column_sources[4*i +: 4] = column_receive_ready_o[i] ? {column_receive_one_o[i], column_receive_source_o[3*i +: 3]} : '0;
      end
      group_sim_said(States, 2560'({tile_rst_ni, parked_i, halt_i, quiet_o, asleep_o & tile_rst_ni, enable_o, launch_valid_i,
                                    launch_ready_o, finished_o, arrive_o, release_i, fault_valid_o, record_i, record_i ? pc_o : '0,
                                    fault ? fault_o : '0}));
      group_sim_said(Memory, 2560'({mem_valid_o, mem_ready_i, request, rsp_valid_i, rsp_valid_i != '0 ? rsp_i : '0,
                                    access_valid_i, access_ready_o, access_ready_o != '0 ? access_rdata_o : '0}));
      group_sim_said(Code, 2560'({fetch_valid_o, lines, code_invalidate_i}));
      group_sim_said(RowPart, 2560'({row_send_valid_o, row_send_ready_i, row_masks, row_send_ready_i != '0 ? row_word_o : '0,
                                     row_receive_ready_o, row_sources, row_receive_valid_i}));
      group_sim_said(ColumnPart, 2560'({column_send_valid_o, column_send_ready_i, column_masks,
                                        column_send_ready_i != '0 ? column_word_o : '0, column_receive_ready_o, column_sources,
                                        column_receive_valid_i}));
    end
  end

endmodule

bind cg_array array_trace #(.Rows(Rows), .Columns(Columns)) u_trace (.*);
