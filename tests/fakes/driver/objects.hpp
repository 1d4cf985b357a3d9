#pragma once
#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "memory.hpp"
#include "timeline.hpp"
#include "work.hpp"

// What the driver's handles point to; cuda.h leaves these types open.

struct CUctx_st {
  uint32_t id;
};

namespace stand_in {

/// A function or a kernel; launches take either for the other.
struct Callable {
  const Kernel* kernel;
  bool is_kernel;  ///< a CUkernel, which calls named cuFunc... refuse
  int shared_limit = 48 << 10;
};

/// What streams are recording into a graph.
struct Capture {
  CUgraph graph;
  uint64_t id;
  CUstreamCaptureMode mode;
  CUstream origin;
  uint64_t thread;
  bool owns_graph;
  bool invalid = false;
  std::set<CUstream> streams;
};

/// What the next operation of a capture will depend on.
struct Tail {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> edges;  ///< all zero but for programmatic ones
};

}  // namespace stand_in

struct CUfunc_st {
  stand_in::Callable callable;
  CUmodule module;
};
struct CUkern_st {
  stand_in::Callable callable;
  CUlibrary library;
};
struct CUmod_st {
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct CUlib_st {
  std::map<std::string, std::unique_ptr<CUkern_st>> kernels;
};

struct CUstream_st {
  uint32_t id;
  unsigned flags;
  int priority = 0;
  stand_in::Position position;
  std::shared_ptr<stand_in::Capture> capture;  ///< none: what is issued runs
  stand_in::Tail tail;
};

struct CUevent_st {
  unsigned flags;
  double time_ns = 0;  ///< 0: never recorded
  std::shared_ptr<stand_in::Capture> capture;
  std::vector<CUgraphNode> nodes;
};

struct CUgraphNode_st {
  uint64_t id;
  CUgraph graph;
  stand_in::Work work;
  std::vector<CUgraphNode> from;
  std::vector<CUgraphEdgeData> edges;
  bool enabled = true;
};

struct CUgraph_st {
  uint32_t id;
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  uint32_t id;
  std::unique_ptr<CUgraph_st> graph;  ///< a copy; nodes keep the ids of those they were made of
};
