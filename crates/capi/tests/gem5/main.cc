// Runs the object of gem5 on the stand-ins: requests, a checkpoint, and requests to the drive that goes on from it.
#include "../../../../examples/embed/gem5/floatgate_ssd.hh"

#include <cstdio>

using namespace gem5;

static void ask(FloatgateSsd &drive, const char *when) {
    uint64_t answered = 0, latency = 0;
    for (uint64_t number = 0; number < 50; number++) {
        const uint8_t op = number % 2 ? FLOATGATE_READ : FLOATGATE_WRITE;
        drive.submit(op, number / 2 * 4096, 4096, [&](const FloatgateCompletion &found) {
            answered += 1;
            latency += found.completed_ns - found.submitted_ns;
        });
    }
    while (answered < 50 && step()) {
    }
    std::printf("%s: %llu answered, mean %llu ns\n", when, (unsigned long long)answered,
                (unsigned long long)(latency / 50));
}

int main(int, char **words) {
    FloatgateSsdParams params;
    params.name = words[1];
    params.drive = "small-tlc";
    params.precondition = "none";
    FloatgateSsd drive(params);
    ask(drive, "before");
    CheckpointOut out;
    drive.serialize(out);
    ask(drive, "after");
    drive.unserialize(out);
    ask(drive, "restored");
}
