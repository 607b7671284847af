import PathPolicy

/// `netvane api`: the policy API, for people and for editors.
struct APICommand {
  let directory: String?
  let console: Console

  func perform() -> Int32 {
    guard let directory else {
      console.print(APICommand.page)
      return 0
    }
    let scaffold = Scaffold(directory: directory)
    do throws(Scaffold.Failure) {
      if try scaffold.makeDirectory() { console.print("made   \(visible(directory))") }
      for (name, text) in PolicyAPI.Files.all {
        let path = visible(scaffold.path(name))
        switch try scaffold.update(name, text) {
        case .written: console.print("wrote  \(path)")
        case .same: console.print("same   \(path)")
        case .kept: console.print("kept   \(path), which `netvane api` did not make")
        }
      }
      return 0
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 1
    }
  }

  private static var page: String {
    for file in PolicyAPI.Files.all where file.name == "README.md" { return file.text }
    preconditionFailure("the files of the API have no page")
  }
}
