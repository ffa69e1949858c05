/// What a page tells of an image.
public enum ImageStatus: String, Hashable, Sendable, CaseIterable {
    /// A placeholder is visible where the image will be.
    case placeholderVisible
    /// The image is visible.
    case shown
    /// Neither is visible any more.
    case hidden
}
