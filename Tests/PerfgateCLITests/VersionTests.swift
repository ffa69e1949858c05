import Testing

@testable import PerfgateCLI

struct VersionTests {
    @Test func theToolNamesItsVersion() {
        #expect(Perfgate.tool == "perfgate \(Perfgate.configuration.version)")
    }
}
