/// The JSON forms of an action, its name and its result, version 1: keys in this order. A key
/// marked `?` is left out when it holds the value in brackets. Times are nanoseconds.
///
///     id      {policy, key, serial}
///     action  {kind: "exec", command, args? [[]]: [text], timeout}
///             {kind: "open_url", url, browser? [[]]: [name], cooldown? [0]}
///             {kind: "http", method, url, headers? [[]]: [{name, value}], body? [none],
///              expect? [{}]: {status? [200 to 299], contains? [nothing]}, interface? [none],
///              timeout}
///     result  {ending: "succeeded" | "failed" | "refused" | "dropped", error? [""], exit? [none],
///              signal? [none], status? [none], output? [""] | outputHex: hexadecimal,
///              cut? [false]}
///
/// `output` is text; bytes that are not UTF-8 are written as `outputHex` instead, so that nothing
/// is lost.
extension ActionID {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("policy", policy)
      $0.member("key", key)
      $0.member("serial", serial)
    }
  }
}

extension Action {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("kind", kind.rawValue)
      switch self {
      case .exec(let request): request.writeMembers(into: &$0)
      case .openURL(let request): request.writeMembers(into: &$0)
      case .http(let request): request.writeMembers(into: &$0)
      }
    }
  }
}

extension ExecRequest {
  fileprivate func writeMembers(into writer: inout JSONWriter) {
    writer.member("command", command)
    writer.member("args", arguments, unless: []) { writer, list in
      writer.array(list) { $0.string($1) }
    }
    writer.member("timeout", timeout.nanoseconds)
  }
}

extension OpenURLRequest {
  fileprivate func writeMembers(into writer: inout JSONWriter) {
    writer.member("url", url)
    writer.member("browser", browsers, unless: []) { writer, list in
      writer.array(list) { $0.string($1) }
    }
    writer.member("cooldown", cooldown.nanoseconds, unless: 0) { $0.integer($1) }
  }
}

extension HTTPRequest {
  fileprivate func writeMembers(into writer: inout JSONWriter) {
    writer.member("method", method.rawValue)
    writer.member("url", url)
    writer.member("headers", headers, unless: []) { writer, list in
      writer.array(list) { writer, header in
        writer.object {
          $0.member("name", header.name)
          $0.member("value", header.value)
        }
      }
    }
    if let body { writer.member("body", body) }
    writer.member("expect", expectation, unless: Expectation()) { writer, expectation in
      writer.object {
        if let status = expectation.status { $0.member("status", status) }
        if let part = expectation.contains { $0.member("contains", part) }
      }
    }
    if let interface { writer.member("interface", interface) }
    writer.member("timeout", timeout.nanoseconds)
  }
}

extension ActionResult {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("ending", ending.rawValue)
      $0.member("error", error, unless: "") { $0.string($1) }
      if let exitCode { $0.member("exit", exitCode) }
      if let signal { $0.member("signal", signal) }
      if let statusCode { $0.member("status", statusCode) }
      if let text = String(validating: output, as: UTF8.self) {
        $0.member("output", text, unless: "") { $0.string($1) }
      } else {
        $0.member("outputHex", PlainData(bytes: output).hexadecimal)
      }
      $0.flag("cut", isOutputCut)
    }
  }
}
