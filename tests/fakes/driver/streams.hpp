#pragma once
#include "objects.hpp"

namespace stand_in {

/// Returns the object behind a handle; null and the legacy handle mean the default stream.
CUstream_st& stream_of(CUstream handle);
CUstream make_stream(unsigned flags, int priority);
void destroy_stream(CUstream stream);

/// Returns the position at which an operation that the host issues now begins: after all work of the stream,
/// and after the work of other streams that the default stream orders before it.
Position& begin_on(CUstream_st& stream);
/// Returns the virtual time at which the work of all streams of the current device is complete.
double all_done_ns();

/// Runs the work, or adds it as a node to the graph into which the stream is captured.
CUresult issue(const Work& work, CUstream stream);
/// Runs the work on the default stream and makes the host wait for it, unless a capture forbids this.
CUresult issue_and_wait(const Work& work);

/// Returns whether a capture forbids an action of this thread (waiting, allocating). If so, the capture
/// becomes invalid.
bool forbidden_by_capture();
/// Returns the mode that cuThreadExchangeStreamCaptureMode sets.
CUstreamCaptureMode& capture_mode_of_thread();
uint64_t number_of_thread();

CUresult begin_capture(CUstream_st& stream, CUstreamCaptureMode mode, CUgraph into, Tail tail);
CUresult end_capture(CUstream_st& stream, CUgraph* graph);
/// Makes the stream join the capture in which the event was recorded.
CUresult join_capture(CUstream_st& stream, const CUevent_st& event);

}  // namespace stand_in
