// The declarations of gloo/context.h that ProcessGroupGloo.hpp needs. PyTorch's packages contain gloo, but not
// its headers. kjoule-torch creates no object of these types: libtorch's own functions do.
#pragma once
#include <chrono>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {
class UnboundBuffer;
}

}  // namespace gloo
