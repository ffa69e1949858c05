#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps other processes from changing the baselines of a store.
///
/// The lock is on the folder itself, so that no file of a lock stands beside the baselines, and it ends with the
/// process, also with one that is killed.
struct FolderLock {
    private let descriptor: Int32

    /// Waits until no one else holds the lock, then takes it.
    init(_ folder: String) throws(BaselineError) {
        descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileAccess.failure(.lock, folder) }
        guard FileAccess.retrying({ Int(flock(descriptor, LOCK_EX)) }) == 0 || errno == ENOTSUP else {
            let error = FileAccess.failure(.lock, folder)
            close(descriptor)
            throw error
        }
    }

    /// Gives the lock back.
    func release() {
        close(descriptor)
    }
}
