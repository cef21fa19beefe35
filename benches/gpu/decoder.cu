// The layered min-sum decoder of crates/ecc on a GPU: the same digits, word by word.
//
// A thread goes through the checks of a word in the order of the matrix's rows, as the CPU's lanes do: of one word in floating point,
// of four words in integers, one in each byte of a number. What a check said is kept as its two magnitudes, the place of the smaller and all
// signs: the CPU keeps a message for each edge, which comes to the same. Beliefs of a warp lie together, bit by bit: in a matrix of
// circulants the next check takes the next bits, so that lines of the cache are used up.
//
// Compiled for one code and decoder: BITS, DATA_BITS, CHECKS, WIDEST, ITERATIONS, INTEGER, SIGNS (numbers that hold the signs of a
// check), and either EIGHTHS, OFFSET, MOST or FACTOR; LEVELS thresholds of a coarse channel, or GAUSS or FLIPS; EXPECTED
// writes what each word came to.

typedef unsigned long long u64;
typedef unsigned int u32;

#if INTEGER
#define PACK 4
typedef u32 value_t;
typedef int number_t;
#else
#define PACK 1
typedef float value_t;
typedef float number_t;
#endif
#define WORDS (32 * PACK)

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

// What a check of a thread's words said last, and what it says now.
struct Said {
    value_t of_others, of_least;
    u32 place, signs[SIGNS];
};

#if INTEGER
// Four bytes at once, each from -127 to 127. No sum or difference carries from one to the next.
#define BYTES(x) ((x) * 0x01010101u)
#define TOPS 0x80808080u
#define RESTS 0x7f7f7f7fu

// Of each byte its top bit, eight times.
#ifdef EMULATED
u32 spread(u32 x) { return (x >> 7 & BYTES(1)) * 255; }
#else
__device__ __forceinline__ u32 spread(u32 x) {
    u32 all;
    asm("prmt.b32 %0, %1, %1, 0xba98;" : "=r"(all) : "r"(x));
    return all;
}
#endif
__device__ __forceinline__ u32 chosen(u32 mask, u32 one, u32 other) { return other ^ ((one ^ other) & mask); }

// The negative of each byte whose mask is set.
__device__ __forceinline__ u32 negated(u32 x, u32 mask) {
    const u32 turned = x ^ mask;
    return ((turned & RESTS) + (mask & BYTES(1))) ^ (turned & TOPS);
}
__device__ __forceinline__ u32 plus(u32 x, u32 y) {
    u32 sum = ((x & RESTS) + (y & RESTS)) ^ ((x ^ y) & TOPS);
    const u32 end = (spread(x) ^ RESTS) | BYTES(1);
    sum = chosen(spread(~(x ^ y) & (x ^ sum)), end, sum);
    // -128 becomes -127.
    const u32 lowest = sum & ~((sum & RESTS) + RESTS) & TOPS;
    return sum + (lowest >> 7);
}
__device__ __forceinline__ u32 damped(u32 x) {
    u32 all = 0;
#pragma unroll
    for (u32 word = 0; word < 4; word++) {
        const int size = x >> 8 * word & 255;
        all |= (u32)max(0, min(MOST, ((size * EIGHTHS + 4) >> 3) - OFFSET)) << 8 * word;
    }
    return all;
}
// What a check said of its k-th bit, or the negative of it.
__device__ __forceinline__ u32 message(const Said &said, u32 k, u32 turn) {
    const u32 elsewhere = spread((said.place ^ BYTES(k)) + RESTS);
    const u32 size = chosen(elsewhere, said.of_others, said.of_least);
    return negated(size, spread(said.signs[k / 8] << (7 - k % 8)) ^ turn);
}
struct Heard {
    u32 least, second, odd, place, signs[SIGNS];
    __device__ __forceinline__ Heard() : least(RESTS), second(RESTS), odd(0), place(0) {
#pragma unroll
        for (u32 j = 0; j < SIGNS; j++) signs[j] = 0;
    }
    __device__ __forceinline__ u32 take(u32 belief, const Said &before, u32 k) {
        const u32 value = plus(belief, message(before, k, ~0u)), sign = spread(value);
        const u32 size = (value ^ sign) + (sign & BYTES(1));
        const u32 smaller = ~spread((size | TOPS) - least);
        const u32 larger = chosen(smaller, least, size);
        second = chosen(spread((larger | TOPS) - second), second, larger);
        least = chosen(smaller, size, least);
        place = chosen(smaller, BYTES(k), place);
        odd ^= sign;
        signs[k / 8] |= (sign & BYTES(1)) << (k % 8);
        return value;
    }
    __device__ __forceinline__ Said said() const {
        Said now;
        now.of_others = damped(least);
        now.of_least = damped(second);
        now.place = place;
#pragma unroll
        for (u32 j = 0; j < SIGNS; j++) now.signs[j] = signs[j] ^ odd;
        return now;
    }
};
__device__ __forceinline__ bool is_negative(u32 belief, u32 word) { return belief >> (8 * word + 7) & 1; }
#else
__device__ __forceinline__ float plus(float x, float y) { return x + y; }
__device__ __forceinline__ float message(const Said &said, u32 k, u32 turn) {
    const float size = k == said.place ? said.of_least : said.of_others;
    return (said.signs[k / 32] >> (k % 32) & 1) != (turn & 1) ? -size : size;
}
struct Heard {
    float least, second;
    u32 odd, place, signs[SIGNS];
    __device__ __forceinline__ Heard() : least(3.402823466e38f), second(least), odd(0), place(0) {
#pragma unroll
        for (u32 j = 0; j < SIGNS; j++) signs[j] = 0;
    }
    __device__ __forceinline__ float take(float belief, const Said &before, u32 k) {
        const float value = belief + message(before, k, ~0u), size = fabsf(value);
        if (value < 0) {
            odd = ~odd;
            signs[k / 32] |= 1u << (k % 32);
        }
        if (size < least) {
            second = least;
            least = size;
            place = k;
        } else if (size < second) {
            second = size;
        }
        return value;
    }
    __device__ __forceinline__ Said said() const {
        Said now;
        now.of_others = fmaxf(least * FACTOR, 0.0f);
        now.of_least = fmaxf(second * FACTOR, 0.0f);
        now.place = place;
#pragma unroll
        for (u32 j = 0; j < SIGNS; j++) now.signs[j] = signs[j] ^ odd;
        return now;
    }
};
__device__ __forceinline__ bool is_negative(float belief, u32) { return belief < 0; }
#endif

