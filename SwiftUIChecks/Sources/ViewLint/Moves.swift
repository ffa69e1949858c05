/// A baseline's entry whose file no longer contains its type.
package enum Move: Sendable, Equatable {
    /// The entry follows to the only place that its type can have now.
    case follows(Baseline.Key, to: String)
    /// The entry stays: types of its name are in these files, without entries of their own.
    case unclear(Baseline.Key, candidates: [String])
    /// The entries stay: more than one fits the type in this file.
    case contested([Baseline.Key], file: String)

    /// The entries that stay.
    package var left: [Baseline.Key] {
        switch self {
        case .follows: []
        case .unclear(let key, _): [key]
        case .contested(let keys, _): keys
        }
    }
}

extension Baseline {
    /// Moves entries after their types, if files were moved or renamed. An entry stays as long as its file declares or
    /// extends its type.
    ///
    /// - Parameter isElsewhere: whether a file that wasn't checked exists and contains the type.
    /// - Returns: what moved, and what could have moved; ordered by file and type.
    package mutating func follow(_ lint: Lint, isElsewhere: (Key) -> Bool) -> [Move] {
        let numbers = lint.numbers
        let stale = entries.keys.filter { key in
            guard !key.type.isEmpty, let types = lint.types[key.type] else { return false }
            return !lint.unparsed.contains(key.file) && !types.contains { $0.contains(key.file) } && !isElsewhere(key)
        }
        var moves: [Move] = []
        for (type, keys) in Dictionary(grouping: stale.sorted(), by: \.type).sorted(by: { $0.key < $1.key }) {
            func shares(_ file: String, with keys: [Key]) -> Bool {
                let found = numbers[Key(file: file, type: type)]?.keys.map(\.self) ?? []
                return keys.contains { key in found.contains { entries[key]?.numbers[$0] != nil } }
            }
            // A type's own file, or files of its extensions with findings that the entry may contain.
            var candidates: [[String]] = []
            for files in lint.types[type] ?? [] {
                let free = files.filter { entries[Key(file: $0, type: type)] == nil }
                let fitting = free.first == files.first ? free : free.filter { shares($0, with: keys) }
                if !fitting.isEmpty, !candidates.contains(where: { $0[0] == fitting[0] }) { candidates.append(fitting) }
            }
            guard let files = candidates.first else { continue }
            guard candidates.count == 1 else {
                // An entry that no place needs is left to the next update.
                moves += keys.filter { key in candidates.joined().contains { shares($0, with: [key]) } }
                    .map { .unclear($0, candidates: candidates.map { $0[0] }.sorted()) }
                continue
            }
            var chosen: [String: [Key]] = [:]
            for key in keys {
                let namesakes = files.filter { $0.split(separator: "/").last == key.file.split(separator: "/").last }
                let fitting = files.filter { shares($0, with: [key]) }
                let best = namesakes.count == 1 ? namesakes : fitting.isEmpty ? [files[0]] : fitting
                if best.count == 1 {
                    chosen[best[0], default: []].append(key)
                } else {
                    moves.append(.unclear(key, candidates: best))
                }
            }
            for (file, keys) in chosen.sorted(by: { $0.key < $1.key }) {
                guard keys.count == 1 else {
                    moves.append(.contested(keys, file: file))
                    continue
                }
                entries[Key(file: file, type: type)] = entries.removeValue(forKey: keys[0])
                moves.append(.follows(keys[0], to: file))
            }
        }
        return moves
    }
}

extension SourceFile {
    /// Whether it declares or extends a type, named with its surrounding types; true if it can't be parsed.
    package func contains(type: String) -> Bool {
        tree.hasError || FileDeclarations(self).types.contains { $0.name == type }
    }
}
