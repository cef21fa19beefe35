// decoder.cu on a processor, for machines without a GPU: 32 threads of a warp as contexts that take turns, so that its digits can be
// compared with the CPU decoder's. README.md says how to build and run it. Slow; a few words only.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <algorithm>
#include <fstream>
#include <string>
#include <ucontext.h>
#include <vector>

#define EMULATED
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads)
using std::max;
using std::min;

struct Place { unsigned x; };
static Place threadIdx, blockIdx = {0}, blockDim = {32};

static ucontext_t contexts[32], scheduler;
static bool ended[32];
static unsigned current;
// Two rounds of what threads bring to a meeting: one is read while the next is written.
static uint32_t brought[2][32];
static unsigned meetings[32];

static void pass_on() {
    const unsigned own = current;
    swapcontext(&contexts[own], &scheduler);
    threadIdx.x = current = own;
}
static const uint32_t *meet(uint32_t value) {
    const unsigned round = meetings[current]++ % 2;
    brought[round][current] = value;
    pass_on();
    return brought[round];
}
static uint32_t __ballot_sync(unsigned, bool value) {
    const uint32_t *all = meet(value);
    uint32_t bits = 0;
    for (int lane = 0; lane < 32; lane++) bits |= all[lane] << lane;
    return bits;
}
static uint32_t __reduce_or_sync(unsigned, uint32_t value) {
    const uint32_t *all = meet(value);
    uint32_t bits = 0;
    for (int lane = 0; lane < 32; lane++) bits |= all[lane];
    return bits;
}
static uint32_t __reduce_add_sync(unsigned, uint32_t value) {
    const uint32_t *all = meet(value);
    uint32_t sum = 0;
    for (int lane = 0; lane < 32; lane++) sum += all[lane];
    return sum;
}
static uint32_t __shfl_sync(unsigned, uint32_t value, int lane) { return meet(value)[lane]; }
static void __syncwarp() { meet(0); }
static int __popc(uint32_t x) { return __builtin_popcount(x); }
template <class T> static T __ldg(const T *at) { return *at; }
template <class T> static T atomicAdd(T *at, T value) { T old = *at; *at += value; return old; }

#include "decoder.cu"

template <class T> static std::vector<T> file(const std::string &name) {
    std::ifstream stream(name, std::ios::binary | std::ios::ate);
    if (!stream) { fprintf(stderr, "%s: no such file\n", name.c_str()); exit(2); }
    std::vector<T> values((size_t)stream.tellg() / sizeof(T));
    stream.seekg(0);
    stream.read((char *)values.data(), values.size() * sizeof(T));
    return values;
}

static std::vector<u32> graph, sent, below, outcomes;
static std::vector<signed char> levels;
static std::vector<value_t> beliefs((size_t)BITS * 32), said((size_t)CHECKS * 64);
static std::vector<u64> list(64);
static std::vector<u32> places((size_t)CHECKS * 32), signs((size_t)CHECKS * SIGNS * 32), hard((size_t)BITS * PACK);
static Counts counts;
static u32 batches;
static u64 stream;

static void thread() {
    decode(graph.data() + 4, graph.data() + 5 + CHECKS, sent.data(), sent.size() / ((BITS + 31) / 32), stream, 0.0,
           below.data(), levels.data(), 0, batches, beliefs.data(), said.data(), places.data(), signs.data(),
           hard.data(), &counts, list.data(), 64, outcomes.data());
    ended[current] = true;
    swapcontext(&contexts[current], &scheduler);
}

// emulate GRAPH SENT EXPECTED BATCHES STREAM BELOW LEVELS: the last two as lists with commas.
int main(int count, char **words) {
    if (count != 8) { fprintf(stderr, "emulate GRAPH SENT EXPECTED BATCHES STREAM BELOW LEVELS\n"); return 2; }
    graph = file<u32>(words[1]);
    sent = file<u32>(words[2]);
    const std::vector<u32> expected = file<u32>(words[3]);
    batches = atoi(words[4]);
    stream = strtoull(words[5], nullptr, 10);
    for (char *word = strtok(words[6], ","); word; word = strtok(nullptr, ",")) below.push_back(strtoul(word, nullptr, 10));
    for (char *word = strtok(words[7], ","); word; word = strtok(nullptr, ",")) levels.push_back((signed char)atoi(word));
    outcomes.resize((size_t)batches * 3 * WORDS);
    std::vector<std::vector<char>> stacks(32, std::vector<char>(1 << 16));
    for (current = 0; current < 32; current++) {
        getcontext(&contexts[current]);
        contexts[current].uc_stack.ss_sp = stacks[current].data();
        contexts[current].uc_stack.ss_size = stacks[current].size();
        makecontext(&contexts[current], thread, 0);
    }
    while (!ended[0]) {
        for (unsigned lane = 0; lane < 32; lane++) {
            threadIdx.x = current = lane;
            if (!ended[lane]) swapcontext(&scheduler, &contexts[lane]);
        }
    }
    u32 equal = 0;
    for (u32 word = 0; word < batches * WORDS; word++) equal += !memcmp(&outcomes[3 * word], &expected[3 * word], 12);
    printf("%u of %u words as the CPU has them; %llu failures, %llu iterations\n", equal, batches * WORDS, counts.failures,
           counts.iterations);
    return equal == batches * WORDS ? 0 : 1;
}
