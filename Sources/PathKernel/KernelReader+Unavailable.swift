package import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// What is known without the kernel.
extension KernelReader {
  /// What there is to say when netlink cannot be had.
  package static func unavailable(
    _ reason: String, settings: KernelSettings = KernelSettings()
  ) -> Snapshot {
    var snapshot = Snapshot(ipv4: .failed(reason), ipv6: .failed(reason), unavailable: reason)
    snapshot.nameServers = ResolverFile.read(settings.resolverPath)
    snapshot.userID = geteuid()
    return snapshot
  }
}
