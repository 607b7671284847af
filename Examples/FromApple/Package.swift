// swift-tools-version: 6.2
import PackageDescription

/// Code as it is written for Apple's framework, unchanged: in its targets `Network` is another name for
/// NetworkPath. Flags like this one are for the package that is built, not for one that others depend on.
let package = Package(
  name: "from-apple",
  dependencies: [.package(name: "netvane", path: "../..")],
  targets: [
    .executableTarget(
      name: "ported",
      dependencies: ["Plain", .product(name: "NetworkPath", package: "netvane")],
      swiftSettings: [.unsafeFlags(["-module-alias", "Network=NetworkPath"])]),
    // Knows nothing of the library, and must find nothing of it.
    .target(name: "Plain"),
  ]
)
