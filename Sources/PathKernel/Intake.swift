internal import CLinux
internal import PathCore

/// Takes event messages in: updates the tables, counts, and gathers what a change was about.
struct Intake {
  var table = LinkTable()
  var hardware = GatewayHardwareCache()
  var counters = KernelCounters()
  var hints = KernelHints(rawValue: 0)

  mutating func take(_ bytes: RawSpan, _ message: Message) {
    counters.messages += 1
    do throws(Malformed) {
      switch Int(message.type) {
      case Int(RTM_NEWLINK), Int(RTM_DELLINK):
        try takeLink(bytes, message)
      case Int(RTM_NEWADDR), Int(RTM_DELADDR):
        try takeAddress(bytes, message)
      case Int(RTM_NEWNEIGH), Int(RTM_DELNEIGH):
        let neighbour = try NeighbourParser.parse(bytes, message.payload)
        let isNews = neighbour.map { hardware.apply($0) } ?? false
        note(isNews ? .changed : .none, .neighbour)
      // Only that they changed matters: the lookup tells what they mean.
      case Int(RTM_NEWROUTE), Int(RTM_DELROUTE): hints.add(.route)
      case Int(RTM_NEWRULE), Int(RTM_DELRULE): hints.add(.rule)
      case Int(RTM_NEWNEXTHOP), Int(RTM_DELNEXTHOP): hints.add(.nexthop)
      case Int(RTM_NEWNETCONF), Int(RTM_DELNETCONF): hints.add(.netconf)
      // Names were given or taken; the message tells only those.
      case Int(RTM_NEWLINKPROP), Int(RTM_DELLINKPROP):
        hints.add(.link)
        hints.add(.reread)
      default: counters.ignoredUnknown += 1
      }
    } catch {
      counters.malformed += 1
      hints.add(.reread)
    }
  }

  private mutating func takeLink(_ bytes: RawSpan, _ message: Message) throws(Malformed) {
    let isDelete = message.type == UInt16(RTM_DELLINK)
    switch try LinkParser.parse(bytes, message.payload, isDelete: isDelete) {
    case .otherFamily: counters.ignoredFamily += 1
    case .wirelessEvent: counters.ignoredWireless += 1
    case .deleted(let index):
      hardware.remove(index)
      note(table.removeLink(index), .link)
    case .known(let link):
      if case .usable = link.linkState {} else { hardware.forget(link.index) }
      let change = table.apply(link)
      note(change, .link)
      // A switch of the radio takes its links down, and where its own device cannot be read this
      // is all that tells of it.
      if change != .none, table.hasRadio(link.index) { hints.add(.radio) }
    }
  }

  private mutating func takeAddress(_ bytes: RawSpan, _ message: Message) throws(Malformed) {
    guard let address = try AddressParser.parse(bytes, message.payload) else {
      counters.ignoredFamily += 1
      return
    }
    let isNew = message.type == UInt16(RTM_NEWADDR)
    note(isNew ? table.apply(address) : table.remove(address), .address)
  }

  private mutating func note(_ change: LinkTable.Change, _ hint: KernelHints) {
    switch change {
    case .none: counters.ignoredUnchanged += 1
    case .changed: hints.add(hint)
    case .contradiction:
      hints.add(hint)
      hints.add(.reread)
    }
  }
}
