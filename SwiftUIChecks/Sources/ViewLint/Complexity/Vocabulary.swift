/// The meaning of names in SwiftUI: a table that the configuration extends.
enum Vocabulary {
    /// Protocols that builders accept. Shapes are excluded: a path is geometry.
    static let contents: Set = [
        "View", "ToolbarContent", "CustomizableToolbarContent", "Scene", "Commands", "TabContent", "MapContent",
        "ChartContent", "AxisContent", "AxisMark", "TableColumnContent", "TableRowContent", "DynamicViewContent",
        "DynamicMapContent", "DynamicTableRowContent", "AccessibilityRotorContent", "WidgetConfiguration",
    ]

    /// SwiftUI's protocols for views. Shapes are excluded here, too.
    static let viewProtocols: Set = [
        "View", "NSViewControllerRepresentable", "NSViewRepresentable", "UIViewControllerRepresentable",
        "UIViewRepresentable", "WKInterfaceObjectRepresentable",
    ]

    /// SwiftUI's views, as the type of a property or function. Colours are excluded: they are mostly data.
    static let views: Set = [
        "AnyView", "AsyncImage", "Button", "Canvas", "Chart", "ColorPicker", "ContentUnavailableView", "ControlGroup",
        "DatePicker", "DisclosureGroup", "Divider", "EditButton", "EmptyView", "EquatableView", "ForEach", "Form",
        "Gauge", "GeometryReader", "Grid", "GridRow", "Group", "GroupBox", "HSplitView", "HStack", "Image", "Label",
        "LabeledContent", "LazyHGrid", "LazyHStack", "LazyVGrid", "LazyVStack", "Link", "List", "Map", "Menu",
        "ModifiedContent", "NavigationLink", "NavigationSplitView", "NavigationStack", "NavigationView",
        "OutlineGroup", "PasteButton", "PhotosPicker", "Picker", "ProgressView", "RenameButton", "ScrollView",
        "ScrollViewReader", "Section", "SecureField", "ShareLink", "Slider", "Spacer", "Stepper", "SubscriptionView",
        "TabView", "Table", "Text", "TextEditor", "TextField", "TextFieldLink", "TimelineView", "Toggle",
        "ToolbarItem", "ToolbarItemGroup", "ToolbarSpacer", "TupleView", "VSplitView", "VStack", "VideoPlayer",
        "ViewThatFits", "ZStack",
    ]

    /// Callees with building closures.
    static let builders: Set = [
        // Views and other contents.
        "Annotation", "AnyView", "AsyncImage", "AxisMarks", "Chart", "ColorPicker", "ControlGroup", "MultiDatePicker",
        "LazyImage", "TextFieldLink", "VideoPlayer", "ContentUnavailableView",
        "DatePicker", "DisclosureGroup", "ForEach", "Form", "Gauge", "GeometryReader", "Grid", "GridRow", "Group",
        "GroupBox", "HSplitView", "HStack", "Label", "LabeledContent", "LazyHGrid", "LazyHStack", "LazyVGrid",
        "LazyVStack", "Link", "List", "Map", "Menu", "MenuBarExtra", "NavigationLink", "NavigationSplitView",
        "NavigationStack", "NavigationView", "OutlineGroup", "PhotosPicker", "Picker", "ProgressView", "ScrollView",
        "ScrollViewReader", "Section", "ShareLink", "Tab", "TabSection", "TabView",
        "Table", "TableColumn", "TableRow", "TimelineView", "Toggle", "ToolbarItem", "ToolbarItemGroup", "VSplitView",
        "VStack", "ViewThatFits", "Window", "WindowGroup", "ZStack", "CommandGroup", "CommandMenu",
        "GlassEffectContainer",
        // Modifiers.
        "accessibilityActions", "accessibilityChildren", "accessibilityQuickAction", "navigationTitle",
        "presentationBackground", "sectionActions", "accessibilityRepresentation", "alert", "background",
        "backgroundPreferenceValue", "chartBackground", "chartLegend", "chartOverlay", "chartPlotStyle", "chartXAxis",
        "chartXAxisLabel",
        "chartYAxis", "chartYAxisLabel", "commands", "confirmationDialog", "containerBackground", "contextMenu",
        "draggable", "fullScreenCover", "inspector", "keyframeAnimator", "mapControls", "mask", "navigationBarItems",
        "navigationDestination", "overlay", "overlayPreferenceValue", "phaseAnimator", "placeholder", "popover",
        "safeAreaBar",
        "safeAreaInset", "searchSuggestions", "searchable", "sheet", "swipeActions", "tabItem",
        "tabViewBottomAccessory", "toolbar", "toolbarTitleMenu", "touchBar",
    ]

