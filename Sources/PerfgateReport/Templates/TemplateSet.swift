import Foundation
import Mustache
import PerfgateFiles
import PerfgateTemplates

/// The templates of the reports: the built-in ones, each replaceable by a file with the same name in a folder.
package struct TemplateSet: Sendable {
    package private(set) var styleSheet: String
    /// Whether the folder replaces a Markdown template, so rows may have any length.
    private(set) var hasOwnRows = false
    /// The templates with those of the folder; `nil` without a folder.
    private var library: MustacheLibrary?

    /// Reads and checks all templates; throws at the first broken one, so nothing is half rendered.
    /// - Parameter overridingFolder: A folder with files such as `report.md.mustache` or `report.css`; `nil` for only
    ///   the built-in templates. Other `*.mustache` files in it can be included as parts.
    package init(overridingFolder: String? = nil) throws(TemplateError) {
        styleSheet = try TemplateSource(path: Self.styleSheetFile, bytes: BuiltInTemplates.styleSheet).text
        guard let overridingFolder else { return }
        var sources = try Self.builtInSources()
        for (file, source) in try Self.read(overridingFolder) {
            hasOwnRows = hasOwnRows || file.hasSuffix(".md" + Self.suffix)
            if file == Self.styleSheetFile { styleSheet = source.text } else { sources[Self.name(of: file)] = source }
        }
        library = try Self.library(of: sources)
        var check = TemplateCheck(sources: sources)
        for frame in TemplateFrame.allCases { try check.check(frame.rawValue, shape: frame.shape) }
    }

    func render(_ frame: TemplateFrame, _ context: TemplateContext) -> String {
        let library = library ?? (try? Self.builtIn.get())
        return library?.render(context, withTemplate: frame.rawValue) ?? ""
    }

    /// The built-in templates, parsed when first needed; tests check them.
    private static let builtIn = Result { try library(of: builtInSources()) }

    private static func builtInSources() throws(TemplateError) -> [String: TemplateSource] {
        var sources: [String: TemplateSource] = [:]
        for (file, bytes) in BuiltInTemplates.all {
            sources[name(of: file)] = try TemplateSource(path: file, bytes: bytes)
        }
        return sources
    }

    private static let styleSheetFile = "report.css"
    private static let suffix = ".mustache"

    private static func name(of file: String) -> String { String(file.dropLast(suffix.count)) }

    private static func read(_ folder: String) throws(TemplateError) -> [(String, TemplateSource)] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw TemplateError(.unreadable, path: folder)
        }
        var sources: [(String, TemplateSource)] = []
        for file in files.sorted() where file.hasSuffix(suffix) || file == styleSheetFile {
            let path = folder + "/" + file
            guard let bytes = try? FileAccess.read(path, limit: TemplateLimit.bytes.rawValue) else {
                throw TemplateError(.unreadable, path: path)
            }
            let source = try TemplateSource(path: path, bytes: bytes)
            try source.checkSize()
            sources.append((file, source))
        }
        return sources
    }

    private static func library(of sources: [String: TemplateSource]) throws(TemplateError) -> MustacheLibrary {
        TemplateContentType.register()
        var library = MustacheLibrary()
        for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
            library.register(try parsed(source, name: name), named: name)
        }
        return library
    }

    private static func parsed(_ source: TemplateSource, name: String) throws(TemplateError) -> MustacheTemplate {
        // The engine treats a part as HTML regardless of its includer, so each template declares its own type.
        let text = TemplateContentType.named(after: name).pragma + "\n" + source.text
        do {
            return try MustacheTemplate(string: text)
        } catch let error as MustacheTemplate.ParserError {
            let line = max(1, error.context.lineNumber - 1)
            throw TemplateError(
                .syntax("\(error.error)"), path: source.path, line: line, column: error.context.columnNumber)
        } catch {
            throw TemplateError(.syntax("\(error)"), path: source.path)
        }
    }
}

/// Checks templates for what the engine would render as nothing: unknown names and missing parts; and for raw text.
struct TemplateCheck {
    /// The templates by name, without `.mustache`.
    let sources: [String: TemplateSource]
    private var included = 0

    init(sources: [String: TemplateSource]) { self.sources = sources }

    /// Throws at the first tag of a template or its parts that its shape doesn't allow.
    mutating func check(_ name: String, shape: [String: TemplateShape]) throws(TemplateError) {
        guard let source = sources[name] else { throw TemplateError(.missingPart(name), path: name) }
        try check(source, scopes: [Scope(names: shape)], within: [name])
    }

    private struct Scope {
        var names: [String: TemplateShape] = [:]
        /// The list that it repeats for, with the number of the scope that has it; `nil` if it isn't a list.
        var list: (scope: Int, name: String)?
    }

