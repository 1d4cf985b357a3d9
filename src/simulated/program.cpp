#include "simulated/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "simulated/block.hpp"
#include "simulated/random.hpp"

namespace kjoule {
namespace {

/// The division of an iteration's launches: 1 embedding, layers x block, and the rest a head.
struct Division {
  int layers = 0;
  int block = 0;
  int head = 0;
};

Division draw_division(Draws& draws, int launches) {
  const int rest = launches - 2;
  const int fewest = std::max(6, rest / 17 + 1);
  const int most = std::min(20, rest / 2);
  const int drawn = draws.integer(0, 19);
  // For a requested number of launches, 2 to 16 layers of 6 to 20 launches may be too few or too many.
  const int block = fewest <= most ? fewest + drawn % (most - fewest + 1) : most;
  const int layers = rest / block;
  return {layers, block, rest - layers * block + 1};
}

SimulatedMachine draw_machine(Draws& draws) {
  SimulatedMachine machine;
  machine.flops_per_s = draws.between(2e14, 8e14);
  machine.miss_bytes_per_s = draws.between(1.5e12, 4e12);
  machine.hit_bytes_per_s = machine.miss_bytes_per_s * draws.between(2, 4);
  machine.shortest_s = draws.between(1e-6, 1.6e-6);
  machine.drain_s = draws.between(1.5e-6, 4e-6);
  machine.noise = draws.between(0.005, 0.03);
  return machine;
}

ModelShape draw_shape(Draws& draws) {
  return {.tokens = uint64_t{1} << draws.integer(0, 10),
          .hidden = 512 * static_cast<uint64_t>(draws.integer(1, 8))};
}

/// Reuse of data across layers: in each layer, one launch (the keeper) writes a range, and another launch
/// (the recaller) reads the range that an earlier layer wrote.
struct FarReuse {
  int keeper = 0;  ///< place in the block
  int recaller = 0;
  uint64_t bytes = 0;
  std::vector<int>
      /// For each layer, the layer whose range it reads, written at least 8 launches before. The first layer
      /// reads from the previous iteration.
      recalled;
};

/// Returns the approximate time of the block, s.
double block_s(const std::vector<BlockLaunch>& block, const SimulatedMachine& machine) {
  double seconds = 0;
  for (const BlockLaunch& launch : block) {
    const auto bytes = static_cast<double>(launch.weight_bytes + 2 * launch.out_bytes);
    seconds +=
        std::max({machine.shortest_s, launch.flops / machine.flops_per_s, bytes / machine.miss_bytes_per_s});
  }
  return seconds;
}

FarReuse draw_long_reuse(Draws& draws, const SimulatedMachine& machine, const Division& division,
                         const std::vector<BlockLaunch>& block) {
  FarReuse reuse;
  reuse.recaller = division.block - 1;
  reuse.keeper = draws.integer(0, std::clamp(division.block + reuse.recaller - 8, 0, reuse.recaller));
  const double seconds_a_byte = 1 / machine.miss_bytes_per_s - 1 / machine.hit_bytes_per_s;
  // The range is so large that a miss changes the layer's time noticeably.
  const double miss_s = std::clamp(draws.between(0.05, 0.2) * block_s(block, machine), 1e-6, 50e-6);
  reuse.bytes = aligned(static_cast<uint64_t>(miss_s / seconds_a_byte));
  reuse.recalled.push_back(division.layers - 1);
  for (int layer = 1; layer < division.layers; ++layer) reuse.recalled.push_back(draws.integer(0, layer - 1));
  return reuse;
}

/// Builds the launches and places their data in memory.
class Builder {
 public:
  Builder(const Division& division, const ModelShape& shape, std::vector<BlockLaunch> block,
          const FarReuse* reuse)
      : division_(division), shape_(shape), block_(std::move(block)), reuse_(reuse) {
    uint64_t scratch_bytes = 0;
    for (const BlockLaunch& launch : block_)
      if (launch.out) scratch_bytes = std::max(scratch_bytes, launch.out->end);
    scratch_ = take(scratch_bytes);
    for (ByteRange& state : states_) state = take(shape_.state_bytes());
    for (int layer = 0; reuse_ && layer < division_.layers; ++layer) kept_.push_back(take(reuse_->bytes));
  }

