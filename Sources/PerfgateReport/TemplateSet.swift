import Foundation
import Mustache
import PerfgateTemplates

/// The templates of the reports: the built-in ones, each replaceable by a file of the same name in a folder.
public struct TemplateSet: Sendable {
    /// The style sheet of the HTML report.
    public let styleSheet: String
    private let library: MustacheLibrary

    /// Reads and checks all templates; throws at the first that is broken, so that nothing is half rendered.
    ///
    /// - Parameter overridingFolder: Holds files such as `report.md.mustache` or `report.css`; `nil` for the built-in
    ///   templates alone. Other `*.mustache` files in it can be included as parts.
    public init(overridingFolder: String? = nil) throws(TemplateError) {
        var sources: [String: TemplateSource] = [:]
        for (file, bytes) in BuiltInTemplates.all {
            sources[Self.name(of: file)] = try TemplateSource(path: file, bytes: bytes)
        }
        var styleSheet = try TemplateSource(path: Self.styleSheetFile, bytes: BuiltInTemplates.styleSheet)
        if let overridingFolder {
            for (file, source) in try Self.read(overridingFolder) {
                if file == Self.styleSheetFile { styleSheet = source } else { sources[Self.name(of: file)] = source }
            }
        }
        self.styleSheet = styleSheet.text
        library = try Self.library(of: sources)
        let check = TemplateCheck(sources: sources)
        for frame in TemplateFrame.allCases { try check.check(frame.rawValue, shape: frame.shape) }
    }

    /// The text of a frame filled with a context.
    func render(_ frame: TemplateFrame, _ context: TemplateContext) -> String {
        library.render(context, withTemplate: frame.rawValue) ?? ""
    }

    private static let styleSheetFile = "report.css"
    private static let suffix = ".mustache"

    private static func name(of file: String) -> String {
        String(file.dropLast(suffix.count))
    }

    private static func read(_ folder: String) throws(TemplateError) -> [(String, TemplateSource)] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw TemplateError(.unreadable, path: folder)
        }
        var sources: [(String, TemplateSource)] = []
        for file in files.sorted() where file.hasSuffix(suffix) || file == styleSheetFile {
            let path = folder + "/" + file
            guard let data = FileManager.default.contents(atPath: path) else {
                throw TemplateError(.unreadable, path: path)
            }
            sources.append((file, try TemplateSource(path: path, bytes: data)))
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
        // The engine takes a part for HTML whatever includes it, so each template says what it is, in a line of its own.
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
