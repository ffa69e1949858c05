/// Checks templates for what the engine would silently render as nothing: unknown names and missing parts; and for
/// text that would not be escaped.
struct TemplateCheck {
    /// The templates by name, without `.mustache`.
    let sources: [String: TemplateSource]

    /// Throws at the first tag of a template, or of the parts it includes, that its shape doesn't allow.
    func check(_ name: String, shape: [String: TemplateShape]) throws(TemplateError) {
        guard let source = sources[name] else { throw TemplateError(.missingPart(name), path: name) }
        try check(source, scopes: [shape], within: [name])
    }

    private func check(
        _ source: TemplateSource, scopes: [[String: TemplateShape]], within parts: [String]
    ) throws(TemplateError) {
        var scopes = scopes
        for tag in TemplateTag.all(in: source.text) {
            switch tag.kind {
            case .section: scopes.append(try inner(of: tag, scopes, source))
            case .inverted:
                _ = try shape(of: tag, scopes, source)
                scopes.append([:])
            case .end: if scopes.count > 1 { scopes.removeLast() }
            case .part: try checkPart(tag, scopes, source, within: parts)
            case .text, .markup: try checkValue(tag, scopes, source)
            case .unsupported(let mark): throw source.error(.unsupportedTag("{{\(mark)"), at: tag)
            }
        }
    }

    private func checkPart(
        _ tag: TemplateTag, _ scopes: [[String: TemplateShape]], _ source: TemplateSource, within parts: [String]
    ) throws(TemplateError) {
        guard let part = sources[tag.name] else { throw source.error(.missingPart(tag.name), at: tag) }
        guard !parts.contains(tag.name) else { throw source.error(.circularPart(tag.name), at: tag) }
        try check(part, scopes: scopes, within: parts + [tag.name])
    }

    private func checkValue(
        _ tag: TemplateTag, _ scopes: [[String: TemplateShape]], _ source: TemplateSource
    ) throws(TemplateError) {
        switch (try shape(of: tag, scopes, source), tag.kind) {
        case (.text, .text), (.markup, .markup): break
        case (.text, _): throw source.error(.unescapedText(tag.name), at: tag)
        case (.markup, _): throw source.error(.escapedMarkup(tag.name), at: tag)
        case (.flag, _), (.list, _): throw source.error(.notText(tag.name), at: tag)
        }
    }

    private func inner(
        of tag: TemplateTag, _ scopes: [[String: TemplateShape]], _ source: TemplateSource
    ) throws(TemplateError) -> [String: TemplateShape] {
        guard case .list(let names) = try shape(of: tag, scopes, source) else { return [:] }
        return names
    }

    private func shape(
        of tag: TemplateTag, _ scopes: [[String: TemplateShape]], _ source: TemplateSource
    ) throws(TemplateError) -> TemplateShape {
        for scope in scopes.reversed() {
            if let shape = scope[tag.name] { return shape }
        }
        let known = Set(scopes.flatMap(\.keys)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        throw source.error(.unknownName(tag.name, known: known), at: tag)
    }
}

/// The text of a template and where it was read.
struct TemplateSource: Sendable {
    /// The path, or the name of the file where it is built in.
    let path: String
    /// The template, its lines ended by `\n`.
    let text: String

    /// Reads UTF-8; throws where it is something else.
    init(path: String, bytes: some Sequence<UInt8>) throws(TemplateError) {
        guard let text = String(validating: Array(bytes), as: UTF8.self) else {
            throw TemplateError(.unreadable, path: path)
        }
        self.path = path
        self.text = text.replacing("\r\n", with: "\n")
    }

    /// An error at a tag.
    func error(_ cause: TemplateError.Cause, at tag: TemplateTag) -> TemplateError {
        TemplateError(cause, path: path, line: tag.line, column: tag.column)
    }
}
