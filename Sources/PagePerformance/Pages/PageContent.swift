/// What a page shows, as its last render told it.
enum PageContent: String, CaseIterable {
    /// Nothing was rendered yet.
    case nothing
    /// The initial content is being loaded and isn't there.
    case initialLoading
    /// Content is there.
    case present
    /// Content is there, and more is being loaded.
    case loadingMore
    /// An error is shown in place of the initial content.
    case initialError
    /// An error is shown after there was content.
    case laterError

    /// Whether a load of which nothing more is told would be the initial one: none has brought content yet.
    var awaitsInitialLoad: Bool {
        switch self {
        case .nothing, .initialLoading, .initialError: true
        case .present, .loadingMore, .laterError: false
        }
    }

    /// Whether an error is shown.
    var isError: Bool {
        self == .initialError || self == .laterError
    }

    /// What is shown after a render: an error whatever else is told, else as loading says.
    ///
    /// A load is initial as told, or else where the one before it was; `isInitialLoading` says nothing where nothing
    /// is loading.
    func after(isLoading: Bool, isInitialLoading: Bool?, isError: Bool) -> PageContent {
        if isError { return awaitsInitialLoad ? .initialError : .laterError }
        guard isLoading else { return .present }
        return isInitialLoading ?? awaitsInitialLoad ? .initialLoading : .loadingMore
    }
}
