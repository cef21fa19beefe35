/* Random requests to a Floatgate drive at a constant queue depth, in place of a device model. */

#ifndef FLOATGATE_TRAFFIC_HH
#define FLOATGATE_TRAFFIC_HH

#include <random>

#include "base/statistics.hh"
#include "floatgate_ssd.hh"
#include "params/FloatgateTraffic.hh"
#include "sim/sim_object.hh"

namespace gem5 {

class FloatgateTraffic : public SimObject {
  public:
    explicit FloatgateTraffic(const FloatgateTrafficParams &params);

    void startup() override;

  private:
    /* Submits one request; its answer submits the next. */
    void submit();

    FloatgateSsd &ssd;
    const uint64_t requests;
    const uint64_t depth;
    const unsigned reads;
    uint64_t submitted = 0;
    uint64_t answered = 0;
    std::mt19937_64 random{1};

    struct TrafficStats : public statistics::Group {
        explicit TrafficStats(statistics::Group *parent);
        statistics::Distribution readLatency;
        statistics::Distribution writeLatency;
    } stats;
};

} // namespace gem5

#endif
