# SPDX-License-Identifier: Apache-2.0
# Boards that `swai flash` writes and swai-usb-board emulates: data, which is installed as it is.

.PHONY: install-boards
install-files: install-boards
install-boards:
	$(Q)for board in $(patsubst boards/%/board.json,%,$(wildcard boards/*/board.json)); do \
	  install -D -m 644 -t $(SDAA_TO)/lib/swai/boards/$$board boards/$$board/*; \
	done
	$(Q)install -m 644 -t $(SDAA_TO)/lib/swai/boards boards/70-swai-boards.rules
	$(Q)install -D -m 644 -t $(SDAA_TO)/lib/udev/rules.d boards/70-swai-boards.rules
