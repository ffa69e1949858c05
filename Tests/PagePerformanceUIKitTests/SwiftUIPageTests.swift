@_spi(Stub) import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    private struct Results: View {
        var isLoading: Bool
        var body: some View {
            EmptyView().measurePage("Search", isLoading: isLoading).countBodyEvaluations(of: "Row", on: "Search")
        }
    }

    @Test func aSwiftUIViewIsAPageThatCountsItsBodies() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Results(isLoading: true))
        bench.show(host)
        host.rootView = Results(isLoading: false)
        host.rootView = Results(isLoading: false)
        bench.frames([1, 1])
        bench.hide(host)
        let metrics = await bench.lines("metric").map { $0.split(separator: #""metric":"#).last ?? "" }
        #expect(
            metrics == [
                #""body_evaluations_Row","unit":"evaluations","better":"lower","values":[3]}"#,
                #""body_evaluations_page","unit":"evaluations","better":"lower","values":[3]}"#,
            ])
        let line = try #require(await bench.lines("pps").last)
        #expect(line.contains(#""outcome":"loaded""#) && line.contains("ttil_ms"))
        // The page signalled no visible part of a load.
        #expect(!line.contains("alt_ms") && !line.contains("rclt"))
    }

    private struct SlowStart: View {
        let work: () -> Void
        var body: some View {
            let view = EmptyView().measurePage("Search", isLoading: false)
            work()
            return view
        }
    }

    @Test func timesOfSwiftUIBeginWithTheFirstEvaluationOfTheBody() async throws {
        let bench = Bench()
        var evaluations = 0
        let host = UIHostingController(
            rootView: SlowStart {
                evaluations += 1
                guard evaluations == 1 else { return }
                bench.clock.advance(by: .milliseconds(30))
            })
        bench.show(host)
        host.update()
        let page = try #require(host.view.performancePage)
        #expect(try #require(page.visit?.firstLayout.time) == .milliseconds(30))
        #expect(evaluations == 2)
        bench.hide(host)
        bench.session.stop()
    }

    private struct Feed: View {
        var isLoading = false
        var hasLoader = false
        var body: some View {
            EmptyView().background(PagePart(hasLoader: hasLoader)).measurePage(
                "Feed", isLoading: isLoading, isInitialLoading: false)
        }
    }

    private struct PagePart: View {
        let hasLoader: Bool
        var body: some View { EmptyView().pageLoader(isShown: hasLoader).background(EmptyView().pageBottom()) }
    }

    @Test func aSwiftUIPageReportsItsLoadersAndBottoms() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Feed())
        bench.show(host)
        bench.frames([1, 1])
        host.rootView = Feed(isLoading: true, hasLoader: true)
        bench.frames([1])
        host.rootView = Feed()
        bench.frames([1, 1])
        bench.hide(host)
        let line = try #require(await bench.lines("pps").last)
        #expect(
            line.contains(#""alt_ms":["#) && !line.contains(#""alt_ms":[]"#) && !line.contains(#""alt_ms":[0]"#),
            "\(line)")
    }

    private struct Photo: View {
        var url: String
        var body: some View {
            MeasuredAsyncImage(url: URL(string: url)) { $0.image ?? Image() }.measurePage("Photo")
        }
    }

    @Test func asyncImagesAreWaitedFor() async throws {
        let bench = Bench()
        AsyncImageStub.phase = .empty
        let host = UIHostingController(rootView: Photo(url: "https://a/1"))
        bench.show(host)
        bench.frames([1])
        AsyncImageStub.phase = .success(Image())
        host.update()
        AsyncImageStub.phase = .empty
        host.rootView = Photo(url: "https://a/2")
        bench.hide(host)
        let line = try #require(await bench.lines("pps").last)
        let outcomes = line.split(separator: #""ms":"#).dropFirst().map { $0.contains("loaded") ? "loaded" : "hidden" }
        #expect(outcomes == ["loaded", "hidden"], "\(line)")
    }
}