  std::vector<SimulatedLaunch> build(uint64_t vocabulary) {
    append("embedding", Tier::framework, {take(shape_.state_bytes())}, {states_[0]}, 0);
    for (int layer = 0; layer < division_.layers; ++layer)
      for (size_t place = 0; place < block_.size(); ++place)
        append_block_launch(layer, static_cast<int>(place));
    append_head(vocabulary);
    number_kernels();
    return std::move(launches_);
  }

 private:
  ByteRange take(uint64_t bytes) {
    const ByteRange range{next_, next_ + bytes};
    next_ += aligned(bytes);
    return range;
  }

  void append(std::string name, Tier tier, std::vector<ByteRange> reads, std::vector<ByteRange> writes,
              double flops) {
    std::string signature = name;
    for (const ByteRange& range : reads) signature += fmt::format(" in:{}B", range.size());
    for (const ByteRange& range : writes) signature += fmt::format(" out:{}B", range.size());
    launches_.push_back({.name = std::move(name),
                         .tier = tier,
                         .signature = std::move(signature),
                         .reads = std::move(reads),
                         .writes = std::move(writes),
                         .flops = flops});
  }

  ByteRange output(const BlockLaunch& launch, int layer) const {
    if (!launch.out) return states_[(layer + 1) % 2];
    return {scratch_.begin + launch.out->begin, scratch_.begin + launch.out->end};
  }

  void append_block_launch(int layer, int place) {
    const BlockLaunch& launch = block_[place];
    std::vector<ByteRange> reads;
    for (const int input : launch.inputs)
      reads.push_back(input == BlockLaunch::block_input ? states_[layer % 2] : output(block_[input], layer));
    if (launch.weight_bytes != 0) reads.push_back(take(launch.weight_bytes));
    std::vector<ByteRange> writes = {output(launch, layer)};
    if (reuse_ && place == reuse_->recaller) reads.push_back(kept_[reuse_->recalled[layer]]);
    if (reuse_ && place == reuse_->keeper) writes.push_back(kept_[layer]);
    append(launch.name, launch.tier, std::move(reads), std::move(writes), launch.flops);
  }

  /// Appends the head: a norm if the head has more than one launch, the product with the large weight, and
  /// launches that choose a token from the logits.
  void append_head(uint64_t vocabulary) {
    ByteRange state = states_[division_.layers % 2];
    if (division_.head > 1) {
      const ByteRange normed = take(shape_.state_bytes());
      append("norm-final", Tier::framework, {state, take(aligned(shape_.hidden * 4))}, {normed}, 0);
      state = normed;
    }
    const ByteRange weight = take(shape_.hidden * vocabulary * 2);
    ByteRange logits = take(vocabulary * 2);
    append(fmt::format("gemm-1x{}x{}", vocabulary, shape_.hidden), Tier::vendor_library, {state, weight},
           {logits}, static_cast<double>(weight.size()));
    for (int i = 2; i < division_.head; ++i) {
      const ByteRange next = take(vocabulary * 2);
      append(i % 2 == 0 ? "elementwise-scale" : "reduce-logits", Tier::framework, {logits}, {next}, 0);
      logits = next;
    }
  }

  void number_kernels() {
    std::map<std::string, uint32_t> kernels;
    for (SimulatedLaunch& launch : launches_)
      launch.kernel = kernels.emplace(launch.signature, static_cast<uint32_t>(kernels.size())).first->second;
  }

