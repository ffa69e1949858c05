import PerfgateJSON
import PerfgateModel

/// The device that benchmarks ran on, as `context.build` describes it.
enum AndroidxDevice {
    /// What is known of it: `device`, `os` and `simulator`.
    static func context(_ node: JSONNode?) throws(JSONDocumentError) -> Context {
        var context = Context()
        guard let build = try node?.optional("build") else { return context }
        let model = try build.optional("model")?.string()
        context["device"] = model.map { .text($0) }
        if let level = try build.optional("version")?.optional("sdk")?.double() {
            context["os"] = Int(exactly: level).map { .text("Android API \($0)") }
        }
        let names = [model, try build.optional("fingerprint")?.string(), try build.optional("device")?.string()]
        context["simulator"] = .flag(names.compactMap { $0 }.contains(where: isEmulator))
        return context
    }

    /// The marks by which androidx.benchmark tells an emulator (`DeviceInfo.isEmulator`).
    private static func isEmulator(_ name: String) -> Bool {
        name.hasPrefix("generic") || name.hasPrefix("unknown")
            || ["google_sdk", "sdk_gphone", "Emulator", "Android SDK built for", "emulator64"].contains(
                where: name.contains)
    }
}
