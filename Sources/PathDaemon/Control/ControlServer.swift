import CMicrohttpd
import Glibc
import PathActions
import PathCore

/// Answers HTTP on the control socket, in the loop and between two facts.
///
/// libmicrohttpd is opened when somebody first connects; until then only the socket is watched. An
/// answer is made in one go and copied, so a client that is slow, or gone, holds nobody. For an
/// answer that comes later its connection waits.
@safe final class ControlServer {
  static let connectionsMost: UInt32 = 16
  /// Of them, those that wait for an answer that comes later: there is always room for others.
  static let heldMost = 8
  /// Of a connection; the header of a request must fit.
  static let memoryMost = 32_768
  static let bodyMost = 4096
  /// Of a body that is longer, to answer it at its end.
  static let drainedMost = 1 << 20
  static let argumentsMost: UInt32 = 16
  static let answerMost = 4 << 20
  static let libraries = ["libmicrohttpd.so.12", "libmicrohttpd.so"]

  /// How long clients may take.
  struct Patience {
    /// A connection on which nothing happens for so many seconds is closed.
    var seconds: UInt32 = 10
    /// So soon after connecting a request must be here as a whole.
    var request = Duration.seconds(2)
    /// So long somebody who connected is left alone, however many others want the place.
    var grace = Duration.milliseconds(200)
  }

  /// Requests whose answers are to come.
  var waiting: Int { unsafe held.count }

  typealias Answer = (ControlCall) -> LateAnswer

  private let loop: EventLoop
  private let libraries: [String]
  private let patience: Patience
  private let tell: (String) -> Void
  private let answer: Answer
  private let text: (ControlAnswer) -> String
  private var socket: ControlSocket?
  private var server: OpaquePointer?
  private var watch: EventLoop.Watch?
  private var timer: LoopTimer?
  /// The requests whose answers are to come, by the library's connection.
  private var held: [OpaquePointer: LateAnswer] = unsafe [:]
  /// The library is at work, and calls.
  private var isInside = false
  /// What was said of trouble, each once.
  private var told: Set<String> = []
  /// For when no other descriptor is left: a connection that cannot be taken would wake the loop
  /// for ever.
  private var reserve = ControlServer.makeReserve()
  /// Whether a wake-up is asked for: only while there is a connection.
  private(set) var isWaiting = false

  /// `text` puts an answer in words for people; `tell` hears what is wrong.
  init(
    _ socket: ControlSocket, loop: EventLoop, libraries: [String] = ControlServer.libraries,
    patience: Patience = Patience(),
    tell: @escaping (String) -> Void, text: @escaping (ControlAnswer) -> String,
    answer: @escaping Answer
  ) throws(LoopError) {
    self.socket = socket
    self.loop = loop
    self.libraries = libraries
    self.patience = patience
    self.tell = tell
    self.text = text
    self.answer = answer
    timer = try loop.makeTimer(.awake) { [unowned self] in goOn() }
    watch = try loop.watch(descriptor: socket.descriptor) { [unowned self] in begin() }
  }

  deinit {
    close()
    if reserve >= 0 { Glibc.close(reserve) }
  }

  /// Whether commands still find it.
  var isInPlace: Bool { socket?.isInPlace ?? false }

  /// Ends every connection and takes the socket away. Not for use within an answer.
  func close() {
    watch?.remove()
    watch = nil
    timer?.remove()
    timer = nil
    if let server = unsafe server {
      unsafe held.keys.forEach { unsafe cmicrohttpd_release(server, $0) }
      unsafe held = [:]
      unsafe cmicrohttpd_close(server)
    }
    unsafe server = nil
    socket?.remove()
    socket = nil
  }

  // MARK: The library

  /// Somebody connects. What is missing may be there the next time.
  private func begin() {
    guard let socket else { return }
    // The library takes the connection itself.
    guard let problem = open(socket) else { return goOn() }
    turnAway(socket, problem)
  }