  Division division_;
  ModelShape shape_;
  std::vector<BlockLaunch> block_;
  const FarReuse* reuse_;  ///< null if there is no far reuse
  uint64_t next_ = uint64_t{1} << 40;
  ByteRange scratch_;
  ByteRange states_[2];  ///< each layer reads its hidden state from one and writes it to the other
  std::vector<ByteRange> kept_;
  std::vector<SimulatedLaunch> launches_;
};

uint64_t touched_bytes(const std::vector<SimulatedLaunch>& launches, size_t begin, size_t end) {
  std::vector<ByteRange> ranges;
  for (size_t i = begin; i < end; ++i) {
    ranges.insert(ranges.end(), launches[i].reads.begin(), launches[i].reads.end());
    ranges.insert(ranges.end(), launches[i].writes.begin(), launches[i].writes.end());
  }
  return distinct_bytes(std::move(ranges));
}

/// Returns a cache size that is smaller than, about equal to, or larger than the iteration's footprint. With
/// far reuse, it is about the size at which one of the layers still finds the range that it recalls in the
/// cache, so that some layers hit and others miss.
uint64_t draw_cache_bytes(Draws& draws, const SimulatedProgram& program, const Division& division,
                          const FarReuse& reuse) {
  static constexpr double factors[][2] = {{0.1, 0.6}, {0.8, 1.2}, {1.4, 3}};
  const double* factor = factors[draws.integer(0, 2)];
  const double of_footprint = draws.between(factor[0], factor[1]);
  const double of_distance = draws.between(0.8, 1.25);
  const int layer = draws.integer(0, 1 << 20) % division.layers;
  if (!program.long_reuse || layer == 0)
    return static_cast<uint64_t>(of_footprint * static_cast<double>(program.footprint_bytes()));
  const auto place = [&division](int in_layer, int in_block) {
    return 1 + in_layer * division.block + in_block;
  };
  const uint64_t distance = touched_bytes(program.launches, place(reuse.recalled[layer], reuse.keeper),
                                          place(layer, reuse.recaller) + 1);
  return static_cast<uint64_t>(of_distance * static_cast<double>(distance));
}

void set_host_gaps(SimulatedProgram& program, double usual_s) {
  for (SimulatedLaunch& launch : program.launches)
    launch.host_gap_s = usual_s * (0.5 + fraction(mix(program.spec.seed, 0x4057, launch.kernel)));
}

void refuse_unless_launch(const SimulatedProgram& program, const char* key,
                          std::optional<LaunchIndex> launch) {
  if (launch && *launch >= program.launches.size())
    throw Error(
        fmt::format("--device simulated: {}={} is not a launch of {}", key, *launch, to_string(program.spec)),
        fmt::format("its launches are 0 to {}", program.launches.size() - 1));
}

}  // namespace

uint64_t SimulatedProgram::footprint_bytes() const {
  return touched_bytes(launches, 0, launches.size());
}

SimulatedProgram make_simulated_program(const SimulatedSpec& spec) {
  Draws draws(spec.seed);
  SimulatedProgram program;
  program.spec = spec;
  const int drawn_launches = draws.integer(40, 300);
  const bool drawn_reuse = draws.chance(1.0 / 3);
  program.long_reuse = spec.long_reuse == SimulatedSpec::LongReuse::automatic
                           ? drawn_reuse
                           : spec.long_reuse == SimulatedSpec::LongReuse::on;
  program.machine = draw_machine(draws);
  if (spec.noise) program.machine.noise = *spec.noise;
  const double host_gap_s = draws.between(0.3e-6, 5e-6);
  const ModelShape shape = draw_shape(draws);
  const auto vocabulary = 512 * static_cast<uint64_t>(draws.integer(16, 96));
  const Division division = draw_division(draws, spec.launches != 0 ? spec.launches : drawn_launches);
  std::vector<BlockLaunch> block = draw_block(draws, shape, division.block);
  const FarReuse reuse = draw_long_reuse(draws, program.machine, division, block);
  program.launches =
      Builder(division, shape, std::move(block), program.long_reuse ? &reuse : nullptr).build(vocabulary);
  program.machine.cache_bytes = draw_cache_bytes(draws, program, division, reuse);
  set_host_gaps(program, spec.can_time_between_launches ? 0 : host_gap_s);
  draw_power(program);
  refuse_unless_launch(program, "fail", spec.fail);
  refuse_unless_launch(program, "lost_record", spec.lost_record);
  return program;
}

}  // namespace kjoule
