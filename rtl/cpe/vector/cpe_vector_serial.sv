// SPDX-License-Identifier: Apache-2.0
// The vector unit one element after the other: as small as it can be, for FPGAs. What programs see is what cpe_vector_command and
// cpe_vector_groups do, in the same order, but that settings wait for the run before them.
//
// Operands, results and sums lie in one memory of 16 words (file_q), of which the arithmetic (cpe_math) asks one after the other; its
// results go there, too. A sum is one of its operations: the first of two waits in its place of the tree until the other one is
// known. What would be added to -0 is copied.
// All addresses are made by one adder: where a row begins, for each operand, and the distance from there.
// Ports: operands are read through a, which is bit 0, results go through d, which is bit 3.
// fault_o: an address lies beyond local memory. Everything before it is written, nothing happens any more.
// Halt: forgets everything; an access that is offered stays so until it is taken.
module cpe_vector_serial (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   halt_i,
  input  logic                   active_i,          // else nothing but commands happens

  input  logic                   issue_valid_i,
  input  cpe_pkg::issue_t        issue_i,
  output logic                   issue_ready_o,
  output logic [31:0]            issue_rdata_o,
  output logic                   issue_bad_o,
  output logic                   busy_o,

  output logic [3:0]             valid_o,
  input  logic [3:0]             ready_i,
  output logic [47:0]            addr_o,
  input  logic [255:0]           rdata_i,
  output logic [255:0]           wdata_o,
  output logic [31:0]            strb_o,

  output logic                   fault_o,
  output logic                   fault_write_o,
  output logic [17:0]            fault_addr_o,
  output logic [31:0]            fault_pc_o,
  output logic                   group_o,           // events
  output logic                   wait_operands_o,
  output logic                   wait_store_o,

  output fp32_serial_pkg::request_t math_o,            // of cpe_math
  output logic [31:0]            math_operand_o,
  input  logic [1:0]             math_which_i,
  input  fp32_serial_pkg::answer_t  math_i
);

  // Of what has an address: operands by their numbers, then
  localparam logic [2:0] Result    = 3'd3;
  localparam logic [2:0] Reduction = 3'd4;

  // In the memory: operands, then
  localparam logic [3:0] Value = 4'd3;   // the result
  localparam logic [3:0] Bits  = 4'd4;   // as it is stored
  localparam logic [3:0] Parts = 4'd12;  // four sums of groups; the first also for the smallest or largest

  typedef enum logic [4:0] {
    Idle,
    Start,     // where rows begin
    Address, Read, Take, Convert,
    Operate, Special,
    Store, Shape, Write,
    Fold,      // into the row's reduction
    Next,
    Finish,    // the parts together
    Reduced,
    Advance, Complete,
    Fault
  } state_e;

  state_e      q;
  logic [2:0]  item_q;          // whose address
  logic [1:0]  level_q;         // of the tree; 3: the parts
  logic [15:0] element_q, rows_q;
  logic [3:0]  part_q;          // which parts have begun
  logic [17:0] addr_q;

  logic [31:0]              where;
  cpe_isa_pkg::vector_operand_t how;
  cpe_isa_pkg::vector_mode_t    mode;
  logic [15:0]              elements, rows;
  logic                     busy;

  assign busy_o = busy;

  cpe_vector_serial_command u_command (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_valid_i,
    .issue_i,
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .busy_o    (busy),
    .complete_i(q == Complete),
    .item_i    (item_q),
    .where_o   (where),
    .how_o     (how),
    .mode_o    (mode),
    .elements_o(elements),
    .rows_o    (rows),
    .pc_o      (fault_pc_o)
  );

  // --- Addresses ----------------------------------------------------------------------------------------------------

  logic [17:0] base_q [8];      // of rows
  logic [17:0] distance, sum;

  always_comb begin
    distance = '0;
    if (q == Advance) distance = how.stride;
    else if (how.kind == cpe_isa_pkg::OperandVector) begin
      case (how.number)
        cpe_isa_pkg::NumberInt8: distance = {2'd0, element_q};
        cpe_isa_pkg::NumberFp16: distance = {1'b0, element_q, 1'b0};
        default:             distance = {element_q, 2'd0};
      endcase
    end
    sum = base_q[item_q] + distance;
  end

  always_ff @(posedge clk_i) begin
    if (active_i && (q == Start || q == Advance)) base_q[item_q] <= q == Start ? {1'b0, where[16:0]} : sum;
  end

  // --- Local memory -------------------------------------------------------------------------------------------------

  logic        plain;           // as it is in fp32
  logic [31:0] raw, word;

  assign plain = how.number == cpe_isa_pkg::NumberFp32;
  assign raw   = rdata_i[{addr_q[4:2], 5'd0} +: 32] >> {addr_q[1:0], 3'd0};

  always_comb begin
    wdata_o = {8{word}};
    strb_o  = 32'hf << addr_q[4:0];
    case (how.number)
      cpe_isa_pkg::NumberFp16: {wdata_o, strb_o} = {{16{word[15:0]}}, 32'h3 << addr_q[4:0]};
      cpe_isa_pkg::NumberInt8: {wdata_o, strb_o} = {{32{word[7:0]}}, 32'h1 << addr_q[4:0]};
      default: ;
    endcase
  end

  assign addr_o  = {addr_q[16:5], 24'd0, addr_q[16:5]};
  assign valid_o = {q == Write, 2'b00, q == Read};

  // --- Arithmetic ---------------------------------------------------------------------------------------------------

  logic [31:0]       file_q [16];
  logic [31:0]       result;
  logic [3:0]        from, to, place;
  logic              sums, last, combines, skips, operand;
  logic [1:0]        part;
  fp32_serial_pkg::op_t op;

  assign sums    = mode.reduce == cpe_isa_pkg::ReduceSum;
  assign last    = element_q + 16'd1 == elements;
  assign part    = sums ? element_q[4:3] : 2'd0;
  assign word    = file_q[from];
  assign operand = q == Start || q == Take || q == Convert;

  // Fold: levels of the tree up to the first that has nothing to be added to; at the end of a row all, what lacks in the last group
  // is -0. Finish: parts 2 and 3, 0 and 1, both.
  always_comb begin
    to       = Value;
    op       = {fp32_serial_pkg::Operation, mode.op};
    place    = level_q == 2'd3 ? {2'b11, part} : {2'b10, level_q};
    combines = level_q == 2'd3 ? part_q[part] : element_q[{2'd0, level_q}];
    skips    = !combines && level_q != 2'd3 && last;
    case (q)
      Start, Take, Convert: begin
        op = {fp32_serial_pkg::Of, 1'b0, how.number};
        to = {1'b0, item_q};
      end
      Special: op = {fp32_serial_pkg::Special, mode.special};
      Shape: begin
        op = {fp32_serial_pkg::To, 1'b0, how.number};
        to = Bits;
      end
      Fold: begin
        op = {fp32_serial_pkg::Of, 1'b0, cpe_isa_pkg::NumberFp32};
        if (combines) op = {fp32_serial_pkg::Operation, sums ? cpe_isa_pkg::VectorAdd : mode.reduce[0] ? cpe_isa_pkg::VectorMax : cpe_isa_pkg::VectorMin};
        if (!combines || level_q == 2'd3) to = place;
      end
      Finish: begin
        op    = {fp32_serial_pkg::Operation, cpe_isa_pkg::VectorAdd};
        skips = !part_q[level_q == 2'd0 ? 2'd3 : level_q];
        to    = level_q == 2'd0 ? 4'd14 : Parts;
      end
      default: ;
    endcase
  end

  always_comb begin
    from = Value;
    case (q)
      Convert: from = to;
      Operate: from = {2'd0, math_which_i};
      Write:   from = item_q == Reduction ? Parts : plain ? Value : Bits;
      Fold:    if (combines && math_which_i == '0) from = place;
      Finish:  from = math_which_i == '0 ? to : level_q == 2'd0 ? 4'd15 : {2'b11, level_q};
      default: ;
    endcase
  end

  always_comb begin
    result = q == Start ? where : q == Take ? raw : math_i.y;
    if (operand && (q != Take || plain)) result[31] = (result[31] && !how.magnitude) ^ how.negate;
  end

  assign math_o.valid = active_i && (q == Convert || q == Operate || q == Special || q == Shape || ((q == Fold || q == Finish) && !skips));
  assign math_o.op      = op;
  assign math_operand_o = word;

  always_ff @(posedge clk_i) begin
    if (active_i && (q == Start || q == Take || math_i.done)) file_q[to] <= result;
  end

  // --- One step after the other -------------------------------------------------------------------------------------

  logic used, done;

  // An operation reads only what it uses.
  always_comb begin
    used = !how.kind[1];
    if (item_q == 3'd1 && mode.op == cpe_isa_pkg::VectorAdd) used = 1'b0;
    if (item_q == 3'd2 && mode.op != cpe_isa_pkg::VectorFma && mode.op != cpe_isa_pkg::VectorAdd && mode.op != cpe_isa_pkg::VectorSelect) used = 1'b0;
  end

  assign done            = math_i.done || skips;
  assign fault_o         = q == Fault;
  assign fault_write_o   = item_q >= Result;
  assign fault_addr_o    = addr_q;
  assign group_o         = q == Next && (last || element_q[2:0] == 3'd7);
  assign wait_operands_o = q == Read && !ready_i[0];
  assign wait_store_o    = q == Write && !ready_i[3];

  always_ff @(posedge clk_i) begin
    if (active_i) begin
      case (q)
        Idle: begin
          item_q <= '0;
          if (busy) q <= Start;
        end
        Start: begin
          item_q    <= item_q == Reduction ? '0 : item_q + 3'd1;
          element_q <= '0;
          rows_q    <= rows;
          part_q    <= '0;
          if (item_q == Reduction) q <= Address;
        end

        Address: begin
          addr_q <= sum;
          q      <= sum[17] ? Fault : Read;
          if (!used) begin
            item_q <= item_q + 3'd1;
            q      <= item_q == 3'd2 ? Operate : Address;
          end
        end
        Read: if (ready_i[0]) q <= Take;
        Take, Convert: begin
          q <= Convert;
          if (q == Take ? plain : math_i.done) begin
            item_q <= item_q + 3'd1;
            q      <= item_q == 3'd2 ? Operate : Address;
          end
        end

        Operate: if (math_i.done) q <= mode.special != cpe_isa_pkg::SpecialNone ? Special : Store;
        Special: if (math_i.done) q <= Store;

        Store: begin
          addr_q  <= sum;
          level_q <= sums ? 2'd0 : 2'd3;
          q       <= how.kind[1] ? Fold : sum[17] ? Fault : plain ? Write : Shape;
        end
        Shape: if (math_i.done) q <= Write;
        Write: if (ready_i[3]) begin
          q <= mode.reduce == cpe_isa_pkg::ReduceNone ? Next : Fold;
          if (item_q == Reduction) begin
            item_q <= '0;
            q      <= Advance;
          end
        end

        Fold: if (done) begin
          level_q <= level_q + 2'd1;
          if (level_q == 2'd3) part_q[part] <= 1'b1;
          if (level_q == 2'd3 || !(combines || skips)) q <= Next;
        end
        Next: begin
          level_q   <= '0;
          item_q    <= '0;
          element_q <= element_q + 16'd1;
          q         <= Address;
          if (last) begin
            q <= Advance;
            if (mode.reduce != cpe_isa_pkg::ReduceNone) begin
              item_q <= Reduction;
              q      <= Finish;
            end
          end
        end
        Finish: if (done) begin
          level_q <= level_q + 2'd1;
          if (level_q == 2'd2) q <= Reduced;
        end
        Reduced: begin
          addr_q <= sum;
          q      <= sum[17] ? Fault : Write;
        end

        Advance: begin
          item_q    <= item_q == Reduction ? '0 : item_q + 3'd1;
          element_q <= '0;
          part_q    <= '0;
          if (item_q == Reduction) begin
            rows_q <= rows_q - 16'd1;
            q      <= rows_q == 16'd1 ? Complete : Address;
          end
        end
        Complete: q <= Idle;
        default: ;
      endcase
    end
    // What is offered stays so until it is taken.
    if (!rst_ni || (halt_i && !wait_operands_o && !wait_store_o)) q <= Idle;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (active_i && rst_ni) assert (q <= Fault) else $error("state %0d", q);
  end
`endif

endmodule
