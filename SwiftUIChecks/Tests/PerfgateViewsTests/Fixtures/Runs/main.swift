import Foundation

MainActor.assumeIsolated { runAll() }
exit(MainActor.assumeIsolated { failures } == 0 ? 0 : 1)
