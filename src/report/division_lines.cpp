#include "report/division_lines.hpp"

namespace kjoule {

std::vector<DivisionLine> division_lines(const IterationDivision& division) {
  /// Overlap of streams is shown from this share of the iteration.
  constexpr double kNoteworthyOverlap = 0.001;
  std::vector<DivisionLine> lines{{"kernels (replayed)", division.kernels_s}};
  if (division.device_copies_s > 0)
    lines.push_back({"copies within the GPU, memsets (replayed)", division.device_copies_s});
  if (division.transfers_s > 0)
    lines.push_back({"transfers from and to the host (replayed)", division.transfers_s});
  if (division.staging_s > 0)
    lines.push_back({"host's part in copies of pageable memory", division.staging_s});
  lines.push_back({"launch gaps", division.gaps_s});
  if (division.overlap_s > kNoteworthyOverlap * division.own_s)
    lines.push_back({"less: overlap of streams", -division.overlap_s});
  lines.push_back({"not explained", division.own_s - division.sum_s()});
  return lines;
}

}  // namespace kjoule
