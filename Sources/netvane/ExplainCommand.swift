import PathCore

/// `netvane explain`: why the verdict is what it is, interface by interface.
struct ExplainCommand {
  let options: AskOptions
  let console: Console

  func perform() -> Int32 {
    guard let snapshot = options.snapshot(console) else { return 2 }
    let explanation = PathEvaluator.explanation(of: snapshot, filter: options.filter)
    if options.json {
      var writer = JSONWriter()
      writer.object { writer in
        writer.key("path")
        explanation.path.writeJSON(into: &writer)
        writer.key("evidence")
        writer.array(explanation.lines) { $0.string($1) }
      }
      console.print(writer.text)
    } else {
      for line in explanation.lines { console.print(visible(line)) }
    }
    return explanation.path.status == .satisfied ? 0 : 1
  }
}
