#pragma once
#include <memory>

#include "cuda/session/repeating_session.hpp"
#include "device/injection_options.hpp"
#include "device/window_search.hpp"

namespace kjoule::cuda {

/// Returns the session that the options ask for: the iteration is a named range, a span of launch numbers,
/// what the program marks with ranges called kIterationRange, or one of a loop that lasts. The session lets
/// some iterations pass before it records one: first those that the user wants to skip, then those whose
/// times are kept. A `cut`, if not null, decides when an iteration of a loop that lasts may be recorded.
std::unique_ptr<Session> make_session(const InjectionOptions& options, LeaderCut* cut = nullptr);

/// Returns the session that records what is searched for, of a program that has made so many launches.
std::unique_ptr<Session> make_session(const WindowSearch& search, uint64_t launches);

}  // namespace kjoule::cuda
