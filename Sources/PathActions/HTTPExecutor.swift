package import PathCore

/// Sends requests through libcurl and judges the answers.
///
/// Each request makes a connection of its own, so that it tells of the network as it is now. No
/// redirection is followed, no proxy asked (those that the environment names neither), no cookie
/// kept; certificates are always verified. `interface` binds the connection, not the look-up of the
/// host's name, which is the system's resolver's.
package final class HTTPExecutor {
  private let loop: any ActionLoop
  var settings: ActionSettings
  private var link: CurlLink?

  package init(loop: any ActionLoop, settings: ActionSettings) {
    self.loop = loop
    self.settings = settings
  }

  deinit { link?.close() }

  package func plan(_ request: HTTPRequest) throws(ActionRefusal) -> ActionURL {
    try settings.grants.url(of: request)
  }

  package func start(
    _ request: HTTPRequest, ended: @escaping (ActionResult) -> Void
  ) throws(ActionRefusal) -> any RunningAction {
    let url = try plan(request)
    var request = request
    request.url = url.text
    let link = try openLink()
    guard link.resolvesAside || IPAddress(url.host) != nil else {
      throw ActionRefusal(
        "this libcurl would make Netvane wait while it looks up \(url.host); use an address, or "
          + "libcurl 7.87 or later")
    }
    let transfer = HTTPTransfer(request, host: url.host, link: link, ended: ended)
    guard link.begin(transfer, request, userAgent: "netvane/\(settings.version)") else {
      throw ActionRefusal("libcurl does not take this request")
    }
    return transfer
  }

  private func openLink() throws(ActionRefusal) -> CurlLink {
    if let link { return link }
    let link = try CurlLink(loop: loop, libraries: settings.curlLibraries)
    self.link = link
    return link
  }
}
