internal import CLinux
package import Glibc

/// What lies at the end of a way on which nobody but root and the user Netvane runs as can put
/// something else: every directory was looked at by its own descriptor.
///
/// For whatever is run or obeyed: the configuration, policies, granted programs, the state and the
/// control socket. What lies at the end is looked at by `check`, and before its text is believed
/// once more, by `open`.
package struct TrustedPlace {
  /// Its name from the root, without links.
  package let path: String
  /// As it was found.
  package let status: stat
  /// O_PATH: it names, and opens nothing.
  let descriptor: Descriptor
  /// The directory that it was found in.
  private let folder: (descriptor: Descriptor, sharing: Sharing)?
  private let name: String

  /// What may be made where it is missing, each directory for its owner alone.
  package enum Making: Sendable { case nothing, theLast, all }

  /// Goes from the root, for a relative path by way of the working directory, or from `start`.
  package static func find(
    _ path: String, from start: TrustedPlace? = nil, making: Making = .nothing
  ) throws(Distrust) -> TrustedPlace {
    var walk = try Walk(path, from: start, making: making)
    return try walk.end()
  }

  package var kind: UInt32 { status.st_mode & S_IFMT }
  package var isDirectory: Bool { kind == S_IFDIR }

  /// Refuses what others could change.
  package func check() throws(Distrust) {
    if let reason = reason(against: status) { throw distrust(reason) }
  }

  /// Opens it for reading, and looks at what was opened: that is what counts from here on.
  package func open() throws(Distrust) -> Descriptor {
    let at = isDirectory ? descriptor : folder?.descriptor ?? descriptor
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY
    // Without O_NONBLOCK the open of a FIFO that came in between would wait for a writer.
    let number = unsafe openat(
      at.number, isDirectory ? "." : name, flags | (isDirectory ? O_DIRECTORY : O_NONBLOCK))
    guard number >= 0 else {
      throw distrust(errno == ELOOP || errno == ENXIO ? .replaced : .unreachable(errno))
    }
    let opened = Descriptor(number)
    guard let status = opened.status else { throw distrust(.unreachable(errno)) }
    guard status.st_mode & S_IFMT == kind else { throw distrust(.replaced) }
    if let reason = reason(against: status, opened) { throw distrust(reason) }
    return opened
  }

  /// What it is called by, opened for nothing.
  package var named: Descriptor { descriptor }

  /// The names in a directory, with `.` and `..`, in no order.
  package func entries() throws(Distrust) -> [String] {
    guard isDirectory else { throw distrust(.unreachable(ENOTDIR)) }
    let opened = try open()
    // The stream closes its descriptor, and has a place in it that is read up to.
    let copy = opened.duplicate()
    guard copy >= 0, let stream = unsafe fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw distrust(.unreachable(code))
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
    }
    return names
  }

  // MARK: The way

  /// Who else may make files in a directory, though none may take away another's.
  enum Sharing { case nobody, some, everybody }

  init(
    path: String, descriptor: Descriptor, status: stat,
    folder: (descriptor: Descriptor, sharing: Sharing)? = nil, name: String = "."
  ) {
    self.path = path
    self.descriptor = descriptor
    self.status = status
    self.folder = folder
    self.name = name
  }

  /// Refuses a directory in which others could put something else in the place of what comes next;
  /// who may at least make files there, as in /tmp.
  func enter() throws(Distrust) -> Sharing {
    guard isDirectory else { throw distrust(.unreachable(ENOTDIR), isEnd: false) }
    guard let reason = reason(against: status) else { return .nobody }
    switch reason {
    // What is not theirs they can neither rename nor remove there, inode(7).
    case .everybody where isSticky: return .everybody
    case .group where isSticky, .accessList where isSticky: return .some
    default: throw distrust(reason, isEnd: false)
    }
  }

  private var isSticky: Bool { status.st_mode & S_ISVTX != 0 }

  /// In a directory where others may make files it must be clear who made this one.
  func checkShared(isEnd: Bool) throws(Distrust) {
    if let reason = reasonWhenShared(status) { throw distrust(reason, isEnd: isEnd) }
  }

  func distrust(_ reason: Distrust.Reason, isEnd: Bool = true) -> Distrust {
    Distrust(reason: reason, place: path, isDirectory: isDirectory, isEnd: isEnd)
  }

  // MARK: The rule

  private func reason(against status: stat, _ file: Descriptor? = nil) -> Distrust.Reason? {
    guard Owners.isTrusted(status.st_uid) else { return .owner(status.st_uid) }
    if let reason = reasonWhenShared(status) { return reason }
    let groupWrites = status.st_mode & S_IWGRP != 0
    let groupIsOther = groupWrites && !Owners.isRootsGroup(status.st_gid)
    if status.st_mode & S_IWOTH != 0 { return .everybody(andGroup: groupIsOther) }
    if !groupWrites { return nil }
    if groupIsOther { return .group(status.st_gid) }
    // The bits of the group may be those of a list.
    switch clinux_has_access_list((file ?? descriptor).number) {
    case 0: return nil
    case 1: return .accessList
    default: return .group(0)
    }
  }

  private func reasonWhenShared(_ status: stat) -> Distrust.Reason? {
    guard let folder, folder.sharing != .nobody else { return nil }
    guard Owners.isKnown(status.st_uid) else { return .owner(status.st_uid) }
    // Where the kernel does not forbid it (fs.protected_hardlinks) anybody can give a file of
    // root's a name there. Not so a group's directory: the store of Nix has such names by design.
    let isPlain = status.st_mode & S_IFMT == S_IFREG
    return folder.sharing == .everybody && isPlain && status.st_nlink > 1 ? .otherName : nil
  }
}
