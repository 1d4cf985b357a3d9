#pragma once
#include <functional>
#include <memory>

#include "play/device.hpp"

namespace kjoule {

/// The child's end of the protocol: opens the device (its Error is sent as the answer to the greeting), then
/// answers until the peer closes the socket. One thread, plays in the order asked. `explain` turns exceptions
/// that are no Error into one; without it they are sent as they are, with no remedy.
void serve(int socket, const std::function<std::unique_ptr<Device>()>& open_device,
           const std::function<Error(const std::exception&)>& explain = {});

}  // namespace kjoule
