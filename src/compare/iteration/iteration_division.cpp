#include "compare/iteration/iteration_division.hpp"

#include <algorithm>

#include "compare/iteration/launch_gaps.hpp"

namespace kjoule {

namespace {

/// Replayed times of an iteration's launches by their type, in s.
struct ReplayedParts {
  double kernels_s = 0, device_copies_s = 0, transfers_s = 0, staged_transfers_s = 0;
};

ReplayedParts replayed_parts(const Comparison& c) {
  ReplayedParts parts;
  for (const KernelResult& kernel : c.kernels) {
    const double time_s = kernel.in_context_s ? kernel.in_context_s->value : 0;
    const bool is_copy = kernel.tier == Tier::cuda_runtime && kernel.name.starts_with("memcpy ");
    if (is_copy && kernel.name.ends_with(" (pageable)"))
      parts.staged_transfers_s += time_s;
    else if (is_copy && (kernel.name == "memcpy HtoD" || kernel.name == "memcpy DtoH"))
      parts.transfers_s += time_s;
    else if (is_copy || (kernel.tier == Tier::cuda_runtime && kernel.name == "memset"))
      parts.device_copies_s += time_s;
    else
      parts.kernels_s += time_s;
  }
  return parts;
}

}  // namespace

std::optional<IterationDivision> divide_iteration(const Comparison& c) {
  const std::optional<IterationSpread>& loop = c.loop_iterations();
  if (!loop || !loop->parts) return {};
  const IterationParts& seen = *loop->parts;
  const ReplayedParts replayed = replayed_parts(c);
  IterationDivision division;
  division.iterations = seen.iterations;
  division.own_s = 1e-9 * seen.span_ns;
  division.kernels_s = replayed.kernels_s;
  division.device_copies_s = replayed.device_copies_s;
  division.transfers_s = replayed.transfers_s + replayed.staged_transfers_s;
  division.staging_s = std::max(0.0, 1e-9 * seen.staged_ns - replayed.staged_transfers_s);
  // The replayed times already contain the short gaps between launches that do not wait for the host.
  division.gaps_s = std::max(0.0, 1e-9 * seen.gaps_ns - (c.timeline ? c.timeline->replay_gaps_s : 0));
  division.overlap_s = std::max(0.0, c.times.whole_s.value - working_s(c));
  return division;
}

}  // namespace kjoule
