// Stand-in for gem5's objects: names, events, drains and checkpoints as the drive calls them.
#pragma once
#include <string>
#include "sim/eventq.hh"
namespace gem5 {
struct SimObjectParams { std::string name; };
enum class DrainState { Running, Draining, Drained };
using CheckpointOut = std::map<std::string, std::string>;
using CheckpointIn = const std::map<std::string, std::string>;
class SimObject {
  public:
    explicit SimObject(const SimObjectParams &params) : called(params.name) {}
    virtual ~SimObject() = default;
    virtual DrainState drain() { return DrainState::Drained; }
    virtual void serialize(CheckpointOut &) const {}
    virtual void unserialize(CheckpointIn &) {}
    std::string name() const { return called; }
  protected:
    void reschedule(EventFunctionWrapper &event, Tick when, bool) {
        if (event.is_planned) unplan(event);
        event.is_planned = true;
        event.when = when;
        planned.emplace(when, &event);
    }
    DrainState drainState() const { return DrainState::Running; }
    void signalDrainDone() {}
  private:
    std::string called;
};
}
#define SERIALIZE_SCALAR(text) cp[#text] = text
#define UNSERIALIZE_SCALAR(text) text = cp.at(#text)
