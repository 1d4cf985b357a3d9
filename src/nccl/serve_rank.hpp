#pragma once

namespace kjoule::nccl {

/// Does the steps that kjoule sends over the socket, and answers each with a result or an error, until kjoule
/// closes the socket.
void serve_rank(int socket);

}  // namespace kjoule::nccl
