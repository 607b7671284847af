package import PathCore

/// What the actions of a run are carried out with.
package struct ActionSettings: Sendable {
  package var grants: Grants
  /// Everything is checked and told, nothing is done.
  package var isDryRun: Bool
  /// Netvane's own, for the User-Agent of requests.
  package var version: String
  /// Netvane's own environment, of which children get a few variables.
  package var environment: [String: String]
  /// Where browsers are looked for.
  package var browserFolders: [String] = BrowserTable.folders
  /// libcurl's file, by the flavours it comes in; the first that is there is taken.
  package var curlLibraries = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  package var runningMost = ActionLimits.running
  /// From a child's request to end to the end that leaves it no choice.
  package var grace = ActionLimits.grace
  /// A browser that runs this long has opened its page.
  package var browserPatience = Duration.seconds(5)

  package init(
    grants: Grants, isDryRun: Bool = false, version: String, environment: [String: String]
  ) {
    self.grants = grants
    self.isDryRun = isDryRun
    self.version = version
    self.environment = environment
  }
}
