import PerfgateViews
import SwiftUI

struct SearchResult: Equatable {
    let title: String
}

// The view of the article "ViewChecks"; a test of the recorder compares both.

@Equatable
struct ResultRow: View {
    let result: SearchResult
    @Binding var isSaved: Bool
    @SkipEquatable let onTap: () -> Void

    var body: some View { Text(result.title) }
}
