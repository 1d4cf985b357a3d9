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

// The objects to which the driver's handles point; cuda.h leaves these types undefined.

struct CUctx_st {
  uint32_t id;
  int device;  ///< number of its device among those that the process sees
};

namespace stand_in {

/// A function or a kernel; launches accept either.
struct Callable {
  const Kernel* kernel;
  bool is_kernel;  ///< whether it is a CUkernel, which the cuFunc... calls refuse
  int shared_limit = 48 << 10;
};

/// A capture of one or more streams into a graph.
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

/// The nodes on which the next operation of a capture will depend.
struct Tail {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> edges;  ///< all zero, except for programmatic edges
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
  int device = 0;  ///< that was current when the module was loaded
};
struct CUlib_st {
  std::map<std::string, std::unique_ptr<CUkern_st>> kernels;
};

struct CUstream_st {
  uint32_t id;
  unsigned flags;
  CUcontext context;
  int priority = 0;
  stand_in::Position position;
  std::shared_ptr<stand_in::Capture> capture;  ///< null: operations run when they are issued
  stand_in::Tail tail;
  std::map<CUstreamAttrID, CUstreamAttrValue> attributes{};
};

struct CUevent_st {
  unsigned flags;
  double time_ns = 0;  ///< 0 if it was never recorded
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
  std::unique_ptr<CUgraph_st> graph;  ///< a copy, whose nodes keep the ids of the original nodes
};
