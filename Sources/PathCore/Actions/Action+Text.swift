/// The text forms of an action, its name and its result: one line each, stable. What may hold a
/// secret or be long (bodies, the values of headers, output) is counted, not shown.
///
///     id      POLICY KEY #SERIAL
///     action  exec COMMAND ["ARGUMENT" …] within TIME
///             open_url URL [in BROWSER …] [cooldown TIME]
///             http METHOD URL [by INTERFACE] [headers NAME …] [body BYTES]
///               [expect [STATUS] [contains "TEXT"]] within TIME
///     result  ENDING [exit CODE] [signal NUMBER] [status CODE] [output BYTES[+]] ["ERROR"]
extension ActionID: CustomStringConvertible {
  package var description: String {
    "\(LineText.word(policy)) \(LineText.word(key)) #\(serial)"
  }
}

extension Action: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exec(let request): "\(kind.rawValue) \(request)"
    case .openURL(let request): "\(kind.rawValue) \(request)"
    case .http(let request): "\(kind.rawValue) \(request)"
    }
  }
}

extension ExecRequest: CustomStringConvertible {
  package var description: String {
    var text = LineText.word(command)
    for argument in arguments { text += " \(LineText.quoted(argument))" }
    return text + " within \(timeout.shortText)"
  }
}

extension OpenURLRequest: CustomStringConvertible {
  package var description: String {
    var text = LineText.word(url)
    if !browsers.isEmpty { text += " in" }
    for browser in browsers { text += " \(LineText.word(browser))" }
    if cooldown > .zero { text += " cooldown \(cooldown.shortText)" }
    return text
  }
}

extension HTTPRequest: CustomStringConvertible {
  package var description: String {
    var text = "\(method.rawValue) \(LineText.word(url))"
    if let interface { text += " by \(LineText.word(interface))" }
    if !headers.isEmpty { text += " headers" }
    for header in headers { text += " \(LineText.word(header.name))" }
    if let body { text += " body \(body.utf8.count)" }
    if expectation != Expectation() { text += " expect" }
    if let status = expectation.status { text += " \(status)" }
    if let part = expectation.contains { text += " contains \(LineText.quoted(part))" }
    return text + " within \(timeout.shortText)"
  }
}

extension ActionResult: CustomStringConvertible {
  package var description: String {
    var text = ending.rawValue
    if let exitCode { text += " exit \(exitCode)" }
    if let signal { text += " signal \(signal)" }
    if let statusCode { text += " status \(statusCode)" }
    if !output.isEmpty { text += " output \(output.count)\(isOutputCut ? "+" : "")" }
    if !error.isEmpty { text += " \(LineText.quoted(error))" }
    return text
  }
}
