#if os(Linux)
internal import PathCore
#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// Interfaces as the zones of addresses name them.
extension NWInterface {
  /// The interface of this machine with this name, alternative name or number; nil where there is
  /// none.
  init?(zone: Substring) {
    // A name is at most ALTIFNAMSIZ bytes, with the zero at the end.
    guard !zone.isEmpty, zone.utf8.count < 128, !zone.utf8.contains(0) else { return nil }
    let text = String(zone)
    let index = Self.index(of: text)
    // Only the whole reading knows which kind it is, and the alternative names that are longer than
    // if_nametoindex(3) takes.
    let known = KernelSource.shared.interface { interface in
      index == 0
        ? interface.alternativeNames.contains(text) : interface.index == Int32(clamping: index)
    }
    if let known {
      self = known
    } else if index != 0, let name = Self.name(of: index) {
      self.init(type: .other, name: name, index: Int(index))
    } else {
      return nil
    }
  }

  /// Zero where there is none.
  private static func index(of text: String) -> UInt32 {
    let index = unsafe if_nametoindex(text)
    if index == 0, text.utf8.allSatisfy({ (48...57).contains($0) }) { return UInt32(text) ?? 0 }
    return index
  }

  private static func name(of index: UInt32) -> String? {
    var name = [UInt8](repeating: 0, count: Int(IF_NAMESIZE))
    let isKnown = unsafe name.withUnsafeMutableBytes { bytes in
      unsafe if_indextoname(index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self)) != nil
    }
    return isKnown ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : nil
  }
}
#endif
