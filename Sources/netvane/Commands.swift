/// Does what an invocation asks for and returns the exit code.
func perform(_ invocation: Invocation, on console: Console) -> Int32 {
  switch invocation {
  case .run(let options): return runCommand(options, console)
  case .status(let options): return statusCommand(options, console)
  case .explain(let options): return explainCommand(options, console)
  case .check(let options): return checkCommand(options, console)
  case .help(let command):
    return Help.lines(for: command).allSatisfy { console.print($0) } ? 0 : 1
  case .version:
    return console.print(Help.version) ? 0 : 1
  }
}

func runCommand(_ options: RunOptions, _ console: Console) -> Int32 {
  notBuilt(.run, console)
}

func statusCommand(_ options: StatusOptions, _ console: Console) -> Int32 {
  notBuilt(.status, console)
}

func explainCommand(_ options: ExplainOptions, _ console: Console) -> Int32 {
  notBuilt(.explain, console)
}

func checkCommand(_ options: CheckOptions, _ console: Console) -> Int32 {
  notBuilt(.check, console)
}

private func notBuilt(_ command: Command, _ console: Console) -> Int32 {
  console.complain("netvane: \(command.rawValue) is not built yet")
  return 1
}
