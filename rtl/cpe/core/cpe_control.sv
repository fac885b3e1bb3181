// SPDX-License-Identifier: Apache-2.0
// The control unit of a CPE: takes launches, waits at barriers, tells when the CPE may sleep, and collects faults.
//
// launch_*: a launch is taken in the cycle in which valid and ready are high; ready says that the core waits for one
//   (ControlLaunch), which then goes on at the next edge. launch_o is the launch taken last. finished_o: none runs here.
// arrive_o: level, one bit per scope, from the cycle after ControlSync was issued until release_i of that scope, in whose
//   cycle the core goes on.
// A fault of the core or an engine is kept until reset; from the cycle after it everything in this CPE has to stop (stop_o), as it has
//   while halt_i is high. Of two faults at once the engine's counts: its instruction came first.
// asleep_o: no edge of the clock would change anything in this CPE, unless launch_valid_i, release_i, halt_i, a response,
//   channel data, an access from outside or an invalidation comes: the group stops the clock then (cg_wake). It is made of
//   registers, and of inputs that are.
// Refused (bad): an unknown operation; ControlLaunch while a launch runs, the others while none does; a ControlSync whose
//   scope is not exactly one bit; ControlLaunch and ControlDone of code that is not the daemon's: whoever issues them goes on
//   with the rights of the launch that comes next.
module cpe_control (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             halt_i,

  input  logic             issue_valid_i,       // for this unit
  input  cpe_pkg::issue_t  issue_i,
  output logic             issue_ready_o,
  output logic [31:0]      issue_rdata_o,
  output logic             issue_bad_o,

  input  logic             launch_valid_i,
  output logic             launch_ready_o,
  input  cpe_pkg::launch_t launch_i,
  output cpe_pkg::launch_t launch_o,
  output logic             finished_o,

  output logic [2:0]       arrive_o,            // row, column, all
  input  logic [2:0]       release_i,

  input  logic             engines_busy_i,
  input  logic             core_waiting_i,
  input  logic             halted_i,
  output logic             asleep_o,

  input  logic             core_fault_valid_i,  // levels
  input  cpe_pkg::fault_t  core_fault_i,
  input  logic             engine_fault_valid_i,
  input  cpe_pkg::fault_t  engine_fault_i,
  output logic             stop_o,
  output logic             fault_valid_o,
  output cpe_pkg::fault_t  fault_o
);

  logic             active_q, fault_valid_q;
  logic [2:0]       arrive_q;
  cpe_pkg::launch_t launch_q;
  cpe_pkg::fault_t  fault_q;

  logic issue, is_launch, is_argument, is_done, is_sync, one_scope, daemon, released, good, fault_new;

  // A transfer that failed ends the launch as failed: ControlDone must not come before the fault is noted.

  // An arrival is known to the group before its release counts.
  always_comb begin
    issue          = 1'b0;
    good           = 1'b0;
    released       = 1'b0;
    launch_ready_o = 1'b0;
    is_launch      = 1'b0;
    is_argument    = 1'b0;
    is_done        = 1'b0;
    is_sync        = 1'b0;
    one_scope      = 1'b0;
    daemon         = 1'b0;
    if (issue_valid_i) begin
      is_launch      = issue_i.op == cpe_isa_pkg::ControlLaunch;
      is_argument    = issue_i.op == cpe_isa_pkg::ControlArgument;
      is_done        = issue_i.op == cpe_isa_pkg::ControlDone;
      is_sync        = issue_i.op == cpe_isa_pkg::ControlSync;
      one_scope      = issue_i.rs1 == 32'd1 || issue_i.rs1 == 32'd2 || issue_i.rs1 == 32'd4;
      daemon         = issue_i.pc[31:28] == cpe_isa_pkg::SpaceDaemon;
      issue          = !stop_o && !engine_fault_valid_i;
      good           = active_q ? is_argument || (is_done && daemon) || (is_sync && one_scope) : is_launch && daemon;
      released       = (arrive_q & release_i) != '0;
      launch_ready_o = issue && is_launch && daemon && !active_q;
    end
  end

  always_comb begin
    issue_ready_o = 1'b0;
    issue_rdata_o = '0;
    issue_bad_o   = 1'b0;
    if (issue) begin
      issue_bad_o   = !good;
      issue_rdata_o = is_launch ? launch_i.pc : launch_q.argument;
      if (!good) issue_ready_o = 1'b1;
      else if (is_launch) issue_ready_o = launch_valid_i;
      else if (is_done) issue_ready_o = !engines_busy_i;
      else if (is_sync) issue_ready_o = released;
      else issue_ready_o = 1'b1;
    end
  end

  assign fault_new = (core_fault_valid_i || engine_fault_valid_i) && !fault_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q      <= 1'b0;
      arrive_q      <= '0;
      fault_valid_q <= 1'b0;
      fault_q       <= '0;      // no fault, to whoever reads it
    end else begin
      if (issue || arrive_q != '0) begin
        if (issue_ready_o && good && (is_launch || is_done)) active_q <= is_launch;
        arrive_q <= issue && is_sync && good && !released ? issue_i.rs1[2:0] : '0;
      end
      if (fault_new) begin
        fault_valid_q <= 1'b1;
        fault_q       <= engine_fault_valid_i ? engine_fault_i : core_fault_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (launch_ready_o && launch_valid_i) launch_q <= launch_i;
  end

  assign launch_o      = launch_q;
  assign finished_o    = !active_q;
  assign arrive_o      = arrive_q;
  assign stop_o        = halt_i || fault_valid_q;
  assign fault_valid_o = fault_valid_q;
  assign fault_o       = fault_q;

  // Waiting for a launch, or at a barrier that knows of us; or stopped for good.
  logic waits;
  always_comb begin
    asleep_o = 1'b0;
    waits    = 1'b0;
    if (core_waiting_i || halted_i) begin
      waits    = core_waiting_i && issue && (launch_ready_o || arrive_q != '0);
      asleep_o = !engines_busy_i && !fault_new && (waits || (fault_valid_q && halted_i));
    end
  end

  logic unused;
  assign unused = ^{issue_i.target, issue_i.rs2, issue_i.pc[27:0]};

endmodule
