/* Random requests to a Floatgate drive in gem5: startup, one request, and what its answer does. */
#include "floatgate_traffic.hh"

#include "sim/sim_exit.hh"

namespace gem5 {

static constexpr uint32_t BYTES = 4096;

FloatgateTraffic::FloatgateTraffic(const FloatgateTrafficParams &params)
    : SimObject(params), ssd(*params.ssd), requests(params.requests), depth(params.depth), reads(params.reads),
      stats(this) {}

void FloatgateTraffic::startup() {
    answered = submitted = 0;
    while (submitted < std::min(depth, requests)) {
        submit();
    }
}

void FloatgateTraffic::submit() {
    const uint8_t op = random() % 100 < reads ? FLOATGATE_READ : FLOATGATE_WRITE;
    const uint64_t offset = random() % (ssd.capacity() / BYTES) * BYTES;
    submitted += 1;
    ssd.submit(op, offset, BYTES, [this, op](const FloatgateCompletion &found) {
        auto &latency = op == FLOATGATE_READ ? stats.readLatency : stats.writeLatency;
        latency.sample((found.completed_ns - found.submitted_ns) / 1e3);
        answered += 1;
        if (submitted < requests) {
            submit();
        } else if (answered == requests) {
            exitSimLoop("all requests answered");
        }
    });
}

FloatgateTraffic::TrafficStats::TrafficStats(statistics::Group *parent)
    : statistics::Group(parent), ADD_STAT(readLatency, statistics::units::Unspecified::get(), "read latency (us)"),
      ADD_STAT(writeLatency, statistics::units::Unspecified::get(), "write latency (us)") {
    readLatency.init(0, 2000, 100);
    writeLatency.init(0, 2000, 100);
}

} // namespace gem5
