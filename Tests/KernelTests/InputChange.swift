/// One change of something that a verdict rests on.
struct InputChange {
  var what: String
  var limit: Duration = .milliseconds(100)
  /// Whether what came before is to have come to rest.
  var settles = true
  var make: () throws -> Void
  /// Whether it is judged: never so before it is made.
  var isJudged: (Follower) -> Bool
}
