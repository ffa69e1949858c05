/// What one file of xcresulttool says.
enum XcresultPart: Sendable {
    /// What tests measured.
    case metrics(ForeignFile, [XcresultTestRun], RecordTally)
    /// On which devices they ran.
    case companion(XcresultCompanion)
}
