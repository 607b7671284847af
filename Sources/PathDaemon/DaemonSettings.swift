package import PathCore
package import PathKernel
package import PathPolicy

/// What a run of the daemon is to do.
package struct DaemonSettings: Sendable {
  package var scripts: [PolicyScript]
  /// The policies' own tests, for `check`.
  package var tests: [PolicyScript] = []
  /// Scripts that could not be read at all.
  package var refused: [PolicyFault]
  package var configuration: Configuration
  /// Where these are from; nil when they are not to be read again.
  package var place: PolicyPlace?
  /// Has the last word on an edit that loads: why it is not to run, if it is not.
  package var check: (@Sendable (_ policy: PolicyScript, _ test: PolicyScript) -> PolicyFault?)?
  /// A directory of policies to be run in the shadow of these.
  package var shadow: String?
  package var isDryRun = false
  /// Where to keep what policies must not forget: a directory, or `none`; nil for the usual place.
  /// A dry run keeps nothing.
  package var state: String?
  /// Where the control socket is to be; nil for none.
  package var control: String?
  /// The kernel's name for this boot; nil to ask it.
  package var bootID: String?
  /// Where to write the facts, one JSON object a line.
  package var record: String?
  /// Whether that may be a file that is there already.
  package var overwritesRecord = false
  package var redacts = true
  package var version: String

  package init(
    scripts: [PolicyScript], refused: [PolicyFault] = [], configuration: Configuration,
    version: String
  ) {
    self.scripts = scripts
    self.refused = refused
    self.configuration = configuration
    self.version = version
  }
}

extension KernelSettings {
  /// What the configuration says about the kernel's facts.
  package init(_ configuration: Configuration) {
    self.init()
    if let address = configuration.lookupIPv4 { ipv4LookupAddress = address }
    if let address = configuration.lookupIPv6 { ipv6LookupAddress = address }
    countsBridgeUplink = configuration.countsBridgeUplink
    interfaces = configuration.interfaces.map {
      InterfaceRule(
        $0.pattern, type: $0.type, isExpensive: $0.isExpensive, isConstrained: $0.isConstrained,
        acceptsUniqueLocal: $0.acceptsUniqueLocal, isOnDemand: $0.isOnDemand)
    }
    underlays = configuration.underlay.map { rule in
      UnderlayRule(rule.pattern, rule.interface.map { .interface($0) } ?? .always)
    }
  }
}