  /// Nil, or what is wrong.
  private func open(_ socket: ControlSocket) -> String? {
    // Its writes ask for no signal, but what it stands on might not.
    signal(SIGPIPE, SIG_IGN)
    var host = unsafe cmicrohttpd_host()
    unsafe host.owner = Unmanaged.passUnretained(self).toOpaque()
    unsafe host.answer = { owner, exchange in
      guard let exchange = unsafe exchange else { return }
      // `close` ends all calls before this is freed.
      unsafe Unmanaged<ControlServer>.fromOpaque(owner!).takeUnretainedValue().take(exchange)
    }
    var limits = cmicrohttpd_limits(
      connections: Self.connectionsMost, memory: Self.memoryMost,
      seconds: patience.seconds, body: Self.bodyMost, drained: Self.drainedMost,
      arguments: Self.argumentsMost, request: patience.request.nanoseconds / 1_000_000,
      grace: patience.grace.nanoseconds / 1_000_000)
    let listening = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
    guard listening >= 0 else { return Self.noneLeft }
    var problem: UnsafePointer<CChar>?
    let opened = unsafe withVector(libraries) {
      unsafe cmicrohttpd_open($0, listening, &limits, &host, &problem)
    }
    guard let opened = unsafe opened else {
      if isExhausted { return Self.noneLeft }
      let why = unsafe problem.map { unsafe String(cString: $0) } ?? ""
      return "that needs the library libmicrohttpd, but \(why); on Debian the package is "
        + "libmicrohttpd12"
    }
    do throws(LoopError) {
      let fresh = try unsafe loop.watch(descriptor: cmicrohttpd_descriptor(opened)) {
        [unowned self] in goOn()
      }
      watch?.remove()
      watch = fresh
    } catch {
      unsafe cmicrohttpd_close(opened)
      return error.message
    }
    unsafe server = opened
    return nil
  }

  private func goOn() {
    guard let server = unsafe server else { return }
    isInside = true
    unsafe cmicrohttpd_continue(server)
    isInside = false
    if let socket, isReadable(socket), isExhausted { turnAway(socket, Self.noneLeft) }
    let wait = unsafe cmicrohttpd_wait(server)
    isWaiting = wait >= 0
    if wait < 0 {
      timer?.disarm()
    } else {
      timer?.arm(at: Clocks.read(CLOCK_MONOTONIC) + .milliseconds(wait))
    }
  }

  // MARK: When it cannot answer

  private static let noneLeft = "this process has no descriptor left"

