import Glibc

/// Every workload, in the order in which they are run when none is named.
let workloads: [any Workload.Type] = [FactsWorkload.self]

@MainActor func usage(_ message: String) -> Never {
  var lines = ["netvane-bench: \(message)", "", "netvane-bench [WORKLOAD …] [--size small|full]", ""]
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

var failed = false
for workload in workloads where wanted.isEmpty || wanted.contains(workload.name) {
  do throws(WorkloadError) {
    for figure in try workload.run(size) {
      let value = figure.value >= 100 ? "\(Int(figure.value))" : "\(figure.value)"
      print("\(workload.name)\t\(figure.name)\t\(value)\(figure.unit)\t\(figure.note)")
    }
  } catch {
    print("\(workload.name)\tfailed\t\(error.message)")
    failed = true
  }
}
exit(failed ? 1 : 0)