// Where a thread keeps what it works on: one number of each warp's 32 behind the other.
struct Memory {
    value_t *beliefs, *said;
    u32 *places, *signs;

    __device__ __forceinline__ Said read(u32 check) const {
        Said before;
        before.of_others = said[check * 64];
        before.of_least = said[check * 64 + 32];
        before.place = places[check * 32];
#pragma unroll
        for (u32 j = 0; j < SIGNS; j++) before.signs[j] = signs[(check * SIGNS + j) * 32];
        return before;
    }
    __device__ __forceinline__ void write(u32 check, const Said &now) const {
        said[check * 64] = now.of_others;
        said[check * 64 + 32] = now.of_least;
        places[check * 32] = now.place;
#pragma unroll
        for (u32 j = 0; j < SIGNS; j++) signs[(check * SIGNS + j) * 32] = now.signs[j];
    }
};

__device__ __forceinline__ void through_all(const Memory &memory, const u32 *starts, const u32 *columns) {
    for (u32 check = 0; check < CHECKS; check++) {
        const u32 begin = __ldg(starts + check), width = __ldg(starts + check + 1) - begin;
        const Said before = memory.read(check);
        value_t values[WIDEST];
#pragma unroll
        for (u32 k = 0; k < WIDEST; k++) {
            if (k < width) values[k] = memory.beliefs[__ldg(columns + begin + k) * 32];
        }
        Heard heard;
#pragma unroll
        for (u32 k = 0; k < WIDEST; k++) {
            if (k < width) values[k] = heard.take(values[k], before, k);
        }
        const Said now = heard.said();
        memory.write(check, now);
#pragma unroll
        for (u32 k = 0; k < WIDEST; k++) {
            if (k < width) memory.beliefs[__ldg(columns + begin + k) * 32] = plus(values[k], message(now, k, 0));
        }
    }
}

// Bits as they are believed to be: of each bit a number for each 32 of a warp's words.
__device__ __forceinline__ void decide(const Memory &memory, u32 *hard, u32 lane) {
    for (u32 base = 0; base < BITS; base += 32) {
        u32 kept[PACK];
#pragma unroll
        for (u32 k = 0; k < 32; k++) {
            const u32 bit = base + k < BITS ? base + k : 0;
            const value_t belief = memory.beliefs[bit * 32];
#pragma unroll
            for (u32 word = 0; word < PACK; word++) {
                const u32 ballot = __ballot_sync(~0u, is_negative(belief, word));
                if (k == lane) kept[word] = ballot;
            }
        }
        if (base + lane < BITS) {
#pragma unroll
            for (u32 word = 0; word < PACK; word++) hard[(base + lane) * PACK + word] = kept[word];
        }
    }
    __syncwarp();
}

