# SPDX-License-Identifier: Apache-2.0
# swai: the command line.

CLI_SOURCES := $(addprefix bench/, \
    allocation_figures.cpp \
    bench.cpp \
    card_of_its_own.cpp \
    copy_figures.cpp \
    empty_kernel.cpp \
    figures.cpp \
    launch_figures.cpp \
    measuring.cpp \
    on_processor.cpp \
    page_list.cpp \
    page_table.cpp \
    paper_table.cpp \
    svg.cpp \
    table_report.cpp \
) $(addprefix bench/llm/, \
    gains.cpp \
    language_job.cpp \
    llm.cpp \
    llm_tables.cpp \
    random_llama.cpp \
    timed_programs.cpp \
) $(addprefix bench/paper/, \
    breakdown_table.cpp \
    call_times.cpp \
    card_launches.cpp \
    eager.cpp \
    job_table.cpp \
    launch_costs.cpp \
    launch_tables.cpp \
    load_table.cpp \
    paper.cpp \
    random_speech.cpp \
    shares.cpp \
    speech_jobs.cpp \
) $(addprefix host/tools/swai/compare/, \
    compare.cpp \
    difference.cpp \
    different_line.cpp \
    interruption.cpp \
    record_file.cpp \
    report.cpp \
    side.cpp \
) $(addprefix host/tools/swai/flash/, \
    change.cpp \
    doctor.cpp \
    flash.cpp \
    list.cpp \
    look.cpp \
    targets.cpp \
) $(addprefix host/tools/swai/generate/, \
    conversation.cpp \
    generate.cpp \
    question.cpp \
    shared.cpp \
    stats.cpp \
    token_times.cpp \
    wish.cpp \
) $(addprefix host/tools/, \
    swai/any_model.cpp \
    swai/card_state.cpp \
    swai/cc.cpp \
    cli/cli.cpp \
    swai/copies.cpp \
    swai/daemon.cpp \
    cli/did_you_mean.cpp \
    swai/doctor.cpp \
    swai/documentation.cpp \
    swai/dump.cpp \
    swai/exec.cpp \
    swai/findings.cpp \
    swai/graph.cpp \
    swai/graph_run.cpp \
    swai/graph_template.cpp \
    swai/job.cpp \
    swai/kernel_arguments.cpp \
    swai/keys.cpp \
    swai/launch_wish.cpp \
    swai/list.cpp \
    swai/log.cpp \
    cli/measured.cpp \
    swai/model.cpp \
    cli/module_file.cpp \
    swai/onnx.cpp \
    cli/places.cpp \
    cli/progress.cpp \
    swai/reset.cpp \
    swai/run.cpp \
    swai/serve.cpp \
    swai/serve_models.cpp \
    cli/started_card.cpp \
    swai/swai.cpp \
    cli/table.cpp \
    swai/top.cpp \
    swai/trace_file.cpp \
    swai/trace_summary.cpp \
    swai/transcribe.cpp \
    swai/transcripts.cpp \
    swai/user_program.cpp \
    swai/words.cpp \
    cli/work_phases.cpp \
) $(addprefix host/lib/, \
    argument_text.cpp \
    argument_types.cpp \
    elf.cpp \
    grid_check.cpp \
    grid_text.cpp \
    prints.cpp \
    source_lines.cpp \
    stops.cpp \
)
CLI_LIBRARIES := $(addprefix $(B)/lib/, \
    programmers.a \
    flash.a \
    boards.a \
    write.a \
    http.a \
    generate.a \
    transcribe.a \
    walk.a \
    graph.a \
    onnx.a \
    models.a \
    audio.a \
    serve.a \
    socket.a \
    sdaa.a \
)
$(eval $(call cxx_program,swai,$(CLI_SOURCES),$(CLI_LIBRARIES) -lfmt -lusb-1.0 -lmicrohttpd -lprotobuf-lite $(AUDIO_LIBS) -lz))

# What reads the command line and writes tables has nothing to gain; what handles the card's data has.
$(B)/obj/O2/host/tools/swai/%.o $(B)/obj/O2/host/tools/cli/%.o $(B)/obj/O2/bench/%.o: LESS_CXXFLAGS := $(READS_OPTIONS)
$(addprefix $(B)/obj/O2/,$(addprefix host/tools/swai/,copies.o dump.o) \
  $(addprefix bench/,page_list.o page_table.o llm/random_llama.o paper/random_speech.o)): LESS_CXXFLAGS :=

# With the card that it starts, and the firmware, also that which measures.
SWAI_KERNELS := $(addprefix $(B)/cpe-kernels/,operators.elf swai-bench.elf)
SWAI_FIRMWARE := $(addprefix $(B)/firmware/,rom.hex flash.bin kernel.img alloc-bench.flash launch-bench.flash)
.PHONY: install-swai
install-files: install-swai
SWAI_PROGRAMS := $(addprefix $(B)/programs/,decode.elf listen.elf timed_launches.elf)
installable: $(B)/swai $(SIMULATORS)/swai-card $(B)/swai-card-fast $(B)/iss-cpe-run $(SWAI_KERNELS) $(SWAI_FIRMWARE) $(SWAI_PROGRAMS)
install-swai: installable
	$(Q)install -d $(SDAA_TO)/share/man/man1 $(SDAA_TO)/share/bash-completion/completions
	$(Q)install -D -m 755 -t $(SDAA_TO)/bin $(B)/swai $(B)/iss-cpe-run
	$(Q)ln -sf ../lib/swai/swai-card $(SDAA_TO)/bin/swai-card
	$(Q)install -D -m 755 -t $(SDAA_TO)/lib/swai $(SIMULATORS)/swai-card $(B)/swai-card-fast
	$(Q)install -D -m 644 -t $(SDAA_TO)/lib/swai/firmware $(SWAI_FIRMWARE)
	$(Q)install -D -m 644 -t $(SDAA_TO)/lib/swai/cpe-kernels $(SWAI_KERNELS)
	$(Q)install -D -m 644 -t $(SDAA_TO)/lib/swai/programs $(SWAI_PROGRAMS)
	$(Q)install -d $(SDAA_TO)/lib/systemd/user && $(SDAA_FILL) host/daemon/cards/swai.service.in >$(SDAA_TO)/lib/systemd/user/swai.service
	$(Q)$(B)/swai man >$(SDAA_TO)/share/man/man1/swai.1
	$(Q)$(B)/swai completion bash >$(SDAA_TO)/share/bash-completion/completions/swai
