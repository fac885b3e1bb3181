// SPDX-License-Identifier: Apache-2.0
// Sleep and wake of one CPE: cg_wake with cpe_control, a core that may do whatever a core may do, engines that are busy when they
// like, and the group's side of a launch as cg_launch has it.
//
// The control unit here has a clock that never stops. What is proved is that each edge that cg_wake would have left out changes
// nothing, in the control unit or in the core, so that it may be left out; that every doorbell is taken once and brings its own
// launch, at the latest in the cycle in which the core waits for it; that a release is not slept through; and that a CPE that
// waits for a launch, with nothing for it, really sleeps.
module fv_wake (
  input logic        clk_i,
  input logic        bell_i,       // a doorbell of this CPE
  input logic [1:0]  bell_pc_i,
  input logic        kill_i,       // stop, drain, reset
  input logic        disable_i,    // ... and stay there for a while
  input logic        nudge_i,      // whatever else wakes
  input logic        invalidate_i,
  input logic        asks_i,       // the core turns to the control unit
  input logic [6:0]  op_i,
  input logic [2:0]  scope_i,
  input logic        daemon_i,     // ... from its code
  input logic        others_i,     // at the barrier
  input logic        engines_i,
  input logic        core_fault_i,
  input logic        dma_fault_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  // ------------------------------------------------------------------------------------------------- the group's side

  logic       offered_q, halt_q, up_q, parked_q;
  logic [1:0] pc_q, reset_q, halted_for_q;
  logic       launch_ready, launch_valid, finished, quiet;

  // One launch at a time, as one does not start before the last has ended.
  logic bell;
  assign bell         = bell_i && !offered_q && finished;
  assign launch_valid = offered_q && up_q && !halt_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      offered_q    <= 1'b0;
      halt_q       <= 1'b0;
      up_q         <= 1'b0;
      parked_q     <= 1'b0;
      reset_q      <= '1;
      halted_for_q <= '0;
    end else begin
      if (bell) offered_q <= 1'b1;
      else if (launch_valid && launch_ready) offered_q <= 1'b0;
      halted_for_q <= !halt_q ? '0 : halted_for_q != '1 ? halted_for_q + 1'b1 : halted_for_q;
      if (up_q) begin
        if (kill_i) halt_q <= 1'b1;
        if (halt_q && halted_for_q == '1 && quiet) begin
          up_q    <= 1'b0;
          halt_q  <= 1'b0;
          reset_q <= '1;
        end
      end else begin
        if (reset_q != '0) reset_q <= reset_q - 1'b1;
        parked_q <= reset_q == '0 && disable_i;
        if (reset_q == '0 && !disable_i && !parked_q) up_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (bell) pc_q <= bell_pc_i;
  end

  // --------------------------------------------------------------------------------------------------------- the core

  typedef enum logic [1:0] {
    Works,
    Asks,
    Stands
  } core_e;

  core_e           core_q;
  logic            waiting_q, core_fault_q, dma_fault_q, engines_q;
  logic [6:0]      op_q;
  logic [2:0]      scope_q;
  logic            daemon_q;
  logic            ready, bad, asleep, stop, fault_valid, enable;
  logic [2:0]      arrive;
  logic [31:0]     rdata;
  logic            release_q;
  cpe_pkg::issue_t  issue;
  cpe_pkg::launch_t launch, taken;
  cpe_pkg::fault_t  fault;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      core_q       <= Works;
      waiting_q    <= 1'b0;
      core_fault_q <= 1'b0;
      dma_fault_q  <= 1'b0;
      engines_q    <= 1'b0;
    end else if (!up_q) begin
      core_q       <= Works;
      waiting_q    <= 1'b0;
      core_fault_q <= 1'b0;
      dma_fault_q  <= 1'b0;
      engines_q    <= 1'b0;
    end else begin
      unique case (core_q)
        Works: begin
          if (stop || core_fault_q) core_q <= Stands;
          else if (asks_i) core_q <= Asks;
          if (!stop && core_fault_i) core_fault_q <= 1'b1;
          // Engines begin only while the core works, and end when they like, with a fault or without.
          if (!stop && engines_i) engines_q <= 1'b1;
        end
        Asks: begin
          waiting_q <= !ready && !stop;
          if (stop) core_q <= Stands;
          else if (ready) core_q <= Works;
        end
        default: ;
      endcase
      if (engines_q && !engines_i) begin
        engines_q <= 1'b0;
        if (dma_fault_i) dma_fault_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (core_q == Works) begin
      op_q     <= op_i;
      scope_q  <= scope_i;
      daemon_q <= daemon_i;
    end
  end

  // The barrier: released when the others have come as well, as cg_sync does it.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) release_q <= 1'b0;
    else release_q <= arrive != '0 && !release_q && others_i;
  end

  always_comb begin
    issue            = '0;
    issue.op         = op_q;
    issue.rs1        = {29'b0, scope_q};
    issue.pc         = {daemon_q ? cpe_isa_pkg::SpaceDaemon : cpe_isa_pkg::SpaceKernel, 28'b0};
    launch           = '0;
    launch.pc        = {30'b0, pc_q};
  end
  assign quiet = core_q == Stands && !engines_q;

  logic rst_n;
  assign rst_n = up_q && rst_ni;

  cpe_control u_control (
    .clk_i,
    .rst_ni            (rst_n),
    .halt_i            (halt_q),
    .issue_valid_i     (core_q == Asks),
    .issue_i           (issue),
    .issue_ready_o     (ready),
    .issue_rdata_o     (rdata),
    .issue_bad_o       (bad),
    .launch_valid_i    (launch_valid),
    .launch_ready_o    (launch_ready),
    .launch_i          (launch),
    .launch_o          (taken),
    .finished_o        (finished),
    .arrive_o          (arrive),
    .release_i         ({3{release_q}}),
    .engines_busy_i    (engines_q),
    .core_waiting_i    (waiting_q),
    .halted_i          (core_q == Stands),
    .asleep_o          (asleep),
    .core_fault_valid_i(core_fault_q),
    .core_fault_i      ('0),
    .engine_fault_valid_i(dma_fault_q),
    .engine_fault_i    ('0),
    .stop_o            (stop),
    .fault_valid_o     (fault_valid),
    .fault_o           (fault)
  );

  logic clk_unused;
  cg_wake u_wake (
    .clk_i,
    .parked_i    (parked_q),
    .asleep_i    (asleep),
    .reset_i     (!up_q),
    .launch_i    (launch_valid),
    .release_i   (release_q),
    .response_i  (nudge_i),
    .channel_i   (1'b0),
    .access_i    (1'b0),
    .halt_i      (halt_q),
    .invalidate_i(invalidate_i),
    .enable_o    (enable),
    .clk_o       (clk_unused)
  );

  // ------------------------------------------------------------------------------------------------------- properties

  logic        seen_q, enable_q, up_before_q, daemon_before_q;
  logic        finished_q, fault_valid_q;
  core_e       core_before_q;
  logic        waiting_before_q, core_fault_before_q, dma_fault_before_q, engines_before_q;
  logic [2:0]  arrive_q;
  logic [1:0]  taken_q;
  logic        takes_q, took_q, owed_q;
  logic [1:0]  took_pc_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      seen_q <= 1'b0;
      owed_q <= 1'b0;
      took_q <= 1'b0;
    end else begin
      seen_q <= 1'b1;
      // A doorbell is owed a launch until the core has got one, or is stopped with it.
      if (bell) owed_q <= 1'b1;
      else if (core_q == Asks && ready && !bad && op_q == cpe_isa_pkg::ControlLaunch) owed_q <= 1'b0;
      took_q <= launch_valid && launch_ready;
    end
  end

  always_ff @(posedge clk_i) begin
    enable_q            <= enable;
    up_before_q         <= up_q;
    daemon_before_q     <= daemon_q;
    finished_q          <= finished;
    fault_valid_q       <= fault_valid;
    core_before_q       <= core_q;
    waiting_before_q    <= waiting_q;
    core_fault_before_q <= core_fault_q;
    dma_fault_before_q  <= dma_fault_q;
    engines_before_q    <= engines_q;
    arrive_q            <= arrive;
    taken_q             <= taken.pc[1:0];
    took_pc_q           <= pc_q;
  end

  always_comb begin
    if (rst_ni) begin
      // An edge that is left out changes nothing.
      if (seen_q && !enable_q && up_before_q && up_q) begin
        assert (finished == finished_q);
        assert (fault_valid == fault_valid_q);
        assert (arrive == arrive_q);
        assert (taken.pc[1:0] == taken_q);
        assert (core_q == core_before_q);
        assert (waiting_q == waiting_before_q);
        assert (core_fault_q == core_fault_before_q);
        assert (dma_fault_q == dma_fault_before_q);
        assert (engines_q == engines_before_q);
      end
      // Only the daemon's code takes launches and ends them.
      if (seen_q && up_before_q && up_q && !daemon_before_q) assert (finished == finished_q);
      if (launch_ready) assert (daemon_q);
      // A failed transfer is not followed by the end of the launch.
      if (seen_q && up_before_q && up_q && dma_fault_before_q) assert (finished == finished_q);
      // Whoever is stopped has a clock, and in reset until it is parked.
      if (halt_q) assert (enable);
      if (parked_q) assert (!up_q);
      if (!up_q) assert (enable == !parked_q);
      // No doorbell is lost, and none is taken twice.
      assert (owed_q == offered_q);
      if (launch_valid && core_q == Asks && op_q == cpe_isa_pkg::ControlLaunch && daemon_q && !stop && !dma_fault_q) assert (ready && enable);
      if (core_q == Asks && ready && !bad && op_q == cpe_isa_pkg::ControlLaunch) begin
        assert (launch_valid && launch_ready);
        assert (rdata[1:0] == pc_q);
      end
      if (took_q && up_q) assert (taken.pc[1:0] == took_pc_q && !finished);
      // A release is not slept through, and comes to somebody who waits for it, or has been stopped meanwhile.
      if (release_q) assert (enable || !up_q || arrive == '0);
      if (release_q && arrive != '0 && !stop && !dma_fault_q) assert (ready);
      if (arrive != '0 && !stop) assert (core_q == Asks && op_q == cpe_isa_pkg::ControlSync);
      // Who waits sleeps.
      if (up_q && core_q == Asks && waiting_q && (op_q == cpe_isa_pkg::ControlLaunch || op_q == cpe_isa_pkg::ControlSync) && !engines_q && !stop &&
          !dma_fault_q && !launch_valid && !nudge_i && !release_q && !invalidate_i) assert (!enable);
    end
  end

endmodule
