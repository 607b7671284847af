import Glibc

/// Whose files and directories are run or obeyed: root's, and those of the user Netvane runs as.
enum Owners {
  /// Whether nobody but root and this process's own user can be behind the number.
  static func isKnown(_ user: uid_t) -> Bool {
    user == 0 || user == geteuid() && user != overflowOfRoot()
  }

  /// The same; in a user's namespace that has no number for root, also the one that stands for it.
  ///
  /// Every user outside has that number there, so it is root's only as far as they may not write.
  static func isTrusted(_ user: uid_t) -> Bool {
    user == 0 || user == geteuid() || user == overflowOfRoot()
  }

  /// Whether it is root's own group; in a user's namespace the number is that of one outside.
  static func isRootsGroup(_ group: gid_t) -> Bool { group == 0 && overflowOfRoot() == nil }

  /// The overflow uid, where root has no other number: user_namespaces(7). What the kernel has
  /// below /proc/sys belongs to root, so its owner tells; the map (/proc/self/uid_map) of a
  /// namespace within another one has that one's numbers, and would not.
  private static func overflowOfRoot() -> uid_t? {
    let number = unsafe open("/proc/sys/kernel/overflowuid", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = Descriptor(number)
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe file.read(into: $0) }
    let digits = bytes.prefix(max(0, count)).prefix { $0 >= 48 && $0 < 58 }
    guard let overflow = uid_t(String(decoding: digits, as: UTF8.self)) else { return nil }
    return file.status?.st_uid == overflow ? overflow : nil
  }
}
