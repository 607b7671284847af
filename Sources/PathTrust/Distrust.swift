internal import Glibc

/// Why a file or directory is neither run nor obeyed, and what helps.
package struct Distrust: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// There is no way to it, by errno.
    case unreachable(Int32)
    /// A user who is neither root nor the one Netvane runs as.
    case owner(UInt32)
    case everybody(andGroup: Bool)
    case group(UInt32)
    /// Its access list names others, acl(5).
    case accessList
    /// In a directory where everybody may make files, one that has another name elsewhere.
    case otherName
    /// Another file came in its place while it was opened.
    case replaced
  }

  package var reason: Reason
  /// Where, without links.
  package var place: String
  package var isDirectory: Bool
  /// Whether it is about what was looked for, and not about the way there.
  package var isEnd: Bool

  /// A sentence that names the place and the command that helps. `name` is what the file that was
  /// looked for is called in it; nil for its whole name.
  package func message(calling name: String? = nil) -> String {
    let what = isDirectory || !isEnd ? place : name ?? place
    let into = isDirectory ? "into " : ""
    switch reason {
    case .unreachable(let code): return "\(what): \(unsafe String(cString: strerror(code)))"
    case .owner(let user):
      return "\(what) belongs to user \(user); it must be root's or yours: chown root \(quoted)"
    case .everybody(let andGroup):
      return "everybody may write \(into)\(what); "
        + "take that away with: chmod \(andGroup ? "go-w" : "o-w") \(quoted)"
    case .group(let group):
      let whose = isDirectory || what != "it" ? "group \(group)" : "its group"
      return "\(whose) may write \(into)\(what); take that away with: chmod g-w \(quoted)"
    case .accessList:
      return "users in its access list may write \(into)\(what); "
        + "take that away with: setfacl -b \(quoted)"
    case .otherName:
      return "\(what) has a second name elsewhere, so anybody could have put it there; "
        + "put a copy of its own there"
    case .replaced: return "\(what) was replaced while it was read; try again"
    }
  }

  /// The place as a word of a command.
  private var quoted: String {
    let isPlain = place.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122: true
      case 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x40, 0x5F: true
      default: byte >= 128
      }
    }
    if isPlain { return place }
    return "'"
      + place.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
