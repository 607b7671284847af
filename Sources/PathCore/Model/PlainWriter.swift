/// Writes values in the encoding of `PlainData`. Each event of each policy is written, so this one
/// owns its memory: appending to an array asks at each step who else holds it.
@safe package struct PlainWriter: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  package private(set) var count = 0

  package init() {
    capacity = 256
    unsafe base = .allocate(capacity: 256)
  }

  deinit { unsafe base.deallocate() }

  /// What was written, as a value of its own.
  package var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }

  package borrowing func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeBufferPointer(start: base, count: count))
  }

  /// Begins anew in the memory it has.
  package mutating func clear() { count = 0 }

  package mutating func null() { put(.null) }

  /// In a record: another one that its reader has.
  package mutating func link() { put(.link) }

  package mutating func bool(_ value: Bool) { put(value ? .yes : .no) }

  package mutating func integer(_ value: Int64) {
    put(.integer)
    word(UInt64(bitPattern: value))
  }

  package mutating func number(_ value: Double) {
    put(.number)
    word(value.bitPattern)
  }

  package mutating func text(_ value: [UInt8]) {
    head(.text, value.count)
    raw(value)
  }

  /// The text of a literal; nothing is allocated for it.
  package mutating func text(_ value: StaticString) {
    let length = value.utf8CodeUnitCount
    reserve(5 + length)
    start(.text, length)
    unsafe (base + count).update(from: value.utf8Start, count: length)
    count += length
  }

  @_disfavoredOverload
  package mutating func text(_ value: String) {
    head(.text, value.utf8.count)
    let isWhole: Void? =
      unsafe value.utf8.withContiguousStorageIfAvailable { unsafe copy($0) }
    if isWhole == nil { raw(Array(value.utf8)) }
  }

  /// The text of a time of day: RFC 3339.
  package mutating func text(_ value: WallTime) {
    unsafe text(most: WallTime.rfc3339Most) { unsafe value.writeRFC3339(into: $0) }
  }

  /// The text of a duration, in its shortest exact form.
  package mutating func text(_ value: Duration) {
    unsafe text(most: Duration.shortTextMost) { unsafe value.writeShortText(into: $0) }
  }

  private mutating func text(
    most: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    head(.text, 0)
    reserve(most)
    let length = unsafe write(UnsafeMutableBufferPointer(start: base + count, count: most))
    patch(count, with: length)
    count += length
  }

  package mutating func raw(_ data: PlainData) { raw(data.bytes) }

  /// Bytes that were written by another.
  package mutating func raw(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe copy($0) }
  }

  /// Puts another value in the place of one that was written; `place` is where that one ended.
  package mutating func replace(_ value: Bool, before place: Int) {
    precondition(place >= 1 && place <= count)
    unsafe base[place - 1] = (value ? PlainData.Tag.yes : .no).rawValue
  }

  package mutating func replace(_ value: Int64, before place: Int) {
    precondition(place >= 8 && place <= count)
    unsafe UnsafeMutableRawPointer(base + place - 8).storeBytes(
      of: UInt64(bitPattern: value).littleEndian, as: UInt64.self)
  }

  /// Begins an array; exactly `count` values follow. An empty one is written as an empty map,
  /// since Lua knows no difference.
  package mutating func array(_ count: Int) { head(count == 0 ? .map : .array, count) }

  /// Begins a map; exactly `count` pairs follow.
  package mutating func map(_ count: Int) { head(.map, count) }

  /// Begins a map whose pairs follow; the returned place is for `endMap`.
  package mutating func beginMap() -> Int {
    head(.map, 0)
    return count
  }

  /// Ends a map that `beginMap` began and that holds `count` pairs.
  package mutating func endMap(_ place: Int, count: Int) { patch(place, with: count) }

  /// Begins a value that can be passed over; one value follows, then `endSized`.
  package mutating func beginSized() -> Int {
    head(.sized, 0)
    return count
  }

  /// Begins a record; one map follows, then `endSized`.
  package mutating func beginRecord() -> Int {
    head(.record, 0)
    return count
  }

  package mutating func endSized(_ place: Int) { patch(place, with: count - place) }

  // MARK: Bytes

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(to: count + more) }
  }

  private mutating func grow(to need: Int) {
    let wanted = max(need, capacity * 2)
    let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    unsafe fresh.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = fresh
    capacity = wanted
  }

  private mutating func put(_ tag: PlainData.Tag) {
    reserve(1)
    unsafe base[count] = tag.rawValue
    count += 1
  }

  private mutating func head(_ tag: PlainData.Tag, _ length: Int) {
    reserve(5)
    start(tag, length)
  }

  /// A head for which there is room.
  @inline(__always)
  private mutating func start(_ tag: PlainData.Tag, _ length: Int) {
    unsafe base[count] = tag.rawValue
    count += 5
    patch(count, with: length)
  }

  /// Writes the four bytes before `place`.
  @inline(__always)
  private func patch(_ place: Int, with value: Int) {
    unsafe UnsafeMutableRawPointer(base + place - 4).storeBytes(
      of: UInt32(clamping: value).littleEndian, as: UInt32.self)
  }

  private mutating func word(_ value: UInt64) {
    reserve(8)
    unsafe UnsafeMutableRawPointer(base + count).storeBytes(
      of: value.littleEndian, as: UInt64.self)
    count += 8
  }

  private mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    unsafe (base + count).update(from: start, count: bytes.count)
    count += bytes.count
  }
}
