/// The types in all files of a call, with their extensions, indexed by name.
struct TypeIndex: Sendable {
    /// A type with its extensions across the files.
    struct Entry: Sendable {
        let name: String
        /// The type's declaration first, if the files contain it.
        var declarations: [TypeDeclaration]
        var membersByName: [String: [Member]] = [:]

        var members: [Member] { declarations.flatMap(\.members) }
        var inherited: [String] { declarations.flatMap(\.inherited) }
        var generics: GenericBounds {
            declarations.reduce(into: [:]) { $0.merge($1.generics) { $0 + $1 } }
        }
    }

    private(set) var entries: [Entry] = []
    private(set) var signatures: [String: [(parameters: [Parameter], generics: GenericBounds)]] = [:]
    /// Whether the scanned types with a simple name are views.
    private var isView: [String: Bool] = [:]

    init(_ files: [FileDeclarations]) {
        let declarations = files.flatMap(\.types)
        var positions: [String: [Int]] = [:]
        for declaration in declarations where declaration.kind != .extension {
            positions[declaration.name, default: []].append(entries.count)
            entries.append(Entry(name: declaration.name, declarations: [declaration]))
        }
        for declaration in declarations where declaration.kind == .extension {
            if let owner = owner(of: declaration, among: positions[declaration.name] ?? []) {
                entries[owner].declarations.append(declaration)
            } else {
                positions[declaration.name, default: []].append(entries.count)
                entries.append(Entry(name: declaration.name, declarations: [declaration]))
            }
        }
        for index in entries.indices {
            entries[index].membersByName = Dictionary(grouping: entries[index].members, by: \.name)
        }
        for signature in files.flatMap(\.signatures) {
            signatures[signature.name, default: []].append((signature.parameters, signature.generics))
        }
        findViews(declarations)
    }

    /// Among several types of one name, the extension's own file has priority, then the nearest folder.
    private func owner(of declaration: TypeDeclaration, among candidates: [Int]) -> Int? {
        func first(_ index: Int) -> TypeDeclaration { entries[index].declarations[0] }
        let here = candidates.first { first($0).file.path == declaration.file.path }
        return here
            ?? candidates.filter { !first($0).isPrivate }.max { left, right in
                nearness(first(left), declaration) < nearness(first(right), declaration)
            }
    }

    private func nearness(_ type: TypeDeclaration, _ declaration: TypeDeclaration) -> Int {
        zip(type.file.path.split(separator: "/"), declaration.file.path.split(separator: "/"))
            .prefix { $0 == $1 }.count
    }

    /// A protocol that refines View makes its conforming types views too.
    private mutating func findViews(_ declarations: [TypeDeclaration]) {
        var protocols = Vocabulary.viewProtocols
        var known = 0
        while known != protocols.count {
            known = protocols.count
            for declaration in declarations where declaration.kind == .protocol {
                if declaration.inherited.contains(where: protocols.contains) { protocols.insert(declaration.name) }
            }
        }
        for entry in entries {
            let simpleName = entry.declarations[0].simpleName
            let conforms = entry.inherited.contains(where: protocols.contains)
            isView[simpleName] = conforms || isView[simpleName] == true
        }
    }

    /// Whether a type of this name is a view; nil if neither the files nor SwiftUI's table contain it.
    func isView(named name: String) -> Bool? {
        if let known = isView[name] { return known || Vocabulary.views.contains(name) }
        return Vocabulary.views.contains(name) ? true : nil
    }

    func isView(_ entry: Entry) -> Bool {
        isView[entry.declarations[0].simpleName] == true
            && entry.inherited.contains { $0 == "View" || isView[$0] == true }
    }
}
