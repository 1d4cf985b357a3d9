#pragma once
#include "objects.hpp"

namespace stand_in {

/// The object behind a handle; null and the legacy handle are the default stream.
CUstream_st& stream_of(CUstream handle);
CUstream make_stream(unsigned flags, int priority);
void destroy_stream(CUstream stream);

/// Where an operation that the host issues now begins: after what the stream has been given, and after what
/// the default stream orders it behind.
Position& begin_on(CUstream_st& stream);
/// When all that any stream was given is done.
double all_done_ns();

/// Runs it, or adds a node to the graph that the stream is captured into.
CUresult issue(const Work& work, CUstream stream);
/// Runs it on the default stream, and the host waits for it, unless a capture forbids that.
CUresult issue_and_wait(const Work& work);

/// Whether a capture forbids what this thread is about to do (wait, allocate), which then spoils that
/// capture.
bool forbidden_by_capture();
/// What cuThreadExchangeStreamCaptureMode sets.
CUstreamCaptureMode& capture_mode_of_thread();
uint64_t number_of_thread();

CUresult begin_capture(CUstream_st& stream, CUstreamCaptureMode mode, CUgraph into, Tail tail);
CUresult end_capture(CUstream_st& stream, CUgraph* graph);
/// The stream takes part in the capture that the event was recorded in.
CUresult join_capture(CUstream_st& stream, const CUevent_st& event);

}  // namespace stand_in
