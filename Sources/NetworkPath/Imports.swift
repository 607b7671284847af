#if os(Linux)
// Who imports this library has the queue that `start` takes, as with Apple's framework.
@_exported public import Dispatch
#endif
