#include "measure/isolated.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"
#include "measure/sweep.hpp"

namespace kjoule {

namespace {

/// The kernel's places one after another, nothing between: one Pass, each play of which gives every place's
/// time.
Pass rotation(const std::vector<LaunchIndex>& places, bool clean_edges) {
  Pass pass;
  for (const LaunchIndex place : places) {
    if (!clean_edges) {
      pass.sequence.segments.push_back({});  // what the edges cost
      pass.terms.push_back({place, -1});
    }
    pass.sequence.segments.push_back({{}, {place}});
    pass.terms.push_back({place, 1});
  }
  return pass;
}

struct Block {
  Played played;
  int runs;
  double single_s;
};

/// Seconds of each launch played: stretches, less what their edges cost.
std::vector<double> launch_times(const Pass& pass, const std::vector<double>& stretches) {
  std::vector<double> seconds;
  double edges_s = 0;
  for (size_t s = 0; s < stretches.size(); ++s) {
    if (pass.terms[s % pass.terms.size()].sign < 0)
      edges_s = stretches[s];
    else
      seconds.push_back(stretches[s] - edges_s);
  }
  return seconds;
}

/// Warms up once, then fills a block.
Block fill_block(Device& device, const std::vector<LaunchIndex>& places, double block_s) {
  const Pass pass = rotation(places, device.info().clean_edges);
  const auto track = device.open(pass.sequence);
  const auto play = [&](int repeats) {
    track->enqueue(repeats);
    return track->wait();
  };
  const Played once = play(1);
  const double seconds = static_cast<double>(once.end_ns - once.begin_ns) * 1e-9;
  const int repeats = seconds > 0 ? std::clamp(static_cast<int>(std::ceil(block_s / seconds)), 2, 10000) : 2;
  Block block{play(repeats), 0, 0};
  std::vector<double> runs = launch_times(pass, block.played.seconds);
  block.runs = static_cast<int>(runs.size());
  pull_to_fences({&runs});
  block.single_s = mean(runs);
  return block;
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
    const Block spot = fill_block(device, {places.front()}, block_s);
    const Block block = fill_block(device, places, block_s);
    result.runs = block.runs;
    result.single_s = block.single_s;
    result.on_the_spot_s = spot.single_s;
    result.begin_ns = block.played.begin_ns;
    result.end_ns = block.played.end_ns;
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    result.error = error.what();
  }
  return result;
}

}  // namespace kjoule
