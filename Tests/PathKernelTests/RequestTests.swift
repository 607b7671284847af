import PathCore
import Testing

@testable import PathKernel

@Suite struct RequestTests {
  private func bytes(_ buffer: borrowing RequestBuffer) -> [UInt8] {
    unsafe buffer.bytes.withMemoryRebound(to: UInt8.self) { unsafe Array($0) }
  }

  @Test("Requests lie back to back, each with its length, and attributes in network order")
  func layout() throws {
    var buffer = RequestBuffer()
    #expect(buffer.begin(26, flags: 0x300, sequence: 7, headerLength: 12))
    buffer.set(2, at: 0)
    buffer.put(1, IPAddress("198.41.0.4")!)
    #expect(buffer.begin(30, flags: 0, sequence: 8, headerLength: 12))
    buffer.set(UInt32(5), at: 4)
    buffer.put(1, IPAddress("2001:db8::1")!)
    buffer.put(9, 1000)
    let written = bytes(buffer)
    var cursor = MessageCursor()
    let first = try #require(try cursor.next(in: written.span.bytes))
    #expect((first.type, first.flags, first.sequence, first.port) == (26, 0x301, 7, 0))
    #expect(
      Array(written[first.payload]) == [2] + [UInt8](repeating: 0, count: 11)
        + [8, 0, 1, 0, 198, 41, 0, 4])
    let second = try #require(try cursor.next(in: written.span.bytes))
    #expect((second.type, second.flags, second.sequence, second.port) == (30, 1, 8, 0))
    #expect(
      Array(written[second.payload]) == [0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]
        + [20, 0, 1, 0, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        + [8, 0, 9, 0, 0xE8, 3, 0, 0])
    #expect(try cursor.next(in: written.span.bytes) == nil)
    buffer.reset()
    #expect(bytes(buffer).isEmpty)
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
    var cursor = MessageCursor()
    var seen = 0
    while let message = try cursor.next(in: written.span.bytes) {
      #expect(message.payload.count <= 240)
      seen += 1
    }
    #expect(seen == count)
  }
}
