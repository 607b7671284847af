package import PathCore

/// The twin of all executors that does nothing: it checks what they would check, and tells what
/// they would do.
package struct DryRunExecutor {
  private let exec: ExecExecutor
  private let openURL: OpenURLExecutor
  private let http: HTTPExecutor

  package init(exec: ExecExecutor, openURL: OpenURLExecutor, http: HTTPExecutor) {
    self.exec = exec
    self.openURL = openURL
    self.http = http
  }

  /// The result is dropped, for nothing was achieved; its error says what would have been done.
  package func perform(_ id: ActionID, _ action: Action) throws(ActionRefusal) -> ActionResult {
    ActionResult(.dropped, error: "dry run: " + (try tell(id, action)))
  }

  private func tell(_ id: ActionID, _ action: Action) throws(ActionRefusal) -> String {
    switch action {
    case .exec(let request):
      let words = try exec.plan(request).map(LineText.word)
      return "would run \(words.joined(separator: " "))"
    case .openURL(let request):
      let plan = try openURL.plan(id, request)
      openURL.noteOpening(id)
      return "would open \(plan.url.text) with \(LineText.word(plan.program))"
    case .http(var request):
      request.url = try http.plan(request).text
      return "would send \(request)"
    }
  }
}
