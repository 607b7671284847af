/// Writes a decoded value back in its encoding; key order and number kinds stay as they were.
package enum PlainEncoder {
  /// Nil for nothing: there is no policy state or published value that is nil.
  package static func encode(_ value: PlainValue) -> PlainData? {
    if value == .null { return nil }
    var writer = PlainWriter()
    write(value, to: &writer)
    return PlainData(bytes: writer.bytes)
  }

  private static func write(_ value: PlainValue, to writer: inout PlainWriter) {
    switch value {
    case .null: writer.null()
    case .bool(let bool): writer.bool(bool)
    case .integer(let integer): writer.integer(integer)
    case .number(let number): writer.number(number)
    case .bytes(let bytes): writer.text(bytes)
    case .array(let values):
      writer.array(values.count)
      for value in values { write(value, to: &writer) }
    case .map(let pairs):
      let place = writer.beginMap()
      for pair in pairs {
        write(pair.key, to: &writer)
        write(pair.value, to: &writer)
      }
      writer.endMap(place, count: pairs.count)
    }
  }
}
