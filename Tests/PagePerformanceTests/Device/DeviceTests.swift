import Testing

@testable import PagePerformance

/// The device facts from the system.
struct DeviceTests {
    @Test(arguments: [
        ("6.8.0-40-generic\n", "Linux 6.8"), ("5.10", "Linux 5.10"), ("6.1.0", "Linux 6.1"), ("", nil), ("x6", nil),
    ])
    func understandsKernelReleases(_ release: String, _ system: String?) {
        #expect(LinuxText.kernel(release) == system)
    }

    @Test(arguments: [
        ("  Standard PC  \nmore", "Standard PC"), ("Raspberry Pi 4\0", "Raspberry Pi 4"), ("", ""), ("\n", ""),
    ])
    func takesTheFirstLine(_ text: String, _ line: String) {
        #expect(LinuxText.firstLine(text) == line)
    }

    @Test(arguments: [("Threads", 7), ("VmRSS", 2_048), ("Vm", nil), ("VmSize", nil)])
    func findsNumbersByTheirNames(_ name: String, _ number: Int?) {
        let status = "Name:\tswift\nVmSize:\tlots kB\nVmRSS:\t    2048 kB\nThreads:\t7\n"
        #expect(LinuxText.number(of: name, in: status) == number)
    }

    @Test(arguments: [
        ("Iface\tDestination\tGateway\nlo\t0000007F\t0\nwlan0\t00000000\t0101A8C0\neth0\t00000000\t1\n", "wlan0"),
        ("Iface\tDestination\tGateway\nlo\t0000007F\t0\n", nil), ("Iface\tDestination\n", nil), ("", nil),
    ])
    func findsWhereTheDefaultRouteLeads(_ routes: String, _ interface: String?) {
        #expect(LinuxText.defaultInterface(routes: routes) == interface)
    }

    @Test func theFirstLoadIsUnknownAndTheNextAreShares() {
        var load = ProcessLoad()
        let readings: [(processor: UInt64, time: UInt64)] = [
            (1_000, 10_000), (1_500, 11_000), (4_500, 12_000), (4_500, 12_000), (4_500, 13_000), (4_500, 12_500),
        ]
        let shares = readings.map { load.percent(processor: .milliseconds($0.processor), time: .milliseconds($0.time)) }
        #expect(shares == [nil, 50, 300, nil, 0, nil])
    }

    @Test func aBusyProcessHasALoad() throws {
        var load = ProcessLoad()
        #expect(load.percent() == nil)
        var sum: UInt64 = 0
        for number in 0..<300_000 as Range<UInt64> { sum = sum &* 31 &+ number }
        #expect(sum != 0)
        let percent = load.percent()
        #expect(try #require(percent) > 0)
    }

    @Test func thisSystemReportsWhatItCan() throws {
        var reader = DeviceReader()
        let facts = reader.facts(maxFPS: 120, identifier: "a91c")
        #expect(facts.maxFPS == 120)
        #expect(facts.identifier == "a91c")
        #expect(facts.isSimulator != nil)
        #expect(try #require(facts.system).contains { $0.isNumber })

        let first = reader.conditions()
        #expect(first.processorPercent == nil)
        #expect(try #require(first.threads) >= 1)
        #expect((1 << 20..<1 << 40).contains(try #require(first.memoryBytes)))
        let second = reader.conditions()
        #expect(second.processorPercent != nil)
    }

    @Test func whatTheUserInterfaceKnowsHasPrecedence() {
        var reader = DeviceReader()
        for isCharging in [true, false] {
            let conditions = reader.conditions(isCharging: isCharging)
            #expect(conditions.isCharging == isCharging)
        }
    }
}
