#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread for one long job that must disturb nothing else.
enum WriterThread {
    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread; `false` if the system gives none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let job = Unmanaged.passRetained(Job(body))
        let result = pthread_create(&thread, nil, { WriterThread.main($0) }, job.toOpaque())
        if result != 0 { job.release() }
        return result == 0
    }

    private static func main(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        pthread_detach(pthread_self())
        #if canImport(Darwin)
        pthread_setname_np("perfgate event log")
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #endif
        if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body() }
        return nil
    }
}
