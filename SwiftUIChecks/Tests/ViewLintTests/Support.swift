import Foundation

@testable import ViewLint

/// Samples and golden cases, beside this file.
let testFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

/// Source files by name, checked together.
func lint(_ files: [String: String], _ configuration: Configuration = Configuration()) async throws -> Lint {
    try await Lint(
        files.sorted { $0.key < $1.key }.map { SourceFile(path: "/app/\($0.key)", name: $0.key, text: $0.value) },
        configuration)
}

/// The complexity of the only body of `type`.
func complexity(_ type: String = "V", in files: [String: String], _ configuration: Configuration = Configuration())
    async throws -> Int?
{
    let units = try await lint(files, configuration).units.filter { $0.type == type }
    return units.count == 1 ? units[0].complexity : nil
}

/// The complexity of a view with these members.
func complexity(of members: String, _ configuration: Configuration = Configuration()) async throws -> Int? {
    try await complexity(in: ["V.swift": "struct V: View {\n\(members)\n}"], configuration)
}
