/// The promises of a store that grew over 60 nights, in Markdown.
package struct StoreReport {
    private let study: StoreStudy
    private let team: StoreTeam

    package init(_ study: StoreStudy, _ team: StoreTeam) {
        self.study = study
        self.team = team
    }

    package enum Table: String, Sendable, CaseIterable {
        /// Unchanged code.
        case clean
        /// A slower time that nobody accepts.
        case refused
        /// A slower time that is reverted, and comes back.
        case returned
        /// A time that was slower in the first nights.
        case begun
        /// A pull request that undoes an improvement.
        case undone
        /// A time that grows every night.
        case drift
        /// A count that grows.
        case counts
    }

    /// The differences between runs, in percent: of all times together, and of each time.
    private static let noises: [(common: Double, page: Double)] = [(2, 2.5), (4, 3), (3, 5)]
    private static let parts = StoreStudy.Changed.parts.map { "\($0.lowerBound)–\($0.upperBound)" }
        .joined(separator: "/")

    /// Prints a table line by line, as each line is computed.
    package func write(_ table: Table, _ line: (String) -> Void) throws {
        switch table {
        case .clean: try writeClean(line)
        case .refused:
            try writeChanged("+20 %", .step(.slower(0.2), from: StoreStudy.changeNight), line)
            line("")
            try writeChanged("+30 %", .step(.slower(0.3), from: StoreStudy.changeNight), line)
        case .returned: try writeReturned(line)
        case .begun: try writeBegun(line)
        case .undone: try writeUndone(line)
        case .drift: try writeDrift(line)
        case .counts:
            try writeChanged(
                "2 → 6 drop events", .step(.moreEvents(4), from: StoreStudy.changeNight), isCount: true, line)
        }
        line("")
    }

    private func writeClean(_ line: (String) -> Void) throws {
        line(
            "| M = \(team.title); runs differ by | calls | red, one look | red, confirmed | by counts alone "
                + "| inconclusive, one look | inconclusive, confirmed | bias of medians, % | settled runs "
                + "| below 5, % of times | noisy page: bias, % | its settled runs "
                + "| drift told: last night / ever, % of stores |")
        line(row(Array(repeating: "---", count: 13)))
        for noise in Self.noises {
            let clean = try study.clean(team, in: team.world(noise))
            line(
                row([
                    Self.title(noise), "\(clean.red.trials)", clean.redAtOnce.text, clean.red.text,
                    clean.redByCount.text, clean.openAtOnce.text, clean.open.text, clean.bias.text(times: 100),
                    clean.runs.text(), clean.young.text, clean.noisyBias.text(times: 100), clean.noisyRuns.text(),
                    "\(clean.drifts.text) / \(clean.drifted.text)",
                ]))
        }
    }

    private func writeChanged(
        _ title: String, _ event: StoreEvent, isCount: Bool = false, _ line: (String) -> Void
    ) throws {
        line(
            "| M = \(team.title), \(title) from night \(StoreStudy.changeNight); runs differ by "
                + "| refused in nights \(Self.parts) | red, one look | red, confirmed |")
        line(row(Array(repeating: "---", count: 4)))
        for noise in Self.noises {
            let changed = try study.changed(team, in: team.world(noise), event, isCount: isCount)
            line(
                row([
                    Self.title(noise), Self.text(changed.refused), Self.text(changed.redAtOnce), Self.text(changed.red),
                ]))
        }
    }

    private func writeReturned(_ line: (String) -> Void) throws {
        let settled = "\(StoreStudy.settled.lowerBound)…\(StoreStudy.settled.upperBound)"
        line(
            "| M = \(team.title); runs differ by | red, confirmed, after it came back to a store of \(settled) nights |"
        )
        line(row(Array(repeating: "---", count: 2)))
        for (title, change) in [("+30 %", Change.slower(0.3)), ("+50 %", Change.slower(0.5))] {
            for noise in Self.noises {
                let shares = try study.returned(team, in: team.world(noise), change)
                line(row(["\(title); \(Self.title(noise))", Self.text(shares)]))
            }
        }
    }

    private func writeBegun(_ line: (String) -> Void) throws {
        let fast = "\(StoreStudy.fast.lowerBound)…\(StoreStudy.fast.upperBound)"
        line(
            "| M = \(team.title), 43 % slower in the first nights; runs differ by "
                + "| +86 % red, confirmed, after \(fast) more nights |")
        line(row(Array(repeating: "---", count: 2)))
        for slow in 1...3 {
            for noise in Self.noises {
                let shares = try study.begun(team, in: team.world(noise), slow: slow)
                line(row(["\(slow) slow; \(Self.title(noise))", Self.text(shares)]))
            }
        }
    }

    private func writeUndone(_ line: (String) -> Void) throws {
        let lags = "\(StoreStudy.lags.lowerBound)…\(StoreStudy.lags.upperBound)"
        line("| M = \(team.title), improvement; runs differ by | red, confirmed, if undone after \(lags) nights |")
        line(row(Array(repeating: "---", count: 2)))
        for (title, change) in [("−40 %", Change.slower(-0.4)), ("−30 %", Change.slower(-0.3))] {
            for noise in Self.noises {
                let shares = try study.undone(team, in: team.world(noise), change)
                line(row(["\(title); \(Self.title(noise))", Self.text(shares)]))
            }
        }
    }

    private func writeDrift(_ line: (String) -> Void) throws {
        line(
            "| M = \(team.title), 1 % a night from night \(StoreStudy.changeNight); runs differ by "
                + "| drift told after nights | never told, % | first refused after nights | never refused, % | refused in nights \(Self.parts) "
                + "| red, confirmed |")
        line(row(Array(repeating: "---", count: 7)))
        for noise in Self.noises {
            let changed = try study.changed(
                team, in: team.world(noise), .drift(0.01, from: StoreStudy.changeNight))
            line(
                row([
                    Self.title(noise), changed.firstTold.text(), changed.neverTold.text, changed.firstRefusal.text(),
                    changed.neverRefused.text,
                    Self.text(changed.refused), Self.text(changed.red),
                ]))
        }
    }

    private static func title(_ noise: (common: Double, page: Double)) -> String {
        "\(noise.common) %, \(noise.page) %"
    }

    private static func text(_ shares: [ShareOfHistories]) -> String {
        shares.map(\.text).joined(separator: ", ")
    }

    private func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
}
