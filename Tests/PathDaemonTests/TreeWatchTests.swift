import CLinux
import Foundation
import Glibc
import Testing

@testable import PathDaemon

/// Files as they are really changed, and how often that is told.
@Suite(.serialized) struct TreeWatchTests {
  private final class Watched {
    let loop: EventLoop
    let folder: Folder
    let stage: Stage
    var watch: TreeWatch?
    /// What `p/a.lua` held at each call.
    var calls: [String] = []
    var times: [Duration] = []
    private let file: String

    init(
      _ directory: String = "p", file: String = "p/a.lua", files: [String] = [],
      _ prepare: (Folder) throws -> Void = { try $0.write("p/a.lua", "0") }
    ) throws {
      loop = try EventLoop()
      folder = try Folder()
      stage = try Stage(loop)
      self.file = file
      try prepare(folder)
      watch = try TreeWatch(
        loop: loop, directory: folder.at(directory), files: files.map(folder.at)
      ) { [unowned self] in
        times.append(Clocks.read(CLOCK_MONOTONIC))
        calls.append(text(file))
        stage.go()
      }
    }

    func text(_ name: String) -> String {
      (try? String(contentsOfFile: folder.at(name), encoding: .utf8)) ?? "nothing"
    }

    func called(_ times: Int) -> Stage.Step {
      .until("call \(times)") { [unowned self] in calls.count >= times }
    }

    func play(_ steps: [Stage.Step]) throws {
      stage.play(steps)
      #expect(try loop.run() == 0)
    }
  }

  /// Longer than the watch is quiet before it calls.
  private static var calm: Stage.Step { .pause(.milliseconds(300)) }

  // R-01
  @Test func `each save by rename is told, and one that keeps a backup`() throws {
    let watched = try Watched()
    let folder = watched.folder
    try watched.play([
      .act { try folder.replace("p/a.lua", "1") }, watched.called(1),
      .act { try folder.replace("p/a.lua", "2") }, watched.called(2),
      .act { try folder.replace("p/a.lua", "3") }, watched.called(3),
      .act {
        try folder.rename("p/a.lua", "p/a.lua~")
        try folder.write("p/a.lua", "4")
      }, watched.called(4), Self.calm,
    ])
    #expect(watched.calls == ["1", "2", "3", "4"])
  }