  private static func makeReserve() -> Int32 {
    unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  private func isReadable(_ socket: ControlSocket) -> Bool {
    var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }

  /// Whether no file can be opened now.
  private var isExhausted: Bool {
    let probe = Self.makeReserve()
    if probe >= 0 { Glibc.close(probe) }
    return probe < 0
  }

  /// Nobody is left to wait for an answer that cannot come.
  private func turnAway(_ socket: ControlSocket, _ why: String) {
    if told.insert(why).inserted { tell("nobody can be answered on the control socket: \(why)") }
    let end = Clocks.read(CLOCK_MONOTONIC) + Self.refusalWait
    for _ in 0..<Self.connectionsMost {
      var connection = accept(socket.descriptor, nil, nil)
      if connection < 0, errno == EMFILE || errno == ENFILE, reserve >= 0 {
        Glibc.close(reserve)
        reserve = -1
        connection = accept(socket.descriptor, nil, nil)
      }
      if connection >= 0 {
        Self.refuse(connection, why, until: end)
        Glibc.close(connection)
      }
      if reserve < 0 { reserve = Self.makeReserve() }
      if connection < 0 { return }
    }
  }

  /// How long requests that were not sent at once are waited for, all of them together.
  private static let refusalWait = Duration.milliseconds(60)

  /// What has come is read first: with bytes unread the other end would hear a reset alone.
  private static func refuse(_ connection: Int32, _ why: String, until end: Duration) {
    var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    let left = (end - Clocks.read(CLOCK_MONOTONIC)).nanoseconds / 1_000_000
    _ = unsafe poll(&entry, 1, Int32(max(0, left)))
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe recv(connection, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    let asked = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let refusal = ControlRefusal(503, "the daemon cannot answer: \(why)")
    let reply = Reply(
      .failure(refusal), wantsText: asked.contains("text/plain"), { _ in "" })
    var text = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
    for (name, value) in reply.fields { text += "\(name): \(value)\r\n" }
    let whole = Array("\(text)Content-Length: \(reply.body.count)\r\n\r\n".utf8) + reply.body
    _ = unsafe whole.withUnsafeBytes {
      unsafe send(
        connection, $0.baseAddress, $0.count,
        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
  }

  // MARK: An answer

  private func take(_ exchange: OpaquePointer) {
    let request = unsafe Self.request(exchange)
    guard let result = unsafe outcome(of: request, exchange) else { return }
    var reply = Reply(result, wantsText: request.wantsText, text)
    if reply.body.count > Self.answerMost {
      let refusal = ControlRefusal(500, "the answer would be longer than \(Self.answerMost) bytes")
      reply = Reply(.failure(refusal), wantsText: request.wantsText, text)
    }
    let fields = reply.fields.flatMap { [$0.0, $0.1] }
    _ = unsafe withVector(fields) { fields in
      unsafe reply.body.withUnsafeBufferPointer { body in
        unsafe cmicrohttpd_answer(
          exchange, UInt32(reply.status), fields, body.baseAddress, body.count)
      }
    }
  }

  /// Nil for an answer that comes later: the library then calls again for this request.
  private func outcome(
    of request: ControlRequest, _ exchange: OpaquePointer
  ) -> LateAnswer.Outcome? {
    let connection = unsafe cmicrohttpd_connection(exchange)!
    if unsafe cmicrohttpd_was_held(exchange) != 0 {
      return unsafe held.removeValue(forKey: connection)?.outcome
        ?? .failure(ControlRefusal(500, "the answer was lost"))
    }
    let late: LateAnswer
    do throws(ControlRefusal) { late = answer(try request.call()) } catch {
      return .failure(error)
    }
    if let outcome = late.outcome { return outcome }
    if unsafe held.count >= Self.heldMost { return .failure(Self.tooManyWait) }
    unsafe held[connection] = late
    unsafe cmicrohttpd_hold(exchange)
    late.whenGiven { [weak self] in unsafe self?.release(connection) }
    return nil
  }

  private static let tooManyWait = ControlRefusal(
    503,
    "it is being done, but \(heldMost) others wait to hear when it is done, and no more can; "
      + "netvane status tells")

  /// Within a call of the library it goes on by itself.
  private func release(_ connection: OpaquePointer) {
    guard let server = unsafe server else { return }
    unsafe cmicrohttpd_release(server, connection)
    if !isInside { goOn() }
  }

  private static func request(_ exchange: OpaquePointer) -> ControlRequest {
    var request = unsafe ControlRequest(
      method: String(cString: cmicrohttpd_method(exchange)),
      path: String(cString: cmicrohttpd_path(exchange)))
    unsafe request.isTooLong = cmicrohttpd_is_too_long(exchange) != 0
    unsafe request.hasTooManyArguments = cmicrohttpd_has_too_many(exchange) != 0
    var count = 0
    let accept = unsafe cmicrohttpd_header(exchange, "Accept", &count)
    request.wantsText = unsafe text(accept, count)?.contains("text/plain") ?? false
    let key = unsafe cmicrohttpd_argument(exchange, "key", &count)
    request.key = unsafe text(key, count)
    let button = unsafe cmicrohttpd_argument(exchange, "button", &count)
    request.button = unsafe text(button, count)
    return request
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String? {
    guard let start = unsafe start else { return nil }
    return unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) {
      unsafe String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
    }
  }
}

/// What goes out over HTTP.
private struct Reply {
  var status: Int
  var fields: [(String, String)]
  var body: [UInt8]

  init(
    _ result: Result<ControlAnswer, ControlRefusal>, wantsText: Bool,
    _ text: (ControlAnswer) -> String
  ) {
    var form = wantsText ? "text/plain; charset=utf-8" : "application/json"
    if !wantsText, case .success(.alerts) = result { form = "application/x-ndjson" }
    fields = [("Content-Type", form), ("Cache-Control", "no-store")]
    switch result {
    case .success(let answer):
      status = answer.status
      fields.append(("Netvane-Exit", String(answer.exitCode)))
      body = wantsText ? Array(text(answer).utf8) : answer.json
    case .failure(let refusal):
      status = refusal.status
      if let allowed = refusal.allowed { fields.append(("Allow", allowed)) }
      body = wantsText ? Array((refusal.message + "\n").utf8) : refusal.json
    }
  }
}
