// SPDX-License-Identifier: Apache-2.0
// What asks for a CPE's local memory, port by port, and the memory behind it: cpe_ldm, or with Serial its small sibling.
// rs, rr, cs, cr: the channels' senders and receivers; sx, sw, sd: the systolic unit; va to vd: the vector unit; a: the access port.
//
// A simulator may have a memory of its own in place of cpe_ldm (sim/seam).
`ifndef CPE_LDM
`define CPE_LDM cpe_ldm
`endif
module cpe_local_memory #(
  parameter bit Serial = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  cpe_ldm_pkg::line_write_t line_write_i,  // never waits
  input  cpe_ldm_pkg::line_read_t  line_read_i,
  output logic                     line_ready_o,
  output logic [511:0]             line_rdata_o,
  input  cpe_ldm_pkg::scalar_t     s_i,
  output logic                     s_ready_o,
  output logic [31:0]              s_rdata_o,
  input  cpe_ldm_pkg::outer_t      a_i,
  output logic                     a_ready_o,
  output logic [63:0]              a_rdata_o,

  input  cpe_ldm_pkg::read_t       rs_i,
  output logic                     rs_ready_o,
  output logic [255:0]             rs_rdata_o,
  input  cpe_ldm_pkg::write_t      rr_i,
  output logic                     rr_ready_o,
  input  cpe_ldm_pkg::read_t       cs_i,
  output logic                     cs_ready_o,
  output logic [255:0]             cs_rdata_o,
  input  cpe_ldm_pkg::write_t      cr_i,
  output logic                     cr_ready_o,
  input  cpe_ldm_pkg::read_t       sx_i,
  output logic                     sx_ready_o,
  output logic [255:0]             sx_rdata_o,
  input  cpe_ldm_pkg::read_t       sw_i,
  output logic                     sw_ready_o,
  output logic [255:0]             sw_rdata_o,
  input  cpe_ldm_pkg::access_t     sd_i,
  output logic                     sd_ready_o,
  output logic [255:0]             sd_rdata_o,
  input  cpe_ldm_pkg::read_t       va_i,
  output logic                     va_ready_o,
  output logic [255:0]             va_rdata_o,
  input  cpe_ldm_pkg::read_t       vb_i,
  output logic                     vb_ready_o,
  output logic [255:0]             vb_rdata_o,
  input  cpe_ldm_pkg::read_t       vc_i,
  output logic                     vc_ready_o,
  output logic [255:0]             vc_rdata_o,
  input  cpe_ldm_pkg::access_t     vd_i,
  output logic                     vd_ready_o,

  input  logic                     clear_i,
  output logic                     clearing_o,
  output logic                     busy_o,
  output logic                     event_conflict_o
);

  logic [255:0] unused_row, unused_column, unused_results;

  if (Serial) begin : g_ldm_serial
    // Of the arithmetic units' ports, those of the drain, of a and of results serve for everything.
    logic [7*12-1:0]  e_addr;
    logic [7*256-1:0] e_rdata;
    logic             unused;

    assign e_addr = {vd_i.addr, va_i.addr, sd_i.addr, cr_i.addr, cs_i.addr, rr_i.addr, rs_i.addr};
    assign {unused_results, va_rdata_o, sd_rdata_o, unused_column, cs_rdata_o, unused_row, rs_rdata_o} = e_rdata;
    assign {vc_ready_o, vb_ready_o, sw_ready_o, sx_ready_o} = '0;
    assign {vc_rdata_o, vb_rdata_o, sw_rdata_o, sx_rdata_o} = '0;
    assign unused = ^{vc_i.valid, vb_i.valid, sw_i.valid, sx_i.valid, vc_i.addr, vb_i.addr, sw_i.addr, sx_i.addr};

    cpe_ldm_serial #(
      .Engines(7),
      .Writes (7'b10_1_1010),
      .First  (1),
      .Second (3)
    ) u_ldm (
      .clk_i,
      .rst_ni,
      .line_we_i       (line_write_i.valid),
      .line_waddr_i    (line_write_i.addr),
      .line_wbytes_i   (line_write_i.bytes),
      .line_wdata_i    (line_write_i.wdata),
      .line_re_i       (line_read_i.valid),
      .line_re_ready_o (line_ready_o),
      .line_raddr_i    (line_read_i.addr),
      .line_rbytes_i   (line_read_i.bytes),
      .line_rdata_o,
      .s_valid_i       (s_i.valid),
      .s_ready_o,
      .s_write_i       (s_i.write),
      .s_addr_i        (s_i.addr),
      .s_wdata_i       (s_i.wdata),
      .s_strb_i        (s_i.strb),
      .s_rdata_o,
      .e_valid_i       ({vd_i.valid, va_i.valid, sd_i.valid, cr_i.valid, cs_i.valid, rr_i.valid, rs_i.valid}),
      .e_ready_o       ({vd_ready_o, va_ready_o, sd_ready_o, cr_ready_o, cs_ready_o, rr_ready_o, rs_ready_o}),
      .e_write_i       ({vd_i.write, 1'b0, sd_i.write, 4'b1010}),
      .e_addr_i        (e_addr),
      .e_wdata_i       ({vd_i.wdata, 256'd0, sd_i.wdata, cr_i.wdata, 256'd0, rr_i.wdata, 256'd0}),
      .e_strb_i        ({vd_i.strb, 32'd0, sd_i.strb, {128{1'b1}}}),
      .e_rdata_o       (e_rdata),
      .a_valid_i       (a_i.valid),
      .a_ready_o,
      .a_write_i       (a_i.write),
      .a_addr_i        (a_i.addr),
      .a_wdata_i       (a_i.wdata),
      .a_strb_i        (a_i.strb),
      .a_rdata_o,
      .clear_i,
      .clearing_o,
      .busy_o,
      .event_conflict_o
    );
  end else begin : g_ldm
    localparam int unsigned Engines = 11;

    // What engines ask for: each says nothing while it has nothing to do.
    logic [Engines-1:0]     e_valid, e_write;
    logic [32*Engines-1:0]  e_addr;
    logic [256*Engines-1:0] e_wdata;
    logic [32*Engines-1:0]  e_strb;
    logic [256*Engines-1:0] e_rdata;

    // By names of their own: a simulator then takes them from the engine, and puts no request together.
    logic [255:0] rr_wdata, cr_wdata, sd_wdata, vd_wdata;
    logic [31:0]  sd_strb, vd_strb;
    assign rr_wdata = rr_i.wdata;
    assign cr_wdata = cr_i.wdata;
    assign sd_wdata = sd_i.wdata;
    assign vd_wdata = vd_i.wdata;
    assign sd_strb  = sd_i.strb;
    assign vd_strb  = vd_i.strb;

    // What has a door has a process of its own, which a simulator runs when the door is open.
    always_comb begin
      e_valid[3:0]             = {cr_i.valid, cs_i.valid, rr_i.valid, rs_i.valid};
      e_addr[32*0 +: 32]       = {20'd0, rs_i.addr};
      e_addr[32*1 +: 32]       = {20'd0, rr_i.addr};
      e_addr[32*2 +: 32]       = {20'd0, cs_i.addr};
      e_addr[32*3 +: 32]       = {20'd0, cr_i.addr};
      e_wdata[256*1 +: 256]    = rr_wdata;
      e_wdata[256*3 +: 256]    = cr_wdata;
    end

    always_comb begin
      e_valid[6:4]             = {sd_i.valid, sw_i.valid, sx_i.valid};
      e_addr[32*4 +: 32]       = {20'd0, sx_i.addr};
      e_addr[32*5 +: 32]       = {20'd0, sw_i.addr};
      e_addr[32*6 +: 32]       = {20'd0, sd_i.addr};
      e_wdata[256*6 +: 256]    = sd_wdata;
      e_strb[32*6 +: 32]       = sd_strb;
    end

    always_comb begin
      e_valid[10:7]            = {vd_i.valid, vc_i.valid, vb_i.valid, va_i.valid};
      e_addr[32*7 +: 32]       = {20'd0, va_i.addr};
      e_addr[32*8 +: 32]       = {20'd0, vb_i.addr};
      e_addr[32*9 +: 32]       = {20'd0, vc_i.addr};
      e_addr[32*10 +: 32]      = {20'd0, vd_i.addr};
      e_wdata[256*10 +: 256]   = vd_wdata;
      e_strb[32*10 +: 32]      = vd_strb;
    end

    // The others only read; those of the channels write whole words.
    assign e_write                = {vd_i.write, 3'b000, sd_i.write, 6'b00_1010};
    assign e_wdata[255:0]         = '0;
    assign e_wdata[256*2 +: 256]  = '0;
    assign e_wdata[256*4 +: 512]  = '0;
    assign e_wdata[256*7 +: 768]  = '0;
    assign e_strb[32*6-1:0]       = {64'd0, {128{1'b1}}};
    assign e_strb[32*7 +: 96]     = '0;

    assign {unused_results, vc_rdata_o, vb_rdata_o, va_rdata_o, sd_rdata_o, sw_rdata_o, sx_rdata_o, unused_column, cs_rdata_o, unused_row,
            rs_rdata_o} = e_rdata;

    `CPE_LDM #(
      .Engines(Engines),
      .Holds  (11'b0000_111_0000)  // the systolic unit looks at what it has read for longer than a cycle
    ) u_ldm (
      .clk_i,
      .rst_ni,
      .line_we_i       (line_write_i.valid),
      .line_waddr_i    (line_write_i.addr),
      .line_wbytes_i   (line_write_i.bytes),
      .line_wdata_i    (line_write_i.wdata),
      .line_re_i       (line_read_i.valid),
      .line_re_ready_o (line_ready_o),
      .line_raddr_i    (line_read_i.addr),
      .line_rbytes_i   (line_read_i.bytes),
      .line_rdata_o,
      .s_valid_i       (s_i.valid),
      .s_ready_o,
      .s_write_i       (s_i.write),
      .s_addr_i        (s_i.addr),
      .s_wdata_i       (s_i.wdata),
      .s_strb_i        (s_i.strb),
      .s_rdata_o,
      .e_valid_i       (e_valid),
      .e_ready_o       ({vd_ready_o, vc_ready_o, vb_ready_o, va_ready_o, sd_ready_o, sw_ready_o, sx_ready_o, cr_ready_o,
                         cs_ready_o, rr_ready_o, rs_ready_o}),
      .e_write_i       (e_write),
      .e_addr_i        (e_addr),
      .e_wdata_i       (e_wdata),
      .e_strb_i        (e_strb),
      .e_rdata_o       (e_rdata),
      .a_valid_i       (a_i.valid),
      .a_ready_o,
      .a_write_i       (a_i.write),
      .a_addr_i        (a_i.addr),
      .a_wdata_i       (a_i.wdata),
      .a_strb_i        (a_i.strb),
      .a_rdata_o,
      .clear_i,
      .clearing_o,
      .busy_o,
      .event_conflict_o
    );
  end

endmodule
