import Glibc
import PathCore

/// The browsers that policies may ask for by name, and the programs each is known by.
enum BrowserTable {
  /// The person's own choice, whatever it is.
  static let standard = "default"

  /// The words, each with its programs in the order they are looked for.
  static let programs: [(word: String, names: [String])] = [
    (standard, ["xdg-open"]),
    (
      "chrome",
      [
        "google-chrome-stable", "google-chrome", "chromium", "chromium-browser",
        "com.google.Chrome", "org.chromium.Chromium",
      ]
    ),
    ("chromium", ["chromium", "chromium-browser", "org.chromium.Chromium"]),
    ("firefox", ["firefox", "firefox-esr", "org.mozilla.firefox"]),
    ("edge", ["microsoft-edge-stable", "microsoft-edge", "com.microsoft.Edge"]),
    ("brave", ["brave-browser", "brave", "com.brave.Browser"]),
    ("opera", ["opera", "com.opera.Opera"]),
    ("vivaldi", ["vivaldi-stable", "vivaldi", "com.vivaldi.Vivaldi"]),
    ("epiphany", ["epiphany", "epiphany-browser", "org.gnome.Epiphany"]),
    ("falkon", ["falkon", "org.kde.falkon"]),
    ("konqueror", ["konqueror"]),
  ]

  static var words: [String] { programs.map(\.word) }

  /// Where they are looked for: where distributions put programs, then snap and flatpak.
  static let folders =
    ChildEnvironment.path.split(separator: ":").map(String.init)
    + ["/snap/bin", "/var/lib/flatpak/exports/bin"]

  /// The program of the first browser in the list that is installed and may be started.
  static func find(_ wanted: [String], in folders: [String]) throws(ActionRefusal) -> String {
    var names: [String] = []
    for word in wanted {
      guard let entry = programs.first(where: { $0.word == word }) else {
        let hint =
          nearestWord(to: word, in: words).map { "; did you mean '\($0)'?" }
          ?? "; it may be \(words.joined(separator: ", "))"
        throw ActionRefusal("no browser is known as \(LineText.quoted(word))\(hint)")
      }
      names += entry.names
    }
    var refusal: ActionRefusal?
    for name in names {
      for folder in folders where unsafe access("\(folder)/\(name)", X_OK) == 0 {
        do throws(ActionRefusal) {
          try ProgramTrust.check("\(folder)/\(name)")
          return "\(folder)/\(name)"
        } catch {
          refusal = refusal ?? error
        }
      }
    }
    if let refusal { throw refusal }
    let list = wanted.joined(separator: ", ")
    if wanted == [standard] {
      throw ActionRefusal("there is no xdg-open to open it with; the package is xdg-utils")
    }
    throw ActionRefusal(
      "none of these browsers is installed: \(list)"
        + (wanted.contains(standard) ? "" : "; 'default' at the end stands for the person's own"))
  }
}
