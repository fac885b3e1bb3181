// What the parts of a CPE (core, local memory, engines) and its core group agree on. docs/cpe.md tells how they work together.
//
// Scalar addresses (32 bits), by their upper four bits:
//   1  local memory (LDM), 128 KiB from 0x1000_0000
//   4  the daemon's code, 5 the kernel's code: windows on the segments that the group and the launch name
//   8  data window: what the window CSRs point to
//   C  arguments: a window on the launch's argument segment
// Everything else is vacant and faults. Code may lie in 4 and 5 only.
package cpe_pkg;

  localparam int unsigned LdmWidth = 17;  // address bits of the local memory

  localparam logic [3:0] SpaceLdm       = 4'h1;
  localparam logic [3:0] SpaceDaemon    = 4'h4;
  localparam logic [3:0] SpaceKernel    = 4'h5;
  localparam logic [3:0] SpaceWindow    = 4'h8;
  localparam logic [3:0] SpaceArguments = 4'hc;

  // Where a CPE is on the card.
  typedef struct packed {
    logic [1:0] group;
    logic [1:0] row;
    logic [2:0] column;
  } id_t;

  // --- Launch -------------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [31:0] pc;
    logic [31:0] argument;
    logic [31:0] mask;              // the CPEs that take part: bit row * columns + column
    logic [15:0] code_segment;
    logic [15:0] argument_segment;
  } launch_t;
  localparam int unsigned LaunchWidth = 3 * 32 + 2 * 16;

  // --- Faults -------------------------------------------------------------------------------------------------------

  typedef logic [4:0] cause_t;
  localparam cause_t CauseNone        = 5'd0;
  localparam cause_t CauseIllegal     = 5'd1;   // instruction, or access to a CSR that is not there
  localparam cause_t CauseBreakpoint  = 5'd2;   // ebreak, ecall
  localparam cause_t CauseMisaligned  = 5'd3;
  localparam cause_t CauseVacant      = 5'd4;   // a scalar address that names nothing
  localparam cause_t CauseCommand     = 5'd5;   // a unit was given a command that makes no sense
  localparam cause_t CauseNoSegment   = 5'd8;   // beyond the table, or an entry that is not valid
  localparam cause_t CauseLimit       = 5'd9;
  localparam cause_t CausePermission  = 5'd10;
  localparam cause_t CauseOwner       = 5'd11;  // the segment belongs to another context
  localparam cause_t CauseBus         = 5'd12;  // memory refused: nobody there, or protected
  localparam cause_t CausePoison      = 5'd13;  // memory was damaged
  localparam cause_t CauseWatchdog    = 5'd16;  // stopped by the group's watchdog
  localparam cause_t CauseKilled      = 5'd17;  // stopped by request

  typedef logic [1:0] access_t;
  localparam access_t AccessNone  = 2'd0;
  localparam access_t AccessFetch = 2'd1;
  localparam access_t AccessRead  = 2'd2;
  localparam access_t AccessWrite = 2'd3;

  localparam logic [15:0] NoSegment = 16'hffff;  // in records: `offset` is a scalar address, or nothing

  typedef struct packed {
    cause_t      cause;
    access_t     access;
    logic        dma;       // by an engine; pc is that of the instruction that began what it did
    logic [31:0] pc;
    logic [15:0] segment;
    logic [47:0] offset;
  } fault_t;
  localparam int unsigned FaultWidth = 5 + 2 + 1 + 32 + 16 + 48;

  // --- Units --------------------------------------------------------------------------------------------------------
  // custom-0 and custom-1 are R-type: the unit is {custom-1, funct3}, the operation funct7. The core holds `valid` and the
  // command until `ready`; the result for rd counts in the cycle of `ready`. A unit that waits just is not ready. `bad` with
  // `ready` refuses the command: a precise fault.

  typedef logic [3:0] unit_t;
  localparam unit_t UnitControl  = 4'd0;
  localparam unit_t UnitDma      = 4'd1;
  localparam unit_t UnitRow      = 4'd2;
  localparam unit_t UnitColumn   = 4'd3;
  localparam unit_t UnitSystolic = 4'd8;
  localparam unit_t UnitVector   = 4'd9;

  typedef struct packed {
    unit_t       target;
    logic [6:0]  op;
    logic [31:0] rs1;
    logic [31:0] rs2;
    logic [31:0] pc;
  } issue_t;
  localparam int unsigned IssueWidth = 4 + 7 + 3 * 32;

  // Control
  localparam logic [6:0] ControlLaunch   = 7'd0;  // sleeps until a launch comes; rd = its pc
  localparam logic [6:0] ControlArgument = 7'd1;  // rd = the launch's argument
  localparam logic [6:0] ControlDone     = 7'd2;  // the launch is over here, once all engines are idle
  localparam logic [6:0] ControlSync     = 7'd3;  // waits for all CPEs of the launch in the scope rs1: bit 0 row, 1 column, 2 all

  // DMA. A transfer's ticket counts the transfers begun by this CPE, modulo 2^32.
  localparam logic [6:0] DmaGlobal = 7'd0;  // {rs2, rs1} = global pointer of the next transfer
  localparam logic [6:0] DmaShape  = 7'd1;  // next transfer only: rs1 = {rows, LDM stride}, 16 bits each; rs2 = global stride, signed
  localparam logic [6:0] DmaLoad   = 7'd2;  // memory to LDM; rs1 = LDM address, rs2 = bytes (of a row); rd = ticket
  localparam logic [6:0] DmaStore  = 7'd3;  // LDM to memory
  localparam logic [6:0] DmaWait   = 7'd4;  // until transfer rs1 and all before it are complete
  localparam logic [6:0] DmaPoll   = 7'd5;  // rd = 1 when they are, else 0

  // Channels. Addresses and sizes are multiples of 32 bytes; tickets as with DMA, sends and receives counted apart.
  localparam logic [6:0] ChannelSend        = 7'd0;  // rs1 = LDM address, rs2 = {mask of receivers (8), bytes (24)}; rd = ticket
  localparam logic [6:0] ChannelReceive     = 7'd1;  // rs1 = LDM address, rs2 = {sender (8), bytes (24)}; rd = ticket
  localparam logic [6:0] ChannelWaitSend    = 7'd2;  // until send rs1 and all before it are complete
  localparam logic [6:0] ChannelWaitReceive = 7'd3;

  // Systolic unit (docs/systolic.md). The first nine set what the next run uses; they keep their values. Addresses are those of
  // the scalar core, in LDM. A column tile is 8 columns of the result, a k tile 8 of the products' indices.
  localparam logic [6:0] SystolicActivations = 7'd0;   // rs1 = address; rs2 = {stride of k tiles, stride of rows}, 16 bits each
  localparam logic [6:0] SystolicWeights     = 7'd1;   // rs1 = address; rs2 = {stride of k tiles, stride of rows in a tile}, 16 bits each
  localparam logic [6:0] SystolicColumns     = 7'd2;   // strides of column tiles: rs1 = weights, rs2 = output
  localparam logic [6:0] SystolicGroups      = 7'd3;   // rs1 = address of scales; rs2 = {column tile stride (24), k tiles per group (8)}
  localparam logic [6:0] SystolicOutput      = 7'd4;   // rs1 = address; rs2 = stride of rows
  localparam logic [6:0] SystolicFactors     = 7'd5;   // rs1 = address of the columns' factors, rs2 = of their biases
  localparam logic [6:0] SystolicRows        = 7'd6;   // rs1 = address of the rows' factors
  localparam logic [6:0] SystolicClamp       = 7'd7;   // rs1 = least, rs2 = largest result, both fp32
  localparam logic [6:0] SystolicSize        = 7'd8;   // rs1 = {column tiles, k tiles}, rs2 = {column tiles per block, rows}, 16 bits each
  localparam logic [6:0] SystolicRun         = 7'd16;  // rs1 = systolic_mode_t; rd = ticket
  localparam logic [6:0] SystolicWait        = 7'd17;  // until run rs1 and all before it are complete
  localparam logic [6:0] SystolicPoll        = 7'd18;  // rd = 1 when they are, else 0

  typedef logic [1:0] weights_t;
  localparam weights_t WeightsInt8   = 2'd0;
  localparam weights_t WeightsInt4   = 2'd1;  // 64 in 32 bytes, scales and zeros by groups
  localparam weights_t WeightsSparse = 2'd2;  // 1x4 blocks with their k; activations lie by k

  typedef logic [1:0] number_t;       // of elements in LDM
  localparam number_t NumberFp32  = 2'd0;
  localparam number_t NumberInt32 = 2'd1;
  localparam number_t NumberFp16  = 2'd2;
  localparam number_t NumberInt8  = 2'd3;

  typedef struct packed {
    logic [20:0]  reserved;     // 0
    logic         clamp;        // the scaled result
    logic         bias;
    logic         row_factors;
    number_t      result;       // int32 as it is; the others are scaled
    logic         drain;        // else the sums stay where they are
    logic         half;         // of the accumulators, for the first block
    logic         keep;         // adds to what the accumulators hold; one block only
    logic         by_column;    // rows of a weight tile in memory are its columns
    weights_t     weights;
  } systolic_mode_t;
  localparam int unsigned SystolicModeWidth = 32;

  // Vector unit (docs/vector.md). The first six set what the next run uses; they keep their values.
  localparam logic [6:0] VectorA      = 7'd0;   // rs1 = address, or value; rs2 = vector_operand_t
  localparam logic [6:0] VectorB      = 7'd1;
  localparam logic [6:0] VectorC      = 7'd2;
  localparam logic [6:0] VectorResult = 7'd3;   // rs1 = address; rs2 = vector_operand_t
  localparam logic [6:0] VectorReduce = 7'd4;   // rs1 = address of the rows' reductions (fp32); rs2 = their stride
  localparam logic [6:0] VectorSize   = 7'd5;   // rs1 = elements of a row, rs2 = rows
  localparam logic [6:0] VectorRun    = 7'd16;  // rs1 = vector_mode_t; rd = ticket
  localparam logic [6:0] VectorWait   = 7'd17;  // until run rs1 and all before it are complete
  localparam logic [6:0] VectorPoll   = 7'd18;  // rd = 1 when they are, else 0

  typedef logic [1:0] operand_kind_t;
  localparam operand_kind_t OperandVector = 2'd0;  // an element of LDM for each element
  localparam operand_kind_t OperandScalar = 2'd1;  // an element of LDM for each row
  localparam operand_kind_t OperandValue  = 2'd2;  // rs1 itself, fp32
  localparam operand_kind_t OperandNone   = 2'd3;  // results only: they are not stored

  typedef struct packed {
    logic [7:0]    reserved;  // 0
    logic          negate;
    logic          magnitude; // before negation
    operand_kind_t kind;
    number_t       number;
    logic [17:0]   stride;    // of rows, bytes, signed
  } vector_operand_t;
  localparam int unsigned VectorOperandWidth = 32;

  typedef logic [2:0] vector_op_t;
  localparam vector_op_t VectorFma    = 3'd0;  // a * b + c, rounded once
  localparam vector_op_t VectorMul    = 3'd1;  // a * b
  localparam vector_op_t VectorAdd    = 3'd2;  // a + c
  localparam vector_op_t VectorMin    = 3'd3;  // of a and b
  localparam vector_op_t VectorMax    = 3'd4;
  localparam vector_op_t VectorLess   = 3'd5;  // a < b ? 1 : 0
  localparam vector_op_t VectorEqual  = 3'd6;
  localparam vector_op_t VectorSelect = 3'd7;  // a != 0 ? b : c

  typedef logic [2:0] special_t;  // what is done with the outcome
  localparam special_t SpecialNone       = 3'd0;
  localparam special_t SpecialExp2       = 3'd1;
  localparam special_t SpecialLog2       = 3'd2;
  localparam special_t SpecialReciprocal = 3'd3;
  localparam special_t SpecialRoot       = 3'd4;  // 1 / square root

  typedef logic [1:0] reduce_t;   // what is done with the results of a row, before they are converted
  localparam reduce_t ReduceNone = 2'd0;
  localparam reduce_t ReduceSum  = 2'd1;
  localparam reduce_t ReduceMin  = 2'd2;
  localparam reduce_t ReduceMax  = 2'd3;

  typedef struct packed {
    logic [22:0] reserved;  // 0
    logic        overlap;   // may begin before the runs before it have ended
    reduce_t     reduce;
    special_t    special;
    vector_op_t  op;
  } vector_mode_t;
  localparam int unsigned VectorModeWidth = 32;

  // --- Memory -------------------------------------------------------------------------------------------------------
  // A CPE asks its group for 1 to 64 bytes of global memory that lie in one 64-byte line. Byte `offset` travels in lane
  // `lane`, the next in lane + 1 modulo 64: the group aligns. Every request gets one response, in any order; it finds the CPE
  // ready.

  localparam int unsigned MemTags = 8;

  typedef struct packed {
    logic         write;
    logic         scalar;   // by the scalar core, whose tag is 0; else by DMA
    logic [2:0]   tag;
    logic [15:0]  segment;
    logic [47:0]  offset;
    logic [5:0]   lane;
    logic [6:0]   bytes;
    logic [511:0] data;
  } mem_req_t;
  localparam int unsigned MemReqWidth = 2 + 3 + 16 + 48 + 6 + 7 + 512;

  typedef logic [1:0] mem_kind_t;
  localparam mem_kind_t MemDma    = 2'd0;
  localparam mem_kind_t MemScalar = 2'd1;
  localparam mem_kind_t MemFetch  = 2'd2;  // the 64-byte line of code that the CPE waits for

  typedef struct packed {
    mem_kind_t    kind;
    logic [2:0]   tag;
    cause_t       cause;
    logic [511:0] data;
  } mem_rsp_t;
  localparam int unsigned MemRspWidth = 2 + 3 + 5 + 512;

endpackage
