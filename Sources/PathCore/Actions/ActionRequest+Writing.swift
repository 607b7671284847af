/// The plain data that `ActionRequest.init(_:)` reads.
extension ActionRequest {
  package func write(into writer: inout PlainWriter) {
    let map = writer.beginMap()
    var count = 2
    writer.text("key")
    writer.text(key)
    writer.text("kind")
    writer.text(action.kind.rawValue)
    switch action {
    case .exec(let request): count += request.write(into: &writer)
    case .openURL(let request): count += request.write(into: &writer)
    case .http(let request): count += request.write(into: &writer)
    }
    if let onlyWhile { count += writer.entry("only_while", onlyWhile.rawValue) }
    if let disturbs { count += writer.entry("disturbs", disturbs) }
    if let limit {
      writer.text("limit")
      writer.map(2)
      _ = writer.entry("count", Int64(limit.count))
      _ = writer.entry("per", limit.per)
      count += 1
    }
    if let retry {
      writer.text("retry")
      retry.write(into: &writer)
      count += 1
    }
    writer.endMap(map, count: count)
  }
}

extension RetryRule {
  fileprivate func write(into writer: inout PlainWriter) {
    let map = writer.beginMap()
    var count = writer.entry("base", base) + writer.entry("cap", cap)
    if let attempts { count += writer.entry("attempts", Int64(attempts)) }
    if let within { count += writer.entry("within", within) }
    switch during {
    case .firstMonitor: break
    case .monitor(let name): count += writer.entry("during", name)
    case .always: count += writer.entry("during", "always")
    }
    if isNow {
      writer.text("now")
      writer.bool(true)
      count += 1
    }
    writer.endMap(map, count: count)
  }
}

extension ExecRequest {
  fileprivate func write(into writer: inout PlainWriter) -> Int {
    writer.entry("command", command) + writer.entry("args", arguments)
      + writer.entry("timeout", timeout)
  }
}

extension OpenURLRequest {
  fileprivate func write(into writer: inout PlainWriter) -> Int {
    writer.entry("url", url) + writer.entry("browser", browsers)
      + writer.entry("cooldown", cooldown)
  }
}

extension HTTPRequest {
  fileprivate func write(into writer: inout PlainWriter) -> Int {
    var count = writer.entry("url", url) + writer.entry("method", method.rawValue)
    count += writer.entry("timeout", timeout)
    writer.text("headers")
    writer.array(headers.count)
    for header in headers {
      writer.array(2)
      writer.text(header.name)
      writer.text(header.value)
    }
    count += 1
    if let body { count += writer.entry("body", body) }
    if let interface { count += writer.entry("interface", interface) }
    writer.text("expect")
    let map = writer.beginMap()
    var expected = 0
    if let status = expectation.status { expected += writer.entry("status", Int64(status)) }
    if let part = expectation.contains { expected += writer.entry("contains", part) }
    writer.endMap(map, count: expected)
    return count + 1
  }
}

extension PlainWriter {
  /// One pair of a map; how many that was.
  fileprivate mutating func entry(_ key: StaticString, _ value: String) -> Int {
    text(key)
    text(value)
    return 1
  }

  fileprivate mutating func entry(_ key: StaticString, _ value: Int64) -> Int {
    text(key)
    integer(value)
    return 1
  }

  fileprivate mutating func entry(_ key: StaticString, _ value: Duration) -> Int {
    entry(key, value.nanoseconds)
  }

  fileprivate mutating func entry(_ key: StaticString, _ values: [String]) -> Int {
    text(key)
    array(values.count)
    for value in values { text(value) }
    return 1
  }
}
