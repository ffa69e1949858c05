import Testing

@testable import PerfgateCLI

struct VersionTests {
    @Test func theToolNamesItsVersion() {
        #expect(Program.tool == "perfgate \(Perfgate.configuration.version)")
    }
}
