// Stand-in for gem5's event queue: one queue, in the order of its ticks.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
namespace gem5 {
using Tick = uint64_t;
inline Tick now_tick = 0;
inline Tick curTick() { return now_tick; }
struct EventFunctionWrapper {
    std::function<void()> run;
    std::string name;
    bool is_planned = false;
    Tick when = 0;
    EventFunctionWrapper(std::function<void()> work, std::string called) : run(std::move(work)), name(std::move(called)) {}
};
inline std::multimap<Tick, EventFunctionWrapper *> planned;
inline void unplan(EventFunctionWrapper &event) {
    for (auto at = planned.begin(); at != planned.end(); ++at)
        if (at->second == &event) { planned.erase(at); break; }
}
inline bool step() {
    if (planned.empty()) return false;
    auto first = planned.begin();
    now_tick = first->first;
    auto *event = first->second;
    planned.erase(first);
    event->is_planned = false;
    event->run();
    return true;
}
}
