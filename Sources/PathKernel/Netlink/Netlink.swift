/// The sockets and what asks over them, which come and go together.
struct Netlink {
  let events: EventSocket
  let requests: KernelRequests
  let lookups: RouteLookups
}
