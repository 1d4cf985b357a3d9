#include "measure/isolated.hpp"

#include <algorithm>
#include <cmath>

#include "measure/played.hpp"
#include "measure/statistics.hpp"

namespace kjoule {

namespace {

/// Further plays of the kernel's first place where they share a track with the rotation.
constexpr size_t kOnTheSpot = 3;

Sequence rotation(const std::vector<LaunchIndex>& places) {
  Sequence sequence;
  for (const LaunchIndex place : places) sequence.segments.push_back({{}, {place}});
  return sequence;
}

/// Each place behind an empty stretch, which tells what the edges cost.
Sequence rotation_with_edges(const std::vector<LaunchIndex>& places) {
  Sequence sequence;
  for (const LaunchIndex place : places) {
    sequence.segments.push_back({});
    sequence.segments.push_back({{}, {place}});
  }
  return sequence;
}

/// Plays until `block_s` is filled. A first play that is shorter only warms up.
Played fill_block(Device& device, const Sequence& sequence, double block_s) {
  const auto track = device.open(sequence);
  Played once = play(*track, 1);
  const double seconds = static_cast<double>(once.end_ns - once.begin_ns) * 1e-9;
  if (seconds >= block_s) return once;
  return play(*track, seconds > 0 ? std::clamp(static_cast<int>(std::ceil(block_s / seconds)), 2, 10000) : 2);
}

double typical(std::vector<double> seconds) {
  pull_to_fences({&seconds});
  return mean(seconds);
}

void keep(const Played& played, size_t runs, IsolatedKernel& result) {
  result.runs = static_cast<int>(runs);
  result.begin_ns = played.begin_ns;
  result.end_ns = played.end_ns;
}

void measure_clean(Device& device, const std::vector<LaunchIndex>& places, double block_s,
                   IsolatedKernel& result) {
  const Played spot = fill_block(device, rotation({places.front()}), block_s);
  result.on_the_spot_s = typical(spot.seconds);
  const Played played = fill_block(device, rotation(places), block_s);
  result.single_s = typical(played.seconds);
  keep(played, played.seconds.size(), result);
}

/// To come to a place, the launches before it must be played: so one track gives both times.
void measure_by_differences(Device& device, const std::vector<LaunchIndex>& places, double block_s,
                            IsolatedKernel& result) {
  std::vector<LaunchIndex> order(kOnTheSpot, places.front());
  order.insert(order.begin(), places.begin(), places.end());
  std::rotate(order.begin() + 1, order.begin() + static_cast<std::ptrdiff_t>(places.size()), order.end());
  const Played played = fill_block(device, rotation_with_edges(order), block_s);
  std::vector<double> rotated, spot;
  for (size_t s = 0; s + 1 < played.seconds.size(); s += 2) {
    const size_t nth = s / 2 % order.size();
    const double seconds = played.seconds[s + 1] - played.seconds[s];
    (nth >= 1 && nth <= kOnTheSpot ? spot : rotated).push_back(seconds);
  }
  keep(played, rotated.size() + spot.size(), result);
  result.single_s = typical(rotated);
  result.on_the_spot_s = typical(spot);
}

}  // namespace

nlohmann::json to_row(const IsolatedKernel& kernel) {
  nlohmann::json row{{"kind", "isolated"}, {"kernel", kernel.kernel}};
  if (!kernel.error.empty()) {
    row["error"] = kernel.error;
    return row;
  }
  row.update({{"runs", kernel.runs},
              {"single_s", kernel.single_s},
              {"on_the_spot_s", kernel.on_the_spot_s},
              {"begin_ns", kernel.begin_ns},
              {"end_ns", kernel.end_ns}});
  return row;
}

IsolatedKernel isolated_from_row(const nlohmann::json& row) {
  IsolatedKernel kernel;
  kernel.kernel = row.at("kernel");
  if (row.contains("error")) {
    kernel.error = row.at("error");
    return kernel;
  }
  kernel.runs = row.at("runs");
  kernel.single_s = row.at("single_s");
  kernel.on_the_spot_s = row.at("on_the_spot_s");
  kernel.begin_ns = row.at("begin_ns");
  kernel.end_ns = row.at("end_ns");
  return kernel;
}

IsolatedKernel measure_isolated(Device& device, const KernelTable& table, uint32_t kernel, double block_s) {
  IsolatedKernel result;
  result.kernel = kernel;
  const std::vector<LaunchIndex>& places = table.kernels[kernel].places;
  try {
    (device.info().clean_edges ? measure_clean : measure_by_differences)(device, places, block_s, result);
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    result.error = error.what();
  }
  return result;
}

}  // namespace kjoule
