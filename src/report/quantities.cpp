#include "report/quantities.hpp"

namespace kjoule {

std::vector<NamedTime> quantities_of(const Comparison& c) {
  return {
      {"program_iteration_us",
       "program's own iteration",
       "one iteration as the program itself ran it, launch gaps included: by the host's clock, the mean of "
       "full_model_timing.json; if the host launches ahead of the device, by the profiler's times",
       c.program_iteration_s(),
       {}},
      {"whole_us", "whole: replayed, no gaps",
       "the recorded work of one iteration replayed without the program's launch gaps", c.times.whole_s.value,
       c.times.whole_s.half_width},
      {"sum_us", "sum of its kernels",
       "the time in context of every launch of the iteration, added up over kernels; compared with whole_us",
       c.times.sum_s.value, c.times.sum_s.half_width},
  };
}

}  // namespace kjoule
