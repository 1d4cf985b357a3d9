#include <algorithm>

#include "prediction/step.hpp"

namespace kjoule {

namespace {

struct Task {
  bool forward;
  int micro_batch;
};

/// Returns the tasks of a stage in order.
std::vector<Task> order_of(int stage, int stages, int micro_batches, Schedule schedule) {
  const int ahead = schedule == Schedule::gpipe ? micro_batches : std::min(micro_batches, stages - stage);
  std::vector<Task> order;
  for (int i = 0; i < ahead; ++i) order.push_back({true, i});
  for (int i = 0; i < micro_batches; ++i) {
    order.push_back({false, i});
    if (i + ahead < micro_batches) order.push_back({true, i + ahead});
  }
  return order;
}

}  // namespace

double pipeline_duration_us(const std::vector<Stage>& stages, int micro_batches, Schedule schedule) {
  const auto count = static_cast<int>(stages.size());
  std::vector<std::vector<Task>> orders;
  for (int s = 0; s < count; ++s) orders.push_back(order_of(s, count, micro_batches, schedule));
  // The time at which each stage has finished each micro-batch; negative if it has not.
  const std::vector<double> not_yet(static_cast<size_t>(micro_batches), -1);
  std::vector<std::vector<double>> forward(stages.size(), not_yet), backward(stages.size(), not_yet);
  std::vector<size_t> next(stages.size(), 0);
  std::vector<double> free_at(stages.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t s = 0; s < stages.size(); ++s)
      while (next[s] < orders[s].size()) {
        const auto [is_forward, i] = orders[s][next[s]];
        const auto batch = static_cast<size_t>(i);
        double ready = 0;
        if (is_forward && s > 0) ready = forward[s - 1][batch];
        if (!is_forward) ready = s + 1 < stages.size() ? backward[s + 1][batch] : forward[s][batch];
        if (ready < 0) break;
        free_at[s] =
            std::max(free_at[s], ready) + (is_forward ? stages[s].forward.us : stages[s].backward.us);
        (is_forward ? forward : backward)[s][batch] = free_at[s];
        ++next[s];
        moved = true;
      }
  }
  return *std::max_element(free_at.begin(), free_at.end());
}

}  // namespace kjoule
