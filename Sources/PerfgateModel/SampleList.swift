/// The samples of one run in one cell: 8 bytes per sample, because neighbours usually share an iteration.
package struct SampleList: Sendable {
    private struct Stretch: Sendable, Hashable {
        let iteration: Int
        var end: Int
    }

    package private(set) var values: ArraySlice<Double> = []
    private var stretches: [Stretch] = []
    /// The durations in 60 Hz frames, by sample index.
    private var frames: [Int: Double] = [:]

    package init() {}

    package init(_ samples: some Sequence<Sample>) { for sample in samples { append(sample) } }

    package init(values: [Double]) {
        self.values = values[...]
        if !values.isEmpty { extend(0, to: values.count) }
    }

    package mutating func append(_ sample: Sample) {
        if let frames = sample.framesAtSixtyHertz { self.frames[values.count] = frames }
        values.append(sample.value)
        extend(sample.iteration, to: values.count)
    }

    /// Adds samples of several iterations, without durations in 60 Hz frames; the first ones share their memory.
    /// - Parameter counts: The number of values per iteration, in order.
    package mutating func append(_ added: ArraySlice<Double>, _ counts: [(iteration: Int, count: Int)]) {
        var end = values.count
        if values.isEmpty { values = added } else { values += added }
        for (iteration, count) in counts where count > 0 {
            end += count
            extend(iteration, to: end)
        }
    }

    /// Stores the duration of the sample at an index in 60 Hz frames.
    package mutating func note(framesAtSixtyHertz frames: Double, at place: Int) { self.frames[place] = frames }

    private mutating func extend(_ iteration: Int, to end: Int) {
        if stretches.last?.iteration == iteration {
            stretches[stretches.count - 1].end = end
        } else {
            stretches.append(Stretch(iteration: iteration, end: end))
        }
    }
}

extension SampleList: RandomAccessCollection, Hashable, ExpressibleByArrayLiteral {
    package init(arrayLiteral samples: Sample...) { self.init(samples) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { values.count }

    package subscript(position: Int) -> Sample {
        var (low, high) = (0, stretches.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].end > position { high = middle } else { low = middle + 1 }
        }
        return Sample(
            values[values.startIndex + position], iteration: stretches[low].iteration,
            framesAtSixtyHertz: frames.isEmpty ? nil : frames[position])
    }

    package mutating func removeAll(where isGone: (Sample) -> Bool) { self = SampleList(filter { !isGone($0) }) }
}

/// A value behind a reference, so that copying it counts one reference instead of each of its parts. A change makes a
/// new reference, so values that are read more often than they are changed belong here.
@propertyWrapper
package struct Shared<Value: Sendable>: Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let value: Value

        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var box: Box

    @inlinable
    package init(wrappedValue: Value) { box = Box(wrappedValue) }

    @inlinable package var wrappedValue: Value {
        _read { yield box.value }
        set { box = Box(newValue) }
    }
}

extension Shared: Equatable where Value: Equatable {
    @inlinable
    package static func == (lhs: Shared, rhs: Shared) -> Bool { lhs.box === rhs.box || lhs.box.value == rhs.box.value }
}

extension Shared: Hashable where Value: Hashable {
    @inlinable
    package func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
