import Glibc
import PathCore
import PathStore

// A process with a store, for the tests to kill, to starve and to lock out. It prints a line for
// each thing that happened.

func moment(_ seconds: Int) -> Moment {
  let time = Duration.seconds(seconds)
  return Moment(
    awake: time, boot: time,
    wall: WallTime(unixNanoseconds: 1_700_000_000_000_000_000 + time.nanoseconds))
}

func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(3) }
}

func batch(_ number: Int, size: Int = 100) -> StoreBatch {
  var memory = PolicyMemory()
  memory.version = Int64(number)
  var writer = PlainWriter()
  writer.text([UInt8](repeating: UInt8(65 + number % 26), count: size))
  memory.state = PlainData(bytes: writer.bytes)
  return StoreBatch(
    memories: ["policy": memory],
    history: [HistoryEntry(at: moment(number).wall, policy: "policy", event: "\(number)")])
}

@MainActor func open(_ directory: String) -> PolicyStore {
  switch PolicyStore.open(directory: directory, bootID: "child", at: moment(1)) {
  case .opened(let store):
    say("opened")
    return store
  case .renewed(let store, let message):
    say("renewed \(message)")
    return store
  case .inMemory(let store, let message):
    say("memory \(message)")
    return store
  case .refused(let message):
    say("refused \(message)")
    exit(0)
  }
}

func tell(_ notices: [StoreNotice]) {
  for notice in notices { say("\(notice.kind) \(notice.message)") }
}

/// Writes ever more until nothing can be written, makes room, and goes on a minute later.
@MainActor func starve(_ store: PolicyStore, makeRoom: () -> Void) {
  var number = 0
  repeat {
    number += 1
    tell(store.write(batch(number, size: number * 1000), at: moment(1)))
  } while store.isDurable && number < 2000
  tell(store.write(batch(number + 1), at: moment(2)))
  makeRoom()
  tell(store.write(batch(number + 2), at: moment(59)))
  say("durable \(store.isDurable)")
  tell(store.write(batch(number + 3), at: moment(62)))
  say("durable \(store.isDurable)")
  say("last \(number + 3)")
}

let words = CommandLine.arguments
guard words.count >= 3 else { exit(2) }
let directory = words[2]
switch words[1] {
case "loop":
  let store = open(directory)
  var number = Int(store.recall(at: moment(1)).memories["policy"]?.version ?? 0)
  while true {
    number += 1
    tell(store.write(batch(number, size: number % 7 * 1000), at: moment(number)))
    say("\(number)")
    if number % 20 == 0 { tell(store.checkpoint(at: moment(number))) }
  }
case "hold":
  let store = open(directory)
  say("holding")
  _ = getchar()
  store.close()
case "small-files":
  signal(SIGXFSZ, SIG_IGN)
  let store = open(directory)
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  let before = limit
  limit.rlim_cur = 300_000
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  starve(store) {
    var limit = before
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
case "full-disk":
  let store = open("\(directory)/state")
  let filler = Glibc.open("\(directory)/filler", O_WRONLY | O_CREAT, 0o600)
  let bytes = [UInt8](repeating: 1, count: 4096)
  while write(filler, bytes, bytes.count) > 0 {}
  close(filler)
  starve(store) { unlink("\(directory)/filler") }
case "full-from-the-start":
  let filler = Glibc.open("\(directory)/filler", O_WRONLY | O_CREAT, 0o600)
  let bytes = [UInt8](repeating: 1, count: 4096)
  while write(filler, bytes, bytes.count) > 0 {}
  close(filler)
  let store = open("\(directory)/state")
  starve(store) { unlink("\(directory)/filler") }
case "full-restart":
  // Another process left a log behind.
  let filler = Glibc.open("\(directory)/filler", O_WRONLY | O_CREAT, 0o600)
  let bytes = [UInt8](repeating: 1, count: 4096)
  while write(filler, bytes, bytes.count) > 0 {}
  close(filler)
  let store = open("\(directory)/state")
  say("kept \(store.recall(at: moment(2)).memories["policy"]?.version ?? 0)")
  tell(store.write(batch(3, size: 500_000), at: moment(3)))
case "crash":
  let store = open(directory)
  tell(store.write(batch(1), at: moment(2)))
  tell(store.write(batch(2), at: moment(2)))
  kill(getpid(), SIGKILL)
case "as-nobody":
  // As root, modes are no obstacle.
  if getuid() == 0 {
    guard setgid(65534) == 0, setuid(65534) == 0 else { exit(4) }
  }
  let store = open(directory)
  tell(store.write(batch(1), at: moment(2)))
  say("durable \(store.isDurable)")
case "once":
  let store = open(directory)
  tell(store.write(batch(1), at: moment(2)))
  tell(store.write(batch(2), at: moment(62)))
  say("durable \(store.isDurable)")
default: exit(2)
}
