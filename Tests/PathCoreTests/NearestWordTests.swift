import PathCore
import Testing

struct NearestWordTests {
  private let handlers = ["on_path", "on_start", "on_timer", "settle"]

  @Test(arguments: [
    ("on_paht", "on_path"), ("onpath", "on_path"), ("on_pat", "on_path"), ("on_timers", "on_timer"),
    ("ON_START", "on_start"), ("setle", "settle"), ("stetle", "settle"), ("on_p", "on_path"),
    ("se", "settle"),
  ]) func `a slip of up to two letters or a beginning finds its word`(word: String, right: String) {
    #expect(nearestWord(to: word, in: handlers) == right)
  }

  @Test(arguments: ["", "x", "banana", "on_xxxx", "tle", "settlements"])
  func `what is near no word finds none`(word: String) {
    #expect(nearestWord(to: word, in: handlers) == nil)
  }

  @Test func `the nearer word wins over the earlier one, and the earlier of equals`() {
    #expect(nearestWord(to: "wires", in: ["wifi", "wired", "wire"]) == "wired")
    #expect(nearestWord(to: "cat", in: ["bat", "hat"]) == "bat")
  }

  @Test func `short words must be nearly right`() {
    #expect(nearestWord(to: "ip", in: ["on"]) == nil)
    #expect(nearestWord(to: "rnu", in: ["run"]) == "run")
  }

  @Test func `absurdly long input is not compared, and no list means no word`() {
    #expect(nearestWord(to: String(repeating: "a", count: 100_000), in: ["a"]) == nil)
    #expect(nearestWord(to: "settle", in: []) == nil)
  }

  @Test func `a swap of neighbours counts as one edit, wherever it stands`() {
    #expect(nearestWord(to: "abdcfe", in: ["abcdef"]) == "abcdef")
    #expect(nearestWord(to: "badcfe", in: ["abcdef"]) == nil)
  }
}