// One function, longer than a screen: its parts share what a thread has in registers.
extern "C" __global__ void __launch_bounds__(128) decode(
    const u32 *starts, const u32 *columns, const u32 *sent_words, u32 sent_count, u64 stream, double number,
    const u32 *below, const signed char *levels, u64 first, u32 batches, value_t *all_beliefs, value_t *all_said,
    u32 *all_places, u32 *all_signs, u32 *all_hard, Counts *counts, u64 *list, u32 list_most, u32 *outcomes)
{
    const u32 lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const Memory memory = {
        all_beliefs + (u64)warp * BITS * 32 + lane,
        all_said + (u64)warp * CHECKS * 64 + lane,
        all_places + (u64)warp * CHECKS * 32 + lane,
        all_signs + (u64)warp * CHECKS * SIGNS * 32 + lane,
    };
    u32 *hard = all_hard + (u64)warp * BITS * PACK;
    const Channel channel = {number, below, levels};
    for (;;) {
        u32 batch = 0;
        if (lane == 0) batch = atomicAdd(&counts->next, 1u);
        batch = __shfl_sync(~0u, batch, 0);
        if (batch >= batches) return;
        const u64 start = first + (u64)batch * WORDS;
        const u32 *sent[PACK];
        u64 noise[PACK];
#pragma unroll
        for (u32 word = 0; word < PACK; word++) {
            sent[word] = sent_words + (u32)((start + 32 * word) / 64 % sent_count) * ((BITS + 31) / 32);
            noise[word] = part_of(stream, start + 32 * word + lane);
        }
        for (u32 bit = 0; bit < BITS; bit++) {
#if INTEGER
            u32 all = 0;
#pragma unroll
            for (u32 word = 0; word < PACK; word++) {
                all |= (u32)(ratio(channel, noise[word], bit, is_sent(sent[word], bit)) & 255) << 8 * word;
            }
            memory.beliefs[bit * 32] = all;
#else
            memory.beliefs[bit * 32] = ratio(channel, noise[0], bit, is_sent(sent[0], bit));
#endif
        }
        const Said nothing = {};
        for (u32 check = 0; check < CHECKS; check++) memory.write(check, nothing);
        u32 open[PACK], converged[PACK] = {}, failed[PACK] = {}, own_iterations[PACK] = {};
#pragma unroll
        for (u32 word = 0; word < PACK; word++) open[word] = ~0u;
        for (u32 iteration = 0;; iteration++) {
            if (iteration > 0) through_all(memory, starts, columns);
            decide(memory, hard, lane);
            u32 broken[PACK] = {};
            for (u32 check = lane; check < CHECKS; check += 32) {
                const u32 end = __ldg(starts + check + 1);
                u32 sum[PACK] = {};
                for (u32 edge = __ldg(starts + check); edge < end; edge++) {
                    const u32 *bit = hard + __ldg(columns + edge) * PACK;
#pragma unroll
                    for (u32 word = 0; word < PACK; word++) sum[word] ^= bit[word];
                }
#pragma unroll
                for (u32 word = 0; word < PACK; word++) broken[word] |= sum[word];
            }
            u32 any_open = 0;
#pragma unroll
            for (u32 word = 0; word < PACK; word++) {
                broken[word] = __reduce_or_sync(~0u, broken[word]);
                const u32 last = iteration == ITERATIONS ? open[word] : open[word] & ~broken[word];
                if (last) {
                    u32 wrong = 0;
                    for (u32 bit = lane; bit < DATA_BITS; bit += 32) {
                        wrong |= hard[bit * PACK + word] ^ (is_sent(sent[word], bit) ? ~0u : 0u);
                    }
                    failed[word] |= __reduce_or_sync(~0u, wrong) & last;
                    if (last >> lane & 1) own_iterations[word] = iteration;
#if EXPECTED
                    u32 print = 0;
                    for (u32 bit = 0; bit < BITS; bit++) {
                        print += (hard[bit * PACK + word] >> lane & 1) ? print_of(bit) : 0;
                    }
                    if (last >> lane & 1) outcomes[3 * (start + 32 * word + lane - first) + 2] = print;
#endif
                }
                converged[word] |= open[word] & ~broken[word];
                open[word] &= ~last;
                any_open |= open[word];
            }
            __syncwarp();
            if (!any_open) break;
        }
#pragma unroll
        for (u32 word = 0; word < PACK; word++) {
            const u32 iterations = __reduce_add_sync(~0u, own_iterations[word]);
            if (lane == 0) {
                atomicAdd(&counts->words, 32ULL);
                atomicAdd(&counts->failures, (u64)__popc(failed[word]));
                atomicAdd(&counts->undetected, (u64)__popc(failed[word] & converged[word]));
                atomicAdd(&counts->iterations, (u64)iterations);
            }
            const u64 own = start + 32 * word + lane;
            if (failed[word] >> lane & 1) {
                const u32 at = atomicAdd(&counts->listed, 1u);
                if (at < list_most) list[at] = own;
            }
#if EXPECTED
            outcomes[3 * (own - first)] = own_iterations[word];
            outcomes[3 * (own - first) + 1] = (converged[word] >> lane & 1) | (failed[word] >> lane & 1) << 1;
#endif
        }
    }
}
