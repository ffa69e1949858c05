import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The values that a `metric` line may have for a catalogue metric.
struct MetricLineTests {
    @Test(arguments: [
        (#""metric":"ttil","values":[900]"#, "The line has no \"unit\", which its type needs."),
        (
            #""metric":"ttil","unit":"S","values":[900]"#,
            "\"unit\" is \"S\", and ttil needs a unit that converts to ms."
        ),
        (
            #""metric":"ttil","unit":"fps","values":[9]"#,
            "\"unit\" is \"fps\", and ttil needs a unit that converts to ms."
        ),
        (
            #""metric":"hitches","unit":"","values":[]"#,
            "\"unit\" is \"\", and hitches needs a unit that converts to hitches."
        ),
    ])
    func refusesAUnitThatIsNotTheCatalogues(_ fields: String, _ message: String) throws {
        let measurements = try LogFolder.measurements(runLine() + #"{"type":"metric","page":"P",\#(fields)}"# + "\n")
        #expect(measurements.diagnostics.map(\.message) == [message])
        #expect(measurements.codes == [.badLine])
        #expect(measurements.runs.first?.isComplete == false)
        #expect(measurements.cells.isEmpty)
    }

    @Test(arguments: [
        (
            #""metric":"ttil","unit":"ms","better":"higher""#,
            "\"better\" is higher, and of ttil lower values are better."
        ),
        (
            #""metric":"fps_mean","unit":"fps","better":"lower""#,
            "\"better\" is lower, and of fps_mean higher values are better."
        ),
        (#""metric":"ttil","unit":"ms","better":"Lower""#, "\"better\" must be lower or higher."),
        (#""metric":"odd","unit":"kC","better":"less""#, "\"better\" must be lower or higher."),
    ])
    func refusesADirectionThatIsNotTheCatalogues(_ fields: String, _ message: String) throws {
        let line = #"{"type":"metric","page":"P",\#(fields),"values":[900]}"# + "\n"
        let measurements = try LogFolder.measurements(runLine() + line)
        #expect(measurements.diagnostics.map(\.message) == [message])
        #expect(measurements.runs.first?.isComplete == false)
        #expect(measurements.cells.isEmpty)
    }

    @Test(arguments: [
        (#""metric":"ttil","unit":"ms","better":"lower""#, Better.lower),
        (#""metric":"odd","unit":"kC","better":"higher""#, .higher),
        (#""metric":"odd","unit":"kC","better":null"#, .lower),
    ])
    func takesADirectionThatContradictsNothing(_ fields: String, _ better: Better) throws {
        let line = #"{"type":"metric","page":"P",\#(fields),"values":[900]}"# + "\n"
        let measurements = try LogFolder.measurements(runLine() + line)
        #expect(measurements.diagnostics == [])
        #expect(measurements.cells.values.map(\.metric.better) == [better])
    }

    @Test(arguments: [
        (#""metric":"ttil","unit":"s""#, "1e308"), (#""metric":"odd","unit":"min""#, "-1e308"),
    ])
    func refusesAValueThatIsTooLargeOnceConverted(_ fields: String, _ value: String) throws {
        let line = #"{"type":"metric","page":"P",\#(fields),"values":[1,\#(value)]}"# + "\n"
        let measurements = try LogFolder.measurements(runLine() + line)
        #expect(measurements.diagnostics.map(\.message) == ["\"values\" holds a value that is too large in ms."])
        #expect(measurements.runs.first?.isComplete == false)
    }

    @Test(arguments: ["2", "1", ""])
    func takesAFormulaThatNoVisitNamedBefore(_ formula: String) throws {
        let line = #"{"type":"metric","page":"P","metric":"ttil","unit":"ms","formula":"\#(formula)","values":[900]}"#
        let measurements = try LogFolder.measurements(runLine() + line + "\n")
        #expect(measurements.cells.values.map(\.formula) == [formula])
        #expect(measurements.cells.values.map(\.values) == [[900]])
    }
}
