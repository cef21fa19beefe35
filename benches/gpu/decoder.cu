// The layered min-sum decoder of crates/ecc on a GPU: the same digits, word by word.
//
// A thread decodes a word and goes through its checks in the order of the matrix's rows, as the CPU's lanes do; 32 words share a
// warp. What a check said is kept as its two magnitudes, the place of the smaller and all signs: the CPU keeps a message for each
// edge, which comes to the same. Beliefs of a warp lie together, bit by bit: in a matrix of circulants the next check takes
// the next bits, so that lines of the cache are used up.
//
// Compiled for one code and decoder: BITS, DATA_BITS, CHECKS, WIDEST, ITERATIONS, INTEGER, and either EIGHTHS, OFFSET, MOST or FACTOR;
// LEVELS thresholds of a coarse channel, or GAUSS or FLIPS; EXPECTED writes what each word came to.

typedef unsigned long long u64;
typedef unsigned int u32;

#if INTEGER
typedef signed char value_t;
__device__ __forceinline__ int clipped(int x) { return max(-127, min(127, x)); }
__device__ __forceinline__ int less(int x, int y) { return clipped(x - y); }
__device__ __forceinline__ int plus(int x, int y) { return clipped(x + y); }
__device__ __forceinline__ int damped(int x) { return max(0, min(MOST, ((x * EIGHTHS + 4) >> 3) - OFFSET)); }
typedef int number_t;
#define ABOVE_ALL 127
#define MAGNITUDE(x) abs(x)
#else
typedef float value_t;
__device__ __forceinline__ float less(float x, float y) { return x - y; }
__device__ __forceinline__ float plus(float x, float y) { return x + y; }
__device__ __forceinline__ float damped(float x) { return fmaxf(x * FACTOR, 0.0f); }
typedef float number_t;
#define ABOVE_ALL 3.402823466e38f
#define MAGNITUDE(x) fabsf(x)
#endif

// Chance, as nand::cells::normal::Stream has it.
__device__ __forceinline__ u64 mix(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}
#define GOLDEN 0x9e3779b97f4a7c15ULL
__device__ __forceinline__ u64 part_of(u64 stream, u64 part) { return mix((stream + part * GOLDEN) ^ 0xd1b54a32d192ed03ULL); }
__device__ __forceinline__ u64 bits_of(u64 stream, u64 index) { return mix(stream + index * GOLDEN); }
__device__ __forceinline__ double uniform(u64 bits) { return ((double)(bits >> 11) + 0.5) * (1.0 / 9007199254740992.0); }

#if GAUSS
// Acklam's rational approximation, as in nand::cells::normal.
__device__ double tail(double q) {
    q = sqrt(-2.0 * log(q));
    return (((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q - 2.549732539343734) * q
             + 4.374664141464968) * q + 2.938163982698783)
        / ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1.0);
}
__device__ double quantile(double p) {
    if (p < 0.02425) return tail(p);
    if (p > 1.0 - 0.02425) return -tail(1.0 - p);
    double q = p - 0.5, r = q * q;
    return (((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r + 1.38357751867269e2) * r
             - 3.066479806614716e1) * r + 2.506628277459239) * q
        / (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r + 6.680131188771972e1) * r
            - 1.328068155288572e1) * r + 1.0);
}
#endif

struct Channel {
    double number; // deviation of the noise, or rate of flips
    const u32 *below;
    const signed char *levels;
};

__device__ __forceinline__ number_t ratio(const Channel &channel, u64 noise, u32 bit, bool sent) {
#if GAUSS
    double sign = sent ? -1.0 : 1.0, sigma = channel.number;
    double received = sign + sigma * quantile(uniform(bits_of(noise, bit)));
    return (number_t)(2.0 * received / (sigma * sigma));
#elif FLIPS
    double magnitude = log((1.0 - channel.number) / channel.number);
    bool kept = uniform(bits_of(noise, bit)) >= channel.number;
    return (number_t)(kept == sent ? -magnitude : magnitude);
#else
    u32 draw = (u32)(bits_of(noise, bit) >> 32);
    int low = 0, high = LEVELS;
    while (low < high) {
        int middle = (low + high) / 2;
        if (__ldg(channel.below + middle) <= draw) low = middle + 1; else high = middle;
    }
    int level = channel.levels[low];
    return (number_t)(sent ? -level : level);
#endif
}

__device__ __forceinline__ bool is_sent(const u32 *sent, u32 bit) { return sent[bit / 32] >> (bit % 32) & 1; }

// Of what a decoded word is known by.
__device__ __forceinline__ u32 print_of(u32 bit) {
    u32 x = bit * 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x21f0aaadu;
    return x ^ (x >> 15);
}

struct Counts {
    u64 words, failures, undetected, iterations;
    u32 next, listed; // the next batch to take; words in the list
};

