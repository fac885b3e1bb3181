// Reads lists of rows of 8 bytes from local memory, ahead of the one who takes them.
//
// A list is the address of its first row, a stride, and how many; each row comes with the tag of its list. Rows that follow each
//   other in memory (a stride of 8) are read four at once. A list may begin in the cycle of the last read of the one before.
// The first row that lies outside of local memory is not read; once all before it are taken, outside_o tells its address, for good.
// stop_i drops everything; a request that is offered stays until it is taken. awake_i may be low where nothing is to happen.
// row_o is there when it is taken.
// Cuts: all paths but p_ready_i to start_ready_o. p_valid_o follows stop_i only.
// Illegal: a list of no rows, a take without valid_o.
module cpe_systolic_rows #(
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                awake_i,
  input  logic                stop_i,

  input  logic                start_valid_i,
  output logic                start_ready_o,
  input  logic [17:0]         start_address_i,
  input  logic [15:0]         start_stride_i,
  input  logic [8:0]          start_rows_i,
  input  logic [TagWidth-1:0] start_tag_i,

  output logic                p_valid_o,
  input  logic                p_ready_i,
  output logic [16:5]         p_addr_o,
  input  logic [255:0]        p_rdata_i,

  output logic                valid_o,
  input  logic                take_i,
  output logic [TagWidth-1:0] tag_o,
  output logic [63:0]         row_o,
  output logic                outside_o,
  output logic [17:0]         address_o,
  output logic                full_o,         // it reads no further before a word has been taken
  output logic                idle_o
);

  // --- What to read -------------------------------------------------------------------------------------------------

  logic                active_q, held_q;
  logic [17:0]         address_q, next_address;
  logic [15:0]         stride_q;
  logic [8:0]          left_q;
  logic [TagWidth-1:0] tag_q;
  logic [2:0]          room, rows;  // in this word; that are taken from it
  logic                start, read, last;

  // Two words at most: the last one that was read, at the memory's output, and the one before.
  logic                port_valid_q, spill_valid_q;

  always_comb begin
    room         = '0;
    rows         = '0;
    last         = 1'b0;
    next_address = '0;
    if (awake_i && active_q && !spill_valid_q) begin
      if (stride_q == 16'd8) begin
        room         = 3'd4 - {1'b0, address_q[4:3]};
        rows         = left_q < {6'd0, room} ? left_q[2:0] : room;
        next_address = address_q + {12'd0, rows, 3'd0};
      end else begin
        rows         = 3'd1;
        next_address = address_q + {2'd0, stride_q};
      end
      last = left_q == {6'd0, rows};
    end
  end

  assign p_valid_o     = held_q || (active_q && !address_q[17] && !spill_valid_q && !stop_i);
  assign p_addr_o      = address_q[16:5];
  assign read          = p_valid_o && p_ready_i;
  assign start_ready_o = !active_q || (read && last);
  assign start         = start_valid_i && start_ready_o && !stop_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      held_q   <= 1'b0;
    end else if (awake_i || held_q) begin
      held_q <= p_valid_o && !p_ready_i;
      if (stop_i) active_q <= 1'b0;
      else if (start_ready_o) active_q <= start;
    end
  end

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (start) begin
        address_q <= start_address_i;
        stride_q  <= start_stride_i;
        left_q    <= start_rows_i;
        tag_q     <= start_tag_i;
      end else if (read) begin
        address_q <= next_address;
        left_q    <= left_q - {6'd0, rows};
      end
    end
  end

  // --- What was read ------------------------------------------------------------------------------------------------

  logic [255:0]          spill_q;
  logic [TagWidth+2+3-1:0] port_place_q, spill_place_q, place;  // tag, first row of the word, how many
  logic [1:0]            taken_q, chosen;                       // of the word in front
  logic                  empties, spills;

  assign place     = spill_valid_q ? spill_place_q : port_place_q;
  assign tag_o     = place[TagWidth+5-1 : 5];
  assign empties   = take_i && {1'b0, taken_q} + 3'd1 == place[2:0];
  assign spills    = read && port_valid_q && !empties;
  assign valid_o   = port_valid_q;
  assign outside_o = active_q && address_q[17] && !port_valid_q;
  assign address_o = address_q;
  assign full_o    = spill_valid_q;
  assign idle_o    = !active_q && !port_valid_q;

  always_comb begin
    row_o  = '0;
    chosen = '0;
    if (awake_i && take_i) begin
      chosen = place[4:3] + taken_q;
      row_o  = spill_valid_q ? spill_q[{chosen, 6'd0} +: 64] : p_rdata_i[{chosen, 6'd0} +: 64];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      port_valid_q  <= 1'b0;
      spill_valid_q <= 1'b0;
      taken_q       <= '0;
    end else if (awake_i) begin
      if (stop_i) begin
        port_valid_q  <= 1'b0;
        spill_valid_q <= 1'b0;
        taken_q       <= '0;
      end else begin
        port_valid_q  <= read || spill_valid_q || (port_valid_q && !empties);
        spill_valid_q <= spills || (spill_valid_q && !empties);
        if (take_i) taken_q <= empties ? '0 : taken_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (read) port_place_q <= {tag_q, address_q[4:3], rows};
      if (spills) begin
        spill_q       <= p_rdata_i;
        spill_place_q <= port_place_q;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && awake_i && !stop_i) begin
      assert (!take_i || valid_o) else $error("a row is taken that is not there");
      assert (!start || start_rows_i != '0) else $error("a list of no rows");
      assert (!spill_valid_q || port_valid_q) else $error("a word was put aside for nothing");
    end
  end
`endif

endmodule
