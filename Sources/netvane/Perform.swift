/// Does what an invocation asks for and returns the exit code.
func perform(_ invocation: Invocation, on console: Console) -> Int32 {
  console.ending(carryOut(invocation, on: console))
}

private func carryOut(_ invocation: Invocation, on console: Console) -> Int32 {
  switch invocation {
  case .run(let options): return RunCommand(options: options, console: console).perform()
  case .status(let options): return StatusCommand(options: options, console: console).perform()
  case .explain(let options): return ExplainCommand(options: options, console: console).perform()
  case .control(let options): return ControlCommand(options: options, console: console).perform()
  case .check(let options): return CheckCommand(options: options, console: console).perform()
  case .new(let options): return NewCommand(options: options, console: console).perform()
  case .api(let directory): return APICommand(directory: directory, console: console).perform()
  case .test(let options): return TestCommand(options: options, console: console).perform()
  case .help(let command):
    for line in Help.lines(for: command) { console.print(line) }
    return 0
  case .version:
    console.print(Help.version)
    return 0
  }
}
