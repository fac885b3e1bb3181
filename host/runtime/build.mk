# SPDX-License-Identifier: Apache-2.0
# The runtime library that programs use the card with: an archive for our own programs, libsdaa.so for everybody's.

SDAA_SOURCES := $(addprefix host/runtime/, \
    allocations.cpp \
    api_absent.cpp \
    api_copy.cpp \
    api_device.cpp \
    api_function.cpp \
    api_graph.cpp \
    api_graph_nodes.cpp \
    api_journal.cpp \
    api_memory.cpp \
    api_module.cpp \
    api_pool.cpp \
    api_profiler.cpp \
    api_program.cpp \
    api_stream.cpp \
    api_symbol.cpp \
    capture.cpp \
    card_events.cpp \
    card_memory.cpp \
    client_usage.cpp \
    connection.cpp \
    copy.cpp \
    copy_shape.cpp \
    device.cpp \
    device_memory.cpp \
    error.cpp \
    files.cpp \
    firmware.cpp \
    graph.cpp \
    graph_build.cpp \
    host_calls.cpp \
    host_copies.cpp \
    host_memory.cpp \
    journal.cpp \
    kernel_names.cpp \
    launch.cpp \
    long_wait.cpp \
    memory_check.cpp \
    memory_report.cpp \
    peers.cpp \
    pool.cpp \
    printing.cpp \
    profile.cpp \
    profiler.cpp \
    program.cpp \
    program_file.cpp \
    program_queues.cpp \
    properties.cpp \
    queue_failure.cpp \
    queue_writer.cpp \
    queues.cpp \
    record.cpp \
    recorder.cpp \
    request_words.cpp \
    runtime.cpp \
    service_copies.cpp \
    staging.cpp \
    stream_writer.cpp \
    streams.cpp \
    two_level.cpp \
    variable_memory.cpp \
    waiting.cpp \
)
SDAA_PARTS := $(SDAA_SOURCES) $(LINK_SOURCES) $(addprefix host/lib/, \
    argument_types.cpp \
    grid_check.cpp \
    prints.cpp \
    sha256.cpp \
    source_lines.cpp \
    stops.cpp \
    events_file.cpp \
    variables.cpp \
) $(addprefix abi/, \
    module_reader.cpp \
)
$(eval $(call cxx_library,sdaa,$(SDAA_PARTS)))

SDAA_VERSION := 1.0
# Programs that use the library need no fmt beside it.
SDAA_SO_SOURCES := $(SDAA_PARTS) host/runtime/fmt.cpp
$(eval $(call shared_objects,host/runtime/fmt.cpp))
SDAA_SO := libsdaa.so.$(firstword $(subst ., ,$(SDAA_VERSION)))
SDAA_LINK := -shared -Wl,-soname,$(SDAA_SO) -Wl,--version-script=host/runtime/libsdaa.map -Wl,-z,defs -pthread
$(eval $(call text_file,$(B)/obj/libsdaa.link,SDAA_LINK))
$(B)/$(SDAA_SO): $(call objects_of,$(SDAA_SO_SOURCES)) host/runtime/libsdaa.map $(B)/obj/libsdaa.link
	$(call say,LINK,$@)
	$(Q)$(CXX) $(SDAA_LINK) -o $@ $(filter %.o,$^)

PREFIX ?= /usr/local
SDAA_TO := $(DESTDIR)$(PREFIX)
SDAA_FILL = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(SDAA_VERSION)|'
# What is installed. Tests that install need it: two that made the same file at the same time would tread on each other.
.PHONY: install install-files installable
install: ## install swai, runtime library and sdaacc, below DESTDIR (none) and PREFIX (/usr/local)
	@$(STEPS) $(MAKE) install-files
installable: $(B)/$(SDAA_SO)
install-files: installable
	$(call say,INSTALL,$(SDAA_TO))
	$(Q)install -d $(SDAA_TO)/bin $(SDAA_TO)/include/sdaa $(SDAA_TO)/lib/pkgconfig $(SDAA_TO)/lib/cmake/sdaa
	$(Q)install -m 644 host/runtime/include/sdaa_runtime.h $(SDAA_TO)/include/
	$(Q)install -m 644 host/runtime/include/sdaa/* $(SDAA_TO)/include/sdaa/
	$(Q)install -m 644 $(B)/$(SDAA_SO) $(SDAA_TO)/lib/
	$(Q)ln -sf $(SDAA_SO) $(SDAA_TO)/lib/libsdaa.so
	$(Q)$(SDAA_FILL) host/runtime/sdaa.pc.in >$(SDAA_TO)/lib/pkgconfig/sdaa.pc
	$(Q)$(SDAA_FILL) host/runtime/sdaaConfig.cmake.in >$(SDAA_TO)/lib/cmake/sdaa/sdaaConfig.cmake
	$(Q)$(SDAA_FILL) host/runtime/sdaaConfigVersion.cmake.in >$(SDAA_TO)/lib/cmake/sdaa/sdaaConfigVersion.cmake
	@# sdaacc finds what belongs to it where it is in the repository.
	$(Q)for file in $(sort $(CPE_COMMON) $(PROGRAM_COMMON)); do install -D -m 644 $$file $(SDAA_TO)/lib/sdaa/$$file; done
	$(Q)chmod 755 $(SDAA_TO)/lib/sdaa/cpe-kernels/sdk/compiler/sdaacc
	$(Q)ln -sf ../lib/sdaa/cpe-kernels/sdk/compiler/sdaacc $(SDAA_TO)/bin/sdaacc
