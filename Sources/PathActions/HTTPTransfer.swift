import CCurl
import PathCore

/// One request under way, and the judgement of its answer.
@safe final class HTTPTransfer: RunningAction {
  /// What libcurl says at the end.
  struct End {
    var code: Int32
    /// 0 before an answer came.
    var status: Int
    var problem: String
  }

  /// libcurl's, as long as it runs.
  var handle: OpaquePointer?
  private let request: HTTPRequest
  private let host: String
  private unowned let link: CurlLink
  private let ended: (ActionResult) -> Void
  private var body: [UInt8] = []
  private var isBodyCut = false
  private var headerBytes = 0
  /// Where a redirection leads.
  private var location: String?

  init(
    _ request: HTTPRequest, host: String, link: CurlLink, ended: @escaping (ActionResult) -> Void
  ) {
    self.request = request
    self.host = host
    self.link = link
    self.ended = ended
  }

  func cancel(_ result: ActionResult) {
    guard unsafe handle != nil else { return }
    link.end(self)
    ended(result)
  }

  /// Keeps a piece of the answer; false when no more is wanted.
  func take(_ bytes: UnsafeBufferPointer<UInt8>, isBody: Bool) -> Bool {
    guard isBody else { return unsafe takeHeader(Array(bytes)) }
    let room = ActionLimits.bodyBytes - body.count
    unsafe body.append(contentsOf: bytes.prefix(room))
    isBodyCut = bytes.count > room
    return !isBodyCut
  }

  private func takeHeader(_ line: [UInt8]) -> Bool {
    headerBytes += line.count
    let name = "location:"
    if line.count > name.utf8.count,
      String(decoding: line.prefix(name.utf8.count), as: UTF8.self).lowercased() == name
    {
      let value = line.dropFirst(name.utf8.count).prefix(200).filter { $0 > 0x20 }
      location = LineText.escaped(String(decoding: value, as: UTF8.self))
    }
    return headerBytes <= ActionLimits.answerHeaderBytes
  }

  func isOver(_ end: End) {
    var result = ActionResult(.succeeded)
    if end.status > 0 { result.statusCode = end.status }
    result.output = body
    result.isOutputCut = isBodyCut
    let isWhole = end.code == 0 || end.code == CCURL_TAKE_REFUSED && isBodyCut
    result.error = (isWhole ? disappointment(end.status) : failure(end)) ?? ""
    if !result.error.isEmpty { result.ending = .failed }
    ended(result)
  }

  /// What the answer lacks of what was expected.
  private func disappointment(_ status: Int) -> String? {
    let expected = request.expectation.status.map { $0...$0 } ?? 200...299
    if !expected.contains(status) {
      let wanted = request.expectation.status.map { "\($0)" } ?? "200 to 299"
      let where_ = location.map { " to \($0), which is not followed" } ?? ""
      return (300...399).contains(status)
        ? "\(host) answered with status \(status), a redirection\(where_); expected was \(wanted)"
        : "\(host) answered with status \(status); expected was \(wanted)"
    }
    if let part = request.expectation.contains, !body.holds(Array(part.utf8)) {
      return "the answer of \(host) does not hold \(LineText.quoted(part))"
        + (isBodyCut ? " in its first \(ActionLimits.bodyBytes) bytes" : "")
    }
    return nil
  }

  private func failure(_ end: End) -> String {
    let why = LineText.escaped(String(end.problem.prefix(200)))
    return switch end.code {
    case Int32(CCURL_NO_HOST): "the name \(host) could not be looked up: \(why)"
    case Int32(CCURL_NO_CONNECTION): "no connection to \(host): \(why)"
    case Int32(CCURL_TIMEOUT):
      "no whole answer from \(host) within \(request.timeout.shortText)"
    case Int32(CCURL_NO_INTERFACE):
      "the request cannot be sent through \(LineText.word(request.interface ?? "")): \(why)"
    case Int32(CCURL_CERTIFICATE): "the certificate of \(host) is not to be trusted: \(why)"
    case Int32(CCURL_EMPTY_ANSWER): "\(host) closed the connection without an answer"
    case Int32(CCURL_TAKE_REFUSED):
      "the header of \(host)'s answer has more than \(ActionLimits.answerHeaderBytes) bytes"
    default: "the request to \(host) failed: \(why)"
    }
  }
}

extension [UInt8] {
  /// Whether `part` is in it somewhere.
  fileprivate func holds(_ part: [UInt8]) -> Bool {
    guard let first = part.first, count >= part.count else { return part.isEmpty }
    return indices.dropLast(part.count - 1).contains { start in
      self[start] == first && self[start..<start + part.count].elementsEqual(part)
    }
  }
}
