// SPDX-License-Identifier: Apache-2.0
// Counts until the debugger tells it to stop.
volatile long counter;
volatile int finish_now;
volatile unsigned char table[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

__attribute__((noinline)) long twice(long value) {
  return value * 2;
}

__attribute__((noinline)) void bump(long by) {
  counter = counter + by;
}

int main(void) {
  long sum = 0;
  while (!finish_now) {
    bump(1);
    sum += twice(counter);
  }
  return sum < 0;
}
