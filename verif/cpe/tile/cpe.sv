// Stands in for rtl/cpe/cpe.sv in simulators that have a model of its own for every CPE (cpe_tile_top): the same ports, the same
// cycles. The model is called for each edge that its CPE needs; a CPE that sleeps costs a branch, and all run the same code.
//
// Possible because nothing that a CPE tells in a cycle depends on what it hears in that cycle, with two exceptions below. What is
// wide crosses only when there is something.
module cpe #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  cpe_pkg::id_t        id_i,               // constant
  input  logic [31:0]         boot_pc_i,
  input  logic [15:0]         daemon_segment_i,

  input  logic                awake_i,            // the coming edge is for this CPE
  input  logic                halt_i,
  output logic                quiet_o,
  output logic                asleep_o,
  output logic [31:0]         pc_o,

  input  logic                launch_valid_i,
  output logic                launch_ready_o,
  input  cpe_pkg::launch_t    launch_i,
  output logic                finished_o,
  output logic                fault_valid_o,
  output cpe_pkg::fault_t     fault_o,

  output logic [2:0]          arrive_o,
  input  logic [2:0]          release_i,

  output logic                mem_valid_o,
  input  logic                mem_ready_i,
  output cpe_pkg::mem_req_t   mem_o,
  input  logic                rsp_valid_i,
  input  cpe_pkg::mem_rsp_t   rsp_i,
  output logic                fetch_valid_o,
  output logic [25:0]         fetch_line_o,
  input  logic                invalidate_i,

  output logic                row_send_valid_o,
  input  logic                row_send_ready_i,
  output logic [7:0]          row_send_mask_o,
  output logic [255:0]        row_send_data_o,
  output logic                row_receive_ready_o,
  output logic                row_receive_one_o,
  output logic [2:0]          row_receive_source_o,
  input  logic                row_receive_valid_i,
  input  logic [255:0]        row_receive_data_i,

  output logic                column_send_valid_o,
  input  logic                column_send_ready_i,
  output logic [7:0]          column_send_mask_o,
  output logic [255:0]        column_send_data_o,
  output logic                column_receive_ready_o,
  output logic                column_receive_one_o,
  output logic [2:0]          column_receive_source_o,
  input  logic                column_receive_valid_i,
  input  logic [255:0]        column_receive_data_i,

  input  logic                access_valid_i,
  input  cg_pkg::access_req_t access_i,
  output logic                access_ready_o,
  output logic [63:0]         access_rdata_o
);
  import "DPI-C" function chandle swai_cpe_new();
  import "DPI-C" function void swai_cpe_delete(input chandle cpe);
  import "DPI-C" function void swai_cpe_launch(input chandle cpe, input bit [127:0] launch);
  import "DPI-C" function void swai_cpe_response(input chandle cpe, input bit [521:0] rsp);
  import "DPI-C" function void swai_cpe_row(input chandle cpe, input bit [255:0] data);
  import "DPI-C" function void swai_cpe_column(input chandle cpe, input bit [255:0] data);
  import "DPI-C" function void swai_cpe_access(input chandle cpe, input bit [90:0] access);
  import "DPI-C" function void swai_cpe_step(input chandle cpe, input longint unsigned in, input int unsigned boot_pc,
                                             output longint unsigned out, output longint unsigned code);
  import "DPI-C" function void swai_cpe_fault(input chandle cpe, output bit [103:0] fault);
  import "DPI-C" function void swai_cpe_mem(input chandle cpe, output bit [593:0] mem);
  import "DPI-C" function void swai_cpe_row_out(input chandle cpe, output bit [255:0] data);
  import "DPI-C" function void swai_cpe_column_out(input chandle cpe, output bit [255:0] data);
  import "DPI-C" function void swai_cpe_access_out(input chandle cpe, output longint unsigned data);

  chandle cpe;
  initial cpe = swai_cpe_new();
  final swai_cpe_delete(cpe);

  cpe_tile_pkg::in_t  in;
  cpe_tile_pkg::out_t out_q;
  logic [57:0]        code_q;     // {pc, fetch_line}
  cpe_pkg::fault_t    fault_q;
  cpe_pkg::mem_req_t  mem_q;
  logic [255:0]       row_q, column_q;
  logic [63:0]        access_q;

  assign in = {27'b0, daemon_segment_i, id_i, rst_ni, halt_i, launch_valid_i, release_i, mem_ready_i, rsp_valid_i, invalidate_i,
               row_send_ready_i, row_receive_valid_i, column_send_ready_i, column_receive_valid_i, access_valid_i};

  always_ff @(posedge clk_i) begin
    if (awake_i) begin : step
      automatic longint unsigned    out_word, code_word, access_word;
      automatic cpe_tile_pkg::out_t out;
      automatic bit [103:0]         fault;
      automatic bit [593:0]         mem;
      automatic bit [255:0]         data;
      if (launch_valid_i) swai_cpe_launch(cpe, launch_i);
      if (rsp_valid_i) swai_cpe_response(cpe, rsp_i);
      if (row_receive_valid_i) swai_cpe_row(cpe, row_receive_data_i);
      if (column_receive_valid_i) swai_cpe_column(cpe, column_receive_data_i);
      if (access_valid_i) swai_cpe_access(cpe, access_i);
      swai_cpe_step(cpe, in, boot_pc_i, out_word, code_word);
      out = out_word;
      out_q  <= out;
      code_q <= code_word[57:0];
      if (out.fault_valid && !out_q.fault_valid) begin
        swai_cpe_fault(cpe, fault);
        fault_q <= fault;
      end
      if (out.mem_valid) begin
        swai_cpe_mem(cpe, mem);
        mem_q <= mem;
      end
      if (out.row_send_valid) begin
        swai_cpe_row_out(cpe, data);
        row_q <= data;
      end
      if (out.column_send_valid) begin
        swai_cpe_column_out(cpe, data);
        column_q <= data;
      end
      if (out.access_ready) begin
        swai_cpe_access_out(cpe, access_word);
        access_q <= access_word;
      end
    end
  end

  // Two outputs follow halt_i in its cycle.
  assign launch_ready_o          = out_q.launch_ready && !halt_i;
  assign asleep_o                = out_q.asleep && (!halt_i || out_q.fault_valid);
  assign quiet_o                 = out_q.quiet;
  assign pc_o                    = code_q[57:26];
  assign finished_o              = out_q.finished;
  assign fault_valid_o           = out_q.fault_valid;
  assign fault_o                 = fault_q;
  assign arrive_o                = out_q.arrive;
  assign mem_valid_o             = out_q.mem_valid;
  assign mem_o                   = mem_q;
  assign fetch_valid_o           = out_q.fetch_valid;
  assign fetch_line_o            = code_q[25:0];
  assign row_send_valid_o        = out_q.row_send_valid;
  assign row_send_mask_o         = out_q.row_send_mask;
  assign row_send_data_o         = row_q;
  assign row_receive_ready_o     = out_q.row_receive_ready;
  assign row_receive_one_o       = out_q.row_receive_one;
  assign row_receive_source_o    = out_q.row_receive_source;
  assign column_send_valid_o     = out_q.column_send_valid;
  assign column_send_mask_o      = out_q.column_send_mask;
  assign column_send_data_o      = column_q;
  assign column_receive_ready_o  = out_q.column_receive_ready;
  assign column_receive_one_o    = out_q.column_receive_one;
  assign column_receive_source_o = out_q.column_receive_source;
  assign access_ready_o          = out_q.access_ready;
  assign access_rdata_o          = access_q;

endmodule
