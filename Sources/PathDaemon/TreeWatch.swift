import CLinux
import Glibc
import PathCore

/// Says when the files of a directory, of some folders in it, or some files elsewhere may have
/// changed, however that is done: written in place, renamed over, linked elsewhere, removed and put
/// back.
///
/// An event only says "look again", and what then counts is what is found. A burst is one call:
/// 150 ms after its last event, and at most 2 s after its first. A file that somebody is writing is
/// waited for in that time, so that its beginning is not taken for the whole. In between nothing
/// here wakes anybody.
package final class TreeWatch {
  package static let quiet = Duration.milliseconds(150)
  package static let patience = Duration.seconds(2)
  /// Files that are being written and waited for; more are not.
  private static let writersMost = 1024

  private let loop: EventLoop
  private let directory: String
  private let folders: [String]
  private let files: [String]
  private let concerns: (String) -> Bool
  private let body: () -> Void
  private let inotify: Inotify
  private var watches: [Int32: Watched] = [:]
  private var source: EventLoop.Watch?
  private var timer: LoopTimer?
  private var firstEvent: Duration?
  private var writers: Set<Writer> = []
  /// Why something is not watched: as a rule too many watches are in use (inotify(7)).
  package private(set) var problem: String?

  private struct Watched {
    var path: String
    var place: WatchPlan.Place
  }

  private struct Writer: Hashable {
    var watch: Int32
    var name: String
  }

  /// `folders` are those in the directory that belong to it. `concerns` says which names of entries
  /// matter; the files named in `files` always do. `body` is called by the loop.
  package init(
    loop: EventLoop, directory: String, folders: [String] = ["lib"], files: [String] = [],
    concerns: @escaping (String) -> Bool = TreeWatch.isScript, _ body: @escaping () -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.directory = directory
    self.folders = folders
    self.files = files
    self.concerns = concerns
    self.body = body
    inotify = try Inotify()
    timer = try loop.makeTimer(.awake) { [unowned self] in settle() }
    source = try loop.watch(descriptor: inotify.descriptor) { [unowned self] in hear() }
    arm()
  }

  deinit {
    source?.remove()
    timer?.remove()
  }

  /// Files that end in `.lua`, but for hidden ones; editors' leftovers end in something else.
  package static func isScript(_ name: String) -> Bool {
    name.hasSuffix(".lua") && !name.hasPrefix(".")
  }

  // MARK: Hearing

  private func hear() {
    var isTouched = false
    inotify.drain { event in if take(event) { isTouched = true } }
    if isTouched { touch() }
  }

  /// Something may have changed just now, or before this watch began.
  package func touch() {
    let now = Clocks.read(CLOCK_MONOTONIC)
    let first = firstEvent ?? now
    firstEvent = first
    let latest = first + Self.patience
    timer?.arm(at: writers.isEmpty ? min(now + Self.quiet, latest) : latest)
  }

  /// Whether the event may mean that something has changed.
  private func take(_ event: Inotify.Event) -> Bool {
    if event.has(Int32(IN_Q_OVERFLOW)) {
      writers = []
      return true
    }
    // A watch that ended, by us or with its directory, has said why before.
    guard let watched = watches[event.watch], !event.has(Int32(IN_IGNORED)) else { return false }
    if event.name.isEmpty { return true }
    guard
      watched.place.names.contains(event.name)
        || watched.place.isTree && concerns(event.name)
    else { return false }
    note(Writer(watch: event.watch, name: event.name), event, in: watched.path)
    return true
  }

  /// Who changes a file will close it; who made one that is still empty will, too.
  private func note(_ writer: Writer, _ event: Inotify.Event, in path: String) {
    if event.has(Int32(IN_CLOSE_WRITE), IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO) {
      writers.remove(writer)
    } else if event.has(Int32(IN_MODIFY))
      || event.has(Int32(IN_CREATE)) && Self.isNewFile("\(path)/\(event.name)")
    {
      if writers.count < Self.writersMost { writers.insert(writer) }
    }
  }

  private static func isNewFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_nlink == 1 && status.st_size == 0
  }

  private func settle() {
    refresh()
    body()
  }

  /// For somebody who reads now, whatever was heard: the watches are set anew before that, so that
  /// a change in between is either read or told.
  package func refresh() {
    firstEvent = nil
    writers = []
    timer?.disarm()
    arm()
  }

  // MARK: Watching

  /// Watches what is to be watched now, and no more what was.
  private func arm() {
    let plan = WatchPlan(
      directory: directory, folders: folders, files: files, concerns: concerns)
    var fresh: [Int32: Watched] = [:]
    problem = nil
    for (path, place) in plan.places.sorted(by: { $0.key < $1.key }) {
      var watch = inotify.watch(path, place.mask, adding: false)
      // Two ways to one directory, as bind mounts make them.
      if let same = fresh[watch] {
        watch = inotify.watch(path, same.place.mask | place.mask, adding: true)
        fresh[watch]?.place.names.formUnion(place.names)
        if place.isTree { fresh[watch]?.place.isTree = true }
      } else if watch >= 0 {
        fresh[watch] = Watched(path: path, place: place)
      } else if errno != ENOENT, errno != ENOTDIR, place.mask & UInt32(IN_CREATE) != 0 {
        problem = "\(path) cannot be watched: \(unsafe String(cString: strerror(errno)))"
      }
    }
    for watch in watches.keys where fresh[watch] == nil { inotify.unwatch(watch) }
    watches = fresh
  }
}
