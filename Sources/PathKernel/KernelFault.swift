/// A call to the kernel that can fail for a moment.
package enum KernelCall: Hashable, Sendable {
  /// Opening the event socket and the one for requests.
  case open
  /// A request, and its answer.
  case send, receive
  /// News from the event socket.
  case hear
}

/// In tests, what the next such call fails with; nil lets it be made. Kernels that are out of
/// memory cannot be had on demand.
package typealias KernelFault = (KernelCall) -> Int32?
