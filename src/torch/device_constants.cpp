#include "torch/device_constants.hpp"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

namespace kjoule::runner {

namespace {

void set_in(torch::jit::Block& block, const std::string& device) {
  for (torch::jit::Node* node : block.nodes()) {
    if (node->kind() == torch::jit::prim::Constant &&
        node->output()->type()->kind() == c10::TypeKind::DeviceObjType)
      node->s_(torch::jit::attr::value, device);
    for (torch::jit::Block* inner : node->blocks()) set_in(*inner, device);
  }
}

}  // namespace

void set_device_constants(const torch::jit::Module& module, c10::Device device) {
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions()) {
    function->ensure_defined();
    if (auto* with_graph = torch::jit::tryToGraphFunction(*function))
      set_in(*with_graph->graph()->block(), device.str());
  }
}

}  // namespace kjoule::runner
