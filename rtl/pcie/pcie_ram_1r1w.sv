// A memory with one port for writing and one for reading. A chip or an FPGA that needs its own macro replaces this file.
//
// rdata_o follows a read by one cycle and keeps its value until the next read. The content after power-up is undefined.
// Illegal: reading the row that is being written; an address of Depth or more.
module pcie_ram_1r1w #(
  parameter  int unsigned Depth     = 64,
  parameter  int unsigned Width     = 512,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,

  input  logic                 write_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,

  input  logic                 read_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  assign rdata_o = rdata_q;

`ifdef SYNTHESIS

  always_ff @(posedge clk_i) begin
    if (write_i) mem_q[waddr_i] <= wdata_i;
    if (read_i) rdata_q <= mem_q[raddr_i];
  end

`else

  // The same function; this process alone touches the array, so that the simulator need not keep delayed copies.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (write_i) mem_q[waddr_i] = wdata_i;
    if (read_i) rdata_q <= mem_q[raddr_i];
  end
  /* verilator lint_on BLKSEQ */

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assert (!started_q || !write_i || !read_i || waddr_i != raddr_i) else $error("row %0d is read and written", waddr_i);
  end

`endif

endmodule
