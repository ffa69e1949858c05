import PerfgateModel
import Testing

@testable import PerfgateIngest

/// What a `metric` line may say of a metric that the catalogue knows.
struct MetricLineTests {
    @Test(arguments: [
        (#""metric":"ttil","values":[900]"#, "The line has no \"unit\", which its type needs."),
        (#""metric":"ttil","unit":"S","values":[900]"#, "\"unit\" is \"S\", and ttil needs one that converts to ms."),
        (#""metric":"ttil","unit":"fps","values":[9]"#, "\"unit\" is \"fps\", and ttil needs one that converts to ms."),
        (
            #""metric":"hitches","unit":"","values":[]"#,
            "\"unit\" is \"\", and hitches needs one that converts to hitches."
        ),
    ])
    func refusesAUnitThatIsNotTheCatalogues(_ fields: String, _ message: String) throws {
        let measurements = try LogFolder.measurements(runLine() + #"{"type":"metric","page":"P",\#(fields)}"# + "\n")
        #expect(measurements.diagnostics.map(\.message) == [message])
        #expect(measurements.codes == [.badLine])
        #expect(measurements.runs.first?.isComplete == false)
        #expect(measurements.cells.isEmpty)
    }
}
