#include "sampling/sample_queue.hpp"

#include <numeric>

namespace kjoule {

SampleQueue::SampleQueue(size_t samples, size_t gpus)
    : fresh_(samples), taken_(gpus), first_gpu_(samples), needless_ends_(gpus), left_(samples) {
  std::iota(fresh_.begin(), fresh_.end(), size_t{0});
  for (size_t gpu = 0; gpu < gpus; ++gpu) present_.insert(present_.end(), gpu);
}

std::vector<size_t> SampleQueue::take(size_t gpu, size_t most) {
  std::vector<size_t> samples;
  for (auto retry = again_.begin(); retry != again_.end() && samples.size() < most;) {
    const bool leave_to_others = retry->first == gpu && present_.size() > 1;
    if (!leave_to_others) samples.push_back(retry->sample);
    retry = leave_to_others ? retry + 1 : again_.erase(retry);
  }
  for (; !fresh_.empty() && samples.size() < most; fresh_.pop_front()) samples.push_back(fresh_.front());
  taken_[gpu].insert(samples.begin(), samples.end());
  return samples;
}

void SampleQueue::complete(size_t gpu, size_t sample) {
  if (taken_[gpu].erase(sample) == 0) return;
  --left_;
  if (first_gpu_[sample] && *first_gpu_[sample] != gpu) ++needless_ends_[*first_gpu_[sample]];
}

bool SampleQueue::try_again(size_t gpu, size_t sample) {
  if (taken_[gpu].erase(sample) == 0) return false;
  if (first_gpu_[sample]) {
    --left_;
    return false;
  }
  first_gpu_[sample] = gpu;
  again_.push_back({sample, gpu});
  return true;
}

void SampleQueue::leave(size_t gpu) {
  present_.erase(gpu);
  for (auto sample = taken_[gpu].rbegin(); sample != taken_[gpu].rend(); ++sample) {
    if (first_gpu_[*sample])
      again_.push_front({*sample, *first_gpu_[*sample]});
    else
      fresh_.push_front(*sample);
  }
  taken_[gpu].clear();
}

}  // namespace kjoule
