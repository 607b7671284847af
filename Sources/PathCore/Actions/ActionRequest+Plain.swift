/// A request as plain data: how it comes from a policy's call, and how a running retry is kept.
///
///     {kind, key, only_while?, limit? {count, per}, disturbs?,
///      retry? {base, cap, attempts?, within?, during?: monitor | "always", now?},
///      command, args?, timeout? | url, browser?, cooldown?
///      | url, method?, headers? [[name, value]], body?, expect? {status?, contains?}, interface?,
///        timeout?}
///
/// Times are nanoseconds. What is read is held to its bounds, and nil is what no request can be.
extension ActionRequest {
  package init?(_ value: PlainValue) {
    guard let key = value["key"].text, let action = Self.action(value) else { return nil }
    self.init(key: key, action: action)
    if let word = value["only_while"].text {
      guard let status = PathStatus(rawValue: word) else { return nil }
      onlyWhile = status
    }
    if let count = value["limit"]["count"].integer, let per = value["limit"].time("per") {
      limit = RateLimit(count: Int(min(max(count, 1), 1000)), per: per)
    }
    disturbs = value.time("disturbs")
    if value["retry"].pairs != nil { retry = Self.retry(value["retry"]) }
  }

  private static func retry(_ value: PlainValue) -> RetryRule {
    var rule = RetryRule()
    if let base = value.time("base") { rule.base = max(base, .milliseconds(100)) }
    if let cap = value.time("cap") { rule.cap = cap }
    rule.cap = max(rule.cap, rule.base)
    rule.attempts = value["attempts"].integer.map { Int(min(max($0, 1), 1_000_000)) }
    rule.within = value.time("within")
    if let word = value["during"].text {
      rule.during = word == "always" ? .always : .monitor(word)
    }
    rule.isNow = value["now"].bool ?? false
    return rule
  }

  private static func action(_ value: PlainValue) -> Action? {
    switch value["kind"].text.flatMap({ Action.Kind(rawValue: $0) }) {
    case .exec: exec(value)
    case .openURL: openURL(value)
    case .http: http(value)
    case nil: nil
    }
  }

  private static func exec(_ value: PlainValue) -> Action? {
    guard let command = value["command"].text else { return nil }
    var request = ExecRequest(command: command)
    for argument in value["args"].elements ?? [] {
      guard let text = argument.text else { return nil }
      request.arguments.append(text)
    }
    if let timeout = value.time("timeout") { request.timeout = timeout }
    return .exec(request)
  }

  private static func openURL(_ value: PlainValue) -> Action? {
    guard let url = value["url"].text else { return nil }
    var request = OpenURLRequest(url: url)
    for browser in value["browser"].elements ?? [] {
      guard let text = browser.text else { return nil }
      request.browsers.append(text)
    }
    if let cooldown = value.time("cooldown") { request.cooldown = cooldown }
    return .openURL(request)
  }

  private static func http(_ value: PlainValue) -> Action? {
    guard let url = value["url"].text else { return nil }
    var request = HTTPRequest(url: url)
    if let word = value["method"].text {
      guard let method = HTTPRequest.Method(rawValue: word) else { return nil }
      request.method = method
    }
    for header in value["headers"].elements ?? [] {
      guard let pair = header.elements, pair.count == 2, let name = pair[0].text,
        let text = pair[1].text
      else { return nil }
      request.headers.append(HTTPRequest.Header(name, text))
    }
    request.body = value["body"].text
    request.expectation = HTTPRequest.Expectation(
      status: value["expect"]["status"].integer.flatMap { Int(exactly: $0) },
      contains: value["expect"]["contains"].text)
    request.interface = value["interface"].text
    if let timeout = value.time("timeout") { request.timeout = timeout }
    return .http(request)
  }
}

extension PlainValue {
  /// A time of nanoseconds, from none to a year.
  fileprivate func time(_ key: String) -> Duration? {
    self[key].integer.map { min(max(.nanoseconds($0), .zero), .seconds(366 * 86_400)) }
  }
}
