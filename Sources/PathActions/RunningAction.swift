package import PathCore

/// An action that was begun and has not ended. Each tells its result once, and not before the call
/// that began it has returned.
package protocol RunningAction: AnyObject {
  /// Ends it early; its result is then `result`, as soon as nothing of it is left.
  func cancel(_ result: ActionResult)
}
