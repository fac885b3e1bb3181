// SPDX-License-Identifier: Apache-2.0
// Types that the blocks of the management core share.
//
// Control bundles stay at or below 64 bits: the simulator handles those in one machine word.
package mpe_pkg;

  typedef enum logic [1:0] {
    PrivU = 2'd0,
    PrivS = 2'd1,
    PrivM = 2'd3
  } priv_e;

  // ---------------------------------------------------------------- exceptions
  typedef enum logic [3:0] {
    ExcFetchMisaligned = 4'd0,
    ExcFetchAccess     = 4'd1,
    ExcIllegal         = 4'd2,
    ExcBreakpoint      = 4'd3,
    ExcLoadMisaligned  = 4'd4,
    ExcLoadAccess      = 4'd5,
    ExcStoreMisaligned = 4'd6,
    ExcStoreAccess     = 4'd7,
    ExcEcallU          = 4'd8,
    ExcEcallS          = 4'd9,
    ExcEcallM          = 4'd11,
    ExcFetchPage       = 4'd12,
    ExcLoadPage        = 4'd13,
    ExcStorePage       = 4'd15
  } exc_e;

  // ---------------------------------------------------------------- decoded instruction
  typedef enum logic [3:0] {
    UnitAlu,
    UnitBranch,
    UnitJal,
    UnitJalr,
    UnitMul,
    UnitDiv,
    UnitMem,
    UnitCsr,
    UnitSys
  } unit_e;

  typedef enum logic [4:0] {
    AluAdd,     // (rs1 << shadd) + b; Zba's shNadd and .uw forms included
    AluSub,
    AluSll,
    AluSrl,
    AluSra,
    AluRol,
    AluRor,
    AluSlt,
    AluSltu,
    AluXor,
    AluOr,
    AluAnd,
    AluXnor,
    AluOrn,
    AluAndn,
    AluMin,
    AluMax,
    AluMinu,
    AluMaxu,
    AluClz,
    AluCtz,
    AluCpop,
    AluSextB,
    AluSextH,
    AluZextH,
    AluOrcB,
    AluRev8,
    AluPassB
  } alu_op_e;

  typedef enum logic [3:0] {
    MemLoad,
    MemStore,
    MemStorePair,  // two registers to 16 aligned bytes
    MemLr,
    MemSc,
    MemAmo,
    MemCboInval,
    MemCboClean,
    MemCboFlush,
    MemCboZero,
    MemFence,
    MemFenceI
  } mem_op_e;

  typedef enum logic [2:0] {
    SysEcall,
    SysEbreak,
    SysMret,
    SysSret,
    SysWfi,
    SysSfence
  } sys_op_e;

  typedef struct packed {
    logic           illegal;
    unit_e          unit;
    alu_op_e        alu_op;
    logic           word;        // 32-bit operation, result sign-extended
    logic           uw;          // first operand zero-extended from 32 bits
    logic [1:0]     shadd;
    logic           a_is_pc;
    logic           b_is_imm;
    logic [2:0]     funct3;
    mem_op_e        mem_op;
    logic [3:0]     amo_op;      // mbus_pkg::op_e; Yosys does not take a type of another package here
    sys_op_e        sys_op;
    logic           rs1_used;
    logic           rs2_used;
    logic [4:0]     rd;          // 0: writes nothing
    logic [4:0]     rs1;
    logic [4:0]     rs2;
  } ctrl_t;

  // ---------------------------------------------------------------- branch prediction
  typedef enum logic [1:0] {
    BrCond,
    BrJump,
    BrCall,
    BrReturn
  } br_kind_e;

  localparam int unsigned HistoryBits = 9;
  typedef logic [HistoryBits-1:0] history_t;   // outcomes of the latest conditional branches, youngest in bit 0

  // ---------------------------------------------------------------- address translation
  typedef enum logic [1:0] {
    AccFetch,
    AccLoad,
    AccStore,
    AccCbo      // needs read or write permission, faults as a store
  } access_e;

  typedef struct packed {
    logic         bad;     // access fault: physical address beyond 40 bits, or code in IO memory
    logic         uncached;
    logic         d;
    logic         u;
    logic         x;
    logic         w;
    logic         r;
    logic [1:0]   level;
    logic [27:0]  ppn;
  } tlb_entry_t;

  typedef struct packed {
    priv_e        mode;
    logic         sum;
    logic         mxr;
  } xlate_ctx_t;

  // May a page with these bits be accessed so? Used by the look-aside buffers and by the page walker alike.
  // (Constants are qualified because Yosys resolves them where the function is used.)
  function automatic logic access_ok(logic r, logic w, logic x, logic u, logic d, access_e access, xlate_ctx_t ctx);
    logic mode_ok, can_read, can_write;
    if (ctx.mode == mpe_pkg::PrivU) mode_ok = u;
    else mode_ok = !u || (ctx.sum && access != mpe_pkg::AccFetch);
    can_read  = r || (x && ctx.mxr);
    can_write = w && d;
    unique case (access)
      mpe_pkg::AccFetch: access_ok = mode_ok && x;
      mpe_pkg::AccLoad:  access_ok = mode_ok && can_read;
      mpe_pkg::AccStore: access_ok = mode_ok && can_write;
      default:  access_ok = mode_ok && (can_read || can_write);
    endcase
  endfunction

  // ---------------------------------------------------------------- data cache commands
  typedef enum logic [2:0] {
    DRead,
    DWrite,
    DZero,      // the whole line, which is not read from memory for that
    DHold,      // make it present, change nothing
    DClean,
    DFlush,
    DInval,
    DCleanAll
  } dcmd_e;

  // ---------------------------------------------------------------- performance events
  typedef enum logic [3:0] {
    EvNone       = 4'd0,
    EvICacheMiss = 4'd1,
    EvDCacheMiss = 4'd2,
    EvBranch     = 4'd3,
    EvMispredict = 4'd4,
    EvItlbMiss   = 4'd5,
    EvDtlbMiss   = 4'd6,
    EvLoad       = 4'd7,
    EvStore      = 4'd8,
    EvUseStall   = 4'd9,
    EvFetchEmpty = 4'd10,
    EvMemStall   = 4'd11,
    EvTrap       = 4'd12,
    EvUncached   = 4'd13,
    EvWriteBack  = 4'd14
  } event_e;

endpackage
