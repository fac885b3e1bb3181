# SPDX-License-Identifier: Apache-2.0
# A package for Debian: what `make install` installs, below /usr, and examples that are ready to run. It is for every x86 processor,
# unless MACHINE says otherwise. DEB_TO: the folder where it goes.

DEB_TO ?= $(B)/deb
DEB_ROOT := $(DEB_TO)/root

.PHONY: deb deb-package
deb: ## a Debian package, build/deb/swai_VERSION_ARCHITECTURE.deb, for machines without compilers
	@scripts/install-deps.sh deb
	@$(STEPS) $(MAKE) MACHINE=$(if $(filter command,$(origin MACHINE)),$(MACHINE),x86-64) deb-package

deb-package: $(PACKAGED_EXAMPLES) $(EXAMPLES)
	$(Q)rm -rf $(DEB_ROOT)
	$(Q)umask 022 && $(MAKE) install-files DESTDIR=$(DEB_ROOT) PREFIX=/usr
	$(Q)for example in $(notdir $(PACKAGED_EXAMPLES)); do \
	  install -D -m 755 -t $(DEB_ROOT)/usr/lib/swai/examples/$$example $(B)/packaged/$$example; \
	  install -D -m 644 -t $(DEB_ROOT)/usr/lib/swai/examples/$$example $(B)/examples/$$example/*.elf; \
	  install -D -m 644 -t $(DEB_ROOT)/usr/share/doc/swai/examples/$$example examples/$$example/*.*; \
	done
	$(Q)install -m 644 -t $(DEB_ROOT)/usr/share/doc/swai/examples examples/README.md examples/check.hpp
	$(call say,PACKAGE,$(DEB_TO))
	$(Q)umask 022 && $(PYTHON) scripts/make-deb.py $(DEB_ROOT) $(DEB_TO) $(SDAA_VERSION) $(VERSION)
