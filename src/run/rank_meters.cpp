#include "run/rank_meters.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "device/rank_facts.hpp"
#include "run/board_sensor.hpp"

namespace kjoule {

namespace {

const std::string kNameAllGpus = "name a source with the GPUs of all ranks";

bool is_same_gpu(const MeterFacts& one, const MeterFacts& other) {
  return one.source == other.source && one.name == other.name && one.id == other.id;
}

/// Throws Error with the remedy if another rank has the same meter already: the user named one GPU.
void refuse_same_gpu(const EnergyMeters& opened, const EnergyMeters& earlier, const std::string& remedy) {
  for (const auto& meter : opened.meters)
    if (std::ranges::any_of(earlier.meters,
                            [&](const auto& other) { return is_same_gpu(meter->facts(), other->facts()); }))
      throw Error(meter->facts().name + " measures one GPU, but there are several ranks", remedy);
}

void append(EnergyMeters opened, std::optional<size_t> rank, RankMeters& meters) {
  meters.ranks.insert(meters.ranks.end(), opened.meters.size(), rank);
  std::ranges::move(opened.meters, std::back_inserter(meters.all.meters));
  meters.all.patience_s = std::max(meters.all.patience_s, opened.patience_s);
}

/// Opens the meters of each rank with `open`; `name_of` names a rank in messages. `remedy` helps if the user
/// named the meter of one GPU.
RankMeters open_each(size_t ranks, const std::function<EnergyMeters(size_t rank)>& open,
                     const std::function<std::string(size_t rank)>& name_of, const std::string& remedy) {
  RankMeters meters;
  for (size_t rank = 0; rank < ranks; ++rank) {
    EnergyMeters opened = open(rank);
    if (opened.meters.empty()) {
      meters = {};
      meters.all.lack = name_of(rank) + ": " + opened.lack;
      break;
    }
    if (rank == 0) meters.all.is_named = opened.is_named;
    if (opened.meters.front()->facts().scope != Scope::gpu) {
      append(std::move(opened), {}, meters);
      break;
    }
    refuse_same_gpu(opened, meters.all, remedy);
    if (opened.may_probe) probe_unknown_board(opened);
    append(std::move(opened), rank, meters);
  }
  return meters;
}

}  // namespace

std::vector<size_t> RankMeters::of_rank(size_t rank) const {
  std::vector<size_t> its;
  for (size_t meter = 0; meter < ranks.size(); ++meter)
    if (ranks[meter].value_or(0) == rank) its.push_back(meter);
  return its;
}

RankMeters open_rank_meters(Subject& subject, const EnergyMeterOptions& options) {
  const std::vector<RecordedRank>& ranks = subject.ranks->ranks();
  const auto open = [&](size_t rank) {
    subject.ranks->use_as(rank);
    return open_energy_meters(subject, options);
  };
  RankMeters meters = open_each(
      ranks.size(), open, [&](size_t rank) { return rank_name(ranks[rank].info.rank, ranks[rank].process); },
      kNameAllGpus + ", or choose one process with --rank R");
  subject.ranks->use_as(0);
  return meters;
}

RankMeters open_rank_meters(const std::vector<RankGpu>& gpus, const EnergyMeterOptions& options) {
  const auto open = [&](size_t rank) { return open_gpu_meters(gpus[rank].uuid, options); };
  return open_each(
      gpus.size(), open, [&](size_t rank) { return gpus[rank].name; }, kNameAllGpus);
}

}  // namespace kjoule
