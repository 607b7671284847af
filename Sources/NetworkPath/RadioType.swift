#if os(Linux)
/// The words for radios.
extension NWInterface {
  /// The kind of a radio, as Apple's API names it. No path shows it, here as there.
  public enum RadioType: Hashable, Sendable {
    /// A modem's.
    case cell(Cellular)
    /// A Wi-Fi card's.
    case wifi(WiFi)

    /// The kinds of mobile networks.
    public enum Cellular: Hashable, Sendable {
      /// CDMA 1x.
      case cdma
      /// EV-DO.
      case evdo
      /// GSM.
      case gsm
      /// WCDMA.
      case wcdma
      /// LTE.
      case lte
      /// 5G beside LTE.
      case dualConnectivity5G(NewRadio5GVariant)
      /// 5G alone.
      case standalone5G(NewRadio5GVariant)

      /// The bands of 5G.
      public enum NewRadio5GVariant: Hashable, Sendable {
        /// Below 6 GHz.
        case sub6GHz
        /// Millimetre waves.
        case mmWave
      }
    }

    /// The standards of Wi-Fi, by the letters of IEEE 802.11.
    public enum WiFi: Hashable, Sendable {
      /// 802.11a.
      case a
      /// 802.11b.
      case b
      /// 802.11g.
      case g
      /// 802.11n.
      case n
      /// 802.11ac.
      case ac
      /// 802.11ax.
      case ax
    }
  }
}
#endif
