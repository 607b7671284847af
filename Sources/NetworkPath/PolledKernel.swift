#if os(Linux)
internal import PathCore

/// The kernel for those who ask while nobody listens. Its sockets stay open from the first question
/// on, so that the next one costs no more than to see whether there was news.
struct PolledKernel {
  private var watch: KernelWatch?
  private var board = PathBoard()

  mutating func path(for query: PathQuery) -> NWPath {
    look()
    return board.path(for: query) ?? NWPath(status: .requiresConnection)
  }

  mutating func interface(where isWanted: @Sendable (PathCore.Interface) -> Bool) -> NWInterface? {
    look()
    return board.interface(where: isWanted)
  }

  /// Somebody listens now, and knows more.
  mutating func close() {
    watch = nil
    board.forget()
  }

  private mutating func look() {
    var watch = watch ?? KernelWatch()
    // Without waiting: the deadline is long over.
    let hasNews = watch.wait(call: nil, until: .zero)
    if hasNews || watch.isBehind || board.snapshot == nil {
      board.take(watch.read(), at: .zero, captured: .now)
    }
    self.watch = watch
  }
}
#endif
