#include <memory>

#include "torch/builders.hpp"

namespace kjoule::runner {

/// Cross entropy over the logits of one device, computed in place. The sums over all devices are not
/// included.
Directions cross_entropy(const SampleShape& shape, const Placement& place) {
  const int64_t mp = shape[0], b = shape[1], l = shape[2], words = vocabulary(mp);
  const at::Tensor given = place.uniform({b * l, words}), logits = at::empty_like(given);
  const at::Tensor targets = place.whole_numbers(words, {b * l});
  const at::Tensor tokens = at::arange(b * l, targets.options());
  const at::Tensor counts = place.whole_numbers(2, {b * l, 1}).to(given.scalar_type());
  const auto forward = [=](Stopwatch& watch) {
    watch.start();
    logits.sub_(at::amax(logits, {-1}, true));
    const at::Tensor predicted = logits.index({tokens, targets});
    logits.exp_();
    const at::Tensor sums = logits.sum(-1);
    const at::Tensor loss = at::log(sums) - predicted;
    logits.div_(sums.unsqueeze(-1));
    watch.stop();
  };
  const auto backward = [=](Stopwatch& watch) {
    watch.start();
    const at::Tensor ones = at::ones_like(targets, logits.options());
    at::Tensor gradient = logits;
    gradient.index_put_({tokens, targets}, logits.index({tokens, targets}) - ones);
    gradient.mul_(counts);
    watch.stop();
  };
  Directions directions;
  directions["forward"] = {[=] { logits.copy_(given); }, forward, {}, 2 * bytes_of({logits})};
  directions["backward"] = {{}, backward, {}, 2 * bytes_of({logits})};
  return directions;
}

}  // namespace kjoule::runner
