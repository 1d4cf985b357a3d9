// How far off operators are that are predicted from the tables of another GPU: A100 -> H200 and back, fp16,
// all operators that both have. Prints one CSV row per direction of transfer, operator, direction of the
// operator, region (inside or outside the source's samples), and number of rows of the target to which the
// model is adapted.
//
//   transfer [--draws 10] [--operator NAME]
//
// The rows to which a model is adapted are drawn at random from the target's table; the others are held out.
// rank_90_log is the 90 % rank of the logarithms of the errors. The rows of the operator "all" contain the 90
// % rank over all operators, each with the same weight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include "prediction/sampled_data.hpp"
#include "prediction/transferred_model.hpp"

namespace {

using namespace kjoule;

constexpr size_t kFewestHeldOut = 5;
constexpr size_t kRowsToAdapt = 10;

struct Gpu {
  const char* name;
  const char* folder;
  GpuRates rates;  // data/device_roofs.json, fp16
};
constexpr Gpu kA100{"NVIDIAA100-SXM4-80GB", "Perlmutter/operator", {312e12, 2.039e12, 40e6}};
constexpr Gpu kH200{"NVIDIAH200", "H200/operator", {989.5e12, 4.8e12, 62.9e6}};

// Errors of held-out rows, and whether the interval covers each.
struct Errors {
  std::vector<double> logs;
  double covered = 0;

  void add(const Prediction& prediction, double us) {
    logs.push_back(std::log(prediction.value / us));
    covered += us >= prediction.low && us <= prediction.high ? 1 : 0;
  }
  double mean_percent() const {
    double sum = 0;
    for (const double log : logs) sum += std::abs(std::expm1(log));
    return 100 * sum / static_cast<double>(logs.size());
  }
  double quantile(double q) const {
    std::vector<double> sorted;
    for (const double log : logs) sorted.push_back(std::abs(log));
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1))];
  }
  double bias_percent() const {
    std::vector<double> sorted = logs;
    std::sort(sorted.begin(), sorted.end());
    return 100 * std::expm1(sorted[sorted.size() / 2]);
  }
};

// By region and number of rows, the errors of all operators.
std::map<std::pair<std::string, size_t>, std::vector<std::vector<double>>> all_errors;

void print(const std::string& pair, const std::string& operation, Direction direction, const char* region,
           size_t rows, const Errors& errors) {
  const auto count = static_cast<double>(errors.logs.size());
  fmt::print("{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.4f},{:.2f}\n", pair, operation,
             direction_text(direction), region, rows, errors.logs.size(), errors.mean_percent(),
             100 * std::expm1(errors.quantile(0.5)), errors.bias_percent(), errors.quantile(0.9),
             100 * errors.covered / count);
  std::fflush(stdout);
  std::vector<double> sizes;
  for (const double log : errors.logs) sizes.push_back(std::abs(log));
  all_errors[{region, rows}].push_back(sizes);
}

void transfer(const Gpu& from, const Gpu& to, const OperatorModel& source, const MeasuredShapes& target,
              const std::string& operation, Direction direction, int draws) {
  const std::string pair = std::string(from.name) + "->" + to.name;
  const TransferredModel scaled = TransferredModel::scale(source, from.rates, to.rates);
  for (const bool inside : {true, false}) {
    std::vector<size_t> rows;
    for (size_t r = 0; r < target.costs.size(); ++r)
      if (source.parts(target.shapes[r]).outside.empty() == inside) rows.push_back(r);
    const char* region = inside ? "inside" : "outside";
    if (rows.size() < kFewestHeldOut) continue;
    Errors without;
    for (const size_t r : rows) without.add(scaled.predict(target.shapes[r]), target.costs[r]);
    print(pair, operation, direction, region, 0, without);
    if (rows.size() < kRowsToAdapt + kFewestHeldOut) continue;
    Errors with;
    for (int draw = 0; draw < draws; ++draw) {
      std::shuffle(rows.begin(), rows.end(), std::mt19937(static_cast<unsigned>(1000 + draw)));
      std::vector<std::vector<double>> shapes;
      std::vector<double> us;
      for (size_t i = 0; i < kRowsToAdapt; ++i) {
        shapes.push_back(target.shapes[rows[i]]);
        us.push_back(target.costs[rows[i]]);
      }
      const auto fitted = TransferredModel::fit(source, from.rates, to.rates, shapes, us);
      for (size_t i = kRowsToAdapt; i < rows.size(); ++i)
        with.add(fitted.predict(target.shapes[rows[i]]), target.costs[rows[i]]);
    }
    print(pair, operation, direction, region, kRowsToAdapt, with);
  }
}

void transfer_all(const Gpu& from, const Gpu& to, const std::string& only, int draws) {
  const SampledData source = SampledData::open_named(from.folder, {});
  const SampledData target = SampledData::open_named(to.folder, {});
  for (const TableName& name : source.tables()) {
    TableName other = name;
    other.gpu = to.name;
    if (name.precision != "fp16" || !target.has(other.stem()) || (!only.empty() && name.operation != only))
      continue;
    const Samples samples = source.samples(name);
    for (const auto& [direction, us] : samples.us) {
      const OperatorModel model = OperatorModel::train(source.kind_of(name), samples.shapes, us);
      transfer(from, to, model, target.samples(other).select(direction, Measurand::time), name.operation,
               direction, draws);
    }
  }
}

// The 90 % rank of errors of which each operator's have the same weight.
double weighted_rank(const std::vector<std::vector<double>>& operators) {
  std::vector<std::pair<double, double>> weighted;
  for (const auto& sizes : operators)
    for (const double size : sizes) weighted.push_back({size, 1.0 / static_cast<double>(sizes.size())});
  std::sort(weighted.begin(), weighted.end());
  double sum = 0;
  for (const auto& [size, weight] : weighted)
    if ((sum += weight) >= 0.9 * static_cast<double>(operators.size())) return size;
  return weighted.back().first;
}

}  // namespace

int main(int argc, char** argv) {
  int draws = 10;
  std::string only;
  for (int a = 1; a + 1 < argc; a += 2) {
    if (std::strcmp(argv[a], "--draws") == 0) draws = std::atoi(argv[a + 1]);
    if (std::strcmp(argv[a], "--operator") == 0) only = argv[a + 1];
  }
  fmt::print(
      "transfer,operator,direction,region,adapted_to_rows,held_out,mean_error_percent,"
      "median_error_percent,median_signed_error_percent,rank_90_log,covered_percent\n");
  transfer_all(kA100, kH200, only, draws);
  transfer_all(kH200, kA100, only, draws);
  for (const auto& [key, operators] : all_errors)
    fmt::print("both,all,all,{},{},{},,,,{:.4f},\n", key.first, key.second, operators.size(),
               weighted_rank(operators));
}
