// SPDX-License-Identifier: Apache-2.0
// Some seconds of ordinary work that stays in the caches: a checksum, a linked list, sorting, and division. For measuring
// how fast the simulator is.
#include <stdint.h>

enum { kWords = 512, kRounds = 30 };

struct Node {
  struct Node *next;
  uint64_t key;
};

static uint32_t words[kWords];
static struct Node nodes[kWords];

__attribute__((noinline)) static uint32_t checksum(const uint32_t *data, unsigned count) {
  uint32_t sum = 0xffffffffu;
  for (unsigned i = 0; i < count; ++i) {
    sum ^= data[i];
    for (unsigned bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) ? 0xedb88320u : 0);
  }
  return sum;
}

__attribute__((noinline)) static void sort(uint32_t *data, unsigned count) {
  for (unsigned gap = count / 2; gap > 0; gap /= 2) {
    for (unsigned i = gap; i < count; ++i) {
      const uint32_t value = data[i];
      unsigned j = i;
      for (; j >= gap && data[j - gap] > value; j -= gap) data[j] = data[j - gap];
      data[j] = value;
    }
  }
}

__attribute__((noinline)) static uint64_t walk(const struct Node *node) {
  uint64_t sum = 0;
  for (; node != 0; node = node->next) sum = sum * 31 + node->key;
  return sum;
}

int main(void) {
  uint32_t state = 1;
  uint64_t result = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (unsigned i = 0; i < kWords; ++i) {
      state = state * 1664525u + 1013904223u;
      words[i] = state >> 4;
      nodes[i].key = state % (i + 3);
      nodes[i].next = i + 1 < kWords ? &nodes[i + 1] : 0;
    }
    result += checksum(words, kWords) + walk(nodes);
    sort(words, kWords);
    for (unsigned i = 1; i < kWords; ++i) {
      if (words[i - 1] > words[i]) return 1;
    }
  }
  return result == 0 ? 2 : 0;
}
