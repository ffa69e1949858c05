/// The place of a page that shows one image at a time, such as an image view.
public struct ImageSlot: Hashable, Sendable {
    private enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case number(Int)
    }

    private let identity: Identity

    /// The slot of a view, for as long as the view lives.
    public init(_ view: AnyObject) {
        identity = .object(ObjectIdentifier(view))
    }

    /// The slot with a number of the app's choice.
    public init(number: Int) {
        identity = .number(number)
    }
}
