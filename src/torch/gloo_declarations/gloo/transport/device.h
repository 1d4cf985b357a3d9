// The declaration of gloo/transport/device.h that ProcessGroupGloo.hpp needs (context.h says why).
#pragma once

namespace gloo::transport {
class Device;
}
