/* SPDX-License-Identifier: Apache-2.0 */
/* What the card tells about itself.
 *
 * Two journals on the card: its firmware's log, and faults. Both can be read when the firmware has ended,
 * too, and no program that is using the card notices. Records are counted since power-on: *position is the
 * first one that is wanted, and afterwards the one to go on with; *lost is how many of those in between the
 * card does not have any more. */
#ifndef SDAA_JOURNAL_H
#define SDAA_JOURNAL_H

#include "error.h"

SDAA_C_BEGIN

typedef enum sdaaSeverity {
  sdaaSeverityInfo = 0,
  sdaaSeverityWarning = 1,
  sdaaSeverityError = 2
} sdaaSeverity;

typedef struct sdaaLogRecord_t {
  uint64_t position;
  uint64_t cycle; /* since the card's processor was reset */
  sdaaSeverity severity;
  int id; /* which line it is: text with other arguments */
  uint64_t arguments[6];
  char text[160];
} sdaaLogRecord_t;
SDAA_API sdaaError_t sdaaDeviceReadLog(sdaaLogRecord_t* records, unsigned int room, unsigned int* count,
                                       uint64_t* position, uint64_t* lost, int device);

typedef enum sdaaFaultKind {
  sdaaFaultKernel = 1,        /* a kernel was stopped for what it did */
  sdaaFaultKernelTimeout = 2, /* or because it ran too long */
  sdaaFaultTransfer = 3,      /* the DMA engine could not copy */
  sdaaFaultBadCommand = 4,    /* what lay in a queue was no command */
  sdaaFaultBadRequest = 5,    /* what was asked for is no request */
  sdaaFaultGroupLost = 6,     /* a core group does not answer any more */
  sdaaFaultFirmware = 7,      /* the firmware itself ended; noted when it was started again */
  sdaaFaultStatusPage = 8,    /* the DMA engine could not tell the host what is complete */
  sdaaFaultProgram = 9,       /* a model program was stopped for what it did */
  sdaaFaultKernelStuck = 10   /* a kernel was stopped because none of its cores could go on */
} sdaaFaultKind;

typedef struct sdaaFaultRecord_t {
  uint64_t position;
  uint64_t cycle; /* since the card's processor was reset */
  sdaaFaultKind kind;
  uint64_t count; /* of this kind, since power-on */
  int cause;      /* as the hardware numbers it; -1: none */
  int group;      /* these, too: -1: none */
  int core;
  int channel; /* of the DMA engine */
  int segment; /* of the address */
  int queue;   /* of the command that failed, and its number there */
  uint32_t command;
  uint64_t address;
  uint64_t pc;
  char causeText[64];
  char text[192];
} sdaaFaultRecord_t;
SDAA_API sdaaError_t sdaaDeviceReadFaults(sdaaFaultRecord_t* records, unsigned int room, unsigned int* count,
                                          uint64_t* position, uint64_t* lost, int device);

/* What the firmware left when it ended, with the processor's registers. It stays until another one takes its
 * place. */
typedef struct sdaaFirmwareFault_t {
  int kind;
  uint64_t cycle; /* since the card's processor was reset */
  uint64_t cause;
  uint64_t pc;
  uint64_t value;
  uint64_t status;
  uint64_t registers[32];
  char message[72];
  char build[24]; /* the commit that the firmware was built from */
  char text[192];
} sdaaFirmwareFault_t;
SDAA_API sdaaError_t sdaaDeviceGetFirmwareFault(sdaaFirmwareFault_t* fault, int device);

SDAA_C_END

#endif
