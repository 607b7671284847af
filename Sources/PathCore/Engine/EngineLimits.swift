/// The engine's bounds, each with its name. Reaching one is a fault of the policy that did.
package enum EngineLimits {
  package static let intentsPerHandler = 64
  package static let timersPerPolicy = 256
  package static let alertsPerPolicy = 256
  package static let publishedPerPolicy = 256
  /// A chain of tiny timers must not keep the loop busy.
  package static let timerCallsPerMinute = 600
  /// So many actions may one policy ask for.
  package static let actionsPerMinute = 120
  package static let actionKeysPerPolicy = 64
  /// Ends of actions that policies are told at the end of one fact; more wait for the next.
  package static let outcomesPerFact = 4
  /// Keys whose runs are remembered for their limits; of more the longest unused are forgotten.
  package static let limitedKeysPerPolicy = 256
  /// Actions at a time that are remembered as changing the network.
  package static let disturbances = 64
  package static let logLinesPerMinute = 120
  package static let logTextBytes = 4096
  package static let faultsBeforeRest = 3
  package static let restShortest = Duration.seconds(60)
  package static let restLongest = Duration.seconds(3600)
  /// The first verdict waits this long when it is not satisfied: a login whose Wi-Fi associates.
  package static let firstVerdictPatience = Duration.seconds(5)
  /// What is not satisfied is not believed sooner than this after the machine slept.
  package static let resumePatience = Duration.seconds(10)
  package static let settleStandard = Duration.milliseconds(250)
  package static let settleLongest = Duration.seconds(86_400)
  package static let settleMaxFloor = Duration.seconds(30)
  /// Status changes remembered per filter, for `ev.flaps`; older ones are forgotten.
  package static let flapsRemembered = 1024
  /// The key of the alert that the engine itself raises for a policy that keeps failing.
  package static let faultAlertKey = "policy-fault"
  /// And for a file that was not taken.
  package static let rejectedAlertKey = "policy-rejected"
  package static let ownAlertKeys: Set<String> = [faultAlertKey, rejectedAlertKey]
}
