import Network
import Plain

print("this is \(Plain.system) system")
print("loopback: \(await isLoopbackUsable())")
let known = NWPathMonitor().currentPath
print(
  "differs from nothing: \(known.differs(from: nil)), from itself: \(known.differs(from: known))")
print("usable means not unsatisfied: \(Verdict(known).isUsable == (known.status != .unsatisfied))")
print(ServerAddress("127.1:http").map { "\($0), local: \($0.isLocal)" } ?? "no address")
print("groups: \(multicastGroups().allSatisfy(\.isMulticast))")
let model = Connectivity()
await withCheckedContinuation { continuation in
  var isFirst = true
  model.start { _ in
    if isFirst { continuation.resume() }
    isFirst = false
  }
}
model.stop()
print("on the main queue: \(model.updates)")
let (lines, continuation) = AsyncStream.makeStream(of: String.self)
logConnectivity { continuation.yield($0) }
for await line in lines {
  print("without an owner: \(line)")
  break
}
