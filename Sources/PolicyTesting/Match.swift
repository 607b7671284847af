import PathCore

/// Compares what a test wants with what there is, field by field.
enum Match {
  /// Everything must be the same.
  static func whole(wanted: PlainValue, got: PlainValue, _ way: String) -> [Difference] {
    if let wanted = wanted.elements, let got = got.elements {
      var differences: [Difference] = []
      for place in 0..<max(wanted.count, got.count) {
        let (left, right) = (element(wanted, place), element(got, place))
        differences += whole(wanted: left, got: right, "\(way)[\(place + 1)]")
      }
      return differences
    }
    guard let wantedPairs = wanted.pairs, let gotPairs = got.pairs else {
      return isSame(wanted, got) ? [] : [difference(way, wanted, got)]
    }
    var rest = Dictionary(gotPairs.map { ($0.key, $0.value) }) { first, _ in first }
    var differences: [Difference] = []
    for pair in wantedPairs {
      let got = rest.removeValue(forKey: pair.key) ?? .null
      differences += whole(wanted: pair.value, got: got, way + step(pair.key))
    }
    for pair in gotPairs where rest[pair.key] != nil {
      differences += whole(wanted: .null, got: pair.value, way + step(pair.key))
    }
    return differences
  }

  /// What is named must hold; there may be more of it. Each wanted element of a list is one of
  /// those that there are; of an empty list nothing may be there.
  static func part(wanted: PlainValue, got: PlainValue, _ way: String) -> [Difference] {
    if let wanted = wanted.elements, let got = got.elements {
      return list(wanted: wanted, got: got, way)
    }
    guard let wantedPairs = wanted.pairs, got.pairs != nil else {
      return isSame(wanted, got) ? [] : [difference(way, wanted, got)]
    }
    return wantedPairs.flatMap { pair in
      part(
        wanted: pair.value, got: value(got.pairs ?? [], pair.key), way + step(pair.key))
    }
  }

  static func list(
    wanted: [PlainValue], got: [PlainValue], _ way: String
  ) -> [Difference] {
    if wanted.isEmpty {
      return got.isEmpty ? [] : [difference(way, .array([]), .array(got))]
    }
    let holder = assignment(wanted, got)
    let taken = Set(holder.compactMap { $0 })
    let free = got.indices.filter { !taken.contains($0) }
    var differences: [Difference] = []
    for place in wanted.indices where holder[place] == nil {
      let here = wanted.count == 1 && got.count <= 1 ? way : "\(way)[\(place + 1)]"
      // The one that comes nearest shows best what is wrong.
      let nearest = free.map { part(wanted: wanted[place], got: got[$0], here) }
        .min { $0.count < $1.count }
      differences += nearest ?? [difference(here, wanted[place], .null)]
    }
    return differences
  }

  /// Gives each wanted element one of its own, as many as can have one (augmenting paths).
  private static func assignment(_ wanted: [PlainValue], _ got: [PlainValue]) -> [Int?] {
    let fits = wanted.map { wanted in
      got.indices.filter { part(wanted: wanted, got: got[$0], "").isEmpty }
    }
    var owner = [Int?](repeating: nil, count: got.count)
    func place(_ index: Int, _ tried: inout Set<Int>) -> Bool {
      for candidate in fits[index] where tried.insert(candidate).inserted {
        guard let other = owner[candidate], !place(other, &tried) else {
          owner[candidate] = index
          return true
        }
      }
      return false
    }
    for index in wanted.indices {
      var tried: Set<Int> = []
      _ = place(index, &tried)
    }
    var holder = [Int?](repeating: nil, count: wanted.count)
    for (candidate, index) in owner.enumerated() {
      if let index { holder[index] = candidate }
    }
    return holder
  }

  static func difference(_ way: String, _ wanted: PlainValue, _ got: PlainValue) -> Difference {
    Difference(
      field: way, wanted: LuaText.brief(wanted), got: got == .null ? "nothing" : LuaText.brief(got))
  }

  /// Numbers by their value, whether they are whole or not.
  private static func isSame(_ left: PlainValue, _ right: PlainValue) -> Bool {
    switch (left, right) {
    case (.integer(let whole), .number(let other)), (.number(let other), .integer(let whole)):
      Double(whole) == other
    case (.array(let values), .map(let pairs)), (.map(let pairs), .array(let values)):
      values.isEmpty && pairs.isEmpty
    default: left == right
    }
  }

  private static func element(_ list: [PlainValue], _ place: Int) -> PlainValue {
    place < list.count ? list[place] : .null
  }

  private static func value(_ pairs: [PlainPair], _ key: PlainValue) -> PlainValue {
    pairs.first { $0.key == key }?.value ?? .null
  }

  private static func step(_ key: PlainValue) -> String {
    key.text.map { "." + $0 } ?? "[\(LuaText.text(key))]"
  }
}