    private mutating func check(
        _ source: TemplateSource, scopes: [Scope], within parts: [String]
    ) throws(TemplateError) {
        var scopes = scopes
        for tag in source.tags {
            switch tag.kind {
            case .section: scopes.append(try inner(of: tag, scopes, source))
            case .inverted:
                _ = try shape(of: tag, scopes, source)
                scopes.append(Scope())
            case .end: if scopes.count > 1 { scopes.removeLast() }
            case .part: try checkPart(tag, scopes, source, within: parts)
            case .text, .markup: try checkValue(tag, scopes, source)
            case .unsupported(let mark): throw source.error(.unsupportedTag("{{\(mark)"), at: tag)
            }
        }
    }

    private mutating func checkPart(
        _ tag: TemplateTag, _ scopes: [Scope], _ source: TemplateSource, within parts: [String]
    ) throws(TemplateError) {
        guard let part = sources[tag.name] else { throw source.error(.missingPart(tag.name), at: tag) }
        guard !parts.contains(tag.name) else { throw source.error(.circularPart(tag.name), at: tag) }
        included += 1
        guard included <= TemplateLimit.parts.rawValue else { throw source.error(.tooMuch(.parts), at: tag) }
        guard parts.count <= TemplateLimit.depth.rawValue else { throw source.error(.tooMuch(.depth), at: tag) }
        try check(part, scopes: scopes, within: parts + [tag.name])
    }

    private func checkValue(_ tag: TemplateTag, _ scopes: [Scope], _ source: TemplateSource) throws(TemplateError) {
        switch (try shape(of: tag, scopes, source).shape, tag.kind) {
        case (.text, .text), (.markup, .markup): break
        case (.text, _): throw source.error(.unescapedText(tag.name), at: tag)
        case (.markup, _): throw source.error(.escapedMarkup(tag.name), at: tag)
        case (.flag, _), (.list, _): throw source.error(.notText(tag.name), at: tag)
        }
    }

    /// The scope of a section. A list within itself would repeat without end, by the number of its items each time.
    private func inner(
        of tag: TemplateTag, _ scopes: [Scope], _ source: TemplateSource
    ) throws(TemplateError) -> Scope {
        let found = try shape(of: tag, scopes, source)
        guard case .list(let names) = found.shape else { return Scope() }
        guard !scopes.contains(where: { $0.list.map { $0 == (found.scope, tag.name) } ?? false }) else {
            throw source.error(.repeatedList(tag.name), at: tag)
        }
        return Scope(names: names, list: (found.scope, tag.name))
    }

    private func shape(
        of tag: TemplateTag, _ scopes: [Scope], _ source: TemplateSource
    ) throws(TemplateError) -> (shape: TemplateShape, scope: Int) {
        for (index, scope) in scopes.enumerated().reversed() {
            if let shape = scope.names[tag.name] { return (shape, index) }
        }
        let known = Set(scopes.flatMap(\.names.keys)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        throw source.error(.unknownName(tag.name, known: known), at: tag)
    }
}

struct TemplateSource: Sendable {
    /// The path, or the file name if it is built in.
    let path: String
    /// The template with line feeds as line ends.
    let text: String

    /// Reads UTF-8; throws for other bytes, or too many.
    init(path: String, bytes: some Collection<UInt8>) throws(TemplateError) {
        guard bytes.count <= TemplateLimit.bytes.rawValue else { throw TemplateError(.tooMuch(.bytes), path: path) }
        guard let text = String(validating: Array(bytes), as: UTF8.self) else {
            throw TemplateError(.unreadable, path: path)
        }
        self.path = path
        self.text = text.utf8.contains(UInt8(ascii: "\r")) ? text.replacing("\r\n", with: "\n") : text
    }

    var tags: [TemplateTag] { TemplateTag.all(in: text) }

    /// Throws if it exceeds a limit: the engine reads sections recursively, and examines all tags again for each.
    func checkSize() throws(TemplateError) {
        let tags = tags
        guard tags.count <= TemplateLimit.tags.rawValue else {
            throw error(.tooMuch(.tags), at: tags[TemplateLimit.tags.rawValue])
        }
        var depth = 0
        for tag in tags {
            switch tag.kind {
            case .section, .inverted: depth += 1
            case .end: depth -= 1
            default: break
            }
            guard depth <= TemplateLimit.depth.rawValue else { throw error(.tooMuch(.depth), at: tag) }
        }
    }

    func error(_ cause: TemplateError.Cause, at tag: TemplateTag) -> TemplateError {
        TemplateError(cause, path: path, line: tag.line, column: tag.column)
    }
}

package enum TemplateLimit: Int, Sendable {
    case bytes = 1_000_000
    case tags = 5_000
    /// Nested sections and parts.
    case depth = 50
    /// Included parts of a report, counting repeats.
    case parts = 1_000

    var words: String {
        switch self {
        case .bytes: "bytes in the file"
        case .tags: "tags in the file"
        case .depth: "nested sections or parts"
        case .parts: "included parts, counting repeats"
        }
    }
}
