// Drives FlashSim's library with the workloads of benches/peers.py, since none of its own programs has a closed loop.
//
//     c++ -O2 -std=c++11 -I FLASHSIM flashsim.cpp FLASHSIM/ssd_*.o FLASHSIM/FTLs/*.o -o flashsim
//     flashsim read|write SPAN FILL REQUESTS DEPTH
//
// SPAN and FILL are pages. The first FILL pages are written in order; then REQUESTS pages drawn uniformly from SPAN are
// read or written, DEPTH at a time. It reads ssd.conf from the current folder, as all programs of FlashSim do, and
// prints one line: requests, simulated microseconds, mean response, pages read, written, blocks erased.

#include "ssd.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <queue>
#include <vector>

namespace {

// Numbers without a library's cost: Marsaglia's xorshift.
struct Random {
    std::uint64_t state = 88172645463325252ULL;
    std::uint64_t below(std::uint64_t most) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state % most;
    }
};

// A closed loop: each answer lets the next request go.
class Loop {
  public:
    Loop(ssd::Ssd &drive, unsigned depth) : drive(drive) {
        for (unsigned i = 0; i < depth; i++) done.push(0.0);
    }

    void issue(ssd::event_type type, std::uint64_t page) {
        const double now = done.top();
        done.pop();
        const double took = drive.event_arrive(type, page, 1, now);
        total += took;
        done.push(now + took);
        last = now + took > last ? now + took : last;
    }

    double last = 0.0;
    double total = 0.0;

  private:
    ssd::Ssd &drive;
    std::priority_queue<double, std::vector<double>, std::greater<double>> done;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 6 || (std::strcmp(argv[1], "read") != 0 && std::strcmp(argv[1], "write") != 0)) {
        std::fprintf(stderr, "usage: flashsim read|write SPAN FILL REQUESTS DEPTH\n");
        return 2;
    }
    const bool reads = std::strcmp(argv[1], "read") == 0;
    const std::uint64_t span = std::strtoull(argv[2], nullptr, 10), fill = std::strtoull(argv[3], nullptr, 10);
    const std::uint64_t requests = std::strtoull(argv[4], nullptr, 10);
    const unsigned depth = static_cast<unsigned>(std::strtoul(argv[5], nullptr, 10));
    ssd::load_config();
    ssd::Ssd drive;
    Loop loop(drive, depth);
    for (std::uint64_t page = 0; page < fill; page++) loop.issue(ssd::WRITE, page);
    const double begin = loop.last;
    drive.reset_statistics();
    loop.total = 0.0;
    Random random;
    for (std::uint64_t i = 0; i < requests; i++) loop.issue(reads ? ssd::READ : ssd::WRITE, random.below(span));
    const ssd::Stats &stats = drive.get_controller().stats;
    std::printf("floatgate %llu %.0f %.3f %ld %ld %ld\n", static_cast<unsigned long long>(requests), loop.last - begin,
                loop.total / static_cast<double>(requests), stats.numFTLRead, stats.numFTLWrite, stats.numFTLErase);
    std::fflush(stdout);
    std::_Exit(0);  // taking the drive apart is no part of the simulation
}
