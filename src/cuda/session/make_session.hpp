#pragma once
#include <memory>

#include "cuda/session/repeating_session.hpp"
#include "device/injection_options.hpp"
#include "device/window_search.hpp"

namespace kjoule::cuda {

/// Returns the session that the options request. The iteration is a named range, a span of launch numbers, a
/// range called kIterationRange with which the program marks it, or an iteration of a loop that lasts. Before
/// the session records an iteration, other iterations pass: first the iterations that the user wants to skip,
/// then the iterations whose times are kept. If `cut` is not null, it decides when an iteration of a loop
/// that lasts may be recorded.
std::unique_ptr<Session> make_session(const InjectionOptions& options, LeaderCut* cut = nullptr);

/// Returns the session that records the window or loop of `search`, in a program that has already made this
/// number of launches.
std::unique_ptr<Session> make_session(const WindowSearch& search, uint64_t launches);

}  // namespace kjoule::cuda
