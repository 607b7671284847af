// swift-tools-version: 6.2
import PackageDescription

/// Rooms and who may import whom; `Tests/TidyTests` holds the same table against the sources.
let swiftSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let cSettings: [CSetting] = [
  .enableWarning("all"),
  .enableWarning("extra"),
  .treatAllWarnings(as: .error),
]

let testSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// On Apple's systems the library hands on Apple's framework and needs nothing of ours.
let linux = TargetDependencyCondition.when(platforms: [.linux])

let package = Package(
  name: "netvane",
  products: [
    .executable(name: "netvane", targets: ["netvane"]),
    .executable(name: "netvane-bench", targets: ["netvane-bench"]),
    .library(name: "NetworkPath", targets: ["NetworkPath"]),
    .library(name: "NetworkPathNotifications", targets: ["NetworkPathNotifications"]),
  ],
  traits: [
    .trait(
      name: "Foundation",
      description: "NWEndpoint.url, and addresses from and to Data. Links FoundationEssentials.")
  ],
  targets: [
    // Without a word to pkg-config: the package manager would tell whoever builds the library to
    // install what only the program needs. `.ci/setup` says what is missing.
    .systemLibrary(name: "CLua"),
    .systemLibrary(name: "CMnl"),
    .systemLibrary(name: "CSystemd"),
    .systemLibrary(name: "CSQLite"),
    // Opened at the first request, so its headers are needed and nothing is linked.
    .target(name: "CCurl", cSettings: cSettings + [.define("_GNU_SOURCE")]),
    // Opened when somebody first asks the daemon something.
    .target(name: "CMicrohttpd", cSettings: cSettings + [.define("_GNU_SOURCE")]),
    .target(name: "CLinux", cSettings: cSettings + [.define("_GNU_SOURCE")]),
    // C sources link nothing that a module map names.
    .target(
      name: "LuaSandbox", dependencies: ["CLua"], cSettings: cSettings,
      linkerSettings: [.linkedLibrary("lua5.4")]),
    .target(name: "PathCore", swiftSettings: swiftSettings),
    .target(
      name: "PathKernel", dependencies: ["PathCore", "CMnl", "CLinux"],
      swiftSettings: swiftSettings),
    .target(name: "PathTrust", dependencies: ["CLinux"], swiftSettings: swiftSettings),
    .target(
      name: "PathPolicy", dependencies: ["PathCore", "PathTrust", "LuaSandbox", "CLinux"],
      resources: ["words", "errors", "checks", "loading", "verbs", "calling"].map {
        .embedInCode("Prelude/\($0).lua")
      },
      swiftSettings: swiftSettings),
    .target(name: "PathSimulation", dependencies: ["PathCore"], swiftSettings: swiftSettings),
    .target(
      name: "PolicyTesting", dependencies: ["PathCore", "PathPolicy", "PathSimulation"],
      resources: [.embedInCode("Prelude/testing.lua"), .embedInCode("Prelude/generating.lua")],
      swiftSettings: swiftSettings),
    .target(
      name: "PathActions", dependencies: ["PathCore", "PathTrust", "CLinux", "CCurl"],
      swiftSettings: swiftSettings),
    .target(
      name: "PathStore", dependencies: ["PathCore", "PathTrust", "CSQLite"],
      swiftSettings: swiftSettings),
    .target(
      name: "PathDaemon",
      dependencies: [
        "PathCore", "PathKernel", "PathTrust", "PathPolicy", "PathActions", "PathStore", "CLinux",
        "CSystemd", "CMicrohttpd",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "NetworkPath",
      dependencies: [
        .target(name: "PathCore", condition: linux), .target(name: "PathKernel", condition: linux),
        .target(name: "CLinux", condition: linux),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "NetworkPathNotifications", dependencies: ["NetworkPath"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "netvane",
      dependencies: [
        "PathDaemon", "PathActions", "PathCore", "PathPolicy", "PolicyTesting", "CLinux", "CCurl",
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "netvane-bench",
      dependencies: [
        "PathCore", "PathKernel", "PathPolicy", "PathDaemon", "PathStore", "PolicyTesting",
        "NetworkPath", "CLinux",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "PathTestKit", dependencies: ["PathCore", "PathPolicy", "PathSimulation"],
      path: "Tests/PathTestKit", swiftSettings: testSettings),
    .target(name: "LuaStock", dependencies: ["CLua"], path: "Tests/LuaStock"),
    .testTarget(
      name: "LuaSandboxTests", dependencies: ["LuaSandbox", "LuaStock"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PathCoreTests", dependencies: ["PathCore", "PathSimulation", "PathTestKit"],
      exclude: ["Golden"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PathKernelTests", dependencies: ["PathKernel", "PathCore", "CLinux"],
      exclude: ["Fixtures"],
      swiftSettings: testSettings),
    .executableTarget(
      name: "TrustChild", dependencies: ["PathTrust"], path: "Tests/TrustChild",
      swiftSettings: testSettings),
    .testTarget(
      name: "PathTrustTests", dependencies: ["PathTrust", "TrustChild"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PathPolicyTests",
      dependencies: ["PathPolicy", "PathCore", "PathSimulation", "LuaSandbox", "PathTestKit"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PolicyTestingTests",
      dependencies: ["PolicyTesting", "PathPolicy", "PathCore", "PathTestKit"],
      swiftSettings: testSettings),
    .executableTarget(
      name: "StoreChild", dependencies: ["PathStore", "PathCore"], path: "Tests/StoreChild",
      swiftSettings: testSettings),
    .testTarget(
      name: "PathStoreTests",
      dependencies: ["PathStore", "PathCore", "PathTestKit", "StoreChild"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PathActionsTests",
      dependencies: [
        "PathActions", "PathCore", "PathDaemon", "PathTestKit", "CLinux", "CSystemd",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "PathDaemonTests",
      dependencies: ["PathDaemon", "PathActions", "PathStore", "PathTestKit"],
      swiftSettings: testSettings),
    .target(
      name: "Examples", dependencies: ["NetworkPath", "NetworkPathNotifications"],
      path: "Examples", exclude: ["FromApple"], swiftSettings: testSettings),
    .testTarget(
      name: "NetworkPathTests",
      dependencies: [
        "NetworkPath", "NetworkPathNotifications", "Examples", "PathCore", "PathKernel",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: ["netvane", "PathPolicy", "PathDaemon", "PathCore", "PathTestKit"],
      swiftSettings: testSettings),
    .testTarget(
      name: "KernelTests",
      dependencies: [
        "PathKernel", "PathCore", "PathPolicy", "PathActions", "PathStore", "PathDaemon",
        "PathSimulation", "PathTestKit", "CLinux", "CSystemd", "netvane", "NetworkPath", "Examples",
        "PolicyTesting",
      ],
      swiftSettings: testSettings),
    .testTarget(name: "TidyTests", swiftSettings: testSettings),
  ]
)

// A sanitizer's build has only the tests that it looks at, and what they need: the rest would double
// its time. `.ci/run` says which.
if let wanted = Context.environment["NETVANE_SANITIZED_TESTS"] {
  var open = wanted.split(separator: " ").map(String.init)
  var kept: Set<String> = []
  while let name = open.popLast() {
    guard kept.insert(name).inserted else { continue }
    for target in package.targets where target.name == name {
      for dependency in target.dependencies {
        switch dependency {
        case .byNameItem(let needed, _), .targetItem(let needed, _): open.append(needed)
        default: break
        }
      }
    }
  }
  package.products = []
  package.targets.removeAll { !kept.contains($0.name) }
}
