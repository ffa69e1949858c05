import Testing

/// The destination of `calibrate --patch`.
struct CalibrationPatchFileTests {
    @Test func aFileThatIsThereIsReplacedOnRequestOnly() throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.write("mine\n", to: "patch.yml")
        let refused = try folder.run("calibrate", "--patch", "patch.yml")
        #expect(refused.code == 73 && refused.error.contains("patch.yml already exists."))
        #expect(try folder.text(of: "patch.yml") == "mine\n")
        #expect(try folder.run("calibrate", "--patch", "patch.yml", "--replace").code == 0)
        #expect(try folder.text(of: "patch.yml").contains("metrics:"))
        #expect(try folder.run("calibrate", "--patch", "new.yml").code == 0)
        #expect(folder.exists("new.yml"))
    }
}
