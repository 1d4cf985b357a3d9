#include "cuda/replay/empty_kernels_track.hpp"

namespace kjoule::cuda {

EmptyKernelsTrack::EmptyKernelsTrack(const ReplayContext& context, const EmptyKernels& work)
    : GatedTrack(context, 2) {
  const auto issue_chain = [&] {
    issue_stamp();
    for (int i = 0; i < work.count; ++i) context_.stamps.issue_nothing(context_.capture_stream);
    issue_stamp();
  };
  capture(issue_chain, [] {});
}

}  // namespace kjoule::cuda
