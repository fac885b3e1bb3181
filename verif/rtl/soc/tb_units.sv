// SPDX-License-Identifier: Apache-2.0
// Modules of the SoC that are tested alone: interrupt gathering with all 64 sources in use, address decode, sleep.
module tb_units (
  input  logic        clk_i,
  input  logic        rst_ni,

  // interrupt gathering: odd sources are edge sources, except for those that do not exist
  input  logic        reg_valid_i,
  input  logic        reg_write_i,
  input  logic [31:0] reg_addr_i,
  input  logic [63:0] reg_wdata_i,
  input  logic [7:0]  reg_wstrb_i,
  output logic [63:0] reg_rdata_o,
  input  logic [63:0] sources_i,
  output logic        irq_m_o,
  output logic        irq_s_o,
  output logic [63:0] level_sources_o,
  output logic [63:0] edge_sources_o,

  // addresses
  input  logic [39:0] addr_i,
  output logic        vacant_o,
  output logic        memory_o,
  output logic        io_o,
  output logic [1:0]  target_o,
  output logic [1:0]  target_odd_o,  // with an SRAM of 192 KiB

  // sleep
  input  logic        core_sleep_i,
  input  logic        busy_i,
  input  logic [4:0]  wakes_i,
  output logic        sleep_o
);

  localparam logic [63:0] LevelSources = 64'h1555_5555_0555_5555;
  localparam logic [63:0] EdgeSources  = 64'haaaa_2aaa_aaaa_aaaa;

  reg_pkg::reg_req_t req;
  reg_pkg::reg_rsp_t rsp;
  assign req.valid   = reg_valid_i;
  assign req.write   = reg_write_i;
  assign req.addr    = reg_addr_i;
  assign req.wdata   = reg_wdata_i;
  assign req.wstrb   = reg_wstrb_i;
  assign reg_rdata_o = rsp.rdata;

  soc_irq #(
    .LevelSources (LevelSources),
    .EdgeSources  (EdgeSources)
  ) u_irq (
    .clk_i,
    .rst_ni,
    .req_i     (req),
    .rsp_o     (rsp),
    .sources_i,
    .irq_m_o,
    .irq_s_o
  );
  assign level_sources_o = LevelSources;
  assign edge_sources_o  = EdgeSources;

  memmap_pkg::pma_t attributes;
  assign attributes = memmap_pkg::pma(addr_i);
  assign vacant_o   = attributes.vacant;
  assign memory_o   = attributes.memory;
  assign io_o       = attributes.io;

  soc_decode u_decode (
    .addr_i,
    .target_o
  );

  soc_decode #(
    .SramBytes (192 * 1024)
  ) u_decode_odd (
    .addr_i,
    .target_o (target_odd_o)
  );

  soc_sleep #(
    .Wakes (5)
  ) u_sleep (
    .clk_i,
    .rst_ni,
    .core_sleep_i,
    .busy_i,
    .wakes_i,
    .sleep_o
  );

endmodule
