#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Returns warnings about what the trace lacks for some launches (indices of its operations): calls,
/// operators and shapes. Each has a remedy that works with the tool that wrote the trace.
std::vector<std::string> missing_facts(const ProfilerTrace& trace, const LaunchLinks& links,
                                       const std::vector<uint32_t>& operations);

/// Returns warnings about work of the devices that the file contains, but kjoule does not read, with its
/// number and time.
std::vector<std::string> unread_work_warnings(const ProfilerTrace& trace);

/// Throws the Error for a trace without operations. It names what the trace contains instead, and the tool
/// that wrote it, if this is known.
[[noreturn]] void fail_without_operations(const ProfilerTrace& trace, const std::string& file);

}  // namespace kjoule
