import Glibc

if let code = Part.run(Array(CommandLine.arguments.dropFirst())) { exit(code) }

/// Every workload, in the order in which they are run when none is named.
let workloads: [any Workload.Type] = [
  FactsWorkload.self, LatencyWorkload.self, ExecWorkload.self, StormWorkload.self,
  LinksWorkload.self, FarRoutesWorkload.self,
  IdleWorkload.self, StoreWorkload.self, LibraryWorkload.self, CasesWorkload.self,
]

@MainActor func usage(_ message: String) -> Never {
  var lines = [
    "netvane-bench: \(message)", "", "netvane-bench [WORKLOAD …] [--size small|full]", "",
  ]
  lines += workloads.map { "  \($0.name)\t\($0.about)" }
  for line in lines { print(line) }
  exit(2)
}

var size = Size.full
var wanted: [String] = []
var arguments = Array(CommandLine.arguments.dropFirst())
while let argument = arguments.first {
  arguments.removeFirst()
  if argument == "--size" {
    guard let word = arguments.first, let given = Size(rawValue: word) else {
      usage("--size takes small or full")
    }
    size = given
    arguments.removeFirst()
  } else if argument == "--help" {
    usage("measures what the README claims")
  } else if workloads.contains(where: { $0.name == argument }) {
    wanted.append(argument)
  } else {
    usage("there is no workload '\(argument)'")
  }
}

let chosen = workloads.filter { wanted.isEmpty || wanted.contains($0.name) }
if chosen.contains(where: { $0.needsNetwork }) { Seclusion.enter() }

var failed = false
for workload in chosen {
  do throws(WorkloadError) {
    for figure in try workload.run(size) { print(figure.line(workload.name)) }
  } catch {
    print("\(workload.name)\tfailed\t\(error.message)")
    failed = true
  }
  // A pipe's reader should not have to wait for the last workload.
  fflush(nil)
}
exit(failed ? 1 : 0)
