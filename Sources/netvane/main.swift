import Glibc

// A reader that went away is an answer of write(2), not the end of the process.
signal(SIGPIPE, SIG_IGN)

let console = Console.standard { name in unsafe getenv(name).map { unsafe String(cString: $0) } }

switch ArgumentParser.parse(Array(CommandLine.arguments.dropFirst())) {
case .success(let invocation):
  exit(perform(invocation, on: console))
case .failure(let error):
  for line in error.lines { console.complain(line) }
  exit(2)
}
