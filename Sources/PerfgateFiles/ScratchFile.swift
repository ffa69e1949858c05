import LibC

/// A file for data that doesn't fit into memory. It has no name, so nothing is left when its process ends.
///
/// Values are stored in their memory layout: no other process reads them.
package final class ScratchFile {
    /// The position of an array in the file.
    package struct Stored<Element: BitwiseCopyable>: Sendable {
        fileprivate let offset: Int
        fileprivate let count: Int
    }

    private let folder: String
    private let descriptor: Int32
    private var end = 0

    /// Makes an empty file in a folder.
    package init(in folder: String) throws(FileError) {
        self.folder = folder
        descriptor = try TemporaryFile(beside: "\(folder)/scratch", naming: folder).detach()
    }

    deinit { close(descriptor) }

    /// Appends an array.
    package func append<Element>(_ elements: [Element]) throws(FileError) -> Stored<Element> {
        let stored = Stored<Element>(offset: end, count: elements.count)
        var written = 0
        let size = elements.count * MemoryLayout<Element>.stride
        while written < size {
            written += try FileCall.write.make(on: folder) {
                elements.withUnsafeBytes { bytes in
                    let rest = bytes[written...]
                    return rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(end + written)) }
                }
            }
        }
        end += size
        return stored
    }

    /// Reads an array.
    package func read<Element>(_ stored: Stored<Element>) throws(FileError) -> [Element] {
        let size = stored.count * MemoryLayout<Element>.stride
        var fault: FileError?
        let elements = [Element](unsafeUninitializedCapacity: stored.count) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var read = 0
            do throws(FileError) {
                while read < size {
                    let more = try FileCall.read.make(on: folder) {
                        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[read..<size])
                        return pread(descriptor, rest.baseAddress, rest.count, off_t(stored.offset + read))
                    }
                    guard more > 0 else { throw FileError(.read, path: folder, code: EIO) }
                    read += more
                }
                count = stored.count
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return elements
    }
}
