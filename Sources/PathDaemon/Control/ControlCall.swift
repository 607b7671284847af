import PathCore

/// What may be asked over the control socket.
package enum ControlCall: Hashable, Sendable {
  case status
  case alerts
  case press(key: String, button: String)
  case dismiss(key: String)
  /// Read the policies and the configuration again.
  case reload
}

/// Why something that was asked is not answered, in HTTP's number and in a sentence.
package struct ControlRefusal: Error, Hashable, Sendable {
  package var status: Int
  package var message: String
  /// For 405: what may be done at this path.
  var allowed: String?

  init(_ status: Int, _ message: String, allowed: String? = nil) {
    self.status = status
    self.message = message
    self.allowed = allowed
  }
}

/// A request as it came.
struct ControlRequest {
  var method: String
  var path: String
  /// `key=…` and `button=…` behind the question mark, decoded.
  var key: String?
  var button: String?
  /// Whether people will read the answer (`Accept: text/plain`).
  var wantsText = false
  var isTooLong = false
  var hasTooManyArguments = false

  private static let paths = [
    "/v1/status": "GET", "/v1/alerts": "GET", "/v1/press": "POST", "/v1/dismiss": "POST",
    "/v1/reload": "POST",
  ]

  /// What it asks for.
  func call() throws(ControlRefusal) -> ControlCall {
    if isTooLong {
      throw ControlRefusal(413, "the body is longer than \(ControlServer.bodyMost) bytes")
    }
    if hasTooManyArguments {
      throw ControlRefusal(
        400, "there are more than \(ControlServer.argumentsMost) arguments behind the question mark"
      )
    }
    guard let wanted = Self.paths[path] else {
      let known = Self.paths.keys.sorted().joined(separator: ", ")
      throw ControlRefusal(404, "there is nothing at this path; there is: \(known)")
    }
    guard method == wanted else {
      throw ControlRefusal(405, "\(path) takes \(wanted) alone", allowed: wanted)
    }
    switch path {
    case "/v1/status": return .status
    case "/v1/alerts": return .alerts
    case "/v1/press":
      return .press(key: try argument("key", key), button: try argument("button", button))
    case "/v1/dismiss": return .dismiss(key: try argument("key", key))
    default: return .reload
    }
  }

  private func argument(_ name: String, _ value: String?) throws(ControlRefusal) -> String {
    if let value, !value.isEmpty { return value }
    throw ControlRefusal(400, "\(path) needs ?\(name)=…")
  }
}

extension ControlRefusal {
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.member("error", message) }
    return writer.bytes + [UInt8(ascii: "\n")]
  }
}
