import Glibc

/// A network and mount namespace for this whole program, so that no workload can touch the
/// machine's own links.
enum Seclusion {
  private static let mark = "NETVANE_BENCH_SECLUDED"

  /// As root, or as a user where user namespaces are allowed. `$0` is this program.
  private static let script = """
    PATH=$PATH:/usr/sbin:/sbin
    for way in \(geteuid() == 0 ? "-nm -rnm" : "-rnm"); do
      if unshare $way mount -t tmpfs tmpfs /run 2>/dev/null; then
        exec unshare $way -- sh -c '
          mount -t sysfs sysfs /sys && mount -t tmpfs -o mode=755 tmpfs /run || exit 2
          exec "$0" "$@"' "$0" "$@"
      fi
    done
    echo "netvane-bench: no network namespace can be made here; .ci/in-namespace says why" >&2
    exit 2
    """

  /// Starts the program anew inside. Returns only when it is inside already; ends with code 2 where
  /// namespaces are not permitted.
  static func enter() {
    if unsafe getenv(mark) != nil {
      if ownLinks == ["lo"] { return }
      refuse("this namespace has links of its own")
    }
    unsafe setenv(mark, "1", 1)
    let words = ["sh", "-c", script, ownPath] + CommandLine.arguments.dropFirst()
    _ = unsafe execv("/bin/sh", cStrings(words))
    refuse("sh: \(errorText(errno))")
  }

  private static func refuse(_ reason: String) -> Never {
    writeAll(Array("netvane-bench: \(reason)\n".utf8), to: STDERR_FILENO)
    exit(2)
  }

  private static var ownLinks: [String] {
    (fileText("/proc/net/dev") ?? "").split(separator: "\n").dropFirst(2).map { line in
      String(line.drop { $0 == " " }.prefix { $0 != ":" })
    }
  }
}
