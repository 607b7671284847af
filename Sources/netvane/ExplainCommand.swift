import PathCore
import PathDaemon
import PathPolicy

/// `netvane explain`: why the verdict is what it is, interface by interface.
struct ExplainCommand {
  let options: ExplainOptions
  let console: Console

  func perform() -> Int32 {
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Places.configuration(options.config)
    } catch {
      console.complain("netvane: \(visible(error.located))")
      return 2
    }
    let filter = PathFilter(
      required: options.required.flatMap { InterfaceType(word: $0.rawValue) },
      prohibited: options.prohibited.reduce(into: InterfaceTypeSet()) { set, word in
        if let type = InterfaceType(word: word.rawValue) { set.insert(InterfaceTypeSet(type)) }
      }, interface: options.interface)
    let explanation = PathEvaluator.explanation(
      of: KernelGlance.snapshot(configuration), filter: filter)
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
