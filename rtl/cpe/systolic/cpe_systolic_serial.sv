// SPDX-License-Identifier: Apache-2.0
// Computes the runs of the systolic unit one step after the other: as small as it can be, for FPGAs. What programs see is what the unit
// of walkers, array and drain does, in the order that they promise.
//
// A byte of weights takes a cycle to be unpacked, a row of a tile eight in the array (cpe_systolic_serial_array), a result about fifty.
// All addresses are made by one adder and kept in one memory: those of column tiles, of k tiles in them, of rows in these. What strides
//   and sizes are comes from run_i, which stays until complete_o.
// One port of the local memory, for everything. The arithmetic of the drain is not in here: others go first there (cpe_math).
// Fault: everything before it is written; fault_valid_o stays until reset, and nothing else happens.
// Stop: forgets everything; an access that is offered stays so until it is taken.
module cpe_systolic_serial #(
  parameter bit Sparse = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   awake_i,          // else nothing happens
  input  logic                   stop_i,

  input  logic                   run_valid_i,
  input  cpe_systolic_pkg::run_t run_i,
  output logic                   complete_o,

  output logic                   valid_o,
  input  logic                   ready_i,
  output logic                   write_o,
  output logic [16:5]            addr_o,
  output logic [255:0]           wdata_o,
  output logic [31:0]            strb_o,
  input  logic [255:0]           rdata_i,          // in the cycle after a read was taken

  output logic                   fault_valid_o,
  output logic                   fault_write_o,
  output logic [16:0]            fault_address_o,  // less what local memory has
  output logic                   event_row_o,
  output logic                   event_wait_weights_o,
  output logic                   event_wait_activations_o,
  output logic                   event_wait_drain_o,

  output fp32_serial_pkg::request_t math_o,           // of the drain
  output logic [31:0]            math_operand_o,
  input  logic [1:0]             math_which_i,
  input  fp32_serial_pkg::answer_t  math_i
);

  typedef enum logic [4:0] {
    Idle,
    Start,                       // addresses of the first column tile
    Column, Tile, Rows,          // those of the first k tile, of its weights, of its activations
    Ask, Read, Take,             // what_q
    Unpack, Multiply,
    NextK, NextColumn,
    Drain, Use, Product, Convert, Scale, Clamp, Round, Write, NextElement, NextRow, NextTile,
    Complete
  } state_e;

  typedef enum logic [3:0] {
    Scales, Zeros, Indices, Weights,
    Activations,
    Factors, Biases, RowFactors, Results
  } what_e;

  // Addresses: of column tiles, of k tiles or rows of results, of rows
  typedef enum logic [3:0] {
    WeightsColumn, ScalesColumn, ResultsColumn, FactorsColumn, BiasesColumn,
    WeightsTile, ScalesTile, ActivationsTile, ResultsRow, FactorsRow,
    WeightsRow, ActivationsRow
  } place_e;

  state_e      q;
  what_e       what_q;
  logic [1:0]  item_q;         // which one of a state's addresses
  logic        half_q, scales_next_q, fault_q, fault_write_q;
  logic [15:0] column_left_q, k_left_q;
  logic [7:0]  group_left_q;
  logic [8:0]  tiles_q;        // of the block: begun; then not drained yet
  logic [7:0]  row_q;          // of the tile
  logic [7:0]  sums_q, sum_row_q;  // accumulators of the tile's first row, of this one
  logic [2:0]  list_q;         // row of the tile's weights
  logic [3:0]  i_q;            // byte of a row; column
  logic [17:0] addr_q;
  logic [63:0] row_bytes_q;    // what was read

  cpe_systolic_pkg::mode_t mode;
  logic                    int4, sparse, raw;
  assign mode   = run_i.mode;
  assign int4   = mode.weights == cpe_isa_pkg::WeightsInt4;
  assign sparse = Sparse && mode.weights == cpe_isa_pkg::WeightsSparse;
  assign raw    = mode.result == cpe_isa_pkg::NumberInt32;

  // --- Addresses ----------------------------------------------------------------------------------------------------

  logic [17:0] at_q [16];
  place_e      from, to;
  logic        put, begins;            // sum goes to a place; it begins with what the run says
  logic [17:0] base, distance;
  logic [18:0] sum;
  logic [31:0] gathered;               // distance of what a sparse index names
  logic        outside;

  always_comb begin
    from     = WeightsColumn;
    to       = WeightsColumn;
    put      = 1'b0;
    begins   = 1'b0;
    base     = run_i.weights;
    distance = '0;
    case (q)
      Start: begin
        {put, begins} = '1;
        case (item_q)
          2'd0:    to = WeightsColumn;
          2'd1:    {to, base} = {ScalesColumn, run_i.scales};
          2'd2:    {to, base} = {ResultsColumn, run_i.out};
          default: {to, base} = {FactorsColumn, run_i.factors};
        endcase
      end
      Column: begin
        put = 1'b1;
        case (item_q)
          2'd0:    {to, from} = {WeightsTile, WeightsColumn};
          2'd1:    {to, from} = {ScalesTile, ScalesColumn};
          default: {begins, to, base} = {1'b1, ActivationsTile, run_i.activations};
        endcase
      end
      Tile: {put, to, from} = {1'b1, WeightsRow, WeightsTile};
      Rows: {put, to, from} = {1'b1, ActivationsRow, ActivationsTile};
      Ask: begin
        case (what_q)
          Scales:     from = ScalesTile;
          Zeros:      {from, distance} = {ScalesTile, 18'd8};
          Factors:    {from, distance} = {FactorsColumn, 13'd0, i_q[2:0], 2'd0};
          Biases:     {from, distance} = {BiasesColumn, 13'd0, i_q[2:0], 2'd0};
          RowFactors: from = FactorsRow;
          Results: begin
            from = ResultsRow;
            case (mode.result)
              cpe_isa_pkg::NumberInt8: distance = {15'd0, i_q[2:0]};
              cpe_isa_pkg::NumberFp16: distance = {14'd0, i_q[2:0], 1'b0};
              default:             distance = {13'd0, i_q[2:0], 2'd0};
            endcase
          end
          Activations: begin
            from = ActivationsRow;
            if (sparse) distance = gathered[17:0];
          end
          default: from = WeightsRow;
        endcase
      end
      Take: begin
        {put, to, from} = {what_q == Indices || what_q == Weights, WeightsRow, WeightsRow};
        distance = int4 || sparse ? 18'd8 : {2'd0, run_i.weights_row};
      end
      Multiply: begin
        {put, to, from} = {event_row_o, ActivationsRow, ActivationsRow};
        distance = sparse ? 18'd1 : {2'd0, run_i.activations_row};
      end
      NextK: begin
        put = 1'b1;
        case (item_q)
          2'd0:    {to, from, distance} = {WeightsTile, WeightsTile, 2'd0, run_i.weights_k};
          2'd1:    {to, from, distance} = {ActivationsTile, ActivationsTile, 2'd0, sparse ? 16'd0 : run_i.activations_k};
          default: {to, from, distance} = {ScalesTile, ScalesTile, group_left_q == 8'd1 ? 18'd16 : 18'd0};
        endcase
      end
      NextColumn: begin
        put = 1'b1;
        if (item_q == 2'd0) {to, from, distance} = {WeightsColumn, WeightsColumn, run_i.weights_column};
        else {to, from, distance} = {ScalesColumn, ScalesColumn, run_i.scales_column};
      end
      Drain: begin
        put = 1'b1;
        case (item_q)
          2'd0:    {to, from} = {ResultsRow, ResultsColumn};
          default: {begins, to, base} = {1'b1, FactorsRow, run_i.row_factors};
        endcase
      end
      NextRow: begin
        put = 1'b1;
        if (item_q == 2'd0) {to, from, distance} = {ResultsRow, ResultsRow, run_i.out_row};
        else {to, from, distance} = {FactorsRow, FactorsRow, 18'd4};
      end
      NextTile: begin
        put = 1'b1;
        case (item_q)
          2'd0:    {to, from, distance} = {ResultsColumn, ResultsColumn, run_i.out_column};
          2'd1:    {to, from, distance} = {FactorsColumn, FactorsColumn, 18'd32};
          default: {to, from, distance} = {BiasesColumn, BiasesColumn, 18'd32};
        endcase
      end
      default: ;
    endcase
    if (q == Idle) {put, begins, to, base} = {1'b1, 1'b1, BiasesColumn, run_i.biases};
    sum     = {1'b0, begins ? base : at_q[from]} + {1'b0, distance};
    outside = sum[17] || (sparse && what_q == Activations && (sum[18] || gathered[31:18] != '0));
  end

  always_ff @(posedge clk_i) begin
    if (awake_i && put) at_q[to] <= sum[17:0];
  end

  // --- What was read ------------------------------------------------------------------------------------------------

  logic [63:0] bytes;          // around the address
  logic [7:0]  a_byte;         // sparse: at it
  logic [31:0] word;

  assign bytes  = rdata_i[{addr_q[4:3], 6'd0} +: 64];
  assign a_byte = bytes[{addr_q[2:0], 3'd0} +: 8];
  assign word   = row_bytes_q[{addr_q[2], 5'd0} +: 32];

  always_ff @(posedge clk_i) begin
    if (awake_i && q == Take) begin
      for (int unsigned b = 0; b < 8; b++) begin
        if (!sparse || what_q != Activations) row_bytes_q[8*b +: 8] <= bytes[8*b +: 8];
        else if (i_q[2:0] == 3'(b)) row_bytes_q[8*b +: 8] <= a_byte;
      end
    end
  end

  if (Sparse) begin : g_sparse
    logic [15:0] index_q [16];
    always_ff @(posedge clk_i) begin
      if (q == Unpack && what_q == Indices) index_q[{list_q[1:0], i_q[1:0]}] <= row_bytes_q[{i_q[1:0], 4'd0} +: 16];
    end
    assign gathered = {16'd0, index_q[i_q]} * {16'd0, run_i.activations_row};
  end else begin : g_dense
    assign gathered = '0;
  end

  // --- Weights, products ----------------------------------------------------------------------------------------------

  logic [3:0]  zeros_q [8];
  logic [2:0]  line, k, column;        // of the byte that is unpacked; of the sum
  logic [3:0]  nibble;
  logic [7:0]  unpacked;
  logic        unpack_last, multiply;
  logic [31:0] sum_of_products;

  always_comb begin
    line        = int4 ? {list_q[1:0], i_q[3]} : list_q;
    k           = mode.by_column ? i_q[2:0] : line;
    column      = mode.by_column ? line : i_q[2:0];
    nibble      = row_bytes_q[{i_q, 2'd0} +: 4];
    unpacked    = row_bytes_q[{i_q[2:0], 3'd0} +: 8];
    unpack_last = i_q[2:0] == 3'd7 && (i_q[3] || !int4);
    if (sparse) {column, k} = {list_q[2], i_q[1:0], list_q[1:0], i_q[2]};
    if (what_q == Indices) unpack_last = i_q[1:0] == 2'd3;
    if (what_q == Scales || what_q == Zeros) unpack_last = i_q[2:0] == 3'd7;
    if (q != Unpack || what_q != Weights) column = i_q[2:0];
    else if (int4) unpacked = {4'd0, nibble} - {4'd0, zeros_q[column]};
  end

  always_ff @(posedge clk_i) begin
    if (q == Unpack && what_q == Zeros) zeros_q[i_q[2:0]] <= unpacked[3:0];
  end

  assign multiply    = q == Multiply && awake_i;
  assign event_row_o = multiply && i_q[2:0] == 3'd7;

  cpe_systolic_serial_array u_array (
    .clk_i,
    .rst_ni,
    .awake_i,
    .weight_we_i(q == Unpack && what_q == Weights),
    .scale_we_i (q == Unpack && what_q == Scales),
    .k_i        (k),
    .column_i   (column),
    .byte_i     (unpacked),
    .multiply_i (multiply),
    .read_i     (q == Ask),
    .row_i      (row_bytes_q),
    .half_i     (half_q),
    .sum_row_i  (sum_row_q),
    .first_i    (k_left_q == run_i.k_tiles && !mode.keep),
    .scaled_i   (int4),
    .sum_o      (sum_of_products)
  );

  // --- Results --------------------------------------------------------------------------------------------------------

  // What the arithmetic asks for: the value, its factor, its bias.
  logic [31:0]       file_q [4];
  logic [31:0]       operand;
  fp32_serial_pkg::op_t op;
  logic [1:0]        file_to;

  always_comb begin
    op      = {fp32_serial_pkg::To, 1'b0, mode.result};
    file_to = 2'd0;
    case (q)
      Use: begin
        if (what_q == Factors) file_to = 2'd1;
        if (what_q == Biases)  file_to = 2'd2;
      end
      Product: begin
        op      = {fp32_serial_pkg::Operation, cpe_isa_pkg::VectorMul};
        file_to = 2'd1;
      end
      Convert: op = {fp32_serial_pkg::Of, 1'b0, cpe_isa_pkg::NumberInt32};
      Scale:   op = {fp32_serial_pkg::Operation, mode.bias ? cpe_isa_pkg::VectorFma : cpe_isa_pkg::VectorMul};
      Clamp:   op = {fp32_serial_pkg::Operation, item_q[0] ? cpe_isa_pkg::VectorMin : cpe_isa_pkg::VectorMax};
      default: ;
    endcase
  end

  always_comb begin
    operand = file_q[q == Write ? 2'd0 : math_which_i];
    if (q == Clamp && math_which_i[0]) operand = item_q[0] ? run_i.largest : run_i.least;
    if (q == Convert || raw)           operand = sum_of_products;
  end

  assign math_operand_o = operand;
  assign math_o.op      = op;
  assign math_o.valid   = awake_i && (q == Product || q == Convert || q == Scale || q == Clamp
                                   || (q == Round && mode.result != cpe_isa_pkg::NumberFp32));

  always_ff @(posedge clk_i) begin
    if (awake_i && (q == Use || math_i.done)) file_q[file_to] <= q == Use ? word : math_i.y;
  end

  always_comb begin
    case (mode.result)
      cpe_isa_pkg::NumberFp16: wdata_o = {16{operand[15:0]}};
      cpe_isa_pkg::NumberInt8: wdata_o = {32{operand[7:0]}};
      default:             wdata_o = {8{operand}};
    endcase
    case (mode.result)
      cpe_isa_pkg::NumberFp16: strb_o = 32'h3 << addr_q[4:0];
      cpe_isa_pkg::NumberInt8: strb_o = 32'h1 << addr_q[4:0];
      default:             strb_o = 32'hf << addr_q[4:0];
    endcase
  end

  // --- One step after the other ---------------------------------------------------------------------------------------

  logic row_last, lines_last;

  assign row_last   = {1'b0, row_q} == run_i.rows - 9'd1;
  assign lines_last = list_q == (int4 || what_q == Indices ? 3'd3 : 3'd7);

  assign valid_o         = q == Read || q == Write;
  assign write_o         = q == Write;
  assign addr_o          = addr_q[16:5];
  assign complete_o      = q == Complete;
  assign fault_valid_o   = fault_q;
  assign fault_write_o   = fault_write_q;
  assign fault_address_o = addr_q[16:0];

  assign event_wait_weights_o     = (valid_o || q == Unpack) && what_q <= Weights;
  assign event_wait_activations_o = valid_o && what_q == Activations;
  assign event_wait_drain_o       = valid_o && what_q > Activations;

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      item_q <= item_q + 2'd1;         // of a state that has several
      case (q)
        Idle: begin
          item_q        <= '0;
          half_q        <= mode.half;
          column_left_q <= run_i.column_tiles;
          tiles_q       <= '0;
          sums_q        <= '0;
          if (run_valid_i) q <= Start;
        end
        Start: if (item_q == 2'd3) q <= Column;

        Column: begin
          k_left_q      <= run_i.k_tiles;
          group_left_q  <= run_i.group;
          scales_next_q <= int4;
          if (item_q == 2'd2) q <= Tile;
        end
        Tile: begin
          what_q    <= scales_next_q ? Scales : sparse ? Indices : Weights;
          list_q    <= '0;
          i_q       <= '0;
          sum_row_q <= sums_q;
          row_q     <= '0;
          q         <= Ask;
        end

        Ask: begin
          addr_q <= sum[17:0];
          q      <= what_q == Results ? Write : Read;
          if (outside && !stop_i) begin
            fault_q       <= 1'b1;
            fault_write_q <= what_q == Results;
            q             <= Idle;
          end
        end
        Read: if (ready_i) q <= Take;
        Take: begin
          q <= Unpack;
          if (what_q > Activations) q <= Use;
          if (what_q == Activations) begin
            q <= Multiply;
            if (sparse) begin
              // The eight bytes for half of the columns first.
              i_q <= i_q + 4'd1;
              q   <= Ask;
              if (i_q[2:0] == 3'd7) begin
                i_q <= {1'b0, i_q[3], 2'd0};
                q   <= Multiply;
              end
            end
          end
        end

        Unpack: begin
          i_q <= i_q + 4'd1;
          if (unpack_last) begin
            i_q <= '0;
            q   <= Ask;
            case (what_q)
              Scales: what_q <= Zeros;
              Zeros: begin
                what_q        <= Weights;
                scales_next_q <= 1'b0;
              end
              default: begin
                list_q <= lines_last ? '0 : list_q + 3'd1;
                if (lines_last) what_q <= Weights;
                if (lines_last && what_q == Weights) q <= Rows;
              end
            endcase
          end
        end
        Rows: begin
          what_q <= Activations;
          q      <= Ask;
        end
        Multiply: begin
          i_q <= i_q + 4'd1;
          if (sparse && i_q[2:0] == 3'd3) begin
            i_q <= 4'd8;
            q   <= Ask;
          end
          if (event_row_o) begin
            i_q       <= '0;
            item_q    <= '0;
            row_q     <= row_q + 8'd1;
            sum_row_q <= sum_row_q + 8'd1;
            q         <= row_last ? NextK : Ask;
          end
        end

        NextK: if (item_q == 2'd2) begin
          item_q       <= '0;
          k_left_q     <= k_left_q - 16'd1;
          group_left_q <= group_left_q - 8'd1;
          if (group_left_q == 8'd1) begin
            group_left_q  <= run_i.group;
            scales_next_q <= int4;
          end
          q <= k_left_q == 16'd1 ? NextColumn : Tile;
        end
        NextColumn: if (item_q[0]) begin
          item_q        <= '0;
          column_left_q <= column_left_q - 16'd1;
          tiles_q       <= tiles_q + 9'd1;
          sums_q        <= sums_q + run_i.rows[7:0];
          q             <= Column;
          if (column_left_q == 16'd1 || tiles_q == run_i.block - 9'd1) begin
            sums_q    <= '0;
            sum_row_q <= '0;
            q         <= mode.drain ? Drain : Complete;
          end
        end

        Drain: begin
          i_q    <= '0;
          row_q  <= '0;
          what_q <= raw ? Results : Factors;
          if (item_q[0]) q <= Ask;
        end
        Use: begin
          q <= Ask;
          case (what_q)
            Factors: begin
              what_q <= mode.bias ? Biases : RowFactors;
              if (!mode.bias && !mode.row_factors) q <= Convert;
            end
            Biases: begin
              what_q <= RowFactors;
              if (!mode.row_factors) q <= Convert;
            end
            default: q <= Product;
          endcase
        end
        Product: if (math_i.done) q <= Convert;
        Convert: if (math_i.done) q <= Scale;
        Scale: begin
          item_q <= '0;
          if (math_i.done) q <= mode.clamp ? Clamp : Round;
        end
        Clamp: begin
          item_q <= item_q;
          if (math_i.done) begin
            item_q <= 2'd1;
            if (item_q[0]) q <= Round;
          end
        end
        Round: begin
          what_q <= Results;
          if (math_i.done || mode.result == cpe_isa_pkg::NumberFp32) q <= Ask;
        end
        Write: if (ready_i) q <= NextElement;
        NextElement: begin
          i_q    <= i_q + 4'd1;
          item_q <= '0;
          what_q <= raw ? Results : Factors;
          q      <= Ask;
          if (i_q[2:0] == 3'd7) begin
            i_q       <= '0;
            row_q     <= row_q + 8'd1;
            sum_row_q <= sum_row_q + 8'd1;
            q         <= row_last ? NextTile : NextRow;
          end
        end
        NextRow: if (item_q[0]) q <= Ask;
        NextTile: if (item_q == 2'd2) begin
          item_q  <= '0;
          tiles_q <= tiles_q - 9'd1;
          q       <= Drain;
          if (tiles_q == 9'd1) begin
            half_q <= !half_q;
            q      <= column_left_q == '0 ? Complete : Column;
          end
        end
        Complete: q <= Idle;
        default: q <= Idle;
      endcase
      // What is offered stays so until it is taken.
      if (!rst_ni || (stop_i && !(valid_o && !ready_i))) q <= Idle;
      if (!rst_ni) fault_q <= 1'b0;
    end
  end

endmodule
