#include "streams.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "deferred.hpp"
#include "devices.hpp"
#include "entry.hpp"
#include "graphs.hpp"
#include "hooks.hpp"

namespace stand_in {

namespace {

std::set<CUstream>& streams() {
  static auto* all = new std::set<CUstream>;
  return *all;
}

CUstream make_stream_in(CUcontext context, unsigned flags, int priority) {
  static uint32_t next = 7;  // as the first number of CUPTI
  auto* stream = new CUstream_st{.id = next++,
                                 .flags = flags,
                                 .context = context,
                                 .priority = priority,
                                 .position = {},
                                 .capture = {},
                                 .tail = {}};
  streams().insert(stream);
  return stream;
}

/// Returns the default stream of a context's device.
CUstream default_stream_of(CUcontext context) {
  static std::array<CUstream, kMostDevices> all{};
  const int device = context == nullptr ? 0 : context->device;
  CUstream& stream = all.at(static_cast<size_t>(device));
  if (stream == nullptr) stream = make_stream_in(context, CU_STREAM_DEFAULT, 0);
  return stream;
}

CUstream default_stream() {
  return default_stream_of(current_context());
}

bool share_a_device(const CUstream_st& one, CUcontext context) {
  const auto device = [](CUcontext of) { return of == nullptr ? 0 : of->device; };
  return device(one.context) == device(context);
}

bool blocks(const CUstream_st& stream) {
  return (stream.flags & CU_STREAM_NON_BLOCKING) == 0;
}

CUresult run_or_defer(const Work& work, CUstream_st& stream) {
  const auto* copy = std::get_if<CopyWork>(&work);
  if (copy != nullptr && !can_copy(copy->shape)) return CUDA_ERROR_INVALID_VALUE;
  do_or_defer(
      [work, &stream] {
        const Running running(stream.context);
        try {
          run(work, begin_on(stream), {.stream = stream.id});
        } catch (const IllegalAddress& fault) {
          lose_context(fault.what());  // the launch itself reports no error yet
        }
      },
      stream.id);
  if (copy != nullptr && reads_pageable_memory(copy->shape)) do_deferred();
  return CUDA_SUCCESS;
}

bool is_programmatic(const Work& work) {
  const auto* kernel = std::get_if<KernelWork>(&work);
  if (kernel == nullptr) return false;
  return std::any_of(kernel->attributes.begin(), kernel->attributes.end(), [](const CUlaunchAttribute& a) {
    return a.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
           a.value.programmaticStreamSerializationAllowed != 0;
  });
}

CUresult add_to_capture(const Work& work, CUstream_st& stream) {
  if (stream.capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  Tail& tail = stream.tail;
  if (is_programmatic(work))
    for (size_t i = 0; i < tail.nodes.size(); ++i)
      if (std::holds_alternative<KernelWork>(tail.nodes[i]->work)) {
        tail.edges[i].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
        tail.edges[i].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
      }
  CUgraphNode node =
      add_node(stream.capture->graph, work, tail.nodes.data(), tail.edges.data(), tail.nodes.size());
  tail = {{node}, {CUgraphEdgeData{}}};
  return CUDA_SUCCESS;
}

std::set<std::shared_ptr<Capture>> captures() {
  std::set<std::shared_ptr<Capture>> all;
  for (CUstream stream : streams())
    if (stream->capture) all.insert(stream->capture);
  return all;
}

}  // namespace

uint32_t id_of(CUstream stream) {
  return stream_of(stream).id;
}

CUstream_st& stream_of(CUstream handle) {
  thread_local std::array<CUstream, kMostDevices> own{};
  if (handle == CU_STREAM_PER_THREAD) {
    const int device = current_device();
    CUstream& stream = own.at(static_cast<size_t>(device));
    if (stream == nullptr) stream = make_stream(CU_STREAM_DEFAULT, 0);
    return *stream;
  }
  return handle == nullptr || handle == CU_STREAM_LEGACY ? *default_stream() : *handle;
}

CUstream make_stream(unsigned flags, int priority) {
  return make_stream_in(current_context(), flags, priority);
}

void destroy_stream(CUstream stream) {
  streams().erase(stream);
  delete stream;
}

Position& begin_on(CUstream_st& stream) {
  CUstream_st& legacy = *default_stream_of(stream.context);
  Position& position = stream.position;
  double begin_ns = std::max(position.free_ns, static_cast<double>(now_ns()));
  if (&stream == &legacy) {
    for (CUstream other : streams())
      if (blocks(*other) && share_a_device(*other, stream.context))
        begin_ns = std::max(begin_ns, other->position.free_ns);
  } else if (blocks(stream)) {
    begin_ns = std::max(begin_ns, legacy.position.free_ns);
  }
  position.free_ns = begin_ns;
  return position;
}

double all_done_ns() {
  double ns = 0;
  for (CUstream stream : streams())
    if (share_a_device(*stream, current_context())) ns = std::max(ns, stream->position.free_ns);
  return ns;
}

CUresult issue(const Work& work, CUstream handle) {
  CUstream_st& stream = stream_of(handle);
  if (stream.capture) return add_to_capture(work, stream);
  if (&stream == default_stream_of(stream.context) && forbidden_by_capture())
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  return run_or_defer(work, stream);
}

CUresult issue_and_wait(const Work& work) {
  if (forbidden_by_capture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const CUresult result = issue(work, nullptr);
  do_deferred();
  wait_until(default_stream()->position.free_ns);
  return result;
}

CUstreamCaptureMode& capture_mode_of_thread() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

uint64_t number_of_thread() {
  static std::atomic<uint64_t> next{0};
  thread_local const uint64_t number = ++next;
  return number;
}

bool forbidden_by_capture() {
  const CUstreamCaptureMode mode = capture_mode_of_thread();
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  bool forbidden = false;
  for (const auto& capture : captures()) {
    const bool own = capture->thread == number_of_thread() && capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    const bool others =
        capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!own && !others) continue;
    capture->invalid = forbidden = true;
  }
  return forbidden;
}

CUresult begin_capture(CUstream_st& stream, CUstreamCaptureMode mode, CUgraph into, Tail tail) {
  static uint64_t next = 1;
  if (stream.capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (&stream == default_stream_of(stream.context)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CUgraph graph = into == nullptr ? make_graph() : into;
  stream.capture = std::make_shared<Capture>(
      Capture{graph, next++, mode, &stream, number_of_thread(), into == nullptr, false, {&stream}});
  stream.tail = std::move(tail);
  return CUDA_SUCCESS;
}

namespace {

/// Returns whether all captured work of other streams leads to the last captured work of the stream that
/// began the capture.
bool joined(const Capture& capture) {
  std::set<CUgraphNode> leads_on;
  for (const auto& node : capture.graph->nodes) leads_on.insert(node->from.begin(), node->from.end());
  const auto& last = capture.origin->tail.nodes;
  leads_on.insert(last.begin(), last.end());
  for (CUstream stream : capture.streams)
    for (CUgraphNode node : stream->tail.nodes)
      if (!leads_on.contains(node)) return false;
  return true;
}

}  // namespace

CUresult end_capture(CUstream_st& stream, CUgraph* graph) {
  *graph = nullptr;
  const auto capture = stream.capture;
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != &stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != number_of_thread())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const CUresult result = capture->invalid    ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : !joined(*capture) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                              : CUDA_SUCCESS;
  for (CUstream member : capture->streams) {
    member->capture.reset();
    member->tail = {};
  }
  if (result == CUDA_SUCCESS)
    *graph = capture->graph;
  else if (capture->owns_graph)
    delete capture->graph;
  return result;
}

CUresult join_capture(CUstream_st& stream, const CUevent_st& event) {
  if (stream.capture && stream.capture != event.capture) return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  stream.capture = event.capture;
  stream.capture->streams.insert(&stream);
  for (CUgraphNode node : event.nodes) {
    auto& nodes = stream.tail.nodes;
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) continue;
    nodes.push_back(node);
    stream.tail.edges.emplace_back();
  }
  return CUDA_SUCCESS;
}

}  // namespace stand_in
