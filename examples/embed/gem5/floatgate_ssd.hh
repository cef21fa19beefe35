/* A Floatgate drive as an object of gem5. */

#ifndef FLOATGATE_SSD_HH
#define FLOATGATE_SSD_HH

#include <floatgate.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/logging.hh"
#include "params/FloatgateSsd.hh"
#include "sim/eventq.hh"
#include "sim/sim_object.hh"

namespace gem5 {

/* A device model (an NVMe controller, IdeDisk) holds one and calls submit() where it has a request on its image. */
class FloatgateSsd : public SimObject {
  public:
    using Done = std::function<void(const FloatgateCompletion &)>;

    explicit FloatgateSsd(const FloatgateSsdParams &params)
        : SimObject(params), path(params.drive), precondition(params.precondition), event([this] { goOn(); }, params.name) {
        open(nullptr);
    }

    ~FloatgateSsd() override { floatgate_close(drive); }

    /* Asks for a request now; `done` is called at the tick of its answer. */
    void submit(uint8_t op, uint64_t offset, uint32_t bytes, Done done) {
        FloatgateRequest request{};
        request.time_ns = now();
        request.op = op;
        request.offset = offset;
        request.bytes = bytes;
        uint64_t id = 0;
        check(floatgate_submit(drive, &request, &id));
        waiting.emplace(id, std::move(done));
        plan();
    }

    /* Bytes the host sees. */
    uint64_t capacity() const { return floatgate_capacity(drive); }

    /* A checkpoint waits until nothing is in flight; the state lies beside gem5's own, and another drive goes on from it. */
    DrainState drain() override { return waiting.empty() ? DrainState::Drained : DrainState::Draining; }

    void serialize(CheckpointOut &cp) const override {
        const std::string state = name() + ".state";
        auto *self = const_cast<FloatgateSsd *>(this);
        check(floatgate_save(drive, state.c_str()));
        floatgate_close(drive);
        self->open(state.c_str());
        SERIALIZE_SCALAR(state);
    }

    void unserialize(CheckpointIn &cp) override {
        std::string state;
        UNSERIALIZE_SCALAR(state);
        floatgate_close(drive);
        open(state.c_str());
    }

  private:
    static constexpr Tick NS = 1000; /* ticks of a picosecond */

    /* gem5 is at this time of the drive; an answer between two nanoseconds would come a part of one late. */
    uint64_t now() const { return (curTick() - origin + NS - 1) / NS; }

    void open(const char *state) {
        FloatgateSetup setup = floatgate_setup(path.c_str());
        setup.load = state;
        setup.precondition = state ? nullptr : precondition.c_str();
        check(floatgate_open(&setup, &drive));
        origin = curTick();
    }

    /* Wakes up when something happens next in the drive. */
    void plan() {
        uint64_t next = 0;
        const FloatgateCode code = floatgate_next_event(drive, &next);
        check(code);
        if (code == FLOATGATE_CODE_OK && !waiting.empty()) {
            reschedule(event, std::max(origin + next * NS, curTick()), true);
        }
    }

    void goOn() {
        FloatgateCompletion found;
        while (floatgate_next(drive, now(), &found) == FLOATGATE_CODE_OK) {
            auto done = std::move(waiting.at(found.id));
            waiting.erase(found.id);
            done(found);
        }
        plan();
        if (waiting.empty() && drainState() == DrainState::Draining) {
            signalDrainDone();
        }
    }

    static void check(FloatgateCode code) {
        fatal_if(code > FLOATGATE_CODE_NONE, "floatgate: %s", floatgate_error());
    }

    std::string path;
    std::string precondition;
    FloatgateDrive *drive = nullptr;
    Tick origin = 0;
    EventFunctionWrapper event;
    std::unordered_map<uint64_t, Done> waiting;
};

} // namespace gem5

#endif
