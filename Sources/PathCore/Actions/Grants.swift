/// What policies may do to the machine, as its operator wrote it. Nothing is granted by default.
package struct Grants: Hashable, Sendable {
  /// Commands by name, each with its first arguments; the program with its whole path.
  package var commands: [String: [String]]
  /// Hosts whose pages may be opened.
  package var openURL: [HostPattern]
  /// Hosts that requests may be sent to.
  package var http: [HostPattern]

  package init(
    commands: [String: [String]] = [:], openURL: [HostPattern] = [], http: [HostPattern] = []
  ) {
    self.commands = commands
    self.openURL = openURL
    self.http = http
  }

  package var isEmpty: Bool { commands.isEmpty && openURL.isEmpty && http.isEmpty }

  /// The whole argument vector of a request.
  package func arguments(of request: ExecRequest) throws(ActionRefusal) -> [String] {
    guard let granted = commands[request.command], !granted.isEmpty else {
      let hint =
        nearestWord(to: request.command, in: commands.keys.sorted()).map {
          "; did you mean '\($0)'?"
        } ?? "; commands are granted in the configuration, under grants.exec"
      throw ActionRefusal("no command \(LineText.quoted(request.command)) is granted\(hint)")
    }
    try request.check()
    return granted + request.arguments
  }

  package func url(of request: OpenURLRequest) throws(ActionRefusal) -> ActionURL {
    let url = try request.check()
    try check(url, against: openURL, kind: .openURL)
    return url
  }

  package func url(of request: HTTPRequest) throws(ActionRefusal) -> ActionURL {
    let url = try request.check()
    try check(url, against: http, kind: .http)
    return url
  }

  private func check(
    _ url: ActionURL, against patterns: [HostPattern], kind: Action.Kind
  ) throws(ActionRefusal) {
    guard patterns.contains(where: { $0.matches(url.host) }) else {
      throw ActionRefusal(
        "the host \(url.host) is not granted; hosts are granted in the configuration, under "
          + "grants.\(kind.rawValue)")
    }
  }
}
