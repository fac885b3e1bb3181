// The whole SoC around a core that C++ plays (stub/mpe.sv); soc_test.cpp writes the ROM file before the model is built.
module tb_soc (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        uart_rx_i,
  output logic        uart_tx_o,
  input  logic [3:0]  flash_io_i,
  output logic        sleep_o,
  output logic [31:0] status_o,
  input  logic        dbg_halt_i
);

  mpe_pkg::dbg_req_t dbg_req;
  always_comb begin
    dbg_req      = '0;
    dbg_req.halt = dbg_halt_i;
  end

  swai_soc #(
    .BootRomFile ("build/tb-soc-rom.hex")
  ) u_soc (
    .clk_i,
    .rst_ni,
    .uart_rx_i,
    .uart_tx_o,
    .flash_sck_o   (),
    .flash_cs_no   (),
    .flash_io_o    (),
    .flash_io_oe_o (),
    .flash_io_i,
    .sleep_o,
    .status_o,
    .dbg_req_i     (dbg_req),
    .dbg_rsp_o     ()
  );

endmodule
