/// The tables of the store, version by version. A file of an older version is brought up step by
/// step; one of a newer version is left alone.
struct Schema {
  /// `steps[n]` leads from version n to n + 1. Steps that were released stay as they are.
  var steps: [[String]]

  /// `NtVn`, in the header of the file: tells Netvane's from other programs'.
  static let applicationID: Int64 = 0x4E74_566E

  static let current = Schema(steps: [
    [
      // The clocks of each boot at the last write in it: what its rows' times mean in later boots.
      """
      CREATE TABLE boots (
        boot TEXT PRIMARY KEY, boot_time INTEGER NOT NULL, wall_time INTEGER NOT NULL)
      """,
      """
      CREATE TABLE policies (
        policy TEXT PRIMARY KEY, boot TEXT NOT NULL, memory BLOB NOT NULL)
      """,
      // A ring: each entry takes the place of the one that is `HistoryEntry.kept` older.
      """
      CREATE TABLE history (
        place INTEGER PRIMARY KEY, number INTEGER NOT NULL, wall_time INTEGER NOT NULL,
        policy TEXT NOT NULL, event TEXT NOT NULL)
      """,
    ],
    [
      // The last text of each policy that was accepted, in a form that is the writer's own.
      "CREATE TABLE texts (policy TEXT PRIMARY KEY, hash TEXT NOT NULL, text BLOB NOT NULL)"
    ],
  ])

  /// Refuses what is not a store, or is one of a version that is not known; writes nothing.
  func check(_ database: Database) throws(StoreTrouble) {
    let version = try database.integer("PRAGMA user_version")
    let application = try database.integer("PRAGMA application_id")
    let isNew = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    if application != Self.applicationID, !(isNew && application == 0 && version == 0) {
      throw StoreTrouble(
        kind: .refused,
        message: "this is a database of another program; move it away, or choose another directory "
          + "with --state")
    }
    if version > steps.count {
      throw StoreTrouble(
        kind: .refused,
        message:
          "a newer netvane wrote this file (form \(version), this one knows \(steps.count)); "
          + "use that one, or choose another directory with --state")
    }
  }

  /// Makes the tables, or brings them up to date.
  func apply(to database: Database) throws(StoreTrouble) {
    let version = try database.integer("PRAGMA user_version")
    if version < steps.count {
      try database.transaction { () throws(StoreTrouble) in
        for step in steps[Int(clamping: max(0, version))...] { try database.run(step) }
        try database.run([
          "PRAGMA application_id = \(Self.applicationID)", "PRAGMA user_version = \(steps.count)",
        ])
      }
    }
    try compare(database)
  }

  /// What is in the file must be what the steps make: no trigger, no view, no changed table.
  private func compare(_ database: Database) throws(StoreTrouble) {
    let sample = try Database(":memory:")
    for step in steps { try sample.run(step) }
    let list = """
      SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), ';')
      FROM (SELECT * FROM sqlite_schema ORDER BY type, name)
      """
    guard try sample.text(list) == database.text(list) else {
      throw StoreTrouble(kind: .damaged, message: "its tables are not those that Netvane makes")
    }
  }
}
