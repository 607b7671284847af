import PathCore
import Testing

@testable import PathKernel

@Suite struct RequestTests {
  private func bytes(_ buffer: borrowing RequestBuffer) -> [UInt8] {
    unsafe buffer.bytes.withMemoryRebound(to: UInt8.self) { unsafe Array($0) }
  }

  /// The messages of a buffer, each with its payload.
  private func messages(_ written: [UInt8]) throws -> [(message: Message, payload: [UInt8])] {
    var found: [(Message, [UInt8])] = []
    var cursor = MessageCursor()
    while let message = try cursor.next(in: written.span.bytes) {
      found.append((message, Array(written[message.payload])))
    }
    return found
  }

  @Test("Requests lie back to back, each with its length, and addresses in network order")
  func layout() throws {
    var buffer = RequestBuffer()
    let hasBegun = buffer.begin(26, flags: 0x300, sequence: 7, headerLength: 12)
    buffer.set(byte: 2, at: 0)
    buffer.put(1, IPAddress("198.41.0.4")!)
    let hasRoom = buffer.begin(30, flags: 0, sequence: 8, headerLength: 12)
    buffer.set(UInt32(5), at: 4)
    buffer.put(1, IPAddress("2001:db8::1")!)
    buffer.put(9, 1000)
    #expect(hasBegun && hasRoom)
    let written = try messages(bytes(buffer))
    #expect(written.map(\.message.type) == [26, 30])
    #expect(written.map(\.message.flags) == [0x301, 1])
    #expect(written.map(\.message.sequence) == [7, 8])
    #expect(written.map(\.message.port) == [0, 0])
    let first: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 198, 41, 0, 4]
    #expect(written[0].payload == first)
    var second: [UInt8] = [0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 20, 0, 1, 0]
    second += [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 9, 0, 0xE8, 3, 0, 0]
    #expect(written[1].payload == second)
    buffer.reset()
    let rest = bytes(buffer)
    #expect(rest.isEmpty)
  }

  @Test("A full buffer takes no further request, and a request no attribute beyond its bound")
  func bounds() throws {
    var buffer = RequestBuffer()
    var count = 0
    while buffer.begin(26, flags: 0, sequence: 1, headerLength: 12) {
      count += 1
      for _ in 0..<100 { buffer.put(1, IPAddress("2001:db8::1")!) }
    }
    let written = bytes(buffer)
    #expect(written.count <= RequestBuffer.capacity)
    let found = try messages(written)
    #expect(found.count == count)
    #expect(found.allSatisfy { $0.payload.count <= 240 })
  }
}
