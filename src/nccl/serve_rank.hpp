#pragma once

namespace kjoule::nccl {

/// Does the steps that kjoule sends over the socket, until kjoule closes the socket or a step fails.
void serve_rank(int socket);

}  // namespace kjoule::nccl
