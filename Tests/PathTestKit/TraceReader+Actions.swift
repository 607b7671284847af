import Foundation
package import PathCore

/// Reads what `Action`, `ActionID` and `ActionResult` write.
extension TraceReader {
  package func action(_ line: String) throws -> Action { try action(JSONObject(line)) }

  package func actionID(_ line: String) throws -> ActionID { try actionID(JSONObject(line)) }

  package func result(_ line: String) throws -> ActionResult { try result(JSONObject(line)) }

  func actionID(_ json: JSONObject) throws -> ActionID {
    ActionID(
      policy: try json.text("policy"), key: try json.text("key"),
      serial: try json.unsigned("serial"))
  }

  func action(_ json: JSONObject) throws -> Action {
    let kind: Action.Kind = try json.word("kind")
    return switch kind {
    case .exec:
      .exec(
        ExecRequest(
          command: try json.text("command"), arguments: try json.texts("args"),
          timeout: .nanoseconds(try json.integer("timeout"))))
    case .openURL:
      .openURL(
        OpenURLRequest(
          url: try json.text("url"), browsers: try json.texts("browser"),
          cooldown: .nanoseconds(try json.integer("cooldown", or: 0))))
    case .http: .http(try request(json))
    }
  }

  private func request(_ json: JSONObject) throws -> HTTPRequest {
    var expectation = HTTPRequest.Expectation()
    if json.has("expect") {
      let expect = try json.object("expect")
      if expect.has("status") { expectation.status = Int(try expect.integer("status")) }
      expectation.contains = expect.optionalText("contains")
    }
    return HTTPRequest(
      url: try json.text("url"), method: try json.word("method"),
      headers: try json.objects("headers").map {
        HTTPRequest.Header(try $0.text("name"), try $0.text("value"))
      }, body: json.optionalText("body"), expectation: expectation,
      interface: json.optionalText("interface"),
      timeout: .nanoseconds(try json.integer("timeout")))
  }

  func result(_ json: JSONObject) throws -> ActionResult {
    func number(_ key: String) throws -> Int64? { json.has(key) ? try json.integer(key) : nil }
    var result = ActionResult(try json.word("ending"), error: json.optionalText("error") ?? "")
    result.exitCode = try number("exit").map { Int32($0) }
    result.signal = try number("signal").map { Int32($0) }
    result.statusCode = try number("status").map { Int($0) }
    result.output = Array((json.optionalText("output") ?? "").utf8)
    if let hex = json.optionalText("outputHex") { result.output = try bytes(hex) }
    result.isOutputCut = json.flag("cut")
    return result
  }

  private func bytes(_ hex: String) throws -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, hex.count.isMultiple(of: 2) else {
      throw Malformed(description: "outputHex")
    }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
