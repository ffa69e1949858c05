import PagePerformance

/// Plays one visit of a page: it opens, loads, shows images, is scrolled, loads more, and is left.
struct SimulatedVisit {
    private let page: SimulatedPage, effects: [InjectedChange.Effect], launch: SimulatedLaunch
    /// The slowness of the device in this run, relative to the average.
    private let pace: Double
    private var noise: NamedRandom
    private let machine: PPSStateMachine
    private var timeline: Timeline { launch.timeline }

    init(
        of page: SimulatedPage, _ effects: [InjectedChange.Effect], id: String, in launch: SimulatedLaunch,
        pace: Double, noise: NamedRandom
    ) {
        (self.page, self.effects, self.launch, self.pace, self.noise) = (page, effects, launch, pace, noise)
        machine = launch.makePage(page.name, visit: id)
    }

    mutating func play() {
        let content = open()
        if effects.contains(.leave) {
            timeline.run(for: .milliseconds(content.value / 2))
        } else {
            timeline.run(for: .milliseconds(content.value + 40))
            for number in 0..<page.scrolls { scroll(isLast: number == page.scrolls - 1) }
        }
        launch.leave(machine)
    }

    /// Plays the visit until the app is killed within a scroll.
    mutating func playUntilKilled() {
        let content = open()
        timeline.run(for: .milliseconds(content.value + 40))
        launch.scroll {
            timeline.run(for: .milliseconds(200))
            launch.kill()
        }
    }

    /// Opens the page; returns the time until its content is there.
    private mutating func open() -> Milliseconds {
        let (layout, load) = (time(page.layout, .layout), time(page.load, .load))
        machine.handleDidLoad()
        machine.handleDidRender(isLoading: true)
        machine.handleWillAppear()
        timeline.work(layout)
        machine.handleDidLayoutSubviews()
        machine.handleDidAppear()
        let rest = Milliseconds.milliseconds(max(0, load.value - layout.value))
        let images = (0..<page.images).map { _ in time(page.imageLoad, .image) }
        timeline.after(rest) { [machine, timeline] in
            machine.handleDidRender(isLoading: false)
            for (number, duration) in images.enumerated() {
                let (slot, url) = (ImageSlot(number: number), "https://images.example.com/\(number).jpg")
                machine.handleImageLoad(slot: slot, url: url, status: .placeholderVisible)
                timeline.after(duration) { machine.handleImageLoad(slot: slot, url: url, status: .shown) }
            }
        }
        return rest
    }

    private mutating func scroll(isLast: Bool) {
        let frames = effects.reduce(noise.happens(page.dropRate) ? 1 : 0) { frames, effect in
            if case .drop(let more) = effect { max(frames, more) } else { frames }
        }
        let before = Milliseconds.milliseconds(noise.number(in: 150...250))
        let stalled = Milliseconds(Nanoseconds(timeline.interval.count * UInt64(frames))).value
        let append = time(page.append, .append)
        let loadsMore = isLast && page.paging != .none
        let machine = self.machine
        var isLoading = false
        func loadMore() {
            isLoading = true
            machine.handleDidRender(isLoading: true, isInitialLoading: false)
            timeline.after(append) {
                isLoading = false
                machine.handleDidRender(isLoading: false)
                machine.handleListBottomVisibility(isVisible: false)
            }
        }
        launch.scroll {
            if loadsMore, page.paging == .prefetched { loadMore() }
            timeline.run(for: before)
            timeline.stall(frames: frames)
            timeline.run(for: .milliseconds(500 - before.value + stalled))
        }
        if loadsMore {
            if page.paging == .atBottom { loadMore() }
            // The list comes to rest; its bottom is only visible if no more content has arrived yet.
            if isLoading { machine.handleListBottomVisibility(isVisible: true) }
        }
        timeline.run(for: .milliseconds(isLast && loadsMore ? append.value + 80 : 80))
    }

    /// A time of this visit from the average, the run's pace, noise, and injected changes.
    private mutating func time(_ average: Milliseconds, _ part: InjectedChange.Part) -> Milliseconds {
        let more = effects.reduce(0) { more, effect in
            if case .slow(part, let time) = effect { more + time.value } else { more }
        }
        return .milliseconds(average.value * pace * noise.factor(deviation: 0.04) + more)
    }
}

/// A page of the simulated app: the content of a visit and its average durations.
package struct SimulatedPage: Hashable, Sendable {
    /// When a list requests more content.
    package enum Paging: Hashable, Sendable {
        /// Never: everything is there.
        case none
        /// While it is scrolled, early enough to arrive in time.
        case prefetched
        case atBottom
    }

    package var name: String
    /// From view did load to the end of the first layout, during which the main thread is busy, and to the content.
    package var layout: Milliseconds, load: Milliseconds
    package var paging: Paging
    /// The durations of loading more content, and an image.
    package var append: Milliseconds, imageLoad: Milliseconds
    /// The numbers of images in the content, and of scrolls per visit, 0 or more.
    package var images: Int, scrolls: Int
    /// The fraction of scrolls with one dropped frame, from 0 to 1.
    package var dropRate: Double

    /// The page with a name; its times only depend on the name, so they are the same in every simulation.
    package init(name: String) {
        var noise = NamedRandom(seed: 0, name)
        self.name = name
        layout = .milliseconds(noise.number(in: 20...60))
        load = .milliseconds(noise.number(in: 250...600))
        paging = [.none, .prefetched, .atBottom][Int(noise.number(in: 0...2.999))]
        append = .milliseconds(noise.number(in: 120...250))
        images = Int(noise.number(in: 0...4.999))
        imageLoad = .milliseconds(noise.number(in: 90...220))
        scrolls = 2
        dropRate = noise.number(in: 0...0.15)
    }

    package static func shop(_ count: Int) -> [SimulatedPage] {
        (0..<max(0, count)).map { SimulatedPage(name: $0 < names.count ? names[$0] : "Page \($0 + 1)") }
    }

    private static let names = [
        "Home", "Search", "Product", "Cart", "Checkout", "Orders", "Order", "Profile", "Settings", "Messages",
        "Message", "Favorites", "Reviews", "Review", "Categories", "Category", "Brands", "Brand", "Deals", "Deal",
        "Stores", "Store", "Map", "Help", "Article", "Login", "Address", "Payment", "Coupons", "History",
    ]
}
