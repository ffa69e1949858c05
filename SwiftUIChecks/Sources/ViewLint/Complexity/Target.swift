import SwiftSyntax

extension TypeIndex {
    /// What a property or function can become; nil if a type can't replace it, such as a `Text` or an array.
    func target(of member: Member) -> Composition.Target? {
        if let opaque = member.type?.unwrapped.as(SomeOrAnyTypeSyntax.self) {
            let names = opaque.constraint.composedNames
            if names.contains("View") { return .view }
            return names.first(where: Vocabulary.conformable.contains).map { .conforming($0) }
        }
        if member.type?.composedNames.last == "AnyView" { return .view }
        return member.attributes.contains("ViewBuilder") ? .view : nil
    }

    /// What the content of a closure can become.
    ///
    /// - Parameter outer: what the content around it can become.
    func target(ofContentOf closure: ClosureExprSyntax, inside outer: Composition.Target?) -> Composition.Target? {
        guard let argument = ClosureArgument(closure), let callee = argument.call.calleeName else { return nil }
        if Vocabulary.contentContainers.contains(callee) { return argument.label == nil ? outer : .view }
        if let protocolName = Vocabulary.contentProtocols[callee] {
            return closure.statements.allStart(with: protocolName.prefix) ? .conforming(protocolName.name) : nil
        }
        if Vocabulary.otherContainers.contains(callee) { return nil }
        if let label = argument.label, Vocabulary.viewLabels.contains(label) { return .view }
        if Vocabulary.viewContainers.contains(callee) { return .view }
        let declared = (signatures[callee] ?? []).compactMap { argument.parameter(among: $0.parameters) }
        return !declared.isEmpty && declared.allSatisfy { $0.attributes.contains("ViewBuilder") } ? .view : nil
    }
}

extension CodeBlockItemListSyntax {
    /// Whether each statement is a call whose callee's name starts with one of these words.
    fileprivate func allStart(with words: [String]) -> Bool {
        allSatisfy { statement in
            guard case .expr(let expression) = statement.item,
                let name = expression.root.innermostCall?.calleeName
            else { return false }
            return words.contains(where: name.hasPrefix)
        }
    }
}

extension Vocabulary {
    /// Protocols other than View that a type of an app can conform to, for its own content.
    static let conformable: Set = [
        "AccessibilityRotorContent", "ChartContent", "Commands", "CustomizableToolbarContent", "MapContent", "Scene",
        "TabContent", "TableColumnContent", "ToolbarContent", "WidgetConfiguration",
    ]

    /// Callees whose content has the type of the content around them.
    static let contentContainers: Set = ["ForEach", "Group", "Section"]

    /// Callees whose content is of a protocol other than View, if all its statements start with these words.
    static let contentProtocols: [String: (name: String, prefix: [String])] = [
        "Chart": ("ChartContent", ["AreaMark", "BarMark", "LineMark", "PointMark", "RectangleMark", "RuleMark"]),
        "commands": ("Commands", ["Command"]),
        "toolbar": ("ToolbarContent", ["ToolbarItem"]),
    ]

    /// Callees whose content isn't a View, or acts as several views there: a separate View could change them.
    static let otherContainers: Set = [
        "AxisMarks", "Grid", "GridRow", "Map", "TabSection", "TabView", "Table", "TableRow", "ToolbarItemGroup",
        "ViewThatFits", "keyframeAnimator", "navigationTitle", "phaseAnimator", "tabItem", "touchBar",
    ]

    /// Labels whose closures make one view, for any callee.
    static let viewLabels: Set = [
        "actions", "currentValueLabel", "destination", "detail", "footer", "header", "icon", "label", "placeholder",
        "preview", "sidebar",
    ]

    /// Callees whose content is a View.
    static let viewContainers: Set = [
        "AnyView", "AsyncImage", "Button", "CommandGroup", "CommandMenu", "ControlGroup", "DisclosureGroup", "Form",
        "GeometryReader", "GlassEffectContainer", "GroupBox", "HSplitView", "HStack", "Label", "LabeledContent",
        "LazyHGrid", "LazyHStack", "LazyVGrid", "LazyVStack", "Link", "List", "Menu", "MenuBarExtra",
        "NavigationLink", "NavigationSplitView", "NavigationStack", "NavigationView", "Picker", "ScrollView",
        "ScrollViewReader", "ShareLink", "Tab", "TableColumn", "TimelineView", "Toggle", "ToolbarItem", "VSplitView",
        "VStack", "Window", "WindowGroup", "ZStack", "alert", "background", "backgroundPreferenceValue",
        "confirmationDialog", "contextMenu", "fullScreenCover", "inspector", "mask", "navigationDestination",
        "overlay", "overlayPreferenceValue", "popover", "safeAreaBar", "safeAreaInset", "searchSuggestions", "sheet",
        "swipeActions", "toolbarTitleMenu",
    ]
}
