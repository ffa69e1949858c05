// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

import UIKit

/// Hosts a view like SwiftUI: bodies are evaluated from the outside in, the state of the first evaluation is kept, and
/// representables are created, updated, and then added to the hierarchy.
@MainActor
open class UIHostingController<Content: View>: UIViewController {
    public var rootView: Content {
        didSet { update() }
    }

    private var states: [String: [Any]] = [:]
    private var made: [String: AnyObject] = [:]

    public init(rootView: Content) {
        self.rootView = rootView
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open override func viewDidLoad() {
        super.viewDidLoad()
        update()
    }

    /// Evaluates the view again.
    @_spi(Stub) public func update() {
        guard isViewLoaded else { return }
        var met: Set<String> = []
        render(rootView, at: "", &met)
        for (place, object) in made where !met.contains(place) {
            (object as? UIView)?.removeFromSuperview()
            if let controller = object as? UIViewController {
                controller.view.removeFromSuperview()
                controller.removeFromParent()
            }
            made[place] = nil
        }
    }

    private func render<Shown: View>(_ view: Shown, at place: String, _ met: inout Set<String>) {
        if let stateful = view as? any Stateful {
            if let known = states[place] {
                for (state, value) in zip(stateful.states, known) { state.value = value }
            } else {
                states[place] = stateful.states.map(\.value)
            }
        }
        if let representable = view as? any UIViewControllerRepresentable {
            met.insert(place)
            host(representable, at: place)
        } else if let representable = view as? any UIViewRepresentable {
            met.insert(place)
            show(representable, at: place)
        } else if let parted = view as? any Parted {
            for (number, part) in parted.parts.enumerated() { render(part, at: "\(place).\(number)", &met) }
        } else if Shown.Body.self != Never.self {
            render(view.body, at: place + ".body", &met)
        }
    }

    private func host<Shown: UIViewControllerRepresentable>(_ view: Shown, at place: String) {
        let known = made[place] as? Shown.UIViewControllerType
        let controller = known ?? view.makeUIViewController(context: .init())
        made[place] = controller
        view.updateUIViewController(controller, context: .init())
        guard known == nil else { return }
        addChild(controller)
        self.view.addSubview(controller.view)
        controller.didMove(toParent: self)
    }

    private func show<Shown: UIViewRepresentable>(_ view: Shown, at place: String) {
        let known = made[place] as? Shown.UIViewType
        let shown = known ?? view.makeUIView(context: .init())
        made[place] = shown
        view.updateUIView(shown, context: .init())
        if known == nil { self.view.addSubview(shown) }
    }
}
