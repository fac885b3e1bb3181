// A CPE as a model of its own, its ports packed into words for the C++ around it.
//
// What hangs on inputs is evaluated when in_clk_i rises: only when one of them has changed.
module cpe_tile_top #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8
) (
  input  logic         clk_i,
  input  logic         in_clk_i,
  input  logic [63:0]  in_i,           // cpe_tile_pkg::in_t
  input  logic [31:0]  boot_pc_i,
  input  logic [127:0] launch_i,
  input  logic [521:0] rsp_i,
  input  logic [255:0] row_data_i,
  input  logic [255:0] column_data_i,
  input  logic [90:0]  access_i,
  output logic [63:0]  out_o,          // cpe_tile_pkg::out_t
  output logic [31:0]  pc_o,
  output logic [25:0]  fetch_line_o,
  output logic [593:0] mem_o,
  output logic [103:0] fault_o,
  output logic [255:0] row_data_o,
  output logic [255:0] column_data_o,
  output logic [63:0]  access_rdata_o
);

  cpe_tile_pkg::in_t  in;
  cpe_tile_pkg::out_t out;
  logic [31:0]        boot_pc;
  logic [127:0]       launch;
  logic [521:0]       rsp;
  logic [255:0]       row_data, column_data;
  logic [90:0]        access;
  always_ff @(posedge in_clk_i) begin
    in          <= in_i;
    boot_pc     <= boot_pc_i;
    launch      <= launch_i;
    rsp         <= rsp_i;
    row_data    <= row_data_i;
    column_data <= column_data_i;
    access      <= access_i;
  end

  assign out_o      = out;
  assign out.unused = '0;

  cpe #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_cpe (
    .clk_i,
    .rst_ni                 (in.rst_n),
    .id_i                   (in.id),
    .boot_pc_i              (boot_pc),
    .daemon_segment_i       (in.daemon_segment),
    .awake_i                (1'b1),
    .halt_i                 (in.halt),
    .quiet_o                (out.quiet),
    .asleep_o               (out.asleep),
    .pc_o,
    .launch_valid_i         (in.launch_valid),
    .launch_ready_o         (out.launch_ready),
    .launch_i               (launch),
    .finished_o             (out.finished),
    .fault_valid_o          (out.fault_valid),
    .fault_o,
    .arrive_o               (out.arrive),
    .release_i              (in.released),
    .mem_valid_o            (out.mem_valid),
    .mem_ready_i            (in.mem_ready),
    .mem_o,
    .rsp_valid_i            (in.rsp_valid),
    .rsp_i                  (rsp),
    .fetch_valid_o          (out.fetch_valid),
    .fetch_line_o,
    .invalidate_i           (in.invalidate),
    .row_send_valid_o       (out.row_send_valid),
    .row_send_ready_i       (in.row_send_ready),
    .row_send_mask_o        (out.row_send_mask),
    .row_send_data_o        (row_data_o),
    .row_receive_ready_o    (out.row_receive_ready),
    .row_receive_one_o      (out.row_receive_one),
    .row_receive_source_o   (out.row_receive_source),
    .row_receive_valid_i    (in.row_receive_valid),
    .row_receive_data_i     (row_data),
    .column_send_valid_o    (out.column_send_valid),
    .column_send_ready_i    (in.column_send_ready),
    .column_send_mask_o     (out.column_send_mask),
    .column_send_data_o     (column_data_o),
    .column_receive_ready_o (out.column_receive_ready),
    .column_receive_one_o   (out.column_receive_one),
    .column_receive_source_o(out.column_receive_source),
    .column_receive_valid_i (in.column_receive_valid),
    .column_receive_data_i  (column_data),
    .access_valid_i         (in.access_valid),
    .access_i               (access),
    .access_ready_o         (out.access_ready),
    .access_rdata_o
  );

endmodule
