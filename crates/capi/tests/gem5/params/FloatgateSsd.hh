// Stand-in for what gem5 makes from the object's Python description.
#pragma once
#include "sim/sim_object.hh"
namespace gem5 {
struct FloatgateSsdParams : SimObjectParams { std::string drive, precondition; };
}
