import Glibc
import PathPolicy

/// `netvane new`: a small policy and its test, to start from.
struct NewCommand {
  let options: NewOptions
  let console: Console

  func perform() -> Int32 {
    if let problem = PolicyName.problem(options.name) ?? endingProblem {
      let near =
        PolicyName.nearest(to: options.name).map { "; try: netvane new \($0)\(place)" } ?? ""
      return complain("\(quoted(options.name)): \(problem)\(near)", 2)
    }
    let directory = options.directory ?? Places.policies(nil) ?? Places.usual("policies")[0]
    let scaffold = Scaffold(directory: directory)
    let policy = StarterPolicy(name: options.name).files
    for file in policy where scaffold.exists(file.name) {
      return complain(
        "\(visible(scaffold.path(file.name))) is there already; it was left as it is. "
          + "Choose another name, or move it away", 1)
    }
    do throws(Scaffold.Failure) {
      if try scaffold.makeDirectory() { console.print("made   \(visible(directory))") }
      try write(policy[0], scaffold)
      do throws(Scaffold.Failure) {
        try write(policy[1], scaffold)
      } catch {
        scaffold.remove(policy[0].name)
        throw error
      }
      for file in PolicyAPI.Files.forEditors where !scaffold.exists(file.name) {
        try write(file, scaffold)
      }
    } catch {
      // The usual place may be the system's, and not this person's to write into.
      let other =
        options.directory == nil ? "; or name a place: netvane new \(options.name) DIR" : ""
      return complain(visible(error.message) + other, 1)
    }
    sayWhatIsNext(scaffold)
    return 0
  }

  /// Most likely meant as the file's name.
  private var endingProblem: String? {
    options.name.hasSuffix(".lua") ? "give the name without its ending" : nil
  }

  private func write(
    _ file: (name: String, text: String), _ scaffold: Scaffold
  ) throws(Scaffold.Failure) {
    try scaffold.create(file.name, file.text)
    console.print("wrote  \(visible(scaffold.path(file.name)))")
  }

  /// DIR as it goes behind a command; nothing for the usual place.
  private var place: String {
    options.directory.map { " " + Scaffold.shellWord(visible($0)) } ?? ""
  }

  private func sayWhatIsNext(_ scaffold: Scaffold) {
    let file = Scaffold.shellWord(visible(scaffold.path("\(options.name).lua")))
    for (step, about) in [
      ("$EDITOR \(file)", "say what it does"), ("netvane test\(place)", "see its test pass"),
      ("netvane run\(place)", "watch the network with it"),
    ] {
      console.print("next   \(step)   \(console.styled("# \(about)", .faint))")
    }
  }

  private func complain(_ message: String, _ code: Int32) -> Int32 {
    console.complain("netvane: \(message)")
    return code
  }
}