    /// Labels of building closures, for any callee.
    static let builderLabels: Set = [
        "label", "header", "footer", "content", "placeholder", "destination", "icon", "preview", "actions",
        "currentValueLabel", "minimumValueLabel", "maximumValueLabel", "markedValueLabels", "sidebar", "detail",
    ]

    /// Callees whose closures act, or compute a value other than a view.
    static let actions: Set = [
        "accessibilityAction", "accessibilityAdjustableAction", "accessibilityScrollAction", "alignmentGuide",
        "anchorPreference", "async", "asyncAfter", "Binding", "Canvas", "containerRelativeFrame", "copyable",
        "cuttable", "dropDestination", "fileExporter", "fileImporter", "fileMover", "importableFromServices",
        "layoutValue", "pasteDestination", "PasteButton", "Path", "refreshable", "RenameButton", "scrollTransition",
        "sink", "task",
        "Task", "transaction", "transformAnchorPreference", "transformEnvironment", "transformPreference", "updating",
        "userActivity", "visualEffect", "withAnimation", "withTransaction",
    ]

    /// Callees whose first closure acts, unless `action:` precedes it.
    static let buttons: Set = ["Button"]

    private static let actionLabels: Set = [
        "action", "by", "completion", "computeValue", "get", "handler", "id", "isIncluded", "keyframes", "animation",
        "perform", "renderer", "set", "where", "eventHandler",
    ]

    /// Whether a closure with this label acts, for any callee: `perform`, `onDismiss`, `primaryAction`, …
    static func isAction(label: String) -> Bool {
        actionLabels.contains(label) || isEventName(label) || label.hasSuffix("Action")
    }

    /// `on` and a capital: `onAppear`, `onDismiss`.
    static func isEventName(_ name: String) -> Bool {
        name.hasPrefix("on") && (name.dropFirst(2).first?.isUppercase ?? false)
    }

    /// Types that a closure may create as a separate statement without being a builder.
    private static let values: Set = [
        "Angle", "Array", "AttributedString", "Bool", "Character", "Data", "Date", "DateComponents", "DateInterval",
        "Decimal", "Dictionary", "DispatchQueue", "Double", "EdgeInsets", "Float", "GridItem", "IndexPath", "IndexSet",
        "Int", "Int16", "Int32", "Int64", "Int8", "KeyframeTrack", "LocalizedStringKey", "LocalizedStringResource",
        "Measurement", "Notification",
        "Optional", "OperationQueue", "Query", "Set", "SortDescriptor", "String", "Substring", "Task", "Timer",
        "TimeInterval",
        "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "URLComponents", "URLQueryItem", "URLRequest", "UUID",
    ]
    private static let valueSuffixes = [
        "Controller", "Delegate", "Descriptor", "Error", "Formatter", "Manager", "Model", "Provider", "Publisher",
        "Request", "Service", "Store", "Subject",
    ]
    private static let valuePrefixes = ["AV", "CA", "CG", "CK", "CL", "NS", "UI", "WK"]

    /// Whether a capitalised name without a declaration in the files refers to something other than a view.
    static func isValue(_ name: String) -> Bool {
        values.contains(name) || valueSuffixes.contains(where: name.hasSuffix)
            || valuePrefixes.contains { name.hasPrefix($0) && (name.dropFirst($0.count).first?.isUppercase ?? false) }
    }

    /// Foundation's formatters: expensive to create, and created again at each evaluation.
    static let formatters: Set = [
        "ByteCountFormatter", "DateComponentsFormatter", "DateFormatter", "DateIntervalFormatter", "EnergyFormatter",
        "ISO8601DateFormatter", "LengthFormatter", "ListFormatter", "MassFormatter", "MeasurementFormatter",
        "NumberFormatter", "PersonNameComponentsFormatter", "RelativeDateTimeFormatter",
    ]

    /// Whether an attribute's name is a result builder's.
    static func isBuilder(attribute: String) -> Bool { attribute.hasSuffix("Builder") }
}
