// How far off regressors are on rows that were kept from them. Prints one CSV row per operator, direction,
// kind of split and split: mean absolute error, and the share of kept rows that the 90 % interval covers.
//
//   regressors [--operator NAME] [--first-split 0] [--splits 5]
//   regressors --speed 7     what a prediction costs, alone and among 1,000, seven times
//   regressors --step 7      what a training step costs whose models are in memory, seven times
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "prediction/operator_model.hpp"
#include "prediction/sampled_data.hpp"
#include "prediction/samples.hpp"
#include "prediction/step.hpp"

namespace {

using namespace kjoule;

struct Split {
  std::vector<size_t> kept, held_out;
};

Split random_fifth(size_t rows, unsigned seed) {
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(1000 + seed));
  const auto held = order.begin() + std::llround(0.2 * static_cast<double>(rows));
  return {{held, order.end()}, {order.begin(), held}};
}

Split largest_fifth(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes) {
  std::vector<size_t> order(shapes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return kind.work(shapes[a]).amount() < kind.work(shapes[b]).amount();
  });
  const auto held = order.end() - std::llround(0.2 * static_cast<double>(shapes.size()));
  return {{order.begin(), held}, {held, order.end()}};
}

void print_row(const TableName& name, Direction direction, const char* kind_of_split, unsigned seed,
               const OperatorKind& kind, const Samples& samples, const Split& split) {
  const std::vector<double>& us = samples.us.at(direction);
  std::vector<std::vector<double>> shapes;
  std::vector<double> times;
  for (const size_t r : split.kept) {
    shapes.push_back(samples.shapes[r]);
    times.push_back(us[r]);
  }
  const auto begin = std::chrono::steady_clock::now();
  const OperatorModel model = OperatorModel::train(kind, shapes, times, seed);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  double error = 0, covered = 0;
  for (const size_t r : split.held_out) {
    const Prediction prediction = model.predict(samples.shapes[r]);
    error += std::abs(prediction.value / us[r] - 1);
    covered += us[r] >= prediction.low && us[r] <= prediction.high ? 1 : 0;
  }
  const auto count = static_cast<double>(split.held_out.size());
  fmt::print("{},{},{},{},{},{:.4f},{:.4f},{},{:.3f}\n", name.operation, direction_text(direction),
             kind_of_split, seed, split.held_out.size(), 100 * error / count, 100 * covered / count,
             model.method(), took.count());
  std::fflush(stdout);
}

/// Microseconds of one prediction: the first of a cold cache's, and the mean of 1,000 others after it.
void print_speed(const OperatorModel& model, const std::vector<std::vector<double>>& shapes) {
  std::vector<char> other(64 << 20, 1);  // what drives the model out of the caches
  double sum = std::accumulate(other.begin(), other.end(), 0.0);
  const auto time = [&](size_t from, size_t to) {
    const auto begin = std::chrono::steady_clock::now();
    for (size_t s = from; s < to; ++s) sum += model.predict(shapes[s % shapes.size()]).value;
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return took.count() / static_cast<double>(to - from);
  };
  const double alone = time(0, 1), among = time(1, 1001);
  fmt::print("{:.3f},{:.3f}\n", alone, among);
  if (!(sum > 0)) std::abort();
}

int speed(int times) {
  const SampledData data = SampledData::open_named("Perlmutter/operator", {});
  const TableName name = data.find("NVIDIAA100-SXM4-80GB", "linear1", "fp16");
  const Samples samples = read_samples(data.text(name.stem()), name.stem());
  const OperatorModel model = OperatorModel::train(make_operator_kind(name.operation, samples.columns),
                                                   samples.shapes, samples.us.at(Direction::forward));
  fmt::print("alone_us,batch_of_1000_us\n");
  for (int t = 0; t < times; ++t) print_speed(model, samples.shapes);
  return 0;
}

int step(int times) {
  const TrainingConfiguration run =
      read_training_configuration(shipped_training("llemma_7b_4_2_2_P"), "llemma_7b_4_2_2_P");
  TrainedModels operators(SampledData::open_named("Perlmutter/operator", {})),
      collectives(SampledData::open_named("Perlmutter/nccl", {}));
  TrainedStepModels models(operators, collectives, run.gpu, run.precision);
  predict_corrected_step(run, models, Schedule::one_forward_one_backward);  // reads the models
  fmt::print("step_ms\n");
  for (int t = 0; t < times; ++t) {
    const auto begin = std::chrono::steady_clock::now();
    predict_corrected_step(run, models, Schedule::one_forward_one_backward);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    fmt::print("{:.3f}\n", took.count());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  unsigned first = 0, splits = 5;
  for (int a = 1; a + 1 < argc; a += 2) {
    if (std::strcmp(argv[a], "--speed") == 0) return speed(std::atoi(argv[a + 1]));
    if (std::strcmp(argv[a], "--step") == 0) return step(std::atoi(argv[a + 1]));
    if (std::strcmp(argv[a], "--operator") == 0) only = argv[a + 1];
    if (std::strcmp(argv[a], "--first-split") == 0) first = static_cast<unsigned>(std::atoi(argv[a + 1]));
    if (std::strcmp(argv[a], "--splits") == 0) splits = static_cast<unsigned>(std::atoi(argv[a + 1]));
  }
  const SampledData data = SampledData::open_named("Perlmutter/operator", {});
  fmt::print("operator,direction,held_out,split,rows,error_percent,covered_percent,method,training_s\n");
  for (unsigned seed = first; seed < first + splits; ++seed)
    for (const TableName& name : data.tables()) {
      // estimate-train-time has regressors of 39 operators and directions, and none of this one
      if (name.operation == "optimizer" || (!only.empty() && name.operation != only)) continue;
      const Samples samples = read_samples(data.text(name.stem()), name.stem());
      const OperatorKind kind = make_operator_kind(name.operation, samples.columns);
      for (const auto& [direction, us] : samples.us) {
        print_row(name, direction, "random", seed, kind, samples, random_fifth(us.size(), seed));
        print_row(name, direction, "largest", seed, kind, samples, largest_fifth(kind, samples.shapes));
      }
    }
}
