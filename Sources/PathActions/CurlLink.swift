import CCurl
import Glibc
import PathCore

/// libcurl on the loop: its wishes for descriptors and wake-ups go to the loop, its news to the
/// transfers. Opened when the first request is made.
@safe final class CurlLink {
  private var library: OpaquePointer?
  private let loop: any ActionLoop
  private var tickets: [Int32: any LoopTicket] = [:]
  private var timer: (any LoopTicket)?
  private var transfers: [OpaquePointer: HTTPTransfer] = unsafe [:]
  /// Those that ended in the call to libcurl that is under way.
  private var over: [(OpaquePointer, Int32)] = unsafe []

  /// Opens the first of these libraries that is there.
  init(loop: any ActionLoop, libraries: [String]) throws(ActionRefusal) {
    self.loop = loop
    // A connection that the server has closed must not end Netvane; libcurl is told to leave
    // signals alone, and OpenSSL writes without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    var host = unsafe ccurl_host()
    unsafe host.owner = Unmanaged.passUnretained(self).toOpaque()
    unsafe host.watch = { owner, descriptor, what in
      unsafe CurlLink.link(owner).watch(descriptor, what)
    }
    unsafe host.wake = { owner, time in unsafe CurlLink.link(owner).wake(in: time) }
    unsafe host.take = { owner, transfer, isBody, bytes, count in
      guard let transfer = unsafe transfer, let bytes = unsafe bytes else { return 1 }
      let buffer = unsafe UnsafeBufferPointer(start: bytes, count: count)
      let taken = unsafe CurlLink.link(owner).transfers[transfer]?.take(
        buffer, isBody: isBody != 0)
      return taken == true ? 0 : 1
    }
    unsafe host.ended = { owner, transfer, code in
      guard let transfer = unsafe transfer else { return }
      unsafe CurlLink.link(owner).over.append((transfer, code))
    }
    var problem: UnsafePointer<CChar>?
    unsafe library = withVector(libraries) { unsafe ccurl_open($0, &host, &problem) }
    guard unsafe library != nil else {
      let why = unsafe problem.map { unsafe String(cString: $0) } ?? ""
      throw ActionRefusal(
        "requests need the library libcurl, but \(why); on Debian the package is libcurl4")
    }
  }

  private static func link(_ owner: UnsafeMutableRawPointer?) -> CurlLink {
    // `close` ends all calls before this is freed.
    unsafe Unmanaged<CurlLink>.fromOpaque(owner!).takeUnretainedValue()
  }

  /// Ends everything, unheard. To be called before the last reference goes.
  func close() {
    guard let library = unsafe library else { return }
    unsafe transfers.keys.forEach { unsafe ccurl_end(library, $0) }
    unsafe transfers = [:]
    unsafe ccurl_close(library)
    unsafe self.library = nil
    for ticket in tickets.values { ticket.remove() }
    tickets = [:]
    timer?.remove()
    timer = nil
  }

  /// Whether names are looked up without waiting.
  var resolvesAside: Bool {
    guard let library = unsafe library else { return false }
    return unsafe ccurl_resolves_aside(library) != 0
  }

  // MARK: Transfers

  /// Begins a transfer; it is told when it ends, but not before this returns.
  func begin(_ transfer: HTTPTransfer, _ request: HTTPRequest, userAgent: String) -> Bool {
    guard let library = unsafe library else { return false }
    let lines = request.headers.map {
      // libcurl takes "Name:" for a header to leave out.
      $0.value.allSatisfy { $0 == " " || $0 == "\t" } ? "\($0.name);" : "\($0.name): \($0.value)"
    }
    let body = Array((request.body ?? "").utf8)
    let texts = [request.url, request.method.rawValue, userAgent] + lines
    let handle = unsafe withVector(texts) { texts in
      unsafe withOptionalCString(request.interface) { interface in
        unsafe body.withUnsafeBufferPointer { body in
          var wish = unsafe ccurl_request()
          unsafe wish.url = UnsafePointer(texts[0])
          unsafe wish.method = UnsafePointer(texts[1])
          unsafe wish.user_agent = UnsafePointer(texts[2])
          unsafe wish.headers = texts + 3
          unsafe wish.interface = interface
          unsafe wish.has_body = request.method == .post || request.method == .put ? 1 : 0
          unsafe wish.body = body.baseAddress
          unsafe wish.body_count = body.count
          unsafe wish.timeout_ms = max(1, Int(request.timeout.nanoseconds / 1_000_000))
          return unsafe ccurl_begin(library, &wish)
        }
      }
    }
    guard let handle = unsafe handle else { return false }
    unsafe transfer.handle = handle
    unsafe transfers[handle] = transfer
    return true
  }

  /// Ends a transfer before its time; it is not told.
  func end(_ transfer: HTTPTransfer) {
    guard let library = unsafe library, let handle = unsafe transfer.handle,
      unsafe transfers.removeValue(forKey: handle) != nil
    else { return }
    unsafe over.removeAll { unsafe $0.0 == handle }
    unsafe ccurl_end(library, handle)
    unsafe transfer.handle = nil
  }

  // MARK: What libcurl wants, and what the loop tells

  private func watch(_ descriptor: Int32, _ what: Int32) {
    tickets.removeValue(forKey: descriptor)?.remove()
    var wanted: Readiness = []
    if what & CCURL_READ != 0 { wanted.insert(.read) }
    if what & CCURL_WRITE != 0 { wanted.insert(.write) }
    guard !wanted.isEmpty else { return }
    // What the loop cannot watch ends by its time.
    tickets[descriptor] = try? loop.watch(descriptor, for: wanted) { [weak self] ready in
      self?.goOn(
        descriptor,
        (ready.contains(.read) ? CCURL_READ : 0) | (ready.contains(.write) ? CCURL_WRITE : 0))
    }
  }

  private func wake(in milliseconds: Int) {
    timer?.remove()
    timer = nil
    guard milliseconds >= 0 else { return }
    timer = try? loop.after(.milliseconds(milliseconds)) { [weak self] in self?.goOn(-1, 0) }
  }

  private func goOn(_ descriptor: Int32, _ what: Int32) {
    guard let library = unsafe library else { return }
    unsafe ccurl_continue(library, descriptor, what)
    while unsafe !over.isEmpty {
      let (handle, code) = unsafe over.removeFirst()
      guard let transfer = unsafe transfers.removeValue(forKey: handle) else { continue }
      let end = unsafe HTTPTransfer.End(
        code: code, status: ccurl_status(library, handle),
        problem: String(cString: ccurl_problem(library, handle, code)))
      unsafe ccurl_end(library, handle)
      unsafe transfer.handle = nil
      transfer.isOver(end)
    }
  }
}
