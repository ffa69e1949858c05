import PagePerformance
import PageSimulator
import Testing

/// The syntax of changes on the command line.
struct InjectedChangeTests {
    @Test(arguments: [
        ("Search=drop:3", InjectedChange(page: "Search", effect: .drop(frames: 3))),
        ("Search=load:250", InjectedChange(page: "Search", effect: .slow(.load, by: .milliseconds(250)))),
        ("Search=layout:0.5", InjectedChange(page: "Search", effect: .slow(.layout, by: .milliseconds(0.5)))),
        ("Search=append:1e3", InjectedChange(page: "Search", effect: .slow(.append, by: .milliseconds(1_000)))),
        ("Search=image:0", InjectedChange(page: "Search", effect: .slow(.image, by: .zero))),
        ("a=b=leave", InjectedChange(page: "a=b", effect: .leave)),
        ("Page 31=kill", InjectedChange(page: "Page 31", effect: .kill)),
    ])
    func readsEveryEffect(_ text: String, _ change: InjectedChange) {
        #expect(InjectedChange(text) == change)
    }

    @Test(arguments: [
        "", "=", "Search", "Search=", "=drop:3", "Search=drop", "Search=drop:", "Search=drop:0", "Search=drop:-1",
        "Search=drop:1.5", "Search=drop:1:2", "Search=load", "Search=load:-1", "Search=load:nan", "Search=load:1e9",
        "Search=leave:1", "Search=fly:3", "Search=drop:99999999999999999999",
    ])
    func refusesWhatIsNone(_ text: String) {
        #expect(InjectedChange(text) == nil)
    }
}
