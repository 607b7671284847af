import Glibc

// A reader that went away is an answer of write(2), not the end of the process.
signal(SIGPIPE, SIG_IGN)

// A stream that the caller closed (`>&-`) would be the number of the next thing opened, and reports
// went to the kernel, by the socket that hears its events.
for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
  _ = unsafe open("/dev/null", O_RDWR)
}

let console = Console.standard { name in unsafe getenv(name).map { unsafe String(cString: $0) } }

switch ArgumentParser.parse(Array(CommandLine.arguments.dropFirst())) {
case .success(let invocation):
  exit(perform(invocation, on: console))
case .failure(let error):
  for line in error.lines { console.complain(line) }
  exit(2)
}
