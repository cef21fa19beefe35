// Stand-in for gem5's messages.
#pragma once
#include <cstdio>
#include <cstdlib>
#define fatal_if(condition, ...) do { if (condition) { std::fprintf(stderr, __VA_ARGS__); std::exit(1); } } while (0)
