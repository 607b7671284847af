#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// What sysfs says about a network device beyond netlink.
struct DeviceFacts: Hashable, Sendable {
  /// DEVTYPE of the device's uevent file: wlan, wwan, bluetooth …
  var deviceType = ""
  /// The wireless device behind it (`phy0`); empty when there is none.
  var phy = ""
  /// The name of its driver; empty for none.
  var driver = ""
  var isWireless = false
}

/// Reads the few files of sysfs that tell what a device is.
struct Sysfs: Sendable {
  /// Attribute files are a page at most.
  private static let fileLimit = 4096
  let root: String

  /// Nil when sysfs does not know the link, or shows another one of that name: in a namespace
  /// without its own mount of sysfs it shows the links of the host.
  func device(_ name: String, index: Int32) -> DeviceFacts? {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
      return nil
    }
    let directory = "\(root)/class/net/\(name)"
    guard let text = Self.read("\(directory)/ifindex"), Int32(text) == index else { return nil }
    var facts = DeviceFacts()
    for line in (Self.read("\(directory)/uevent") ?? "").split(separator: "\n")
    where line.hasPrefix("DEVTYPE=") {
      facts.deviceType = String(line.dropFirst("DEVTYPE=".count))
    }
    facts.phy = Self.linkTarget("\(directory)/phy80211") ?? ""
    facts.isWireless = !facts.phy.isEmpty || Self.exists("\(directory)/wireless")
    facts.driver = Self.linkTarget("\(directory)/device/driver") ?? ""
    return facts
  }

  /// The whole of a small file without its last newline.
  static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: fileLimit)
    let length = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard length >= 0 else { return nil }
    var text = bytes[..<length]
    while text.last == UInt8(ascii: "\n") { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// The last part of what a symbolic link points at.
  static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 1024)
    let length = unsafe readlink(path, &bytes, bytes.count)
    guard length > 0 else { return nil }
    let target = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return target.split(separator: "/").last.map(String.init)
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The names in a directory, sorted; empty when it cannot be read.
  static func list(_ path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
