// SPDX-License-Identifier: Apache-2.0
// Uses every way in which a program talks to mpe-run: console, tohost calls, signature, result.
#include <stdint.h>

extern volatile uint64_t tohost, fromhost;

volatile uint32_t begin_signature[8] __attribute__((aligned(64)));
volatile uint32_t end_signature[1];

#define CONSOLE ((volatile uint8_t *)0x10000000)

static void print(const char *text) {
  for (; *text != 0; ++text) {
    while ((CONSOLE[5] & 0x20) == 0) {
    }
    CONSOLE[0] = (uint8_t)*text;
  }
}

static void call_write(const char *text, uint64_t length) {
  static volatile uint64_t arguments[8] __attribute__((aligned(64)));
  arguments[0] = 64;
  arguments[1] = 1;
  arguments[2] = (uintptr_t)text;
  arguments[3] = length;
  tohost = (uintptr_t)arguments;
  while (fromhost == 0) {
  }
  fromhost = 0;
}

static void putchar_call(char character) {
  tohost = (uint64_t)0x0101 << 48 | (uint8_t)character;
  while (tohost != 0) {
  }
}

int main(void) {
  print("console\n");
  call_write("call\n", 5);
  for (const char *text = "word\n"; *text != 0; ++text) putchar_call(*text);
  for (uint32_t i = 0; i < 8; ++i) begin_signature[i] = 0x11111111u * i;
#ifdef RESULT
  return RESULT;
#else
  return 0;
#endif
}
