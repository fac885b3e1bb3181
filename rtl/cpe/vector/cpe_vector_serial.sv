// Computes the runs of the vector unit one element after the other: as small as it can be, for FPGAs. What programs see is what
// cpe_vector_groups does, in the same order.
//
// An element takes three cycles for each operand in local memory, one for others, five for the operation, five more for a special
// function, two to be stored. A sum goes through the same fma unit: the first of two waits in its place of the tree until the other
// one is known.
// Most arithmetic is not in here: somebody else may use it in the cycles in which this unit does not (cpe_math).
// All addresses are made by one adder: where a row begins, for each operand, and the distance from there.
// Ports: operands are read through a, which is bit 0, results go through d, which is bit 3.
// fault_o: an address lies beyond local memory. Everything before it is written, nothing happens any more.
// Halt: forgets everything; an access that is offered stays so until it is taken.
module cpe_vector_serial (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   halt_i,
  input  logic                                   active_i,          // else nothing happens
  input  logic                                   en_i,              // of registers: active or in reset

  input  logic [cpe_vector_pkg::SlotWidth:0]     begun_i,
  input  logic [cpe_vector_pkg::SlotWidth:0]     done_i,
  output logic                                   complete_o,
  output logic [3*cpe_vector_pkg::SlotWidth-1:0] walk_slot_o,
  input  logic [3*cpe_vector_pkg::WalkPlace-1:0] walk_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   work_slot_o,
  input  cpe_vector_pkg::work_t                  work_i,
  input  logic [3*cpe_vector_pkg::ViewWidth-1:0] work_view_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   target_slot_o,
  input  cpe_vector_pkg::target_t                target_i,

  output logic [3:0]                             valid_o,
  input  logic [3:0]                             ready_i,
  output logic [47:0]                            addr_o,
  input  logic [767:0]                           rdata_i,
  output logic [255:0]                           wdata_o,
  output logic [31:0]                            strb_o,

  output logic                                   fault_o,
  output logic                                   fault_write_o,
  output logic [17:0]                            fault_addr_o,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   fault_slot_o,
  output logic                                   group_o,           // events
  output logic                                   wait_operands_o,
  output logic                                   wait_store_o,

  output cpe_math_pkg::request_t                 math_o,
  output cpe_math_pkg::product_t                 product_o,
  input  cpe_math_pkg::answer_t                  math_i             // always ready
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;

  // Of what has an address: operands by their numbers, then
  localparam logic [2:0] Result    = 3'd3;
  localparam logic [2:0] Reduction = 3'd4;

  typedef enum logic [4:0] {
    Idle,
    Start,     // where rows begin
    Address, Read, Take,
    Operate, Compute, Special,
    Store, Write,
    Reduce, Tree, Partial, Keep, Next,
    Tail0, Tail1, Tail2, Tail3, Tail4, Tail5, Reduced,  // a row has ended
    Advance, Complete,
    Fault
  } state_e;

  state_e                 q, after_q;      // after_q: behind Compute
  logic [SlotWidth-1:0]   slot_q;          // of the run; also when the runs are forgotten while it waits
  logic [2:0]             item_q;          // whose address
  logic [2:0]             wait_q;
  logic [1:0]             level_q;
  logic [15:0]            element_q, rows_q;
  logic [3:0]             partial_q;       // which partial sums have begun
  logic [17:0]            addr_q;
  logic [31:0]            value_q;
  logic [31:0]            a_q, b_q, c_q;
  logic [17:0]            base_q [8];      // of rows
  logic [31:0]            sum_q [8];       // levels of the tree, the first also for smallest and largest; then partial sums

  assign walk_slot_o   = {3{slot_q}};
  assign work_slot_o   = slot_q;
  assign target_slot_o = slot_q;
  assign fault_slot_o  = slot_q;

  // --- Addresses ----------------------------------------------------------------------------------------------------

  cpe_vector_pkg::walk_t walk_a, walk_b, walk_c, walk;
  cpe_vector_pkg::view_t view_a, view_b, view_c, view;
  logic [16:0]           first;
  logic [17:0]           stride, distance, sum;
  logic [1:0]            number;
  logic                  vector;

  assign walk_a = walk_i[0 +: cpe_vector_pkg::WalkWidth];
  assign walk_b = walk_i[cpe_vector_pkg::WalkPlace +: cpe_vector_pkg::WalkWidth];
  assign walk_c = walk_i[2*cpe_vector_pkg::WalkPlace +: cpe_vector_pkg::WalkWidth];
  assign {view_c, view_b, view_a} = work_view_i;

  always_comb begin
    case (item_q[1:0])
      2'd0:    {walk, view} = {walk_a, view_a};
      2'd1:    {walk, view} = {walk_b, view_b};
      default: {walk, view} = {walk_c, view_c};
    endcase
    vector = !walk.scalar;
    first  = walk.addr;
    stride = walk.stride;
    number = walk.number;
    if (item_q == Result) begin
      vector = 1'b1;
      first  = target_i.addr;
      stride = target_i.stride;
      number = target_i.number;
    end else if (item_q == Reduction) begin
      vector = 1'b0;
      first  = target_i.reduce_addr;
      stride = target_i.reduce_stride;
      number = cpe_pkg::NumberFp32;
    end
    distance = '0;
    if (q == Advance) distance = stride;
    else if (vector) begin
      case (number)
        cpe_pkg::NumberInt8: distance = {2'd0, element_q};
        cpe_pkg::NumberFp16: distance = {1'b0, element_q, 1'b0};
        default:             distance = {element_q, 2'd0};
      endcase
    end
    sum = base_q[item_q] + distance;
  end

  // --- Conversions --------------------------------------------------------------------------------------------------

  logic [31:0] raw, of_fp16, read;
  logic [31:0] as_int32;

  assign raw = rdata_i[{2'd0, addr_q[4:2], 5'd0} +: 32] >> {addr_q[1:0], 3'd0};

  fp32_of_fp16 u_of_fp16 (
    .h_i(raw[15:0]),
    .y_o(of_fp16)
  );
  int32_of_fp32 u_as_int32 (
    .a_i(value_q),
    .i_o(as_int32)
  );
  always_comb begin
    case (number)
      cpe_pkg::NumberFp32: read = raw;
      cpe_pkg::NumberFp16: read = of_fp16;
      default:             read = math_i.of_whole;
    endcase
    read[31] = (read[31] && !view.magnitude) ^ view.negate;
  end

  always_comb begin
    case (number)
      cpe_pkg::NumberFp32:  wdata_o = {8{value_q}};
      cpe_pkg::NumberInt32: wdata_o = {8{as_int32}};
      cpe_pkg::NumberFp16:  wdata_o = {16{math_i.as_fp16}};
      default:              wdata_o = {32{math_i.as_int8}};
    endcase
    case (number)
      cpe_pkg::NumberInt8: strb_o = 32'h1 << addr_q[4:0];
      cpe_pkg::NumberFp16: strb_o = 32'h3 << addr_q[4:0];
      default:             strb_o = 32'hf << addr_q[4:0];
    endcase
  end

  assign addr_o  = {addr_q[16:5], 24'd0, addr_q[16:5]};
  assign valid_o = {q == Write, 2'b00, q == Read};

  // --- Arithmetic ---------------------------------------------------------------------------------------------------

  logic        sums, reducing;
  logic [2:0]  place;                    // in sum_q
  logic [31:0] there, x, factor, summand, special_y;

  // A partial sum that has not begun counts as -0.
  always_comb begin
    place = {1'b0, level_q};
    case (q)
      Partial: place = {1'b1, element_q[4:3]};
      Keep:    place = sums ? {1'b1, element_q[4:3]} : 3'd0;
      Tail0:   place = 3'd7;
      Tail1:   place = 3'd6;
      Tail3:   place = 3'd5;
      Tail4:   place = 3'd4;
      default: ;
    endcase
    there = place[2] && !partial_q[place[1:0]] ? cpe_vector_pkg::NegativeZero : sum_q[place];
  end

  assign sums     = work_i.reduce == cpe_pkg::ReduceSum;
  assign reducing = q != Operate;

  // What is chosen comes as x * 1 + -0, so that every NaN becomes the same one.
  always_comb begin
    x       = there;
    factor  = cpe_vector_pkg::One;
    summand = value_q;
    if (!reducing) begin
      x       = a_q;
      factor  = b_q;
      summand = c_q;
      if (work_i.op >= cpe_pkg::VectorMin) begin
        factor  = cpe_vector_pkg::One;
        summand = cpe_vector_pkg::NegativeZero;
        case (work_i.op)
          cpe_pkg::VectorMin:    x = math_i.smallest;
          cpe_pkg::VectorMax:    x = math_i.largest;
          cpe_pkg::VectorSelect: x = a_q[30:0] != '0 ? b_q : c_q;
          cpe_pkg::VectorLess:   x = math_i.less ? cpe_vector_pkg::One : '0;
          default:               x = math_i.equal ? cpe_vector_pkg::One : '0;
        endcase
      end
    end
  end

  always_comb begin
    case (q)
      Take, Operate, Write, Reduce, Tree, Partial, Tail1, Tail4, Tail5: math_o.uses = active_i;
      default:                                                          math_o.uses = 1'b0;
    endcase
    math_o.left  = reducing ? there : a_q;
    math_o.right = reducing ? value_q : b_q;
    math_o.whole = number == cpe_pkg::NumberInt8 ? {{24{raw[7]}}, raw[7:0]} : raw;
    math_o.value = value_q;
  end

  assign product_o = {1'b0, x, factor, summand};

  fp32_special u_special (
    .clk_i,
    .en_i(active_i),
    .op_i(work_i.special),
    .x_i(value_q),
    .y_o(special_y)
  );

  // --- One step after the other -------------------------------------------------------------------------------------

  logic last, row_ends;

  // A sum goes on with -0 until the group is whole.
  assign last     = 17'(element_q) + 17'd1 >= 17'(work_i.elements);
  assign row_ends = last && (!sums || element_q[2:0] == 3'd7);

  assign complete_o      = q == Complete;
  assign fault_o         = q == Fault;
  assign fault_write_o   = item_q >= Result;
  assign fault_addr_o    = addr_q;
  assign group_o         = q == Next && (row_ends || element_q[2:0] == 3'd7);
  assign wait_operands_o = q == Read && !ready_i[0];
  assign wait_store_o    = q == Write && !ready_i[3];

  always_ff @(posedge clk_i) begin
    if (active_i) begin
      if (q == Start || q == Advance) base_q[item_q] <= q == Start ? {1'b0, first} : sum;
      if ((q == Tree && !element_q[{2'd0, level_q}]) || q == Keep || q == Tail2) sum_q[place] <= value_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      wait_q <= '0;
      case (q)
        Idle: begin
          item_q  <= '0;
          level_q <= '0;
          slot_q  <= done_i[SlotWidth-1:0];
          if (begun_i != done_i) q <= Start;
        end
        Start: begin
          item_q    <= item_q == Reduction ? '0 : item_q + 3'd1;
          element_q <= '0;
          rows_q    <= work_i.rows;
          partial_q <= '0;
          if (item_q == Reduction) q <= Address;
        end

        Address: begin
          addr_q <= sum;
          if (!view.used) q <= Take;
          else q <= sum[17] ? Fault : Read;
        end
        Read: if (ready_i[0]) q <= Take;
        Take: begin
          case (item_q)
            3'd0:    a_q <= view.used ? read : view.constant;
            3'd1:    b_q <= view.used ? read : view.constant;
            default: c_q <= view.used ? read : view.constant;
          endcase
          item_q <= item_q + 3'd1;
          q      <= item_q == 3'd2 ? Operate : Address;
        end

        Operate: begin
          after_q <= work_i.special != cpe_pkg::SpecialNone ? Special : Store;
          q       <= Compute;
        end
        Compute: begin
          wait_q <= wait_q + 3'd1;
          if (wait_q == 3'd2) begin
            value_q <= math_i.y;
            wait_q  <= '0;
            q       <= after_q;
          end
        end
        Special: begin
          wait_q <= wait_q + 3'd1;
          if (wait_q == 3'd4) begin
            value_q <= special_y;
            q       <= Store;
          end
        end

        Store: begin
          addr_q <= sum;
          if (!target_i.stored) q <= Reduce;
          else q <= sum[17] ? Fault : Write;
        end
        Write: if (ready_i[3]) begin
          q <= Reduce;
          if (item_q == Reduction) begin
            item_q <= '0;
            q      <= Advance;
          end
        end

        Reduce: begin
          q <= Keep;
          if (sums) q <= Tree;
          else if (work_i.reduce == cpe_pkg::ReduceNone) q <= Next;
          else if (element_q != '0) value_q <= work_i.reduce == cpe_pkg::ReduceMax ? math_i.largest : math_i.smallest;
        end
        Tree: begin
          after_q <= level_q == 2'd2 ? Partial : Tree;
          level_q <= level_q + 2'd1;
          q       <= element_q[{2'd0, level_q}] ? Compute : Next;
        end
        Partial: begin
          after_q <= Keep;
          q       <= Compute;
        end
        Keep: begin
          level_q <= '0;
          if (sums) partial_q[place[1:0]] <= 1'b1;
          q <= Next;
        end
        Next: begin
          level_q   <= '0;
          item_q    <= '0;
          element_q <= element_q + 16'd1;
          q         <= Address;
          if (row_ends) begin
            value_q <= sums || work_i.reduce == cpe_pkg::ReduceNone ? value_q : there;
            q       <= sums ? Tail0 : Reduced;
            item_q  <= Reduction;
            if (work_i.reduce == cpe_pkg::ReduceNone) begin
              item_q <= '0;
              q      <= Advance;
            end
          end else if (last) begin
            value_q <= cpe_vector_pkg::NegativeZero;
            q       <= Tree;
          end
        end

        // (p0 + p1) + (p2 + p3)
        Tail0, Tail3: begin
          value_q <= there;
          q       <= q == Tail0 ? Tail1 : Tail4;
        end
        Tail1, Tail4: begin
          after_q <= q == Tail1 ? Tail2 : Tail5;
          q       <= Compute;
        end
        Tail2: q <= Tail3;
        Tail5: begin
          after_q <= Reduced;
          q       <= Compute;
        end
        Reduced: begin
          addr_q <= sum;
          q      <= sum[17] ? Fault : Write;
        end

        Advance: begin
          item_q    <= item_q == Reduction ? '0 : item_q + 3'd1;
          element_q <= '0;
          partial_q <= '0;
          if (item_q == Reduction) begin
            rows_q <= rows_q - 16'd1;
            q      <= rows_q == 16'd1 ? Complete : Address;
          end
        end
        Complete: q <= Idle;
        default: ;
      endcase
      // What is offered stays so until it is taken.
      if (!rst_ni || (halt_i && !wait_operands_o && !wait_store_o)) q <= Idle;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (active_i && rst_ni) assert (math_i.ready == math_o.uses) else $error("somebody else goes first");
    if (active_i && rst_ni) assert (q <= Fault) else $error("state %0d", q);
  end
`endif

endmodule
