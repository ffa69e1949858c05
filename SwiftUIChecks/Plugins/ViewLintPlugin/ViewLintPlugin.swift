import Foundation
import PackagePlugin

/// Checks a target's views at each build, and shows new findings as warnings in Xcode.
///
/// The configuration is `perfgate.yml` at the package's root. Helpers in extensions are followed within the target.
@main
struct ViewLintPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let sources = target.sourceModule?.sourceFiles(withSuffix: "swift").map(\.url), !sources.isEmpty else {
            return []
        }
        return [
            Self.command(
                try context.tool(named: "view-lint").url, sources, root: context.package.directoryURL,
                work: context.pluginWorkDirectoryURL)
        ]
    }

    private static func command(_ lint: URL, _ sources: [URL], root: URL, work: URL) -> Command {
        let configuration = root.appending(path: "perfgate.yml")
        let isConfigured = FileManager.default.fileExists(atPath: configuration.path)
        // The build system compares this file with the sources. It is empty: another file would be a resource.
        let stamp = work.appending(path: "ViewLintStamp.swift")
        return .buildCommand(
            displayName: "Check the bodies of views", executable: lint,
            arguments: ["check"] + sources.map(\.path) + (isConfigured ? ["--config", configuration.path] : [])
                + ["--stamp", stamp.path],
            inputFiles: sources + (isConfigured ? [configuration] : []), outputFiles: [stamp])
    }
}

#if canImport(XcodeProjectPlugin)
import XcodeProjectPlugin

extension ViewLintPlugin: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        let sources = target.inputFiles.filter { $0.type == .source && $0.url.pathExtension == "swift" }.map(\.url)
        guard !sources.isEmpty else { return [] }
        return [
            Self.command(
                try context.tool(named: "view-lint").url, sources, root: context.xcodeProject.directoryURL,
                work: context.pluginWorkDirectoryURL)
        ]
    }
}
#endif
