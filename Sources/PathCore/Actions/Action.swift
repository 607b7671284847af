/// One thing to be done to the world, as a policy asked for it. Whether it may be done is for
/// `Grants` to say, when and how often for the engine, and how for PathActions.
package enum Action: Hashable, Sendable {
  case exec(ExecRequest)
  case openURL(OpenURLRequest)
  case http(HTTPRequest)

  /// The word for it in `ev.kind`, reports and both text forms.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case exec
    case openURL = "open_url"
    case http
  }

  package var kind: Kind {
    switch self {
    case .exec: .exec
    case .openURL: .openURL
    case .http: .http
    }
  }
}

/// Names one start of one action.
package struct ActionID: Hashable, Sendable {
  package var policy: String
  package var key: String
  /// Counts the starts, so that a late result is not taken for that of a newer one.
  package var serial: UInt64

  package init(policy: String, key: String, serial: UInt64) {
    self.policy = policy
    self.key = key
    self.serial = serial
  }
}

/// A command that the configuration grants, by its name there.
package struct ExecRequest: Hashable, Sendable {
  package var command: String
  /// Follow the granted ones, each as an argument of its own.
  package var arguments: [String]
  package var timeout: Duration

  package init(
    command: String, arguments: [String] = [], timeout: Duration = ActionLimits.execTimeout
  ) {
    self.command = command
    self.arguments = arguments
    self.timeout = timeout
  }
}

/// A page to be shown to the person.
package struct OpenURLRequest: Hashable, Sendable {
  package var url: String
  /// The first of these that is installed; empty means the person's default.
  package var browsers: [String]
  /// Less than this after the last opening with this key nothing is opened.
  package var cooldown: Duration

  package init(url: String, browsers: [String] = [], cooldown: Duration = .zero) {
    self.url = url
    self.browsers = browsers
    self.cooldown = cooldown
  }
}

/// A request to a web server, and the answer that would be a good one.
package struct HTTPRequest: Hashable, Sendable {
  package enum Method: String, CaseIterable, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
  }

  package struct Header: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// What counts as success.
  package struct Expectation: Hashable, Sendable {
    /// Nil: 200 to 299.
    package var status: Int?
    /// A piece of text that the kept part of the body must hold.
    package var contains: String?

    package init(status: Int? = nil, contains: String? = nil) {
      self.status = status
      self.contains = contains
    }
  }

  package var url: String
  package var method: Method
  package var headers: [Header]
  package var body: String?
  package var expectation: Expectation
  /// The interface to send through; nil leaves it to the routes.
  package var interface: String?
  package var timeout: Duration

  package init(
    url: String, method: Method = .get, headers: [Header] = [], body: String? = nil,
    expectation: Expectation = Expectation(), interface: String? = nil,
    timeout: Duration = ActionLimits.httpTimeout
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
    self.expectation = expectation
    self.interface = interface
    self.timeout = timeout
  }
}

/// The bounds of actions, each with its name.
package enum ActionLimits {
  /// Actions at work at the same time, whoever asked for them, and of one policy. More wait for
  /// their turns.
  package static let running = 32
  package static let runningPerPolicy = 4
  /// Browsers that were opened and have not ended.
  package static let browsers = 32
  package static let execTimeout = Duration.seconds(30)
  package static let httpTimeout = Duration.seconds(10)
  package static let timeoutRange = Duration.milliseconds(1)...Duration.seconds(3600)
  /// From the request to end to the end that leaves no choice.
  package static let grace = Duration.seconds(2)
  package static let arguments = 64
  package static let argumentBytes = 32 * 1024
  /// What is kept of a command's output, and of an answer's body.
  package static let outputBytes = 16 * 1024
  package static let bodyBytes = 64 * 1024
  package static let answerHeaderBytes = 64 * 1024
  package static let requestBodyBytes = 64 * 1024
  package static let headers = 32
  package static let headerBytes = 4096
  package static let expectedTextBytes = 1024
  package static let urlBytes = 2048
  package static let browserChoices = 16
}

/// Why an action is not begun, in words for people.
package struct ActionRefusal: Error, Hashable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