// One function, longer than a screen: its parts share what a thread has in registers.
extern "C" __global__ void __launch_bounds__(128) decode(
    const u32 *starts, const u32 *columns, const u32 *sent_words, u32 sent_count, u64 stream, double number,
    const u32 *below, const signed char *levels, u64 first, u32 batches, value_t *all_beliefs, value_t *all_said,
    u64 *all_signs, unsigned char *all_places, u32 *all_hard, Counts *counts, u64 *list, u32 list_most, u32 *outcomes)
{
    const u32 lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    value_t *beliefs = all_beliefs + (u64)warp * BITS * 32 + lane;
    value_t *said = all_said + (u64)warp * CHECKS * 64 + lane;
    u64 *signs = all_signs + (u64)warp * CHECKS * 32 + lane;
    unsigned char *places = all_places + (u64)warp * CHECKS * 32 + lane;
    u32 *hard = all_hard + (u64)warp * BITS;
    const Channel channel = {number, below, levels};
    for (;;) {
        u32 batch = 0;
        if (lane == 0) batch = atomicAdd(&counts->next, 1u);
        batch = __shfl_sync(~0u, batch, 0);
        if (batch >= batches) return;
        const u64 word = first + (u64)batch * 32 + lane;
        const u32 *sent = sent_words + (u32)(word / 64 % sent_count) * ((BITS + 31) / 32);
        const u64 noise = part_of(stream, word);
        for (u32 bit = 0; bit < BITS; bit++) beliefs[bit * 32] = (value_t)ratio(channel, noise, bit, is_sent(sent, bit));
        for (u32 check = 0; check < CHECKS; check++) {
            said[check * 64] = said[check * 64 + 32] = 0;
            signs[check * 32] = 0;
            places[check * 32] = 0;
        }
        u32 open = ~0u, converged = 0, failed = 0, own_iterations = 0;
        for (u32 iteration = 0;; iteration++) {
            if (iteration > 0) {
                for (u32 check = 0; check < CHECKS; check++) {
                    const u32 begin = __ldg(starts + check), width = __ldg(starts + check + 1) - begin;
                    const number_t of_others = said[check * 64], of_least = said[check * 64 + 32];
                    const u64 old_signs = signs[check * 32];
                    const u32 old_place = places[check * 32];
                    number_t heard[WIDEST];
                    number_t least = ABOVE_ALL, second = ABOVE_ALL;
                    u32 odd = 0, place = 0;
                    u64 negative = 0;
#pragma unroll
                    for (u32 k = 0; k < WIDEST; k++) {
                        if (k < width) heard[k] = beliefs[__ldg(columns + begin + k) * 32];
                    }
#pragma unroll
                    for (u32 k = 0; k < WIDEST; k++) {
                        if (k < width) {
                            number_t old = k == old_place ? of_least : of_others;
                            old = (old_signs >> k & 1) ? -old : old;
                            const number_t value = less(heard[k], old);
                            heard[k] = value;
                            const number_t size = MAGNITUDE(value);
                            if (value < 0) { odd ^= 1; negative |= 1ULL << k; }
                            if (size < least) { second = least; least = size; place = k; }
                            else if (size < second) second = size;
                        }
                    }
                    const number_t new_least = damped(second), new_others = damped(least);
                    const u64 new_signs = odd ? ~negative : negative;
                    said[check * 64] = (value_t)new_others;
                    said[check * 64 + 32] = (value_t)new_least;
                    signs[check * 32] = new_signs;
                    places[check * 32] = (unsigned char)place;
#pragma unroll
                    for (u32 k = 0; k < WIDEST; k++) {
                        if (k < width) {
                            number_t now = k == place ? new_least : new_others;
                            now = (new_signs >> k & 1) ? -now : now;
                            beliefs[__ldg(columns + begin + k) * 32] = (value_t)plus(heard[k], now);
                        }
                    }
                }
            }
            // Bits as they are believed to be, 32 words in one number.
            for (u32 base = 0; base < BITS; base += 32) {
                u32 kept = 0;
#pragma unroll
                for (u32 k = 0; k < 32; k++) {
                    const u32 bit = base + k;
                    const u32 ballot = __ballot_sync(~0u, bit < BITS && beliefs[(bit < BITS ? bit : 0) * 32] < 0);
                    if (k == lane) kept = ballot;
                }
                if (base + lane < BITS) hard[base + lane] = kept;
            }
            __syncwarp();
            u32 broken = 0;
            for (u32 check = lane; check < CHECKS; check += 32) {
                const u32 end = __ldg(starts + check + 1);
                u32 sum = 0;
                for (u32 edge = __ldg(starts + check); edge < end; edge++) sum ^= hard[__ldg(columns + edge)];
                broken |= sum;
            }
            broken = __reduce_or_sync(~0u, broken);
            const u32 last = iteration == ITERATIONS ? open : open & ~broken;
            if (last) {
                u32 wrong = 0;
                for (u32 bit = lane; bit < DATA_BITS; bit += 32) wrong |= hard[bit] ^ (is_sent(sent, bit) ? ~0u : 0u);
                failed |= __reduce_or_sync(~0u, wrong) & last;
                if (last >> lane & 1) own_iterations = iteration;
#if EXPECTED
                u32 print = 0;
                for (u32 bit = 0; bit < BITS; bit++) print += (hard[bit] >> lane & 1) ? print_of(bit) : 0;
                if (last >> lane & 1) outcomes[3 * (word - first) + 2] = print;
#endif
            }
            converged |= open & ~broken;
            open &= ~last;
            __syncwarp();
            if (!open) break;
        }
        const u32 iterations = __reduce_add_sync(~0u, own_iterations);
        if (lane == 0) {
            atomicAdd(&counts->words, 32ULL);
            atomicAdd(&counts->failures, (u64)__popc(failed));
            atomicAdd(&counts->undetected, (u64)__popc(failed & converged));
            atomicAdd(&counts->iterations, (u64)iterations);
        }
        if (failed >> lane & 1) {
            const u32 at = atomicAdd(&counts->listed, 1u);
            if (at < list_most) list[at] = word;
        }
#if EXPECTED
        outcomes[3 * (word - first)] = own_iterations;
        outcomes[3 * (word - first) + 1] = (converged >> lane & 1) | (failed >> lane & 1) << 1;
#endif
    }
}
