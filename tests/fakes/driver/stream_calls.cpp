// Streams, events and stream capture.

#include <algorithm>

#include "deferred.hpp"
#include "entry.hpp"
#include "hooks.hpp"
#include "streams.hpp"

using stand_in::stream_of;

DRIVER(cuStreamCreate, (CUstream * phStream, unsigned Flags), (phStream, Flags)) {
  *phStream = stand_in::make_stream(Flags, 0);
  return CUDA_SUCCESS;
}

DRIVER(cuStreamCreateWithPriority, (CUstream * phStream, unsigned flags, int priority),
       (phStream, flags, priority)) {
  *phStream = stand_in::make_stream(flags, priority);
  return CUDA_SUCCESS;
}

DRIVER(cuStreamDestroy_v2, (CUstream hStream), (hStream)) {
  if (&stream_of(hStream) == &stream_of(nullptr)) return CUDA_ERROR_INVALID_HANDLE;
  stand_in::destroy_stream(hStream);
  return CUDA_SUCCESS;
}

DRIVER(cuStreamGetFlags, (CUstream hStream, unsigned* flags), (hStream, flags)) {
  *flags = stream_of(hStream).flags;
  return CUDA_SUCCESS;
}

DRIVER(cuStreamGetPriority, (CUstream hStream, int* priority), (hStream, priority)) {
  *priority = stream_of(hStream).priority;
  return CUDA_SUCCESS;
}

DRIVER(cuStreamGetId, (CUstream hStream, unsigned long long* streamId), (hStream, streamId)) {
  *streamId = stream_of(hStream).id;
  return CUDA_SUCCESS;
}

DRIVER(cuStreamSetAttribute, (CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue* value),
       (hStream, attr, value)) {
  stream_of(hStream).attributes[attr] = *value;
  return CUDA_SUCCESS;
}

DRIVER(cuStreamGetAttribute, (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out),
       (hStream, attr, value_out)) {
  const auto& attributes = stream_of(hStream).attributes;
  const auto known = attributes.find(attr);
  *value_out = known == attributes.end() ? CUstreamAttrValue{} : known->second;
  return CUDA_SUCCESS;
}

