import PerfgateJSON
import PerfgateModel

extension LineInterpreter {
    /// Keeps how the device was, where the line meets the conditions of the command line.
    func addState(
        _ bytes: UnsafeRawBufferPointer, base: Int32, _ tables: inout LogTables, _ content: inout StreamContent
    ) throws(LineError) {
        let context = try context(base: base, bytes, &tables)
        guard tables.contexts.entries[Int(context)].isTaken else { return }
        guard line.fields.iteration >= 0 else { throw .invalid("iteration", "is negative") }
        var state = line.rare.state(iteration: line.fields.iteration)
        if case .text(let name) = try field(.thermalState, in: bytes) { state.thermalState = name }
        if case .flag(let isOn) = try field(.lowPowerMode, in: bytes) { state.lowPowerMode = isOn }
        content.add(state)
    }

    /// The value that the line itself gives a field of its context.
    private func field(_ field: LineField, in bytes: UnsafeRawBufferPointer) throws(LineError) -> FieldValue? {
        guard let found = line.context.first(where: { $0.name == field.contextName }) else { return nil }
        do throws(JSONError) {
            return try ContextTable.value(of: UnsafeRawBufferPointer(rebasing: bytes[found.range]))
        } catch {
            throw .syntax(error)
        }
    }
}

extension RareFields {
    /// What the line says of the device in fields that are no conditions of a measurement.
    func state(iteration: Int = 0) -> RunState {
        var state = RunState(iteration: iteration)
        state.cpuPercent = cpuPercent
        state.threads = threads
        state.memoryBytes = memoryBytes
        state.isCharging = isCharging
        return state
    }
}
