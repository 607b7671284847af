import PathCore

/// Reads what a sandbox sent back, value by value and where it lies. Refuses anything that is not
/// whole and well formed; after a refusal nothing more can be read.
@safe struct PlainCursor {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  /// Values inside values; the sandbox writes at most 16.
  private static let depthMax = 20

  /// The bytes must outlive the cursor.
  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  private var left: Int { unsafe bytes.count - place }
  var isAtEnd: Bool { left == 0 }

  private mutating func tag() -> PlainData.Tag? {
    guard left > 0, let tag = unsafe PlainData.Tag(rawValue: bytes[place]) else { return nil }
    place += 1
    return tag
  }

  private func isNext(_ tag: PlainData.Tag) -> Bool {
    unsafe left > 0 && bytes[place] == tag.rawValue
  }

  private mutating func length() -> Int? {
    guard left >= 4 else { return nil }
    defer { place += 4 }
    return unsafe Int(
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
  }

  private mutating func word() -> UInt64? {
    guard left >= 8 else { return nil }
    defer { place += 8 }
    return unsafe UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// Takes a value that is nothing, if there is one.
  mutating func null() -> Bool {
    guard isNext(.null) else { return false }
    place += 1
    return true
  }

  /// Enters an array; how many values follow.
  mutating func array() -> Int? {
    let start = place
    guard let tag = tag(), let count = length(), count <= left else { return nil }
    if tag == .array || tag == .map && count == 0 { return count }
    place = start
    return nil
  }

  mutating func integer() -> Int64? {
    guard isNext(.integer) else { return nil }
    place += 1
    return word().map { Int64(bitPattern: $0) }
  }

  mutating func bool() -> Bool? {
    guard isNext(.yes) || isNext(.no) else { return nil }
    return tag() == .yes
  }

  /// A text's bytes, where they lie.
  private mutating func textBytes() -> Range<Int>? {
    guard isNext(.text) else { return nil }
    place += 1
    guard let count = length(), count <= left else { return nil }
    defer { place += count }
    return place..<place + count
  }

  /// A text, with invalid UTF-8 repaired.
  mutating func text() -> String? {
    guard let range = textBytes() else { return nil }
    return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  /// Takes a text that is one of these words; which.
  mutating func word(_ words: [StaticString]) -> Int? {
    guard let range = textBytes() else { return nil }
    let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
    return words.firstIndex { word in
      unsafe word.utf8CodeUnitCount == text.count
        && text.elementsEqual(
          UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
  }

  /// The next value, whatever it is; nil for one that is not well formed.
  mutating func data() -> PlainData? {
    let start = place
    guard skip(depth: 0) else { return nil }
    return unsafe PlainData(bytes: Array(bytes[start..<place]))
  }

  private mutating func skip(depth: Int) -> Bool {
    guard depth < Self.depthMax, let tag = tag() else { return false }
    switch tag {
    case .null, .no, .yes: return true
    case .integer, .number: return word() != nil
    case .text:
      guard let count = length(), count <= left else { return false }
      place += count
      return true
    case .array, .map:
      guard let count = length(), count <= left else { return false }
      for _ in 0..<(tag == .map ? count * 2 : count) {
        guard skip(depth: depth + 1) else { return false }
      }
      return true
    case .sized, .record, .link: return false  // the sandbox writes none
    }
  }
}
