// What the choice of shapes is worth: models of 5, 10 and 20 % of the rows of the A100's complete tables,
// chosen at random or by ShapeChoice, as kjoule sample --budget chooses them. Prints one CSV row per
// operator, direction, share, choice and seed: mean absolute error on all rows that were not measured, and
// the share of them in the 90 % interval.
//
//   choice [--operator NAME] [--seeds 1] [--most-rows 1800]
//
// Of tables with more rows than --most-rows, so many random rows take the place of the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <set>

#include "prediction/operator_model.hpp"
#include "prediction/sampled_data.hpp"
#include "prediction/shape_choice.hpp"

namespace {

using namespace kjoule;

struct Table {
  OperatorKind kind;
  std::vector<std::vector<double>> shapes;
  std::map<Direction, std::vector<double>> us;
};

Table read_table(const SampledData& data, const TableName& name, size_t most_rows) {
  const Samples samples = data.samples(name);
  std::vector<size_t> rows(samples.shapes.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  if (rows.size() > most_rows) {
    std::shuffle(rows.begin(), rows.end(), std::mt19937(7));
    rows.resize(most_rows);
    std::sort(rows.begin(), rows.end());
  }
  Table table{data.kind_of(name), {}, {}};
  for (const size_t r : rows) {
    table.shapes.push_back(samples.shapes[r]);
    for (const auto& [direction, us] : samples.us) table.us[direction].push_back(us[r]);
  }
  return table;
}

std::vector<size_t> random_rows(const Table& table, size_t count, unsigned seed) {
  std::vector<size_t> rows(table.shapes.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::shuffle(rows.begin(), rows.end(), std::mt19937(2000 + seed));
  rows.resize(count);
  return rows;
}

std::vector<size_t> chosen_rows(const Table& table, size_t count, unsigned seed) {
  const ShapeChoice choice(table.kind, table.shapes, seed);
  std::map<size_t, std::vector<double>> measured;
  while (measured.size() < count)
    for (const size_t row : choice.next_batch(measured, count - measured.size()))
      for (const auto& [direction, us] : table.us) measured[row].push_back(us[row]);
  std::vector<size_t> rows;
  for (const auto& [row, us] : measured) rows.push_back(row);
  return rows;
}

void print(const TableName& name, const Table& table, const std::vector<size_t>& rows, int percent,
           const char* choice, unsigned seed) {
  const std::set<size_t> measured(rows.begin(), rows.end());
  for (const auto& [direction, us] : table.us) {
    std::vector<std::vector<double>> shapes;
    std::vector<double> costs;
    for (const size_t row : rows) {
      shapes.push_back(table.shapes[row]);
      costs.push_back(us[row]);
    }
    const OperatorModel model = OperatorModel::train(table.kind, shapes, costs);
    double error = 0, covered = 0, count = 0;
    for (size_t row = 0; row < us.size(); ++row) {
      if (measured.contains(row)) continue;
      const Prediction prediction = model.predict(table.shapes[row]);
      error += std::abs(prediction.value / us[row] - 1);
      covered += prediction.low <= us[row] && us[row] <= prediction.high ? 1 : 0;
      ++count;
    }
    fmt::print("{},{},{},{},{},{},{:.4f},{:.2f}\n", name.operation, direction_text(direction), percent,
               choice, seed, rows.size(), 100 * error / count, 100 * covered / count);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  unsigned seeds = 1;
  size_t most_rows = 1800;
  for (int a = 1; a + 1 < argc; a += 2) {
    if (std::strcmp(argv[a], "--operator") == 0) only = argv[a + 1];
    if (std::strcmp(argv[a], "--seeds") == 0) seeds = static_cast<unsigned>(std::atoi(argv[a + 1]));
    if (std::strcmp(argv[a], "--most-rows") == 0) most_rows = static_cast<size_t>(std::atoi(argv[a + 1]));
  }
  const SampledData data = SampledData::open_named("Perlmutter/operator", {});
  fmt::print("operator,direction,percent_of_rows,choice,seed,rows,error_percent,covered_percent\n");
  for (const TableName& name : data.tables()) {
    if (name.operation == "optimizer" || (!only.empty() && name.operation != only)) continue;
    const Table table = read_table(data, name, most_rows);
    for (unsigned seed = 0; seed < seeds; ++seed)
      for (const int percent : {5, 10, 20}) {
        const size_t count = table.shapes.size() * static_cast<size_t>(percent) / 100;
        if (count < OperatorModel::kFewestRows) continue;
        print(name, table, random_rows(table, count, seed), percent, "random", seed);
        print(name, table, chosen_rows(table, count, seed), percent, "chosen", seed);
      }
  }
}