  // R-02
  @Test func `a release that is swapped by one link in the middle is told once, whole`() throws {
    let watched = try Watched { folder in
      try folder.write("p/..v1/a.lua", "v1")
      try folder.link("p/..data", to: "..v1")
      try folder.link("p/a.lua", to: "..data/a.lua")
    }
    let folder = watched.folder
    try watched.play([
      .act {
        try folder.write("p/..v2/a.lua", "v2")
        try folder.write("p/..v2/b.lua", "new")
        try folder.link("p/b.lua", to: "..data/b.lua")
        try folder.link("p/..data", to: "..v2")
        try folder.remove("p/..v1")
      }, watched.called(1), Self.calm,
      .act { #expect(watched.text("p/b.lua") == "new") },
      // The watch follows: an edit in place where the links lead now.
      .act { try folder.write("p/..v2/a.lua", "v2 again") }, watched.called(2), Self.calm,
      .act { try folder.link("p/..data", to: "..v3") }, watched.called(3),
      .act { try folder.write("p/..v3/a.lua", "v3") }, watched.called(4), Self.calm,
    ])
    #expect(watched.calls == ["v2", "v2 again", "nothing", "v3"])
  }

  // R-03
  @Test func `a file that is being written is waited for`() throws {
    let watched = try Watched()
    let folder = watched.folder
    var descriptor: Int32 = -1
    try watched.play([
      .act { descriptor = try folder.begin("p/a.lua") }, .pause(.milliseconds(300)),
      .act { try folder.add(descriptor, "ha") }, .pause(.milliseconds(300)),
      .act {
        try folder.add(descriptor, "lf")
        close(descriptor)
      }, watched.called(1), Self.calm,
      // The same for a file that was not there before.
      .act { descriptor = try folder.begin("p/new.lua") }, .pause(.milliseconds(400)),
      .act {
        #expect(watched.calls.count == 1)
        try folder.add(descriptor, "x")
        close(descriptor)
      }, watched.called(2), Self.calm,
    ])
    #expect(watched.calls == ["half", "half"])
  }

  @Test func `a writer that never ends is waited for two seconds`() throws {
    let watched = try Watched()
    var descriptor: Int32 = -1
    var began = Duration.zero
    try watched.play([
      .act {
        began = Clocks.read(CLOCK_MONOTONIC)
        descriptor = try watched.folder.begin("p/a.lua")
      }, watched.called(1),
    ])
    close(descriptor)
    #expect(watched.calls == [""])
    let took = watched.times[0] - began
    #expect(took >= .milliseconds(1990) && took < .seconds(4))
  }

  // R-04
  @Test func `editors' leftovers wake nobody`() throws {
    let watched = try Watched()
    try watched.play([
      .act {
        for name in [
          "a.lua~", ".a.lua.swp", ".#a.lua", "#a.lua#", "4913", "a.lua.dpkg-old", "a.lua.tmp",
          "b.LUA", "README", "sub/c.lua", "lua", ".lua",
        ] {
          try watched.folder.write("p/\(name)", "x")
        }
        try watched.folder.remove("p/4913")
        try watched.folder.write("beside.lua", "x")
      }, Self.calm,
    ])
    #expect(watched.calls == [])
  }

  // R-06
  @Test func `a directory that is a link to a release is followed to the next one`() throws {
    let watched = try Watched("current", file: "current/a.lua") { folder in
      try folder.write("releases/1/a.lua", "one")
      try folder.write("releases/2/a.lua", "two")
      try folder.link("current", to: "releases/1")
    }
    let folder = watched.folder
    try watched.play([
      .act { try folder.link("current", to: "releases/2") }, watched.called(1), Self.calm,
      .act { try folder.write("releases/2/a.lua", "two again") }, watched.called(2), Self.calm,
      .act { try folder.write("releases/1/a.lua", "one again") }, Self.calm,
      .act {
        try folder.remove("current")
        try folder.link("current", to: "releases/1")
      }, watched.called(3), Self.calm,
    ])
    #expect(watched.calls == ["two", "two again", "one again"])
  }

  // R-08
  @Test func `one save of many events is told once`() throws {
    let watched = try Watched()
    let folder = watched.folder
    var descriptor: Int32 = -1
    var steps: [Stage.Step] = [.act { descriptor = try folder.begin("p/a.lua") }]
    for piece in ["a", "b", "c"] {
      steps += [.act { try folder.add(descriptor, piece) }, .pause(.milliseconds(30))]
    }
    steps += [
      .act { close(descriptor) }, .pause(.milliseconds(80)),
      .act { try folder.replace("p/a.lua", "formatted") }, watched.called(1), Self.calm,
    ]
    try watched.play(steps)
    #expect(watched.calls == ["formatted"])
  }

  @Test func `a directory that is removed and put back is watched again`() throws {
    let watched = try Watched("deep/p", file: "deep/p/a.lua") {
      try $0.write("deep/p/a.lua", "0")
    }
    let folder = watched.folder
    try watched.play([
      .act { try folder.remove("deep/p") }, watched.called(1), Self.calm,
      .act { try folder.write("deep/p/a.lua", "1") }, watched.called(2), Self.calm,
      .act { try folder.write("deep/p/a.lua", "2") }, watched.called(3), Self.calm,
      .act { try folder.remove("deep") }, watched.called(4), Self.calm,
      .act { try folder.write("deep/p/a.lua", "3") }, watched.called(5), Self.calm,
      .act { try folder.rename("deep/p", "aside") }, watched.called(6), Self.calm,
      .act { try folder.rename("aside", "deep/p") }, watched.called(7), Self.calm,
      .act { try folder.write("deep/p/a.lua", "4") }, watched.called(8), Self.calm,
    ])
    #expect(watched.calls == ["nothing", "1", "2", "nothing", "3", "nothing", "3", "4"])
  }

  @Test func `modules are watched as well, from the moment that their folder is there`() throws {
    let watched = try Watched()
    let folder = watched.folder
    try watched.play([
      .act { try folder.folder("p/lib") }, watched.called(1), Self.calm,
      .act { try folder.write("p/lib/m.lua", "1") }, watched.called(2), Self.calm,
      .act {
        try folder.rename("p/lib", "p/old")
        try folder.write("shared/m.lua", "2")
        try folder.link("p/lib", to: "../shared")
      }, watched.called(3), Self.calm,
    ])
    #expect(watched.calls.count == 3)
  }

  @Test func `a file elsewhere is watched, and awaited where it is not yet`() throws {
    let watched = try Watched(files: ["etc/config.lua"])
    let folder = watched.folder
    try watched.play([
      .act { try folder.write("etc/config.lua", "1") }, watched.called(1), Self.calm,
      .act { try folder.write("etc/other.lua", "x") }, Self.calm,
      .act { #expect(watched.calls.count == 1) },
      .act { try folder.replace("etc/config.lua", "2") }, watched.called(2), Self.calm,
    ])
    #expect(watched.calls.count == 2)
  }

  @Test func `who may write a file matters too`() throws {
    let watched = try Watched()
    try watched.play([
      .act { chmod(watched.folder.at("p/a.lua"), 0o666) }, watched.called(1), Self.calm,
      .act { chmod(watched.folder.at("p"), 0o777) }, watched.called(2), Self.calm,
    ])
    #expect(watched.calls.count == 2)
  }

  @Test func `a storm of saves is told every two seconds, and its end always`() throws {
    let watched = try Watched()
    let begin = Clocks.read(CLOCK_MONOTONIC)
    var saves = 0
    func save() throws {
      for _ in 0..<20 {
        saves += 1
        try watched.folder.replace("p/a.lua", "\(saves)")
      }
    }
    let steps = (0..<125).flatMap { _ in [Stage.Step.act(save), .pause(.milliseconds(18))] }
    try watched.play(
      steps + [.until("the last") { watched.calls.last == "2500" }, Self.calm])
    let took = Clocks.read(CLOCK_MONOTONIC) - begin
    #expect(watched.calls.count <= took.components.seconds / 2 + 3, "\(watched.calls) in \(took)")
    #expect(watched.calls.last == "2500")
  }

  @Test func `news that the kernel lost is a reason to look`() throws {
    let watched = try Watched()
    let folder = watched.folder
    try watched.play([
      .act {
        for _ in 0..<10_000 {
          try folder.rename("p/a.lua", "p/b.lua")
          try folder.rename("p/b.lua", "p/a.lua")
        }
        try folder.write("p/a.lua", "end")
      }, .until("the end") { watched.calls.last == "end" }, Self.calm,
    ])
    #expect(watched.calls == ["end"])
  }

  @Test func `the folders above tell of their own end alone, unless a link lies there`() throws {
    let folder = try Folder()
    try folder.write("x/p/a.lua", "0")
    try folder.link("y/p", to: "../x/p")
    let own = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    func plan(_ directory: String) -> WatchPlan {
      WatchPlan(
        directory: folder.at(directory), folders: [], files: [], concerns: TreeWatch.isScript)
    }
    #expect(plan("x/p").places[folder.at("x")]?.mask == own)
    #expect(plan("x/p").places[folder.path]?.mask == own)
    let linked = plan("y/p")
    #expect(linked.places[folder.at("y")]?.names == ["p"])
    #expect(linked.places[folder.at("x")]?.mask == own)
    #expect(linked.places[folder.at("x/p")]?.isTree == true)
    try folder.link("round", to: "round")
    #expect(plan("round/p").places[folder.path]?.names == ["round"])
    try folder.link("x/p/out.lua", to: "/etc/passwd")
    #expect(plan("x/p").places["/etc"]?.names == ["passwd"])
    #expect(plan("x/p").places["/etc"]?.isTree == false)
  }
}
