import Glibc
package import PathCore
import PathTrust

/// Whether a program may be started: what others could replace is not what was granted.
package enum ProgramTrust {
  /// The program is then started by its name, since a script needs one: only those who could put
  /// something else there who may change the program itself.
  static func check(_ program: String) throws(ActionRefusal) {
    let place: TrustedPlace
    do throws(Distrust) {
      place = try find(program)
    } catch {
      if case .unreachable(let code) = error.reason { throw Child.refusal(program, code) }
      throw ActionRefusal(LineText.escaped(error.message()))
    }
    guard place.kind == S_IFREG else {
      throw ActionRefusal("\(LineText.word(program)) is no program, but a directory or device")
    }
  }

  /// What to say of granted programs that would be refused now because others could change them; of
  /// one that is not there yet, nothing. `file` is the configuration's.
  package static func warnings(on grants: Grants, file: String) -> [String] {
    grants.commands.keys.sorted().compactMap { name in
      guard let program = grants.commands[name]?.first else { return nil }
      do throws(Distrust) {
        _ = try find(program)
        return nil
      } catch {
        if case .unreachable = error.reason { return nil }
        return "\(file): grants.exec.\(LineText.word(name)) will not be run: "
          + LineText.escaped(error.message())
      }
    }
  }

  private static func find(_ program: String) throws(Distrust) -> TrustedPlace {
    let place = try TrustedPlace.find(program)
    if place.kind == S_IFREG { try place.check() }
    return place
  }
}
