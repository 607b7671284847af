// On Apple's systems there is nothing to add: the library hands on the framework it is modelled on.
// Nobody has built it there yet.
#if canImport(Darwin)
@_exported public import Network
#endif
