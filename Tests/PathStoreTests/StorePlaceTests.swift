import PathStore
import Testing

/// Where the store lies, by flag and environment.
struct StorePlaceTests {
  @Test func `the flag goes before the environment`() {
    let environment = ["STATE_DIRECTORY": "/var/lib/netvane", "HOME": "/home/a"]
    #expect(StorePlace.choose(flag: "x", environment: environment) == .directory("x"))
    #expect(StorePlace.choose(flag: "none", environment: environment) == .nowhere)
    #expect(StorePlace.choose(flag: "./none", environment: environment) == .directory("./none"))
  }

  @Test func `the service manager's directory goes before the user's, the first of several`() {
    let environment = ["HOME": "/home/a", "XDG_STATE_HOME": "/home/a/s"]
    for given in ["/var/lib/netvane", "/var/lib/netvane:/var/lib/other"] {
      let all = environment.merging(["STATE_DIRECTORY": given]) { $1 }
      #expect(StorePlace.choose(flag: nil, environment: all) == .directory("/var/lib/netvane"))
    }
    #expect(
      StorePlace.choose(flag: nil, environment: environment) == .directory("/home/a/s/netvane"))
    #expect(
      StorePlace.choose(flag: nil, environment: ["HOME": "/home/a"])
        == .directory("/home/a/.local/state/netvane"))
  }

  @Test(arguments: ["", "relative", "./relative", ":", ":relative"])
  func `a variable that is no absolute path is as if it were not set`(value: String) {
    let environment = ["STATE_DIRECTORY": value, "XDG_STATE_HOME": value, "HOME": "/home/a"]
    #expect(
      StorePlace.choose(flag: nil, environment: environment)
        == .directory("/home/a/.local/state/netvane"))
    #expect(
      StorePlace.choose(flag: nil, environment: ["STATE_DIRECTORY": value, "HOME": value])
        == .unknown)
  }

  @Test func `without any of them there is no place`() {
    #expect(StorePlace.choose(flag: nil, environment: [:]) == .unknown)
  }
}
