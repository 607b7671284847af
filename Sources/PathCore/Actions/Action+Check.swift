/// What an action must be like before anything is done for it, whatever is granted. The checks of a
/// policy's call say the same with file and line; these hold for whoever calls.
extension ExecRequest {
  package func check() throws(ActionRefusal) {
    try checkTimeout(timeout)
    guard arguments.count <= ActionLimits.arguments else {
      throw ActionRefusal(
        "\(arguments.count) arguments; \(ActionLimits.arguments) is the most")
    }
    guard arguments.reduce(0, { $0 + $1.utf8.count }) <= ActionLimits.argumentBytes else {
      throw ActionRefusal(
        "the arguments have more than \(ActionLimits.argumentBytes) bytes together")
    }
    for (index, argument) in arguments.enumerated() where argument.utf8.contains(0) {
      throw ActionRefusal("argument \(index + 1) holds a zero byte, which no argument can")
    }
  }
}

extension OpenURLRequest {
  package func check() throws(ActionRefusal) -> ActionURL {
    guard browsers.count <= ActionLimits.browserChoices else {
      throw ActionRefusal(
        "\(browsers.count) browsers to choose from; \(ActionLimits.browserChoices) is the most")
    }
    return try ActionURL(url)
  }
}

extension HTTPRequest {
  package func check() throws(ActionRefusal) -> ActionURL {
    try checkTimeout(timeout)
    try checkBody()
    try checkHeaders()
    if let interface, !Self.isInterfaceName(interface) {
      throw ActionRefusal("\(LineText.quoted(interface)) is no interface's name")
    }
    if let status = expectation.status, !(100...599).contains(status) {
      throw ActionRefusal("expected status \(status); it is a number from 100 to 599")
    }
    if let text = expectation.contains,
      text.isEmpty || text.utf8.count > ActionLimits.expectedTextBytes
    {
      throw ActionRefusal(
        "the text to look for has 1 to \(ActionLimits.expectedTextBytes) bytes")
    }
    return try ActionURL(url)
  }

  private func checkBody() throws(ActionRefusal) {
    guard let body else { return }
    guard method == .post || method == .put else {
      throw ActionRefusal("a \(method.rawValue) request has no body; use POST or PUT")
    }
    guard body.utf8.count <= ActionLimits.requestBodyBytes else {
      throw ActionRefusal(
        "the body has \(body.utf8.count) bytes; \(ActionLimits.requestBodyBytes) is the most")
    }
  }

  private func checkHeaders() throws(ActionRefusal) {
    guard headers.count <= ActionLimits.headers else {
      throw ActionRefusal("\(headers.count) headers; \(ActionLimits.headers) is the most")
    }
    for header in headers {
      guard (1...128).contains(header.name.utf8.count),
        header.name.utf8.allSatisfy(Self.isTokenByte)
      else {
        throw ActionRefusal("\(LineText.quoted(header.name)) is no header's name")
      }
      if Self.reserved.contains(header.name.lowercased()) {
        throw ActionRefusal("the header \(header.name) is Netvane's own to set; leave it out")
      }
      guard header.value.utf8.count <= ActionLimits.headerBytes,
        header.value.utf8.allSatisfy({ $0 == 9 || $0 >= 0x20 && $0 != 0x7F })
      else {
        throw ActionRefusal(
          "the header \(header.name) holds a line break or another control character, or has more "
            + "than \(ActionLimits.headerBytes) bytes")
      }
    }
  }

  /// Headers that say where a message begins and ends, or to whom it goes.
  private static let reserved: Set<String> = [
    "connection", "content-length", "expect", "host", "http2-settings", "keep-alive",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// RFC 9110, section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// dev_valid_name() in the kernel, and nothing that libcurl would read as a mark of its own.
  private static func isInterfaceName(_ name: String) -> Bool {
    (1...15).contains(name.utf8.count) && name != "." && name != ".."
      && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/:!".utf8.contains($0) }
  }
}

private func checkTimeout(_ timeout: Duration) throws(ActionRefusal) {
  guard ActionLimits.timeoutRange.contains(timeout) else {
    throw ActionRefusal(
      "a timeout of \(timeout.shortText); it may be "
        + "\(ActionLimits.timeoutRange.lowerBound.shortText) to "
        + ActionLimits.timeoutRange.upperBound.shortText)
  }
}
