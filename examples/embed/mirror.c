/* A mirror of two drives below a host with one processor, in C: the event loop of mirror.py, and its figures. */

#include <floatgate.h>
#include <stdio.h>
#include <stdlib.h>

enum { REQUESTS = 4000, THREADS = 16, DRIVES = 2 };
static const uint64_t CPU_NS = 3000; /* of the host's processor for each request */
static const uint64_t LENGTH = 8192, SPAN = 1 << 30;
static const uint64_t READS = 70; /* percent */

struct asked {
    uint64_t when;
    int waits; /* for so many drives */
};

static FloatgateDrive *drives[DRIVES];
static struct asked asked[REQUESTS + THREADS];
static uint64_t owner[DRIVES][REQUESTS + THREADS]; /* a request's number by the id that a drive gave it */
static uint64_t latencies[REQUESTS];
static uint64_t made, answered, cpu_free, reads[DRIVES], state = 88172645463325252u;

static void check(FloatgateCode code) {
    if (code > FLOATGATE_CODE_NONE) {
        fprintf(stderr, "mirror: %s\n", floatgate_error());
        exit(2);
    }
}

static uint64_t drawn(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* A thread asks for something: the processor works on it, then the drives. */
static void ask(uint64_t now) {
    cpu_free = (cpu_free > now ? cpu_free : now) + CPU_NS;
    FloatgateRequest request = {.time_ns = cpu_free, .bytes = (uint32_t)LENGTH};
    request.offset = drawn() % (SPAN / LENGTH) * LENGTH;
    int first = 0, last = DRIVES - 1;
    request.op = FLOATGATE_WRITE;
    if (drawn() % 100 < READS) {
        request.op = FLOATGATE_READ;
        first = last = floatgate_outstanding(drives[1]) < floatgate_outstanding(drives[0]);
        reads[first] += 1;
    }
    asked[made] = (struct asked){now, last - first + 1};
    for (int one = first; one <= last; one++) {
        uint64_t id = 0;
        check(floatgate_submit(drives[one], &request, &id));
        owner[one][id] = made;
    }
    made += 1;
}

static void answer(int one, const FloatgateCompletion *found) {
    struct asked *of = &asked[owner[one][found->id]];
    of->waits -= 1;
    if (of->waits == 0) {
        if (answered < REQUESTS) {
            latencies[answered] = found->completed_ns - of->when;
        }
        answered += 1;
        if (made < REQUESTS + THREADS) {
            ask(found->completed_ns);
        }
    }
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(void) {
    for (int one = 0; one < DRIVES; one++) {
        FloatgateSetup setup = floatgate_setup("small-tlc");
        setup.seed = (uint64_t)one + 1;
        setup.precondition = "fill";
        check(floatgate_open(&setup, &drives[one]));
    }
    for (int one = 0; one < THREADS; one++) {
        ask(0);
    }
    uint64_t now = 0, sum = 0;
    while (answered < REQUESTS) {
        now = FLOATGATE_FOREVER;
        for (int one = 0; one < DRIVES; one++) {
            uint64_t next = FLOATGATE_FOREVER;
            check(floatgate_next_event(drives[one], &next));
            now = next < now ? next : now;
        }
        for (int one = 0; one < DRIVES; one++) {
            FloatgateCompletion found[THREADS];
            size_t count = 0;
            check(floatgate_run_until(drives[one], now));
            check(floatgate_take(drives[one], found, THREADS, &count));
            for (size_t at = 0; at < count; at++) {
                answer(one, &found[at]);
            }
        }
    }
    for (int at = 0; at < REQUESTS; at++) {
        sum += latencies[at];
    }
    qsort(latencies, REQUESTS, sizeof latencies[0], by_size);
    printf("requests %d, %llu a second, reads %llu + %llu\n", REQUESTS,
           (unsigned long long)(REQUESTS * 1000000000ull / now), (unsigned long long)reads[0],
           (unsigned long long)reads[1]);
    printf("latency mean %llu ns, p99 %llu ns, now %llu ns\n", (unsigned long long)(sum / REQUESTS),
           (unsigned long long)latencies[REQUESTS * 99 / 100], (unsigned long long)now);
    for (int one = 0; one < DRIVES; one++) {
        floatgate_close(drives[one]);
    }
    return 0;
}
