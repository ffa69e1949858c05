import Testing

@testable import PerfgateStacks

@Suite struct FunctionNameTests {
    /// Names as compilers, linkers and tools write them; `nil`: the frame counts as its caller.
    static let names: [(String, String?)] = [
        ("Search.decodeThumbnail(_:)", "Search.decodeThumbnail(_:)"),
        ("@objc FeedCell.prepareForReuse()", "FeedCell.prepareForReuse()"),
        ("specialized Array._copyToNewBuffer(oldCount:)", "Array._copyToNewBuffer(oldCount:)"),
        ("merged specialized FeedCell.bind(_:)", "FeedCell.bind(_:)"),
        ("partial apply for closure #2 in Feed.load()", "Feed.load()"),
        ("closure #1 in closure #12 in FeedView.body.getter", "FeedView.body.getter"),
        ("implicit closure #1 in Feed.load()", "Feed.load()"),
        ("(1) await resume partial function for Feed.load()", "Feed.load()"),
        ("(3) suspend resume partial function for closure #1 in Feed.load()", "Feed.load()"),
        ("thunk for @escaping @callee_guaranteed () -> ()", nil),
        ("reabstraction thunk helper from @escaping () -> ()", nil),
        ("outlined copy of Data._Representation", nil),
        ("<deduplicated_symbol>", nil),
        ("closure #1 (Swift.Int) -> Swift.Int in Shop.Feed.load() -> ()", "Shop.Feed.load() -> ()"),
        ("partial apply forwarder for closure #1 () -> () in Shop.Feed.load() -> ()", "Shop.Feed.load() -> ()"),
        ("Shop.(load in _8A7B33AA00112233445566778899AABB)(Swift.Int) -> ()", "Shop.load(Swift.Int) -> ()"),
        ("merged function signature specialization <Arg[0] = Dead> of Shop.load() -> ()", "Shop.load() -> ()"),
        ("generic specialization <Swift.Array<Swift.Int>, () -> ()> of Shop.load() -> ()", "Shop.load() -> ()"),
        ("Box<Int>.init(_:)", "Box<Int>.init(_:)"),
        ("finish_task_switch.isra.0", "finish_task_switch"),
        ("decode.cold", "decode"), ("decode.cold.1", "decode"), ("decode.part.0.constprop.0", "decode"),
        ("sort.llvm.123456789", "sort"), ("a.b.c", "a.b.c"), ("v1.2", "v1.2"),
        ("decode+0x1c", "decode"), ("operator+", "operator+"),
        ("shop::feed::bind::h0123456789abcdef", "shop::feed::bind"),
        ("Feed::load()::$_3::operator()() const", "Feed::load()::$_::operator()() const"),
        ("Feed::load()::{lambda(int)#2}::operator()", "Feed::load()::{lambda(int)}::operator()"),
        ("FeedKt$feed$lambda-4", "FeedKt$feed$lambda"), ("Feed.lambda$bind$12", "Feed.lambda$bind"),
        ("'lambda1'(int)", "'lambda'(int)"), ("lambda", "lambda"), ("#", "#"), ("closure #", "closure #"),
    ]

    @Test(arguments: names)
    func aRebuildIsNoChange(_ name: String, _ expected: String?) { #expect(FunctionName.normalised(name) == expected) }

    @Test(arguments: names)
    func aNormalisedNameStaysAsItIs(_ name: String, _ expected: String?) {
        guard let expected else { return }
        #expect(FunctionName.normalised(expected) == expected)
    }

    @Test func anAddressIsNoName() {
        for name in ["0x103d5e809", "[unknown]", "", "???"] { #expect(FunctionName.isAddress(name)) }
        for name in ["0xyz", "main", "0"] { #expect(!FunctionName.isAddress(name)) }
    }

    @Test func aLongNameIsCut() {
        let name = FunctionName.normalised(String(repeating: "x", count: 10_000))
        #expect(name?.utf8.count == FunctionName.longest)
    }
}
