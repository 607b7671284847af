/// A value behind one reference. A path has a dozen parts that are counted; monitors, events and
/// orders that speak of the same one share it, and a copy costs one count.
package struct Boxed<Value: Sendable>: Sendable {
  private final class Storage: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private let storage: Storage

  package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  package var wrappedValue: Value { _read { yield storage.value } }

  /// Looks at the value where it is, without a copy.
  package func read<Result>(_ body: (borrowing Value) -> Result) -> Result { body(storage.value) }

  package func isSame(as other: Boxed<Value>) -> Bool { storage === other.storage }

  /// Tells boxes apart for as long as they are held.
  package var identity: ObjectIdentifier { ObjectIdentifier(storage) }
}

extension Boxed: Equatable where Value: Equatable {
  /// One box is equal to itself without a look into it.
  package static func == (left: Boxed<Value>, right: Boxed<Value>) -> Bool {
    left.isSame(as: right) || left.storage.value == right.storage.value
  }
}
