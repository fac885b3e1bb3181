// SPDX-License-Identifier: Apache-2.0
// Illegal instructions: cause 2, tval = the instruction's bits, in every mode. The words of a table are executed one by one.
#include "verif/rtl/mpe/directed/test.h"

TEST_START
  CASE 1
  li s2, MODE_M  // where the traps go
  la s3, 4f
  j try_all_m
4:
  CASE 201
  la s3, 4f
  j try_all_s
4:
  CASE 401
  la s3, 4f
  j try_all_u
4:
  // Delegated: stval.
  CASE 601
  WRITE_CSR medeleg, (1 << CAUSE_ILLEGAL)
  li s2, MODE_S
  la s3, 4f
  j try_all_u
4:
TEST_END

.irp mode, m, s, u
try_all_\mode:
  la s0, words
5:
  ld s1, 0(s0)
  li t6, -1
  beq s1, t6, 6f
  la t6, slot
  sw s1, 0(t6)
  fence.i
  .ifc \mode, m
  RUN MODE_M
  .endif
  .ifc \mode, s
  RUN MODE_S
  .endif
  .ifc \mode, u
  RUN MODE_U
  .endif
  la t0, slot
  jr t0
  END_RUN
  EXPECT_CAUSE CAUSE_ILLEGAL
  LOAD_RECORD t5, RECORD_TVAL
  bne t5, s1, fail
  EXPECT_EPC slot
  LOAD_RECORD t5, RECORD_LEVEL
  bne t5, s2, fail
  addi s0, s0, 8
  addi gp, gp, 1
  j 5b
6:
  jr s3
.endr

  .balign 8
slot:
  .4byte 0
  ecall

  .data
  .balign 8
words:
  .dword 0xFFFFFFFF
  .dword 0x00000007  // flw and the other floating-point opcodes
  .dword 0x00002007
  .dword 0x00002027
  .dword 0x00000043
  .dword 0x00000053
  .dword 0x00000057  // vector
  .dword 0x0000000B  // custom
  .dword 0xF800400B  // th.ldd and other neighbours of th.sdd
  .dword 0xE000500B
  .dword 0xF000500B
  .dword 0xF800700B
  .dword 0x0000002B
  .dword 0x0000005B
  .dword 0x0000007B
  .dword 0x0000001F  // longer than 32 bits
  .dword 0x0000003F
  .dword 0x0000007F
  .dword 0x00007003  // load and store widths that do not exist
  .dword 0x00004023
  .dword 0x00005023
  .dword 0x00006023
  .dword 0x00007023
  .dword 0x00002063  // branch conditions
  .dword 0x00003063
  .dword 0x00001067  // jalr with funct3
  .dword 0x00007067
  .dword 0x04001013  // slli with a bit too many on top
  .dword 0x04005013
  .dword 0x0200101B  // slliw by 32
  .dword 0x0200501B
  .dword 0x4200501B
  .dword 0x6200501B  // roriw by 32
  .dword 0x60301013  // between cpop and sext.b
  .dword 0x60601013
  .dword 0x6040101B  // sext.b in 32 bits
  .dword 0x28605013  // orc.b with another constant
  .dword 0x69805013  // rev8 of 32 bits
  .dword 0x6B905013
  .dword 0x0000201B  // slti and others in 32 bits
  .dword 0x0000301B
  .dword 0x0000401B
  .dword 0x0000601B
  .dword 0x0000701B
  .dword 0x40001033  // sub's bit with other operations
  .dword 0x40002033
  .dword 0x40003033
  .dword 0x0A001033  // clmul: no Zbc
  .dword 0x0A003033
  .dword 0x28001033  // bset: no Zbs
  .dword 0x48001033
  .dword 0x48005033
  .dword 0x68001033
  .dword 0x28001013
  .dword 0x04000033  // add.uw in 64 bits
  .dword 0x08104033  // zext.h of 32 bits
  .dword 0x0810403B  // pack
  .dword 0x0200103B  // mulhw does not exist
  .dword 0x0200203B
  .dword 0x0200303B
  .dword 0x0000203B
  .dword 0x4000103B
  .dword 0xFE000033
  .dword 0x0000002F  // atomics on bytes and halfwords
  .dword 0x0000102F
  .dword 0x0000402F
  .dword 0x1010202F  // lr with a second operand
  .dword 0x2800202F  // amocas
  .dword 0xF800302F
  .dword 0x0000300F  // fences that do not exist
  .dword 0x0000700F
  .dword 0x0050200F
  .dword 0x0030200F
  .dword 0x0000208F  // cbo.inval with rd
  .dword 0xFFF0200F
  .dword 0x00004073  // system, funct3 4
  .dword 0x00200073  // uret
  .dword 0x00000173  // ecall with rd
  .dword 0x00008073
  .dword 0x00100173
  .dword 0x302000F3  // mret with rd
  .dword 0x30208073
  .dword 0x102000F3
  .dword 0x105000F3
  .dword 0x120000F3  // sfence.vma with rd
  .dword 0x16000073  // sinval.vma: no Svinval
  .dword 0x18000073
  .dword 0x22000073  // hfence
  .dword 0x7B200073  // dret outside of debug mode
  .dword 0x70200073
  .dword 0x00000000  // compressed: all zeros
  .dword 0x00000004  // c.addi4spn with 0
  .dword 0x00002000  // c.fld
  .dword 0x00008000
  .dword 0x0000A000  // c.fsd
  .dword 0x00002001  // c.addiw without rd
  .dword 0x00006081  // c.lui with 0
  .dword 0x00006101  // c.addi16sp with 0
  .dword 0x00006001
  .dword 0x00009C41  // reserved register operations
  .dword 0x00009C61
  .dword 0x00002002  // c.fldsp
  .dword 0x00004002  // c.lwsp without rd
  .dword 0x00006002  // c.ldsp without rd
  .dword 0x00008002  // c.jr x0
  .dword 0x0000A002  // c.fsdsp
  .dword -1
