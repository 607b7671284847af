internal import CLinux
internal import Glibc

/// The way that the kernel goes (path_resolution(7)), one step at a time, so that each can be
/// looked at: what a step found is held by its descriptor, and nobody can exchange it any more.
struct Walk {
  private var place: TrustedPlace
  /// The names still to come, last first.
  private var rest: [String]
  private let making: TrustedPlace.Making
  private var links = 0

  /// As many as the kernel follows.
  private static let linksMost = 40

  init(
    _ path: String, from start: TrustedPlace?, making: TrustedPlace.Making
  ) throws(Distrust) {
    let isLong = path.utf8.count >= Int(PATH_MAX)
    if isLong || path.isEmpty || path.utf8.contains(0) {
      throw Distrust(
        reason: .unreachable(isLong ? ENAMETOOLONG : ENOENT), place: path, isDirectory: false,
        isEnd: true)
    }
    self.making = making
    rest = Self.parts(path)
    if path.hasPrefix("/") {
      place = try Self.root()
    } else if let start {
      place = start
    } else {
      place = try Self.root()
      rest += Self.parts(try Self.workingDirectory(path))
    }
  }

  mutating func end() throws(Distrust) -> TrustedPlace {
    while let name = rest.popLast() {
      let sharing = try place.enter()
      switch name {
      case ".": continue
      case "..": place = try step("..", .nobody)
      default:
        let next = try step(name, sharing)
        let isLink = next.kind == S_IFLNK
        try next.checkShared(isEnd: rest.isEmpty && !isLink)
        if isLink { try follow(next) } else { place = next }
      }
    }
    return place
  }

  /// A link leads on from the directory that it lies in.
  private mutating func follow(_ link: TrustedPlace) throws(Distrust) {
    links += 1
    guard links <= Self.linksMost else { throw link.distrust(.unreachable(ELOOP)) }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlinkat(link.descriptor.number, "", &bytes, bytes.count)
    guard length > 0, length < bytes.count else {
      throw link.distrust(.unreachable(length < 0 ? errno : ENAMETOOLONG))
    }
    let target = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    if target.hasPrefix("/") { place = try Self.root() }
    rest += Self.parts(target)
  }

  private func step(_ name: String, _ sharing: TrustedPlace.Sharing) throws(Distrust)
    -> TrustedPlace
  {
    let path = Self.path(place.path, name)
    var number = look(name)
    if number == -ENOENT, making == .all || making == .theLast && rest.isEmpty {
      // Somebody else may make it at the same moment.
      if unsafe mkdirat(place.descriptor.number, name, 0o700) != 0, errno != EEXIST {
        number = -errno
      } else {
        number = look(name)
      }
    }
    guard number >= 0 else { throw Self.unreachable(path, -number, isEnd: rest.isEmpty) }
    let descriptor = Descriptor(number)
    guard let status = descriptor.status else { throw Self.unreachable(path, errno, isEnd: true) }
    return TrustedPlace(
      path: path, descriptor: descriptor, status: status,
      folder: (place.descriptor, sharing), name: name)
  }

  /// First as a directory, so that one that is mounted on demand is; a link or file is no harm.
  private func look(_ name: String) -> Int32 {
    let number = unsafe clinux_step(place.descriptor.number, name, 1)
    return number == -ENOTDIR ? unsafe clinux_step(place.descriptor.number, name, 0) : number
  }

  private static func root() throws(Distrust) -> TrustedPlace {
    let number = unsafe clinux_step(AT_FDCWD, "/", 1)
    guard number >= 0 else { throw unreachable("/", -number, isEnd: false) }
    let descriptor = Descriptor(number)
    guard let status = descriptor.status else { throw unreachable("/", errno, isEnd: false) }
    return TrustedPlace(path: "/", descriptor: descriptor, status: status)
  }

  private static func unreachable(_ path: String, _ code: Int32, isEnd: Bool) -> Distrust {
    Distrust(reason: .unreachable(code), place: path, isDirectory: false, isEnd: isEnd)
  }

  private static func path(_ folder: String, _ name: String) -> String {
    if name == ".." {
      let slash = folder.lastIndex(of: "/") ?? folder.startIndex
      return slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
    return folder == "/" ? "/" + name : "\(folder)/\(name)"
  }

  /// The names on the way, last first. A slash at the end asks for a directory, as `.` does.
  private static func parts(_ path: String) -> [String] {
    let names = path.split(separator: "/").map(String.init)
    return (path.hasSuffix("/") ? names + ["."] : names).reversed()
  }

  /// getcwd(3).
  private static func workingDirectory(_ path: String) throws(Distrust) -> String {
    guard let buffer = unsafe getcwd(nil, 0) else { throw unreachable(path, errno, isEnd: false) }
    defer { unsafe free(buffer) }
    return unsafe String(cString: buffer)
  }
}