DRIVER(cuStreamSynchronize, (CUstream hStream), (hStream)) {
  CUstream_st& stream = stream_of(hStream);
  if (stream.capture) {
    stream.capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  stand_in::wait_until(stream.position.free_ns);
  return CUDA_SUCCESS;
}

DRIVER(cuStreamQuery, (CUstream hStream), (hStream)) {
  const CUstream_st& stream = stream_of(hStream);
  if (stream.capture) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return stream.position.free_ns <= static_cast<double>(stand_in::now_ns()) ? CUDA_SUCCESS
                                                                            : CUDA_ERROR_NOT_READY;
}

DRIVER(cuStreamWaitEvent, (CUstream hStream, CUevent hEvent, unsigned Flags), (hStream, hEvent, Flags)) {
  CUstream_st& stream = stream_of(hStream);
  if ((Flags & CU_EVENT_WAIT_EXTERNAL) != 0) return stand_in::issue(stand_in::WaitWork{hEvent}, hStream);
  if (hEvent->capture) return stand_in::join_capture(stream, *hEvent);
  if (stream.capture) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  stand_in::do_or_defer(
      [&stream, hEvent] { stream.position.free_ns = std::max(stream.position.free_ns, hEvent->time_ns); },
      stream.id);
  return CUDA_SUCCESS;
}

DRIVER(cuStreamWriteValue32_v2, (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned flags),
       (stream, addr, value, flags)) {
  return stand_in::issue(stand_in::SetWork{{addr, 0, value, sizeof value, 1, 1}}, stream);
}

DRIVER(cuStreamBeginCapture_v2, (CUstream hStream, CUstreamCaptureMode mode), (hStream, mode)) {
  return stand_in::begin_capture(stream_of(hStream), mode, nullptr, {});
}

DRIVER(cuStreamBeginCaptureToGraph,
       (CUstream hStream, CUgraph hGraph, const CUgraphNode* dependencies,
        const CUgraphEdgeData* dependencyData, size_t numDependencies, CUstreamCaptureMode mode),
       (hStream, hGraph, dependencies, dependencyData, numDependencies, mode)) {
  stand_in::Tail tail;
  for (size_t i = 0; i < numDependencies; ++i) {
    tail.nodes.push_back(dependencies[i]);
    tail.edges.push_back(dependencyData == nullptr ? CUgraphEdgeData{} : dependencyData[i]);
  }
  return stand_in::begin_capture(stream_of(hStream), mode, hGraph, std::move(tail));
}

DRIVER(cuStreamEndCapture, (CUstream hStream, CUgraph* phGraph), (hStream, phGraph)) {
  return stand_in::end_capture(stream_of(hStream), phGraph);
}

static CUstreamCaptureStatus status_of(const CUstream_st& stream) {
  if (!stream.capture) return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream.capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

DRIVER(cuStreamIsCapturing, (CUstream hStream, CUstreamCaptureStatus* captureStatus),
       (hStream, captureStatus)) {
  *captureStatus = status_of(stream_of(hStream));
  return CUDA_SUCCESS;
}

DRIVER(cuStreamGetCaptureInfo_v3,
       (CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out, CUgraph* graph_out,
        const CUgraphNode** dependencies_out, const CUgraphEdgeData** edgeData_out,
        size_t* numDependencies_out),
       (hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out)) {
  const CUstream_st& stream = stream_of(hStream);
  *captureStatus_out = status_of(stream);
  if (*captureStatus_out != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  if (id_out != nullptr) *id_out = stream.capture->id;
  if (graph_out != nullptr) *graph_out = stream.capture->graph;
  if (dependencies_out != nullptr) *dependencies_out = stream.tail.nodes.data();
  if (edgeData_out != nullptr) *edgeData_out = stream.tail.edges.data();
  if (numDependencies_out != nullptr) *numDependencies_out = stream.tail.nodes.size();
  return CUDA_SUCCESS;
}

DRIVER(cuStreamUpdateCaptureDependencies_v2,
       (CUstream hStream, CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
        size_t numDependencies, unsigned flags),
       (hStream, dependencies, dependencyData, numDependencies, flags)) {
  CUstream_st& stream = stream_of(hStream);
  if (!stream.capture) return CUDA_ERROR_ILLEGAL_STATE;
  if ((flags & CU_STREAM_SET_CAPTURE_DEPENDENCIES) != 0) stream.tail = {};
  for (size_t i = 0; i < numDependencies; ++i) {
    stream.tail.nodes.push_back(dependencies[i]);
    stream.tail.edges.push_back(dependencyData == nullptr ? CUgraphEdgeData{} : dependencyData[i]);
  }
  return CUDA_SUCCESS;
}

DRIVER(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), (mode)) {
  std::swap(*mode, stand_in::capture_mode_of_thread());
  return CUDA_SUCCESS;
}

DRIVER(cuEventCreate, (CUevent * phEvent, unsigned Flags), (phEvent, Flags)) {
  *phEvent = new CUevent_st{.flags = Flags, .capture = {}, .nodes = {}};
  return CUDA_SUCCESS;
}

DRIVER(cuEventDestroy_v2, (CUevent hEvent), (hEvent)) {
  delete hEvent;
  return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream handle, bool external) {
  CUstream_st& stream = stream_of(handle);
  if (external && stream.capture) return stand_in::issue(stand_in::RecordWork{event}, handle);
  event->capture = stream.capture;
  event->nodes = stream.tail.nodes;
  if (!stream.capture)
    stand_in::do_or_defer([event, &stream] { event->time_ns = stand_in::begin_on(stream).free_ns; },
                          stream.id);
  return CUDA_SUCCESS;
}

DRIVER(cuEventRecord, (CUevent hEvent, CUstream hStream), (hEvent, hStream)) {
  return record(hEvent, hStream, false);
}

DRIVER(cuEventRecordWithFlags, (CUevent hEvent, CUstream hStream, unsigned flags), (hEvent, hStream, flags)) {
  return record(hEvent, hStream, (flags & CU_EVENT_RECORD_EXTERNAL) != 0);
}

DRIVER(cuEventQuery, (CUevent hEvent), (hEvent)) {
  if (hEvent->capture) return CUDA_ERROR_CAPTURED_EVENT;
  return hEvent->time_ns <= static_cast<double>(stand_in::now_ns()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

DRIVER(cuEventSynchronize, (CUevent hEvent), (hEvent)) {
  if (hEvent->capture) return CUDA_ERROR_CAPTURED_EVENT;
  stand_in::wait_until(hEvent->time_ns);
  return CUDA_SUCCESS;
}

DRIVER(cuEventElapsedTime_v2, (float* pMilliseconds, CUevent hStart, CUevent hEnd),
       (pMilliseconds, hStart, hEnd)) {
  if (hStart->time_ns == 0 || hEnd->time_ns == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (((hStart->flags | hEnd->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  *pMilliseconds = static_cast<float>((hEnd->time_ns - hStart->time_ns) * 1e-6);
  return CUDA_SUCCESS;
}
